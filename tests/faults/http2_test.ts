import { assert, assertEquals } from "@std/assert";
import { gzipSync } from "node:zlib";
import type { WalkOptions, WarningCode } from "../../mod.ts";
import { type SelfSigned, selfSigned } from "../support/self_signed.ts";
import {
  type Ending,
  ERROR_CODES,
  type Http2Answer,
  Http2FaultServer,
  MAX_DATA,
} from "./http2_server.ts";
import { type Summary, summary, summaryOf } from "./summary.ts";

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder();

/** Bytes of a truncated body that are sent; the cut is inside an entry of each document. */
const SENT = 20_000;
/** Of these, the bytes in DATA frames before the last one. */
const SENT_BEFORE_LAST_FRAME = SENT - SENT % MAX_DATA;

const PATHS = Array.from({ length: 1080 }, (_, at) => `/page/${String(at).padStart(4, "0")}`);

// ------------------------------------------------------------------------------------- documents

/** A sitemap of 1,080 pages. */
interface Sitemap {
  readonly name: string;
  readonly contentType: string;
  readonly body: Uint8Array;
  /** Paths of the entries that are complete in the first `length` bytes. */
  readonly pagesIn: (length: number) => string[];
  /** Summary of a walk in which `fetch()` ends the body after `length` bytes without an error. */
  readonly unnoticed: (length: number) => Summary;
}

const XML_BODY = ENCODER.encode(
  `<?xml version="1.0" encoding="UTF-8"?>\n` +
    `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n` +
    PATHS.map((path) => `<url><loc>http://a.test${path}</loc></url>\n`).join("") +
    "</urlset>\n",
);

const XML: Sitemap = {
  name: "an XML sitemap",
  contentType: "application/xml",
  body: XML_BODY,
  pagesIn: (length) => pathsIn(XML_BODY.subarray(0, length), /a\.test([^<]+)<\/loc><\/url>/g),
  unnoticed: (length) => truncated(XML.pagesIn(length), "xml-cut"),
};

const TEXT_BODY = ENCODER.encode(
  PATHS.map((path) => `http://a.test${path}?in=a-plain-text-sitemap\n`).join(""),
);

const TEXT: Sitemap = {
  name: "a text sitemap",
  contentType: "text/plain",
  body: TEXT_BODY,
  pagesIn: (length) => pathsIn(TEXT_BODY.subarray(0, length), /a\.test(.+)\n/g),
  // the line that was cut cannot be distinguished from a shorter address
  unnoticed: (length) => summary({ pages: pathsIn(TEXT_BODY.subarray(0, length), /a\.test(.+)/g) }),
};

function pathsIn(bytes: Uint8Array, pattern: RegExp): string[] {
  return [...DECODER.decode(bytes).matchAll(pattern)].map(([, path]) => path!);
}

function truncated(pages: string[], warning: WarningCode): Summary {
  return summary({ pages, warnings: [warning], unfinished: ["/sitemap"], verdict: "partial" });
}

// --------------------------------------------------------------------------------------- endings

interface EarlyEnd {
  readonly name: string;
  readonly ending: Ending;
  /** Whether `fetch()` reports an error for it where no Content-Length is given. */
  readonly reported: boolean;
  /** Bytes that `fetch()` yields where a Content-Length is given. Default: all that are sent. */
  readonly yielded?: number;
}

/** Resets that `fetch()` of Deno takes for the end of a body. */
const SILENT_RESETS: ReadonlySet<string> = new Set(["NO_ERROR", "CANCEL"]);

const EARLY_ENDS: readonly EarlyEnd[] = [
  {
    name: "an early END_STREAM",
    ending: { type: "end-stream" },
    reported: false,
    // the frame that contradicts the Content-Length is dropped
    yielded: SENT_BEFORE_LAST_FRAME,
  },
  {
    name: "an early END_STREAM in an empty frame",
    ending: { type: "end-stream", separate: true },
    reported: false,
  },
  ...ERROR_CODES.map((code): EarlyEnd => ({
    name: `RST_STREAM ${code}`,
    ending: { type: "reset", code },
    reported: !SILENT_RESETS.has(code),
  })),
  ...(["NO_ERROR", "INTERNAL_ERROR"] as const).map((code): EarlyEnd => ({
    name: `GOAWAY ${code} and the end of the connection`,
    ending: { type: "goaway", code },
    reported: true,
  })),
  { name: "the end of the connection", ending: { type: "close" }, reported: true },
];

// --------------------------------------------------------------------------------------- answers

interface AnswerOptions {
  /** Whether the Content-Length of the complete body is given. */
  readonly withLength: boolean;
  /** Bytes that are sent. Default: all. */
  readonly sent?: number;
  /** How the body ends. Default: END_STREAM. */
  readonly ending?: Ending;
  readonly fields?: Readonly<Record<string, string>>;
}

function answer({ contentType, body }: Sitemap, options: AnswerOptions): Http2Answer {
  const length = options.withLength ? { "content-length": String(body.length) } : undefined;
  return {
    fields: { "content-type": contentType, ...length, ...options.fields },
    body: body.subarray(0, options.sent),
    ending: options.ending ?? { type: "end-stream" },
  };
}

function clientFor({ cert }: SelfSigned): Deno.HttpClient {
  return Deno.createHttpClient({ caCerts: [cert], http2: true, http1: false });
}

/** Walks a site whose only sitemap gets `answers` in turn, and counts the requests for it. */
async function walkOver(
  answers: readonly Http2Answer[],
  options: WalkOptions,
): Promise<{ readonly found: Summary; readonly requests: number }> {
  const certificate = await selfSigned("localhost");
  await using server = new Http2FaultServer(certificate, answers);
  using client = clientFor(certificate);
  const found = await summaryOf(server.url, {
    useKnownPaths: false,
    retryDelay: 0,
    fetch: (url, init) =>
      url.endsWith("/robots.txt")
        ? Promise.resolve(new Response(`Sitemap: ${server.url}sitemap\n`))
        : fetch(url, { ...init, client }),
    ...options,
  });
  return { found, requests: server.requests };
}

/** Asserts equal summaries, with a short message where pages differ. */
function assertSummary(found: Summary, expected: Summary): void {
  const differs = expected.pages.findIndex((path, at) => path !== found.pages[at]);
  const shortOf = ({ pages, ...rest }: Summary) => ({
    ...rest,
    pages: pages.length,
    last: pages.at(-1),
    different: differs < 0 ? undefined : pages[differs],
  });
  assertEquals(shortOf(found), shortOf(expected));
}

function lengthName(withLength: boolean): string {
  return withLength ? "with Content-Length" : "without Content-Length";
}

// ------------------------------------------------------------------------------- complete bodies

/** Ends of a complete body; a server may reset with NO_ERROR after its response (RFC 9113, 8.1). */
const PROPER_ENDS: readonly { readonly name: string; readonly ending: Ending }[] = [
  { name: "END_STREAM in the last frame", ending: { type: "end-stream" } },
  { name: "END_STREAM in an empty frame", ending: { type: "end-stream", separate: true } },
  { name: "RST_STREAM NO_ERROR", ending: { type: "reset", code: "NO_ERROR" } },
];

for (const sitemap of [XML, TEXT]) {
  for (const withLength of [true, false]) {
    for (const { name, ending } of PROPER_ENDS) {
      const title = `walk() reads all of ${sitemap.name} ${lengthName(withLength)} up to ${name}`;
      Deno.test(title, async () => {
        const { found, requests } = await walkOver([answer(sitemap, { withLength, ending })], {});
        assertSummary(found, summary({ pages: sitemap.pagesIn(Infinity) }));
        assertEquals([found.pages.length, requests], [PATHS.length, 1]);
      });
    }
  }
}

// ------------------------------------------------------------------------------ truncated bodies

for (const { name, ending, reported } of EARLY_ENDS) {
  const title = `fetch() ${
    reported ? "rejects" : "ends"
  } a body without Content-Length after ${name}`;
  Deno.test(title, async () => {
    const certificate = await selfSigned("localhost");
    const cut = answer(XML, { withLength: false, sent: SENT, ending });
    await using server = new Http2FaultServer(certificate, [cut]);
    using client = clientFor(certificate);
    const response = await fetch(server.url, { client });
    let length = 0, failed = false;
    try {
      for await (const chunk of response.body!) length += chunk.length;
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      failed = true;
    }
    const expected = { length: SENT, failed: reported, requests: 1 };
    assertEquals({ length, failed, requests: server.requests }, expected);
  });
}

for (const sitemap of [XML, TEXT]) {
  for (const { name, ending, reported, yielded = SENT } of EARLY_ENDS) {
    const cut = answer(sitemap, { withLength: true, sent: SENT, ending });
    const whole = answer(sitemap, { withLength: true });

    Deno.test(`walk() reports ${sitemap.name} with Content-Length cut by ${name}`, async () => {
      const { found, requests } = await walkOver([cut], { retries: 0 });
      assertSummary(found, truncated(sitemap.pagesIn(yielded), "body-cut"));
      assertEquals(requests, 1);
    });

    Deno.test(`walk() resumes ${sitemap.name} with Content-Length cut by ${name}`, async () => {
      const { found, requests } = await walkOver([cut, whole], { retries: 1 });
      assertSummary(found, summary({ pages: sitemap.pagesIn(Infinity) }));
      assertEquals(requests, 2);
    });

    const isUndetectable = sitemap === TEXT && !reported;
    const verb = isUndetectable ? "cannot detect" : "reports";
    Deno.test(`walk() ${verb} ${sitemap.name} without Content-Length cut by ${name}`, async () => {
      const unsized = answer(sitemap, { withLength: false, sent: SENT, ending });
      const { found, requests } = await walkOver([unsized], { retries: 0 });
      assertSummary(
        found,
        reported ? truncated(sitemap.pagesIn(SENT), "body-cut") : sitemap.unnoticed(SENT),
      );
      assert(found.pages.length < PATHS.length);
      assertEquals([found.verdict, requests], [isUndetectable ? "complete" : "partial", 1]);
    });
  }
}

// ----------------------------------------------------------------------------------- compression

for (const withLength of [true, false]) {
  Deno.test(`walk() reports a Content-Encoding of gzip ${lengthName(withLength)} cut by RST_STREAM CANCEL`, async () => {
    const body = new Uint8Array(gzipSync(XML_BODY)), sent = body.length >> 1;
    const ending: Ending = { type: "reset", code: "CANCEL" };
    const fields = { "content-encoding": "gzip" };
    const cut = answer({ ...XML, body }, { withLength, sent, ending, fields });
    const { found, requests } = await walkOver([cut], { retries: 0 });
    const { length } = found.pages;
    assert(length > 0 && length < PATHS.length, `${length} pages`);
    assertSummary(found, truncated(PATHS.slice(0, length), withLength ? "body-cut" : "gzip-cut"));
    assertEquals(requests, 1);
  });
}
