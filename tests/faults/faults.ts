/**
 * Faults of responses, each with the outcome expected.
 *
 * @module
 */

import { gzipSync } from "node:zlib";
import type { InvalidCode, WalkOptions, WarningCode } from "../../mod.ts";
import {
  type Answer,
  bodyOf,
  head,
  ok,
  raw,
  redirect,
  reset,
  silence,
  status,
  type Wire,
} from "../support/fault_server.ts";

/** A document in two parts: the entries of the first are complete before a fault between them. */
export interface Parts {
  readonly first: string;
  readonly second: string;
}

/** Outcome of a document that cannot be used. */
export interface Unusable {
  /** Code of a declared sitemap. */
  readonly code: InvalidCode;
  /** Part of the reason. */
  readonly reason?: string;
  /** Whether the request was refused or failed: a walk that found nothing is `blocked`. */
  readonly refused: boolean;
  /**
   * Meaning in place of robots.txt: it is missing, it declares nothing, it is withheld (which is
   * reported), or it is unknown what it declares (which makes a walk partial).
   */
  readonly robots: "missing" | "empty" | "withheld" | "unknown";
  /** Whether a known path with this fault counts as missing. */
  readonly missing?: true;
}

/** Outcome of a document that is read, perhaps not to its end. */
export interface Readable {
  /** Number of parts that are read. */
  readonly parts: 1 | 2;
  /** Codes of its warnings. */
  readonly warnings: readonly WarningCode[];
  /** The same in place of robots.txt, if different. */
  readonly robotsWarnings?: readonly WarningCode[];
  /** Whether it was read to its end. */
  readonly complete: boolean;
  /** The same in place of robots.txt, which cannot be truncated detectably. */
  readonly robotsComplete?: boolean;
}

/** One fault. */
export interface Fault {
  readonly name: string;
  /** Returns the response for a document. */
  readonly answer: (parts: Parts) => Answer;
  readonly fate: Unusable | Readable;
  readonly options?: WalkOptions;
}

const HTML = "<!DOCTYPE html>\n<html><head><title>Please log in</title></head>" +
  "<body><p>Members only</p></body></html>";

/** Returns both parts as bytes, with the origin filled in. */
function bytesOf({ first, second }: Parts, wire: Wire): [Uint8Array, Uint8Array] {
  return [bodyOf(first, wire.origin), bodyOf(second, wire.origin)];
}

/** Returns a response made of the bytes of the document. */
function made(
  make: (first: Uint8Array, second: Uint8Array) => Answer,
): (parts: Parts) => Answer {
  return (parts) => (wire) => make(...bytesOf(parts, wire))(wire);
}

function joined(...pieces: Uint8Array[]): Uint8Array {
  return new Uint8Array(pieces.flatMap((piece) => [...piece]));
}

function chunk(bytes: Uint8Array): Uint8Array {
  const encoder = new TextEncoder();
  return joined(
    encoder.encode(`${bytes.length.toString(16)}\r\n`),
    bytes,
    encoder.encode("\r\n"),
  );
}

/** Compresses a document so that its first part can be decompressed without the second. */
function packed(first: Uint8Array, second: Uint8Array): [Uint8Array, Uint8Array] {
  // two members: the second can be truncated or corrupted without affecting the first
  return [new Uint8Array(gzipSync(first)), new Uint8Array(gzipSync(second))];
}

const NETWORK: Unusable = { code: "network", refused: true, robots: "unknown" };
const TIMEOUT: Unusable = { code: "timeout", refused: true, robots: "unknown" };
const HALF: Readable = { parts: 1, warnings: ["body-cut"], complete: false };
const WHOLE: Readable = { parts: 2, warnings: [], complete: true };

/** Options for servers that do not respond. */
const IMPATIENT: WalkOptions = { timeout: 4000, retries: 0 };

function constant(answer: Answer): () => Answer {
  return () => answer;
}

function statusFault(code: number, fate: Omit<Unusable, "code">): Fault {
  return {
    name: `status ${code}`,
    answer: constant(status(code, {}, "Sorry\n")),
    fate: { code: "http-status", ...fate },
  };
}

const CHUNKED = { "Transfer-Encoding": "chunked" };

/** All faults. */
export const FAULTS: readonly Fault[] = [
  { name: "nothing", answer: ({ first, second }) => ok(first + second), fate: WHOLE },

  // broken connections
  { name: "a reset before any header", answer: constant(reset()), fate: NETWORK },
  {
    name: "a reset inside the headers",
    answer: constant(reset("HTTP/1.1 200 OK\r\nContent-Le")),
    fate: NETWORK,
  },
  { name: "an end before any header", answer: constant(raw()), fate: NETWORK },
  {
    name: "an end inside the headers",
    answer: constant(raw("HTTP/1.1 200 OK\r\nContent-Le")),
    fate: NETWORK,
  },
  {
    name: "a reset between headers and body",
    answer: constant(reset(head(200, { "Content-Length": "1000" }))),
    fate: NETWORK,
  },
  {
    name: "an end between headers and body",
    answer: constant(raw(head(200, { "Content-Length": "1000" }))),
    fate: NETWORK,
  },
  {
    name: "a reset inside the body",
    answer: made((first) => reset(head(200, { "Content-Length": "100000" }), first)),
    fate: HALF,
  },
  {
    name: "a body shorter than its Content-Length",
    answer: made((first) => raw(head(200, { "Content-Length": "100000" }), first)),
    fate: HALF,
  },
  {
    name: "a body longer than its Content-Length",
    answer: made((first, second) =>
      raw(head(200, { "Content-Length": String(first.length) }), first, second)
    ),
    fate: {
      parts: 1,
      warnings: ["xml-cut"],
      complete: false,
      robotsWarnings: [],
      robotsComplete: true,
    },
  },
  {
    name: "a body without Content-Length",
    answer: made((first, second) => raw(head(200), first, second)),
    fate: WHOLE,
  },
  {
    name: "chunks",
    answer: made((first, second) =>
      raw(head(200, CHUNKED), chunk(first), chunk(second), "0\r\n\r\n")
    ),
    fate: WHOLE,
  },
  {
    name: "chunks without the last one",
    answer: made((first) => raw(head(200, CHUNKED), chunk(first))),
    fate: HALF,
  },
  {
    name: "a truncated chunk",
    answer: made((first, second) =>
      raw(head(200, CHUNKED), chunk(first), chunk(second).subarray(0, 12))
    ),
    fate: HALF,
  },
  {
    name: "a chunk without a size",
    answer: made((first, second) => raw(head(200, CHUNKED), chunk(first), "zz\r\n", second)),
    fate: HALF,
  },

  // not HTTP
  { name: "another protocol", answer: constant(raw("SSH-2.0-OpenSSH_9.2\r\n")), fate: NETWORK },
  { name: "a body without headers", answer: ({ first }) => raw(first), fate: NETWORK },
  {
    name: "two lengths",
    answer: ({ first }) =>
      raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 900\r\n\r\n", first),
    fate: NETWORK,
  },
  {
    name: "a header of a megabyte",
    answer: constant(raw(`HTTP/1.1 200 OK\r\nX-Long: ${"a".repeat(1_000_000)}\r\n\r\n`)),
    fate: NETWORK,
  },
  {
    name: "endless headers",
    answer: constant(async (wire) => {
      await wire.listen();
      await wire.send("HTTP/1.1 200 OK\r\n");
      for (;;) await wire.send(`X-Another: ${"a".repeat(1000)}\r\n`);
    }),
    fate: NETWORK,
  },

  // silence
  { name: "no response", answer: constant(silence()), fate: TIMEOUT, options: IMPATIENT },
  {
    name: "silence inside the headers",
    answer: constant(silence("HTTP/1.1 200 OK\r\nContent-Le")),
    fate: TIMEOUT,
    options: IMPATIENT,
  },
  {
    name: "silence between headers and body",
    answer: constant(silence(head(200, { "Content-Length": "1000" }))),
    fate: TIMEOUT,
    options: IMPATIENT,
  },
  {
    name: "silence inside the body",
    answer: made((first) => silence(head(200, { "Content-Length": "100000" }), first)),
    fate: HALF,
    options: IMPATIENT,
  },
  {
    name: "a slow body",
    answer: made((first, second) => async (wire) => {
      await wire.listen();
      await wire.send(head(200, { "Content-Length": "1000000" }));
      await wire.send(first);
      await wire.drip(joined(second, new Uint8Array(1000).fill(0x20)), 500);
    }),
    fate: HALF,
    options: { timeout: 20_000, maxRequestTime: 4000, retries: 0 },
  },

  // compression
  {
    name: "truncated gzip data",
    answer: made((...parts) => {
      const [first, second] = packed(...parts);
      return ok(joined(first, second.subarray(0, 11)));
    }),
    fate: { parts: 1, warnings: ["gzip-cut"], complete: false },
  },
  {
    name: "corrupt gzip data",
    answer: made((...parts) => {
      const [first, second] = packed(...parts);
      return ok(joined(first, second.subarray(0, 10), new Uint8Array(50).fill(0xff)));
    }),
    fate: { parts: 1, warnings: ["gzip-cut"], complete: false },
  },
  {
    name: "gzip data in a truncated body",
    answer: made((...parts) => raw(head(200, { "Content-Length": "100000" }), packed(...parts)[0])),
    fate: HALF,
  },
  {
    name: "gzip with a wrong checksum",
    answer: made((...parts) => {
      const bytes = new Uint8Array(gzipSync(joined(...parts)));
      bytes[bytes.length - 6]! ^= 1;
      return ok(bytes);
    }),
    fate: { parts: 2, warnings: ["gzip-checksum"], complete: true },
  },
  {
    name: "a Content-Encoding of gzip for plain content",
    answer: ({ first, second }) => ok(first + second, { "Content-Encoding": "gzip" }),
    fate: { parts: 2, warnings: ["content-encoding"], complete: true },
  },
  {
    name: "a Content-Encoding of br for plain content",
    answer: ({ first, second }) => ok(first + second, { "Content-Encoding": "br" }),
    fate: { parts: 2, warnings: ["content-encoding"], complete: true },
  },
  {
    name: "a Content-Encoding of deflate for plain content",
    answer: ({ first, second }) => ok(first + second, { "Content-Encoding": "deflate" }),
    fate: { parts: 2, warnings: ["content-encoding"], complete: true },
  },
  {
    name: "an unknown Content-Encoding",
    answer: ({ first, second }) => ok(first + second, { "Content-Encoding": "rot13" }),
    fate: WHOLE,
  },

  // responses without a sitemap
  {
    name: "an empty 200",
    answer: constant(ok("")),
    fate: { code: "empty", refused: false, robots: "empty", missing: true },
  },
  {
    name: "a 204",
    answer: constant(status(204)),
    fate: { code: "empty", refused: false, robots: "empty", missing: true },
  },
  statusFault(304, { refused: false, robots: "withheld" }),
  {
    name: "a login wall with status 200",
    answer: constant(ok(HTML, { "Content-Type": "text/html" })),
    fate: {
      code: "not-a-sitemap",
      reason: 'HTML page "Please log in"',
      refused: false,
      robots: "missing",
      missing: true,
    },
  },
  statusFault(401, { refused: true, robots: "withheld" }),
  statusFault(403, { refused: true, robots: "withheld" }),
  statusFault(404, { refused: false, robots: "missing", missing: true }),
  statusFault(410, { refused: false, robots: "missing", missing: true }),
  statusFault(405, { refused: true, robots: "withheld" }),
  statusFault(429, { refused: true, robots: "withheld" }),
  statusFault(500, { refused: true, robots: "unknown" }),
  statusFault(503, { refused: true, robots: "unknown" }),

  {
    name: "an endless error page",
    answer: constant(async (wire) => {
      await wire.listen();
      await wire.send(head(404));
      for (;;) await wire.send("Not found. ".repeat(1000));
    }),
    fate: { code: "http-status", refused: false, robots: "missing", missing: true },
  },

  // redirects
  {
    name: "a redirect to itself with an endless body",
    answer: constant(async (wire) => {
      await wire.listen();
      await wire.send(head(302, { "Location": wire.request.path }));
      for (;;) await wire.send("Moved. ".repeat(1000));
    }),
    fate: { code: "redirect", reason: "loop", refused: false, robots: "withheld" },
  },
  {
    name: "a redirect without Location",
    answer: constant(status(302)),
    fate: { code: "http-status", refused: false, robots: "withheld" },
  },
  {
    name: "a redirect to itself",
    answer: constant((wire) => redirect(wire.origin + wire.request.path)(wire)),
    fate: { code: "redirect", reason: "loop", refused: false, robots: "withheld" },
  },
  {
    name: "endless redirects",
    answer: constant((wire) => redirect(`${wire.origin}/maze?n=1`)(wire)),
    fate: { code: "redirect", reason: "More than 20", refused: false, robots: "withheld" },
  },
  {
    name: "a redirect to a file",
    answer: constant(redirect("file:///etc/passwd")),
    fate: { code: "redirect", reason: "expected http(s)", refused: false, robots: "withheld" },
  },
  {
    name: "a redirect to nowhere",
    answer: constant(redirect("http://[::1/")),
    fate: {
      code: "redirect",
      reason: "Invalid redirect target",
      refused: false,
      robots: "withheld",
    },
  },
];
