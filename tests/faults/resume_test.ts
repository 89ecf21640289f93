/** Bodies that break off are requested again, and no event is sent twice. @module */

import { assertEquals } from "@std/assert";
import { gzipSync } from "node:zlib";
import { type TreeEvent, walk, type WalkOptions } from "../../mod.ts";
import { type Answer, FaultServer, type Wire } from "../support/fault_server.ts";
import { oneSitemap } from "./documents.ts";
import { eventsOf, summary, summaryOfEvents } from "./summary.ts";

const ENCODER = new TextEncoder();
const COUNT = 400;
const OPTIONS: WalkOptions = { useKnownPaths: false, retryDelay: 0 };

interface Content {
  readonly type: string;
  readonly bytes: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

function urls(from = 0): string[] {
  return Array.from({ length: COUNT }, (_, at) => `{{origin}}/page/${from + at}`);
}

/** A urlset with a warning in every hundredth entry, before and after any cut. */
function xml(origin: string, { from = 0, comment = "" } = {}): Uint8Array {
  const entries = urls(from).map((url, at) =>
    `<url><loc>${url.replace("{{origin}}", origin)}</loc>` +
    `${at % 100 === 50 ? "<priority>high</priority>" : ""}</url>\n`
  );
  return ENCODER.encode(`<urlset><!-- ${comment} -->\n${entries.join("")}</urlset>`);
}

function text(origin: string): string {
  return urls().map((url) => url.replace("{{origin}}", origin)).join("\n");
}

function head({ type, bytes, headers = {} }: Content, status = "200 OK"): string {
  const fields = { "Content-Type": type, "Content-Length": `${bytes.length}`, ...headers };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status}\r\n${lines.join("")}Connection: close\r\n\r\n`;
}

/** Returns a response that sends a part of a body and breaks off. */
function cut(content: (origin: string) => Content, part: number): Answer {
  return async (wire) => {
    await wire.listen();
    const made = content(wire.origin);
    await wire.send(head(made));
    await wire.send(made.bytes.subarray(0, Math.floor(made.bytes.length * part)));
  };
}

function whole(content: (origin: string) => Content): Answer {
  return cut(content, 1);
}

/** Returns a response to a Range if If-Range matches, else the whole body. */
function ranged(content: (origin: string) => Content): Answer {
  return async (wire: Wire) => {
    await wire.listen();
    const made = content(wire.origin);
    const start = Number(/^bytes=(\d+)-$/.exec(wire.request.headers.get("range") ?? "")?.[1] ?? 0);
    const isSame = wire.request.headers.get("if-range")?.trim() === made.headers?.["ETag"];
    if (start === 0 || !isSame) {
      await wire.send(head(made));
      return await wire.send(made.bytes);
    }
    const { length } = made.bytes;
    const rest = made.bytes.subarray(start);
    const headers = { ...made.headers, "Content-Range": `bytes ${start}-${length - 1}/${length}` };
    await wire.send(head({ ...made, bytes: rest, headers }, "206 Partial Content"));
    await wire.send(rest);
  };
}

const XML = (origin: string): Content => ({ type: "text/xml", bytes: xml(origin) });
const TEXT = (origin: string): Content => ({
  type: "text/plain",
  bytes: ENCODER.encode(text(origin)),
});
/** A CR at the end of the body may precede an LF, so that the last line is held back. */
const CR_TEXT = (origin: string): Content => ({
  type: "text/plain",
  bytes: ENCODER.encode(`${text(origin)}\n`.replaceAll("\n", "\r")),
});
const PACKED = (origin: string): Content => ({
  type: "application/gzip",
  bytes: new Uint8Array(gzipSync(xml(origin))),
});
const ENCODED = (origin: string): Content => ({
  ...PACKED(origin),
  headers: { "Content-Encoding": "gzip" },
});

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

const PAGES = urls().map((url) => url.replace("{{origin}}", ""));
const LEFT = "sitemap-left";

function assertComplete(events: readonly TreeEvent[]): void {
  const { pages, verdict } = summaryOfEvents(events);
  assertEquals(pages, PAGES);
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
  const content = (origin: string): Content => ({ ...XML(origin), headers: { "ETag": '"a"' } });
  const undisturbed = await walked([whole(content)]);
  const { events, server } = await walked([cut(content, 0.5), ranged(content)]);
  const [, again] = sitemapRequests(server);
  assertEquals(again!.headers.get("range"), `bytes=${(xml(server.origin).length / 2) | 0}-`);
  assertEquals(again!.headers.get("if-range"), '"a"');
  assertEquals(reportOf(events), reportOf(undisturbed.events));
  assertEquals(summaryOfEvents(events).pages, PAGES);
});

Deno.test("walk() reads a body from its beginning if the ETag has changed", async () => {
  const first = (origin: string): Content => ({ ...XML(origin), headers: { "ETag": '"a"' } });
  const second = (origin: string): Content => ({ ...XML(origin), headers: { "ETag": '"b"' } });
  const { events, server } = await walked([cut(first, 0.5), ranged(second)]);
  assertComplete(events);
  assertEquals(sitemapRequests(server).length, 2);
});

for (
  const [name, headers] of Object.entries({
    "a weak ETag": { "ETag": 'W/"a"' },
    "no ETag": {},
    "a Content-Encoding": { "ETag": '"a"', "Content-Encoding": "gzip" },
  })
) {
  Deno.test(`walk() does not request the rest of a body with ${name}`, async () => {
    const content = (origin: string): Content => {
      const made = "Content-Encoding" in headers ? PACKED(origin) : XML(origin);
      return { ...made, headers: { ...headers } };
    };
    const { events, server } = await walked([cut(content, 0.5), whole(content)]);
    const [, again] = sitemapRequests(server);
    assertEquals(again!.headers.get("if-range"), null);
    assertComplete(events);
  });
}

Deno.test("walk() resumes a body that differs in everything but its entries", async () => {
  const other = (origin: string): Content => ({
    type: "text/xml",
    bytes: xml(origin, { comment: "generated in 0.123 s" }),
  });
  const { events } = await walked([cut(XML, 0.5), whole(other)]);
  assertComplete(events);
});

Deno.test("walk() keeps the pages sent before if the entries or the type have changed", async () => {
  const others = {
    pages: (origin: string): Content => ({ type: "text/xml", bytes: xml(origin, { from: 7 }) }),
    type: TEXT,
    fewer: (): Content => ({ type: "text/xml", bytes: ENCODER.encode("<urlset></urlset>") }),
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
    assertEquals(pages, PAGES.slice(0, pages.length));
    assertEquals([verdict, warnings.includes("body-cut")], ["partial", true]);
  }
});

Deno.test("walk() does not request a complete body again whose document is truncated", async () => {
  const bytes = xml("https://site.test").subarray(0, 5000);
  const packed = new Uint8Array(gzipSync(bytes)).subarray(0, -20);
  for (const content of [{ type: "text/xml", bytes }, { type: "text/xml", bytes: packed }]) {
    const { events, server } = await walked([whole(() => content)]);
    assertEquals(sitemapRequests(server).length, 1);
    assertEquals(summaryOfEvents(events).verdict, "partial");
  }
});

Deno.test("walk() loses no page of a server that closes slow connections", async () => {
  const many = 300_000;
  const made: Content = {
    type: "text/xml",
    bytes: ENCODER.encode(
      `<urlset>${
        Array.from({ length: many }, (_, at) => `<url><loc>https://site.test/${at}</loc></url>`)
          .join("\n")
      }</urlset>`,
    ),
  };
  // responses that are closed when the consumer of the walk stops reading
  const stalls = [1 / 3, 2 / 3].map((part) => ({ part, ...Promise.withResolvers<void>() }));
  const closed = stalls.map(({ part, promise }): Answer => async (wire) => {
    await wire.listen();
    await wire.send(head(made));
    // closing the connection ends it
    wire.send(made.bytes.subarray(0, made.bytes.length * part)).catch(() => {});
    await promise;
  });
  await using server = new FaultServer(oneSitemap([...closed, whole(() => made)]));
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
  const rules = `User-agent: *\nDisallow: /private\n${"# padding\n".repeat(500)}` +
    "Sitemap: {{origin}}/sitemap\nSitemap: {{origin}}/private\n";
  const content = (origin: string): Content => ({
    type: "text/plain",
    bytes: ENCODER.encode(rules.replaceAll("{{origin}}", origin)),
  });
  await using server = new FaultServer({
    "/robots.txt": [cut(content, 0.5), whole(content)],
    "*": whole(XML),
  });
  const events = await eventsOf(server.url, { ...OPTIONS, respectRobots: true });
  assertEquals(server.counts, { "/robots.txt": 2, "/sitemap": 1 });
  assertEquals(summaryOfEvents(events).invalid, { "/private": "blocked" });
});
