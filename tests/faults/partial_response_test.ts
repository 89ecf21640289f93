/** Partial responses are read only if they are known to be what was requested. @module */

import { assertEquals } from "@std/assert";
import { gzipSync } from "node:zlib";
import type { RequestReport, WalkOptions } from "../../mod.ts";
import {
  type Answer,
  FaultServer,
  type Fields,
  head,
  ok,
  raw,
  status,
} from "../support/fault_server.ts";
import { oneSitemap } from "./documents.ts";
import { eventsOf, type Summary, summaryOfEvents } from "./summary.ts";

const ENCODER = new TextEncoder();
const PATHS = Array.from({ length: 30 }, (_, at) => `/page/${at}`);
const OPTIONS: WalkOptions = { useKnownPaths: false, retryDelay: 0 };

/** A sitemap without an origin, so that its length is known. */
const BODY = ENCODER.encode(
  `<urlset>${PATHS.map((path) => `<url><loc>${path}</loc></url>\n`).join("")}</urlset>`,
);
const { length: LENGTH } = BODY;
/** Offset at which the first response breaks off. */
const CUT = LENGTH >> 1;

/** Another version, of the same length, without any of the same entries. */
const OTHER = ENCODER.encode(new TextDecoder().decode(BODY).replaceAll("/page/", "/crag/"));

interface Partial {
  /** Content-Range; none if empty. */
  readonly range: string;
  readonly body: Uint8Array;
  readonly fields?: Fields;
  readonly isChunked?: boolean;
}

/** Sends a partial response, whatever was requested. */
function partial({ range, body, fields, isChunked = false }: Partial): Answer {
  const frame: Fields = isChunked
    ? { "Transfer-Encoding": "chunked" }
    : { "Content-Length": String(body.length) };
  const start = head(206, { ...frame, ...(range && { "Content-Range": range }), ...fields });
  return isChunked
    ? raw(start, `${body.length.toString(16)}\r\n`, body, "\r\n0\r\n\r\n")
    : raw(start, body);
}

/** Sends the start of a body and breaks off. */
function cut(fields: Fields): Answer {
  const start = head(200, { "Content-Length": String(LENGTH), ...fields });
  return raw(start, BODY.subarray(0, CUT));
}

interface Walked {
  readonly summary: Summary;
  readonly requests: readonly { readonly headers: Headers }[];
  readonly reports: readonly string[];
}

async function walked(answers: readonly Answer[], options: WalkOptions = {}): Promise<Walked> {
  await using server = new FaultServer(oneSitemap(answers));
  const reports: string[] = [];
  const onRequest = ({ url, phase, reason }: RequestReport) => {
    if (url.endsWith("/sitemap") && reason !== undefined) reports.push(`${phase}: ${reason}`);
  };
  const events = await eventsOf(server.url, { ...OPTIONS, onRequest, ...options });
  await server.idle();
  const requests = server.requests.filter(({ path }) => path === "/sitemap");
  return { summary: summaryOfEvents(events), requests, reports };
}

const COMPLETE = { pages: PATHS, verdict: "complete", warnings: ["relative-address"] };

function outcome({ pages, verdict, warnings }: Summary): object {
  return { pages, verdict, warnings };
}

// ------------------------------------------------------------------------------ resumed bodies

const TAG: Fields = { "ETag": '"a"' };
const RANGE = `bytes ${CUT}-${LENGTH - 1}/${LENGTH}`;
const REST = BODY.subarray(CUT);

/**
 * Partial responses that do not continue the body; each would give wrong or missing pages. They
 * have the ETag of the body unless `fields` are given.
 */
const NOT_THE_REST: Readonly<Record<string, Partial>> = {
  "another start": {
    range: `bytes ${CUT - 100}-${LENGTH - 1}/${LENGTH}`,
    body: BODY.subarray(CUT - 100),
  },
  "another ETag": { range: RANGE, body: OTHER.subarray(CUT), fields: { "ETag": '"b"' } },
  "no Content-Range": { range: "", body: OTHER.subarray(CUT) },
  "more bytes than the range": { range: RANGE, body: OTHER },
};

for (const [name, given] of Object.entries(NOT_THE_REST)) {
  const other = partial({ fields: TAG, ...given });

  Deno.test(`walk() reads a body from its beginning after a partial response with ${name}`, async () => {
    const { summary, requests } = await walked([cut(TAG), other, ok(BODY)]);
    assertEquals(outcome(summary), COMPLETE);
    assertEquals(requests.map(({ headers }) => headers.get("if-range")), [null, '"a"', null]);
    assertEquals(requests[2]!.headers.get("range"), null);
  });

  Deno.test(`walk() keeps a cut body that changed after a partial response with ${name}`, async () => {
    const { summary } = await walked([cut(TAG), other, ok(OTHER)]);
    assertEquals(summary.pages, PATHS.slice(0, summary.pages.length));
    assertEquals(summary.pages.length > 0, true);
    assertEquals([summary.verdict, summary.warnings.includes("body-cut")], ["partial", true]);
  });
}

Deno.test("walk() reads a body from its beginning after too many bytes in chunks", async () => {
  const long = partial({ range: RANGE, body: OTHER, fields: TAG, isChunked: true });
  const { summary, requests } = await walked([cut(TAG), long, ok(BODY)]);
  assertEquals([outcome(summary), requests.length], [COMPLETE, 3]);
});

Deno.test("walk() resumes a body again after too few bytes in chunks", async () => {
  const short = partial({
    range: RANGE,
    body: REST.subarray(0, 50),
    fields: TAG,
    isChunked: true,
  });
  const at = CUT + 50;
  const range = `bytes ${at}-${LENGTH - 1}/${LENGTH}`;
  const rest = partial({ range, body: BODY.subarray(at), fields: TAG });
  const { summary, requests } = await walked([cut(TAG), short, rest]);
  assertEquals(outcome(summary), COMPLETE);
  assertEquals(requests[2]!.headers.get("range")?.trim(), `bytes=${at}-`);
});

Deno.test("walk() compares the total with that of a first partial response", async () => {
  const first = partial({
    range: `bytes 0-${LENGTH - 1}/${LENGTH}`,
    body: BODY.subarray(0, CUT),
    fields: TAG,
    isChunked: true,
  });
  const other = {
    range: `bytes ${CUT}-${LENGTH}/${LENGTH + 1}`,
    body: ENCODER.encode(` ${new TextDecoder().decode(OTHER.subarray(CUT))}`),
    fields: TAG,
  };
  const { summary, requests } = await walked([first, partial(other), ok(BODY)]);
  assertEquals([outcome(summary), requests.length], [COMPLETE, 3]);
});

// --------------------------------------------------------------------------- requests for all

const ALL = `bytes 0-${LENGTH - 1}/${LENGTH}`;

Deno.test("walk() reads a partial response that is the whole", async () => {
  const packed = new Uint8Array(gzipSync(BODY));
  const range = `bytes 0-${packed.length - 1}/${packed.length}`;
  const encoded = { range, body: packed, fields: { "Content-Encoding": "gzip" } };
  for (const given of [{ range: ALL, body: BODY, isChunked: true }, encoded]) {
    const { summary, requests } = await walked([partial(given)], { retries: 0 });
    assertEquals([outcome(summary), requests.length], [COMPLETE, 1]);
  }
});

const HALF = BODY.subarray(0, CUT);
const HALF_PATHS = PATHS.slice(0, new TextDecoder().decode(HALF).split("</url>").length - 1);

const FIRST_HALF = { range: `bytes 0-${CUT - 1}/${LENGTH}`, body: HALF, pages: HALF_PATHS };

interface Part extends Partial {
  /** Pages that are read although the body stays a part; `undefined` if it is invalid. */
  readonly pages: readonly string[] | undefined;
}

const PARTS: Readonly<Record<string, Part>> = {
  "its first half": FIRST_HALF,
  "its first half in chunks": { ...FIRST_HALF, isChunked: true },
  "an unknown total": { range: `bytes 0-${LENGTH - 1}/*`, body: BODY, pages: PATHS },
  "its second half": { range: RANGE, body: REST, pages: undefined },
};

for (const [name, { pages, ...given }] of Object.entries(PARTS)) {
  Deno.test(`walk() requests a body again without a range after a response with ${name}`, async () => {
    const { summary, requests } = await walked([partial(given), ok(BODY)], { retries: 0 });
    assertEquals(outcome(summary), COMPLETE);
    assertEquals(requests.length, 2);
    assertEquals(requests[1]!.headers.get("range"), null);
  });

  Deno.test(`walk() reads as truncated what stays ${name}`, async () => {
    const { summary, requests, reports } = await walked([partial(given)]);
    assertEquals(requests.length, 2);
    assertEquals(summary.pages, [...pages ?? []]);
    assertEquals(summary.verdict, pages === undefined ? "blocked" : "partial");
    assertEquals(summary.invalid, pages === undefined ? { "/sitemap": "network" } : {});
    assertEquals(summary.warnings.includes("body-cut"), pages !== undefined);
    assertEquals(reports.every((text) => text.includes("Partial response: ")), true, `${reports}`);
    assertEquals(reports.length, 3);
  });
}

Deno.test("walk() requests a body again without a range that is refused", async () => {
  const { summary, requests } = await walked([status(416), ok(BODY)], { retries: 0 });
  assertEquals(outcome(summary), COMPLETE);
  assertEquals(requests.map(({ headers }) => headers.has("range")), [true, false]);
});

Deno.test("walk() requests a body again without the range of the caller", async () => {
  const answer: Answer = (wire) =>
    wire.listen().then(() => {
      const isRanged = wire.request.headers.has("range");
      return (isRanged ? partial(FIRST_HALF) : ok(BODY))(wire);
    });
  const headers = { "Range": `bytes=0-${CUT - 1}` };
  const { summary, requests } = await walked([answer], { headers });
  assertEquals([outcome(summary), requests.length], [COMPLETE, 2]);
});
