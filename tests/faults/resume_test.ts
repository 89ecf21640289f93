/** Bodies that break off are requested again, and no event is sent twice. @module */

import { assertEquals } from "@std/assert";
import { gzipSync } from "node:zlib";
import { type TreeEvent, walk, type WalkOptions } from "../../mod.ts";
import { type Answer, FaultServer, type Fields, head, ok, raw } from "../support/fault_server.ts";
import { oneSitemap } from "./documents.ts";
import { eventsOf, summary, summaryOfEvents } from "./summary.ts";

const ENCODER = new TextEncoder();
const OPTIONS: WalkOptions = { useKnownPaths: false, retryDelay: 0 };

interface Content {
  readonly bytes: Uint8Array;
  readonly fields: Fields;
}

const PATHS = Array.from({ length: 400 }, (_, at) => `/page/${at}`);
const URLS = PATHS.map((path) => `https://site.test${path}`);

/** A urlset with a warning in every hundredth entry, before and after any cut. */
function xml(fields: Fields = {}, { urls = URLS, comment = "" } = {}): Content {
  const entries = urls.map((url, at) =>
    `<url><loc>${url}</loc>${at % 100 === 50 ? "<priority>high</priority>" : ""}</url>\n`
  );
  const bytes = ENCODER.encode(`<urlset><!-- ${comment} -->\n${entries.join("")}</urlset>`);
  return { bytes, fields: { "Content-Type": "text/xml", ...fields } };
}

function text(content: string): Content {
  return { bytes: ENCODER.encode(content), fields: { "Content-Type": "text/plain" } };
}

function packed(fields: Fields = {}): Content {
  const bytes = new Uint8Array(gzipSync(XML.bytes));
  return { bytes, fields: { "Content-Type": "application/gzip", ...fields } };
}

function whole({ bytes, fields }: Content): Answer {
  return ok(bytes, fields);
}

/** Returns a response that sends a part of a body and breaks off. */
function cut({ bytes, fields }: Content, part: number): Answer {
  const start = head(200, { "Content-Length": String(bytes.length), ...fields });
  return raw(start, bytes.subarray(0, Math.floor(bytes.length * part)));
}

/** Returns a response to a Range if If-Range matches, else the whole body. */
function ranged({ bytes, fields }: Content): Answer {
  return async (wire) => {
    await wire.listen();
    const { headers } = wire.request, { length } = bytes;
    const isSame = headers.get("if-range")?.trim() === fields["ETag"];
    const [, from] = (isSame && /^bytes=(\d+)-$/.exec(headers.get("range") ?? "")) || [];
    const range = from && { "Content-Range": `bytes ${from}-${length - 1}/${length}` };
    const rest = bytes.subarray(Number(from ?? 0));
    const size = { "Content-Length": String(rest.length) };
    await wire.send(head(range ? 206 : 200, { ...size, ...fields, ...range }));
    await wire.send(rest);
  };
}

const XML = xml();
const TEXT = text(URLS.join("\n"));
/** A CR at the end of the body may precede an LF, so that the last line is held back. */
const CR_TEXT = text(`${URLS.join("\r")}\r`);
const PACKED = packed();
const ENCODED = packed({ "Content-Encoding": "gzip" });

async function walked(
  answers: readonly Answer[],
  options: WalkOptions = {},
): Promise<{ readonly events: TreeEvent[]; readonly server: FaultServer }> {
  await using server = new FaultServer(oneSitemap(answers));
  const events = await eventsOf(server.url, { ...OPTIONS, ...options });
  await server.idle();
  return { events, server };
}

function sitemapRequests({ requests }: FaultServer): typeof requests {
  return requests.filter(({ path }) => path === "/sitemap");
}

const LEFT = "sitemap-left";

function assertComplete(events: readonly TreeEvent[]): void {
  const { pages, verdict } = summaryOfEvents(events);
  assertEquals(pages, PATHS);
  assertEquals(verdict, "complete");
}

/** Returns the events of the sitemap itself. */
function reportOf(events: readonly TreeEvent[]): unknown {
  const left = events.find((event) =>
    event.type === LEFT && event.sitemap.url.endsWith("/sitemap")
  );
  const lines = events.flatMap((event) => event.type === "warning" ? [event.line] : []);
  if (left?.type !== LEFT) return undefined;
  const { pages, bytes, complete, warnings } = left;
  return { pages, bytes, complete, warnings, lines };
}

for (const [name, content] of Object.entries({ XML, TEXT, CR_TEXT, PACKED, ENCODED })) {
  for (const parts of [[0.5], [0.3, 0.7], [0.7, 0.3], [0.999]]) {
    Deno.test(`walk() reads all of ${name.toLowerCase()} that breaks off at ${parts}, once`, async () => {
      const undisturbed = await walked([whole(content)]);
      const answers = [...parts.map((part) => cut(content, part)), whole(content)];
      const { events, server } = await walked(answers);
      assertComplete(events);
      assertEquals(reportOf(events), reportOf(undisturbed.events));
      assertEquals(sitemapRequests(server).length, answers.length);
    });
  }
}

Deno.test("walk() requests the rest of a body by Range if it has a strong ETag", async () => {
  const content = xml({ "ETag": '"a"' });
  const undisturbed = await walked([whole(content)]);
  const { events, server } = await walked([cut(content, 0.5), ranged(content)]);
  const [, again] = sitemapRequests(server);
  assertEquals(again!.headers.get("range"), `bytes=${(content.bytes.length / 2) | 0}-`);
  assertEquals(again!.headers.get("if-range"), '"a"');
  assertEquals(reportOf(events), reportOf(undisturbed.events));
  assertEquals(summaryOfEvents(events).pages, PATHS);
});

Deno.test("walk() reads a body from its beginning if the ETag has changed", async () => {
  const [first, second] = ["a", "b"].map((tag) => xml({ "ETag": `"${tag}"` }));
  const { events, server } = await walked([cut(first!, 0.5), ranged(second!)]);
  assertComplete(events);
  assertEquals(sitemapRequests(server).length, 2);
});

for (
  const [name, content] of Object.entries({
    "a weak ETag": xml({ "ETag": 'W/"a"' }),
    "no ETag": XML,
    "a Content-Encoding": packed({ "ETag": '"a"', "Content-Encoding": "gzip" }),
  })
) {
  Deno.test(`walk() does not request the rest of a body with ${name}`, async () => {
    const { events, server } = await walked([cut(content, 0.5), whole(content)]);
    const [, again] = sitemapRequests(server);
    assertEquals(again!.headers.get("if-range"), null);
    assertComplete(events);
  });
}

Deno.test("walk() resumes a body that differs in everything but its entries", async () => {
  const other = xml({}, { comment: "generated in 0.123 s" });
  const { events } = await walked([cut(XML, 0.5), whole(other)]);
  assertComplete(events);
});

Deno.test("walk() keeps the pages sent before if the entries or the type have changed", async () => {
  const others = {
    pages: xml({}, { urls: URLS.map((url) => url.replace(/\d+$/, (at) => `${Number(at) + 7}`)) }),
    type: TEXT,
    fewer: xml({}, { urls: [] }),
  };
  for (const [name, other] of Object.entries(others)) {
    const alone = await walked([cut(XML, 0.5)], { retries: 0 });
    const { events } = await walked([cut(XML, 0.5), whole(other)]);
    const { pages } = summaryOfEvents(alone.events);
    const warnings = ["bad-priority", "body-cut"];
    const expected = summary({ pages, warnings, unfinished: ["/sitemap"], verdict: "partial" });
    assertEquals(summaryOfEvents(events), expected, name);
    assertEquals(reportOf(events), reportOf(alone.events), name);
  }
});

Deno.test("walk() resumes a body as often as retries allow", async () => {
  for (const retries of [0, 1, 3]) {
    const answers = [0.2, 0.4, 0.6, 0.8, 0.9].map((part) => cut(XML, part));
    const { events, server } = await walked(answers, { retries });
    assertEquals(sitemapRequests(server).length, retries + 1);
    const { pages, verdict, warnings } = summaryOfEvents(events);
    assertEquals(pages, PATHS.slice(0, pages.length));
    assertEquals([verdict, warnings.includes("body-cut")], ["partial", true]);
  }
});

Deno.test("walk() does not request a complete body again whose document is truncated", async () => {
  const half = XML.bytes.subarray(0, 5000);
  for (const bytes of [half, new Uint8Array(gzipSync(half)).subarray(0, -20)]) {
    const { events, server } = await walked([whole({ ...XML, bytes })]);
    assertEquals(sitemapRequests(server).length, 1);
    assertEquals(summaryOfEvents(events).verdict, "partial");
  }
});

Deno.test("walk() loses no page of a server that closes slow connections", async () => {
  const many = 300_000;
  const made = xml({}, {
    urls: Array.from({ length: many }, (_, at) => `https://site.test/${at}`),
  });
  // responses that are closed when the consumer of the walk stops reading
  const stalls = [1 / 3, 2 / 3].map((part) => ({ part, ...Promise.withResolvers<void>() }));
  const closed = stalls.map(({ part, promise }): Answer => async (wire) => {
    await wire.listen();
    await wire.send(head(200, { "Content-Length": String(made.bytes.length), ...made.fields }));
    // closing the connection ends it
    wire.send(made.bytes.subarray(0, made.bytes.length * part)).catch(() => {});
    await promise;
  });
  await using server = new FaultServer(oneSitemap([...closed, whole(made)]));
  const pages: string[] = [];
  let responses = 0;
  for await (const event of walk(server.url, OPTIONS)) {
    if (event.type === "finished") assertEquals(event.verdict, "complete");
    if (event.type !== "page") continue;
    pages.push(event.page.url);
    if (server.counts["/sitemap"] === responses || responses === stalls.length) continue;
    stalls[responses++]!.resolve();
    await server.idle();
  }
  assertEquals(pages.length, many);
  assertEquals(new Set(pages).size, many);
  assertEquals(server.counts["/sitemap"], 3);
});

Deno.test("walk() reads the rules of a robots.txt that breaks off once", async () => {
  const content = text(
    `User-agent: *\nDisallow: /private\n${"# padding\n".repeat(500)}` +
      "Sitemap: /sitemap\nSitemap: /private\n",
  );
  await using server = new FaultServer({
    "/robots.txt": [cut(content, 0.5), whole(content)],
    "*": whole(XML),
  });
  const events = await eventsOf(server.url, { ...OPTIONS, respectRobots: true });
  assertEquals(server.counts, { "/robots.txt": 2, "/sitemap": 1 });
  assertEquals(summaryOfEvents(events).invalid, { "/private": "blocked" });
});
