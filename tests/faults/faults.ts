/** Faults of responses, each with the outcome expected. @module */

import { gzipSync } from "node:zlib";
import type { InvalidCode, WalkOptions, WarningCode } from "../../mod.ts";
import { concatenated } from "../bytes/read_all.ts";
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
  readonly parts: 1 | 2;
  readonly warnings: readonly WarningCode[];
  /** The same in place of robots.txt, if different. */
  readonly robotsWarnings?: readonly WarningCode[];
  readonly complete: boolean;
  /** The same in place of robots.txt, which cannot be truncated detectably. */
  readonly robotsComplete?: boolean;
}

export interface Fault {
  readonly name: string;
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

function chunk(bytes: Uint8Array): Uint8Array {
  const encoder = new TextEncoder();
  return concatenated(
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

const GZIP_CUT: Readable = { parts: 1, warnings: ["gzip-cut"], complete: false };
const PLAIN_CONTENT: Readable = { parts: 2, warnings: ["content-encoding"], complete: true };
const EMPTY: Unusable = { code: "empty", refused: false, robots: "empty", missing: true };

function redirected(reason: string): Unusable {
  return { code: "redirect", reason, refused: false, robots: "withheld" };
}

/** Options for servers that do not respond. */
const IMPATIENT: WalkOptions = { timeout: 4000, retries: 0 };

function constant(answer: Answer): () => Answer {
  return () => answer;
}

/** Returns a response that sends `start`, then pieces without end. */
function endless(start: (wire: Wire) => string, piece: string): () => Answer {
  return constant(async (wire) => {
    await wire.listen();
    await wire.send(start(wire));
    for (;;) await wire.send(piece);
  });
}

/** Returns the plain document, with a Content-Encoding. */
function encoded(encoding: string): Fault["answer"] {
  return ({ first, second }) => ok(first + second, { "Content-Encoding": encoding });
}

const CHUNKED = { "Transfer-Encoding": "chunked" };

function sized(length: number): string {
  return head(200, { "Content-Length": String(length) });
}

type Row = readonly [answer: Fault["answer"], fate: Fault["fate"], options?: WalkOptions];

const BROKEN_CONNECTIONS: Readonly<Record<string, Row>> = {
  "a reset before any header": [constant(reset()), NETWORK],
  "a reset inside the headers": [constant(reset("HTTP/1.1 200 OK\r\nContent-Le")), NETWORK],
  "an end before any header": [constant(raw()), NETWORK],
  "an end inside the headers": [constant(raw("HTTP/1.1 200 OK\r\nContent-Le")), NETWORK],
  "a reset between headers and body": [constant(reset(sized(1000))), NETWORK],
  "an end between headers and body": [constant(raw(sized(1000))), NETWORK],
  "a reset inside the body": [made((first) => reset(sized(100_000), first)), HALF],
  "a body shorter than its Content-Length": [made((first) => raw(sized(100_000), first)), HALF],
  "a body longer than its Content-Length": [
    made((first, second) => raw(sized(first.length), first, second)),
    { ...HALF, warnings: ["xml-cut"], robotsWarnings: [], robotsComplete: true },
  ],
  "a body without Content-Length": [made((first, second) => raw(head(200), first, second)), WHOLE],
  "chunks": [
    made((first, second) => raw(head(200, CHUNKED), chunk(first), chunk(second), "0\r\n\r\n")),
    WHOLE,
  ],
  "chunks without the last one": [made((first) => raw(head(200, CHUNKED), chunk(first))), HALF],
  "a truncated chunk": [
    made((first, second) => raw(head(200, CHUNKED), chunk(first), chunk(second).subarray(0, 12))),
    HALF,
  ],
  "a chunk without a size": [
    made((first, second) => raw(head(200, CHUNKED), chunk(first), "zz\r\n", second)),
    HALF,
  ],
};

const NOT_HTTP: Readonly<Record<string, Row>> = {
  "another protocol": [constant(raw("SSH-2.0-OpenSSH_9.2\r\n")), NETWORK],
  "a body without headers": [({ first }) => raw(first), NETWORK],
  "two lengths": [
    ({ first }) =>
      raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 900\r\n\r\n", first),
    NETWORK,
  ],
  "a header of four megabytes": [
    // one of a megabyte may arrive in a single read, which Deno accepts
    constant(raw(`HTTP/1.1 200 OK\r\nX-Long: ${"a".repeat(4_000_000)}\r\n\r\n`)),
    NETWORK,
  ],
  "endless headers": [
    endless(() => "HTTP/1.1 200 OK\r\n", `X-Another: ${"a".repeat(1000)}\r\n`),
    NETWORK,
  ],
};

const SILENCE: Readonly<Record<string, Row>> = {
  "no response": [constant(silence()), TIMEOUT, IMPATIENT],
  "silence inside the headers": [
    constant(silence("HTTP/1.1 200 OK\r\nContent-Le")),
    TIMEOUT,
    IMPATIENT,
  ],
  "silence between headers and body": [constant(silence(sized(1000))), TIMEOUT, IMPATIENT],
  "silence inside the body": [made((first) => silence(sized(100_000), first)), HALF, IMPATIENT],
  "a slow body": [
    made((first, second) => async (wire) => {
      await wire.listen();
      await wire.send(sized(1_000_000));
      await wire.send(first);
      await wire.drip(concatenated(second, new Uint8Array(1000).fill(0x20)), 500);
    }),
    HALF,
    { timeout: 20_000, maxRequestTime: 4000, retries: 0 },
  ],
};

const COMPRESSION: Readonly<Record<string, Row>> = {
  "truncated gzip data": [
    made((...parts) => {
      const [first, second] = packed(...parts);
      return ok(concatenated(first, second.subarray(0, 11)));
    }),
    GZIP_CUT,
  ],
  "corrupt gzip data": [
    made((...parts) => {
      const [first, second] = packed(...parts);
      return ok(concatenated(first, second.subarray(0, 10), new Uint8Array(50).fill(0xff)));
    }),
    GZIP_CUT,
  ],
  "gzip data in a truncated body": [
    made((...parts) => raw(sized(100_000), packed(...parts)[0])),
    HALF,
  ],
  "gzip with a wrong checksum": [
    made((...parts) => {
      const bytes = new Uint8Array(gzipSync(concatenated(...parts)));
      bytes[bytes.length - 6]! ^= 1;
      return ok(bytes);
    }),
    { parts: 2, warnings: ["gzip-checksum"], complete: true },
  ],
  "a Content-Encoding of gzip for plain content": [encoded("gzip"), PLAIN_CONTENT],
  "a Content-Encoding of br for plain content": [encoded("br"), PLAIN_CONTENT],
  "a Content-Encoding of deflate for plain content": [encoded("deflate"), PLAIN_CONTENT],
  "an unknown Content-Encoding": [encoded("rot13"), WHOLE],
};

const STATUSES: Readonly<Record<number, Omit<Unusable, "code">>> = {
  304: { refused: false, robots: "withheld" },
  401: { refused: true, robots: "withheld" },
  403: { refused: true, robots: "withheld" },
  404: { refused: false, robots: "missing", missing: true },
  405: { refused: true, robots: "withheld" },
  410: { refused: false, robots: "missing", missing: true },
  429: { refused: true, robots: "withheld" },
  500: { refused: true, robots: "unknown" },
  503: { refused: true, robots: "unknown" },
};

const WITHOUT_A_SITEMAP: Readonly<Record<string, Row>> = {
  "an empty 200": [constant(ok("")), EMPTY],
  "a 204": [constant(status(204)), EMPTY],
  "a login wall with status 200": [constant(ok(HTML, { "Content-Type": "text/html" })), {
    ...{ code: "not-a-sitemap", reason: 'HTML page "Please log in"' },
    ...{ refused: false, robots: "missing", missing: true },
  }],
  "an endless error page": [endless(() => head(404), "Not found. ".repeat(1000)), {
    ...{ code: "http-status", refused: false, robots: "missing", missing: true },
  }],
};

const REDIRECTS: Readonly<Record<string, Row>> = {
  "a redirect to itself with an endless body": [
    endless((wire) => head(302, { "Location": wire.request.path }), "Moved. ".repeat(1000)),
    redirected("loop"),
  ],
  "a redirect without Location": [
    constant(status(302)),
    { code: "http-status", refused: false, robots: "withheld" },
  ],
  "a redirect to itself": [
    constant((wire) => redirect(wire.origin + wire.request.path)(wire)),
    redirected("loop"),
  ],
  "endless redirects": [
    constant((wire) => redirect(`${wire.origin}/maze?n=1`)(wire)),
    redirected("More than 20"),
  ],
  "a redirect to a file": [
    constant(redirect("file:///etc/passwd")),
    redirected("expected http(s)"),
  ],
  "a redirect to nowhere": [
    constant(redirect("http://[::1/")),
    redirected("Invalid redirect target"),
  ],
};

export const FAULTS: readonly Fault[] = [
  { name: "nothing", answer: ({ first, second }) => ok(first + second), fate: WHOLE },
  ...[BROKEN_CONNECTIONS, NOT_HTTP, SILENCE, COMPRESSION, WITHOUT_A_SITEMAP, REDIRECTS].flatMap(
    (rows) =>
      Object.entries(rows).map(([name, [answer, fate, options]]) => (
        { name, answer, fate, ...(options && { options }) }
      )),
  ),
  ...Object.entries(STATUSES).map(([code, fate]): Fault => ({
    name: `status ${code}`,
    answer: constant(status(Number(code), {}, "Sorry\n")),
    fate: { code: "http-status", ...fate },
  })),
];
