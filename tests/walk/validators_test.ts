import { assertEquals } from "@std/assert";
import { openSnapshot, sync, type SyncOptions } from "../../src/sync/mod.ts";
import { type Answer, broken, type ScriptedRequest, status, text } from "../http/scripted_fetch.ts";
import { at, HOME, index, numbered, robots, siteFetch, urlset } from "./site.ts";
import { eventsOf, walked } from "./walked.ts";

const PATHS = numbered(50, (at) => `/${at}`);
const BODY = urlset(...PATHS);
/** What a server answers to validators that it takes for current. */
const UNCHANGED = status(304, { etag: '"1"' });

/** Responds with a body that breaks off after some characters. */
function brokenAfter(length: number, headers: HeadersInit = {}): Answer {
  return () => new Response(broken(BODY.slice(0, length)).stream(), { headers });
}

/** Responds with 304 if the request has validators, else as `answer`. */
function lazily(answer: Answer): Answer {
  return (url, init) => (isConditional(new Headers(init.headers)) ? UNCHANGED : answer)(url, init);
}

function isConditional(headers: Headers): boolean {
  return headers.has("if-none-match") || headers.has("if-modified-since");
}

/** Formats a request: `conditional`, `rest` or `whole`. */
function formOf({ headers }: ScriptedRequest): string {
  if (isConditional(headers)) return "conditional";
  return headers.has("if-range") ? "rest" : "whole";
}

/**
 * Reads a sitemap in one run, and again in another with the answers `again`. Returns the changes of
 * that run, its requests of the sitemap, and the pages after it.
 */
async function readTwice(
  first: Answer,
  again: readonly Answer[],
  options: Partial<SyncOptions> = {},
): Promise<{ changes: string[]; requests: string[]; pages: number; invalid: string[] }> {
  const script = siteFetch({
    "/robots.txt": robots("/i"),
    "/i": index("/before", "/s"),
    "/before": urlset("/x"),
    "/s": [first, ...again],
  });
  await using snapshot = await openSnapshot(":memory:");
  const { fetch } = script;
  const all = { snapshot, fetch, retryDelay: 0, useKnownPaths: false, ...options };
  await Array.fromAsync(sync(HOME, all));
  const before = script.requests.length;
  const changes: string[] = [], invalid: string[] = [];
  for await (const event of sync(HOME, all)) {
    if (event.type === "invalid") invalid.push(`${event.code} ${event.reason}`);
    if ("page" in event) changes.push(`${event.type} ${event.page.url}`);
  }
  const requests = script.requests.slice(before).filter(({ url }) => url === at("/s"));
  const pages = eventsOf(await Array.fromAsync(snapshot.events(HOME)), "page").length - 1;
  return { changes, requests: requests.map(formOf), pages, invalid };
}

const UNTOUCHED = { changes: [], pages: PATHS.length, invalid: [] };

/** Headers of a sitemap, and the requests that follow when its body breaks off. */
const VALIDATORS: readonly [name: string, HeadersInit, HeadersInit, requests: string[]][] = [
  ["an ETag", { etag: '"1"' }, { etag: '"2"' }, ["conditional", "rest", "whole"]],
  ["a weak ETag", { etag: 'W/"1"' }, { etag: 'W/"2"' }, ["conditional", "whole"]],
  [
    "a date",
    { "last-modified": "Mon, 01 Jan 2024 00:00:00 GMT" },
    { "last-modified": "Tue, 02 Jan 2024 00:00:00 GMT" },
    ["conditional", "whole"],
  ],
];

for (const [name, headers, newer, requests] of VALIDATORS) {
  Deno.test(`sync() asks for a broken body without validators after ${name}`, async () => {
    for (const length of [0, 1, 700, BODY.length - 1]) {
      // nothing is left to continue, and no range was asked for
      const forms = length === 0 ? ["conditional", "whole"] : requests;
      // a server that takes the range of a rest for a condition, and validators for current
      const answer: Answer = (url, init) => {
        const isRest = new Headers(init.headers).has("if-range");
        return (isRest ? UNCHANGED : lazily(text(BODY, newer)))(url, init);
      };
      const result = await readTwice(text(BODY, headers), [brokenAfter(length, newer), answer]);
      assertEquals(result, { ...UNTOUCHED, requests: forms }, `broken after ${length}`);
    }
  });

  Deno.test(`sync() believes a 304 to ${name}`, async () => {
    // ETags are compared weakly
    const tags = "etag" in headers ? [{ etag: '"1"' }, { etag: 'W/"1"' }] : [];
    for (const own of [headers, {}, ...tags]) {
      const result = await readTwice(text(BODY, headers), [status(304, own), text(urlset("/y"))]);
      assertEquals(result, { ...UNTOUCHED, requests: ["conditional"] });
    }
  });
}

Deno.test("sync() asks again without validators after a 304 with another ETag", async () => {
  const other = [text(urlset(...PATHS, "/new"), { etag: '"2"' })];
  for (const etag of ['"2"', 'W/"2"', '"1', "1", '""']) {
    const result = await readTwice(text(BODY, { etag: '"1"' }), [status(304, { etag }), ...other]);
    assertEquals(result, {
      changes: [`added ${at("/new")}`],
      pages: PATHS.length + 1,
      invalid: [],
      requests: ["conditional", "whole"],
    }, etag);
  }
});

Deno.test("sync() fails if a request without validators is answered with 304", async () => {
  const first = text(BODY, { etag: '"1"' });
  const other = status(304, { etag: '"2"' });
  const invalid = ["http-status 304 Not Modified"];
  const expected = { ...UNTOUCHED, requests: ["conditional", "whole"] };
  for (const retries of [0, 2]) {
    assertEquals(await readTwice(first, [other], { retries }), { ...expected, invalid });
  }
  // the body failed before its first byte
  const early = await readTwice(first, [brokenAfter(0), UNCHANGED]);
  assertEquals(early, { ...expected, invalid });
  // its pages arrived in part, and the others are kept
  assertEquals(await readTwice(first, [brokenAfter(700), UNCHANGED]), expected);
});

Deno.test("sync() sends the validators of the body that it has read", async () => {
  for (const length of [0, 700]) {
    const script = siteFetch({
      "/robots.txt": robots("/s"),
      "/s": [brokenAfter(length, { etag: '"1"' }), text(BODY, { etag: '"2"' })],
    });
    await using snapshot = await openSnapshot(":memory:");
    const options = { snapshot, fetch: script.fetch, retryDelay: 0, useKnownPaths: false };
    for (let run = 0; run < 2; run++) await Array.fromAsync(sync(HOME, options));
    assertEquals(script.requests.at(-1)?.headers.get("if-none-match"), '"2"');
  }
});

Deno.test("walk() fails if a sitemap is answered with 304", async () => {
  const pages = { "/robots.txt": robots("/s"), "/s": status(304, { etag: '"1"' }) };
  const result = await walked(pages);
  const [invalid] = result.of("invalid");
  assertEquals([invalid?.code, invalid?.reason], ["http-status", "304 Not Modified"]);
  assertEquals([result.paths, result.verdict], [["/robots.txt", "/s"], "partial"]);
});
