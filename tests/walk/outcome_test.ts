import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  BlockedError,
  type EventStream,
  pages,
  parseSitemap,
  sitemapTreeForHomepage,
  walk,
  type WalkOptions,
} from "../../mod.ts";
import { openSnapshot, type Snapshot, sync } from "../../src/sync/mod.ts";
import { toNdjson, toReadableStream } from "../../src/write/mod.ts";
import { type Answer, refused, text } from "../http/scripted_fetch.ts";
import { serveRoutes } from "../support/fixture_server.ts";
import { at, HOME, type Pages, robots, siteFetch, urlset } from "./site.ts";
import { DONE, walkedFrom } from "./walked.ts";

const QUICK: WalkOptions = { retries: 0, retryDelay: 0 };

// ---------------------------------------------------------------------------------- BlockedError

Deno.test("pages() throws if a server refuses everything, alone and in batches", async () => {
  await using server = serveRoutes({ "*": () => new Response(null, { status: 403 }) });
  const message = `Cannot read the sitemaps of "${server.url}": 403 Forbidden for robots.txt`;
  for (const read of [Array.fromAsync<unknown>, readBatches]) {
    const stream = pages(server.url, QUICK);
    const error = await assertRejects(() => read(stream), BlockedError, message);
    const { name, verdict, code, status } = error;
    assertEquals([name, verdict, code, status], ["BlockedError", "blocked", "http-status", 403]);
    assertEquals(error.stats, stream.finished?.stats);
    assertEquals(stream.finished?.verdict, "blocked");
    assertEquals(await stream.next(), DONE);
  }
});

async function readBatches(stream: EventStream<unknown>): Promise<void> {
  for await (const batch of stream.batches()) assertEquals(batch, []);
}

Deno.test("pages() names the first request that was refused, wherever it is", async () => {
  const rules = { "/robots.txt": "User-agent: *\nDisallow: /" };
  const given = { respectRobots: true, sitemaps: [at("/g")] };
  const extra = { respectRobots: true, sitemaps: [], extraKnownPaths: ["x.xml"] };
  const far = "http://10.0.0.1/s", other = "https://other.test/robots.txt";
  const cases: readonly (readonly [Pages, WalkOptions, code: string | number, reason: string])[] = [
    [{ "/robots.txt": refused() }, {}, "connection-refused", "Connection refused for robots.txt"],
    [{ "/robots.txt": robots("/a"), "/a": 401 }, {}, 401, '401 Unauthorized for "/a"'],
    [{ "/g": 503 }, { sitemaps: [at("/g")] }, 503, '503 Service Unavailable for "/g"'],
    [{ "/sitemap.xml": 500 }, {}, 500, '500 Internal Server Error for "/sitemap.xml"'],
    [rules, given, "blocked", 'Disallowed by robots.txt for "/g"'],
    [rules, extra, "blocked", 'Disallowed by robots.txt for "/x.xml"'],
    [
      { "/robots.txt": robots(far) },
      {},
      "blocked",
      `Host "10.0.0.1" is on a private network for "${far}"`,
    ],
    // not the robots.txt of the site
    [{ [other]: 403 }, { sitemaps: [other] }, 403, `403 Forbidden for "${other}"`],
  ];
  for (const [site, options, code, reason] of cases) {
    const { fetch } = siteFetch(site);
    const stream = pages(HOME, { ...QUICK, fetch, ...options });
    const error = await assertRejects(() => Array.fromAsync(stream), BlockedError);
    const full = reason.replace('"/', `"${HOME}`);
    assertEquals(error.message, `Cannot read the sitemaps of "${HOME}": ${full}`);
    const hasStatus = typeof code === "number";
    assertEquals<unknown>(error.code, hasStatus ? "http-status" : code);
    assertEquals(["status" in error, error.status], [hasStatus, hasStatus ? code : undefined]);
  }
});

Deno.test("a BlockedError has no user info in its message", async () => {
  const { fetch } = siteFetch({ "/robots.txt": robots("https://bob:pw2@site.test/a"), "*": 403 });
  const stream = pages("https://ann:pw1@site.test/x", { ...QUICK, fetch });
  const error = await assertRejects(() => Array.fromAsync(stream), BlockedError);
  assertEquals(
    error.message,
    'Cannot read the sitemaps of "https://site.test/": 403 Forbidden for "https://site.test/a"',
  );
  assert(!/pw|bob|ann/.test(JSON.stringify([error, stream.finished])));
});

Deno.test("a BlockedError comes through a stream and a writer", async () => {
  const { fetch } = siteFetch({ "/robots.txt": 403 });
  for (const input of [pages(HOME, { fetch }), pages(HOME, { fetch }).batches()]) {
    const lines = toReadableStream<never>(input as AsyncIterable<never>).pipeThrough(toNdjson());
    await assertRejects(() => new Response(lines).text(), BlockedError, "403 Forbidden");
  }
});

Deno.test("pages() does not throw if there is nothing, something was lost, or a limit ended it", async () => {
  const cases: readonly (readonly [Pages, WalkOptions, string])[] = [
    [{}, {}, "none"],
    [{ "/robots.txt": "" }, {}, "none"],
    [{ "/robots.txt": "-> /robots.txt" }, {}, "none"],
    [{ "/robots.txt": robots("/a", "/b"), "/a": urlset("/1"), "/b": 403 }, {}, "partial"],
    [{ "/robots.txt": 503, "/sitemap.xml": urlset("/1") }, {}, "partial"],
    [{ "/robots.txt": robots("/a", "/b"), "*": 403 }, { maxSitemaps: 1 }, "partial"],
    [{ "/robots.txt": 403 }, { deadline: 0 }, "partial"],
    [{ "/robots.txt": robots("/a"), "/a": urlset("/1") }, {}, "complete"],
  ];
  for (const [site, options, verdict] of cases) {
    const { fetch } = siteFetch(site);
    const stream = pages(HOME, { ...QUICK, fetch, ...options });
    await Array.fromAsync(stream);
    assertEquals(stream.finished?.verdict, verdict);
    assertEquals(stream.finished?.blockedBy, undefined);
  }
});

Deno.test("walk() and trees have the refusal as data and do not throw", async () => {
  const { fetch } = siteFetch({ "/robots.txt": 403 });
  const stream = walk(HOME, { fetch });
  const events = await Array.fromAsync(stream);
  assertEquals(stream.finished, events.at(-1) as typeof stream.finished);
  assertEquals(stream.finished?.blockedBy, {
    url: `${HOME}robots.txt`,
    code: "http-status",
    reason: "403 Forbidden",
    status: 403,
  });
  const tree = await sitemapTreeForHomepage(HOME, { fetch });
  assertEquals(tree.verdict, "blocked");
  assertEquals(tree.stats?.pages, 0);
});

// -------------------------------------------------------------------------------------- finished

/** Streams with `finished`, of a site with pages. */
const STREAMS: Readonly<
  Record<string, (options: WalkOptions, snapshot: Snapshot) => EventStream<unknown>>
> = {
  walk: (options) => walk(HOME, options),
  pages: (options) => pages(HOME, options),
  parseSitemap: ({ signal }) =>
    parseSitemap("https://site.test/1\nhttps://site.test/2\n", signal ? { signal } : {}),
  sync: (options, snapshot) => sync(HOME, { ...options, snapshot }),
};

for (const [name, open] of Object.entries(STREAMS)) {
  const site = { "/robots.txt": robots("/a"), "/a": urlset("/1", "/2") };
  const start = async (options: WalkOptions = {}) =>
    open(
      { ...QUICK, fetch: siteFetch(site).fetch, useKnownPaths: false, ...options },
      await openSnapshot(":memory:"),
    );

  for (const how of ["items", "batches"] as const) {
    const read = (stream: EventStream<unknown>) => how === "items" ? stream : stream.batches();

    Deno.test(`${name}() has "finished" after its end, by ${how}`, async () => {
      const stream = await start();
      assertEquals(stream.finished, undefined);
      for await (const _ of read(stream)) assertEquals(stream.finished, undefined);
      assertEquals([stream.finished?.type, stream.finished?.verdict], ["finished", "complete"]);
      assertEquals(stream.finished?.stats.pages, 2);
      await stream.return();
      assertEquals(stream.finished?.verdict, "complete");
    });

    Deno.test(`${name}() has no "finished" after a loop by ${how} that was left early`, async () => {
      const stream = await start();
      for await (const _ of read(stream)) break;
      assertEquals(stream.finished, undefined);
      assertEquals(await stream.next(), DONE);
      assertEquals(stream.finished, undefined);
    });
  }

  Deno.test(`${name}() has no "finished" after an abort`, async () => {
    const controller = new AbortController();
    const stream = await start({ signal: controller.signal });
    await stream.next();
    controller.abort(new Error("enough"));
    await assertRejects(() => Array.fromAsync(stream), Error, "enough");
    assertEquals(stream.finished, undefined);
  });
}

Deno.test('sync() has its own counts in "finished"', async () => {
  await using snapshot = await openSnapshot(":memory:");
  const { fetch } = siteFetch({ "/robots.txt": robots("/a"), "/a": urlset("/1", "/2") });
  const stream = sync(HOME, { snapshot, fetch });
  const events = await Array.fromAsync(stream);
  assertEquals(stream.finished?.stats.added, 2);
  assertEquals(stream.finished, events.at(-1) as typeof stream.finished);
  const replay = snapshot.events(HOME);
  await Array.fromAsync(replay);
  assertEquals(replay.finished?.verdict, "complete");
});

Deno.test("sync() and its snapshot do not count robots.txt as a sitemap", async () => {
  const unchanged = (body: string): Answer => (_url, { headers }) => {
    const isKnown = new Headers(headers).get("if-none-match") === '"1"';
    return new Response(isKnown ? null : body, {
      status: isKnown ? 304 : 200,
      headers: { etag: '"1"' },
    });
  };
  const { fetch } = siteFetch({
    "/robots.txt": unchanged(robots("/a")),
    "/a": unchanged(urlset("/1")),
  });
  await using snapshot = await openSnapshot(":memory:");
  const options = { snapshot, fetch, useKnownPaths: false };
  await Array.fromAsync(sync(HOME, options));
  const again = sync(HOME, options);
  await Array.fromAsync(again);
  const { sitemaps, notModified } = again.finished!.stats;
  assertEquals([sitemaps, notModified], [1, 1]);
  assertEquals((await Array.fromAsync(snapshot.runs())).at(-1)?.notModified, 1);
  const replay = snapshot.events(HOME);
  await Array.fromAsync(replay);
  assertEquals(replay.finished?.stats.sitemaps, 1);
});

// ------------------------------------------------------------------------------------ permission

const NO_NET: Pick<Deno.TestDefinition, "permissions"> = {
  permissions: { net: ["127.0.0.1"], read: true, env: true, write: true, sys: true },
};

Deno.test("a walk without permission of Deno throws at once", NO_NET, async () => {
  const message =
    'Cannot walk "https://site.test/": no permission to contact the host; run Deno with --allow-net';
  const url = "https://ann:pw@site.test/";
  await using snapshot = await openSnapshot(":memory:");
  const streams = [walk(url), pages(url), sync(url, { snapshot })];
  for (const stream of streams) {
    await assertRejects(() => stream.next(), Deno.errors.NotCapable, message);
    assertEquals(stream.finished, undefined);
    assertEquals(await stream.next(), DONE);
  }
  await assertRejects(() => sitemapTreeForHomepage(url), Deno.errors.NotCapable, message);
  assertEquals(await Array.fromAsync(snapshot.sites()), [], "no run has begun");
});

Deno.test("other hosts without permission of Deno are blocked sitemaps", NO_NET, async () => {
  const declared = "http://site.test/s.xml";
  await using server = serveRoutes({ "/robots.txt": () => new Response(robots(declared)) });
  const options = { ...QUICK, useKnownPaths: false, allowPrivateNetwork: true };
  assertEquals((await walkedFrom(server.url, options)).invalid, [`blocked ${declared}`]);
  // the homepage is not contacted for given sitemaps alone
  const given = pages("https://site.test/", { ...options, sitemaps: [declared] });
  await assertRejects(() => given.next(), BlockedError, "No permission to contact the host");
});

Deno.test("a walk by another fetch needs no permission", NO_NET, async () => {
  const fetch = () => Promise.resolve(text("https://site.test/1")("", {}) as Response);
  const found = await Array.fromAsync(pages(HOME, { fetch, maxPages: 1 }));
  assertEquals(found.length, 1);
});
