import { assert, assertEquals } from "@std/assert";
import type { Fetch, WalkOptions } from "../../mod.ts";
import {
  type Answer,
  FaultServer,
  type FaultSite,
  ok,
  raw,
  redirect,
  status,
} from "../support/fault_server.ts";
import { index } from "./documents.ts";
import { summaryOf } from "./summary.ts";

const EMPTY = ok("<urlset/>");
const OPTIONS: WalkOptions = { useKnownPaths: false };

/** Milliseconds by which timers may be early. */
const SLACK = 5;

/** A request with the times of request and response, in milliseconds. */
interface Call {
  readonly path: string;
  readonly host: string;
  readonly at: number;
  answered: number;
}

/** Wraps the fetch of the runtime and records times, which a busy machine does not blur. */
function watched(): { readonly calls: Call[]; readonly fetch: Fetch } {
  const calls: Call[] = [];
  return {
    calls,
    fetch: async (url, init) => {
      const { pathname, search, host } = new URL(url);
      const call: Call = {
        path: pathname + search,
        host,
        at: performance.now(),
        answered: Infinity,
      };
      calls.push(call);
      const response = await fetch(url, init);
      call.answered = performance.now();
      return response;
    },
  };
}

/** Returns a site of twelve sitemaps, the second of which is busy at first. */
function busySite(code: number, retryAfter: string, others: string[] = []): FaultSite {
  const children = Array.from({ length: 12 }, (_, at) => `/c${at}.xml`);
  return {
    "/robots.txt": ok("Sitemap: {{origin}}/index.xml"),
    "/index.xml": index(...children, ...others),
    "*": EMPTY,
    "/c1.xml": [status(code, { "Retry-After": retryAfter }), EMPTY],
  };
}

for (const code of [429, 503]) {
  Deno.test(`a ${code} pauses every request to its host`, async () => {
    await using server = new FaultServer(busySite(code, "1"));
    const { calls, fetch } = watched();
    const { verdict } = await summaryOf(server.url, { ...OPTIONS, fetch, concurrency: 3 });
    assertEquals(verdict, "complete");
    const busy = calls.find(({ path }) => path === "/c1.xml")!;
    // requests that were pending when the response came are not affected
    const after = calls.filter(({ at }) => at > busy.answered + SLACK);
    assert(after.length >= 8, "most of the children come later");
    const tooEarly = after.filter(({ at }) => at < busy.answered + 1000 - SLACK);
    assertEquals(tooEarly.map(({ path }) => path), []);
    await server.idle();
  });
}

Deno.test("Retry-After of a host applies only to that host", async () => {
  await using other = new FaultServer({ "*": EMPTY });
  const others = Array.from({ length: 3 }, (_, at) => `${other.origin}/o${at}.xml`);
  await using server = new FaultServer({
    ...busySite(429, "1", []),
    "/index.xml": index("/c1.xml", ...others),
  });
  const { calls, fetch } = watched();
  await summaryOf(server.url, { ...OPTIONS, fetch, concurrency: 2 });
  const busy = calls.find(({ path }) => path === "/c1.xml")!;
  const again = calls.findLast(({ path }) => path === "/c1.xml")!;
  assert(again.at >= busy.answered + 1000 - SLACK);
  const elsewhere = calls.filter(({ path }) => path.startsWith("/o"));
  assertEquals(elsewhere.length, 3);
  for (const { at } of elsewhere) assert(at < again.at, "the other host was not paused");
});

for (const [retries, seconds] of [[0, 60], [1, 1]] as const) {
  const verb = retries === 0 ? "does not apply without retries" : "applies after the last attempt";
  Deno.test(`Retry-After ${verb}`, async () => {
    await using server = new FaultServer({
      "/robots.txt": ok("Sitemap: {{origin}}/a.xml\nSitemap: {{origin}}/b.xml"),
      "/a.xml": status(503, { "Retry-After": String(seconds) }),
      "/b.xml": EMPTY,
    });
    const { calls, fetch } = watched();
    const options = { ...OPTIONS, fetch, retries, retryDelay: 1, concurrency: 1 };
    const { invalid } = await summaryOf(server.url, options);
    assertEquals(invalid, { "/a.xml": "http-status" });
    const [a, b] = calls.slice(-2) as [Call, Call];
    assertEquals([a.path, b.path], ["/a.xml", "/b.xml"]);
    assertEquals(b.at >= a.answered + seconds * 1000 - SLACK, retries > 0);
  });
}

Deno.test("Retry-After may be a date", async () => {
  // dates have whole seconds
  const date = new Date(Date.now() + 2000);
  await using server = new FaultServer(busySite(503, date.toUTCString()));
  const { calls, fetch } = watched();
  await summaryOf(server.url, { ...OPTIONS, fetch, retryDelay: 1 });
  const again = calls.findLast(({ path }) => path === "/c1.xml")!;
  const asked = performance.timeOrigin + again.at;
  assert(asked >= Math.floor(date.getTime() / 1000) * 1000 - SLACK);
});

for (const randomWait of [false, true]) {
  Deno.test(`wait delays requests to one host${randomWait ? " at random" : ""}`, async () => {
    await using other = new FaultServer({ "*": EMPTY });
    const children = Array.from({ length: 5 }, (_, at) => [`/c${at}`, `${other.origin}/o${at}`]);
    await using server = new FaultServer({
      "/robots.txt": ok("Sitemap: {{origin}}/index.xml"),
      "/index.xml": index(...children.flat()),
      "*": EMPTY,
    });
    const { calls, fetch } = watched();
    await summaryOf(server.url, { ...OPTIONS, fetch, wait: 80, randomWait, concurrency: 4 });
    assertEquals(calls.length, 12);
    const least = randomWait ? 40 : 80;
    const hosts = Map.groupBy(calls, ({ host }) => host);
    assertEquals(hosts.size, 2);
    for (const [, ofHost] of hosts) {
      for (const [at, call] of ofHost.entries()) {
        const before = ofHost[at - 1];
        if (before !== undefined) assert(call.at - before.at >= least - SLACK);
      }
    }
  });
}

// -------------------------------------------------------------------------------- respectRobots

interface RobotsRow {
  readonly robots: string;
  readonly options?: WalkOptions;
  readonly blocked: readonly string[];
}

const ROBOTS_ROWS: Readonly<Record<string, RobotsRow>> = {
  "no rules": { robots: "", blocked: [] },
  "a Disallow": { robots: "User-agent: *\nDisallow: /a", blocked: ["/a.xml"] },
  "a longer Allow": {
    robots: "User-agent: *\nDisallow: /\nAllow: /b.xml\nAllow: /moved\nAllow: /target",
    blocked: ["/a.xml"],
  },
  "a Disallow of the redirect's target": {
    robots: "User-agent: *\nDisallow: /target",
    blocked: ["/moved.xml"],
  },
  "the group of our user agent": {
    robots: "User-agent: *\nDisallow: /\n\nUser-agent: sitetree\nDisallow: /b",
    blocked: ["/b.xml"],
  },
  "the group of another user agent": {
    robots: "User-agent: otherbot\nDisallow: /\n\nUser-agent: *\nDisallow: /a",
    blocked: ["/a.xml"],
  },
  "the group of the user agent that headers name": {
    robots: "User-agent: otherbot\nDisallow: /b\n\nUser-agent: *\nDisallow: /a",
    options: { headers: { "User-Agent": "OtherBot/2.0" } },
    blocked: ["/b.xml"],
  },
  "wildcards": {
    robots: "User-agent: *\nDisallow: /*.xml$\nAllow: /m",
    blocked: ["/a.xml", "/b.xml", "/moved.xml"],
  },
};

for (const [name, { robots, options, blocked }] of Object.entries(ROBOTS_ROWS)) {
  Deno.test(`walk() with respectRobots obeys ${name}`, async () => {
    await using server = new FaultServer({
      "/robots.txt": ok(
        `${robots}\nSitemap: {{origin}}/a.xml\nSitemap: {{origin}}/b.xml\n` +
          "Sitemap: {{origin}}/moved.xml\n",
      ),
      "/a.xml": EMPTY,
      "/b.xml": EMPTY,
      "/moved.xml": redirect("/target.xml"),
      "/target.xml": EMPTY,
    });
    const { invalid, verdict } = await summaryOf(server.url, {
      ...OPTIONS,
      respectRobots: true,
      ...options,
    });
    const expected = Object.fromEntries(blocked.map((path) => [path, "blocked"]));
    assertEquals(invalid, expected);
    assertEquals(
      verdict,
      blocked.length === 0 ? "complete" : blocked.length < 3 ? "partial" : "blocked",
    );
    const forbidden = blocked.filter((path) => path !== "/moved.xml" && path in server.counts);
    assertEquals(forbidden, [], "what is disallowed is not asked for");
    if (blocked.includes("/moved.xml")) assertEquals(server.counts["/target.xml"], undefined);
  });
}

Deno.test("walk() without respectRobots ignores Disallow", async () => {
  await using server = new FaultServer({
    "/robots.txt": ok("User-agent: *\nDisallow: /\nSitemap: {{origin}}/a.xml"),
    "/a.xml": EMPTY,
  });
  assertEquals((await summaryOf(server.url, OPTIONS)).verdict, "complete");
});

for (
  const [name, robots, probed, expected] of [
    [
      "probes no known path that is disallowed",
      "Allow: /sitemap.xml$",
      ["/sitemap.xml"],
      "complete",
    ],
    ["is blocked if every known path is disallowed", "", [], "blocked"],
  ] as const
) {
  Deno.test(`walk() with respectRobots ${name}`, async () => {
    await using server = new FaultServer({
      "/robots.txt": ok(`User-agent: *\nDisallow: /\n${robots}`),
      "*": EMPTY,
    });
    const { verdict, warnings } = await summaryOf(server.url, { respectRobots: true });
    const requested = ["/robots.txt", ...probed].map((path) => [path, 1]);
    assertEquals(server.counts, Object.fromEntries(requested));
    assertEquals([verdict, warnings], [expected, ["probe-failed"]]);
  });
}

Deno.test("walk() with respectRobots probes nothing if robots.txt is unreachable", async () => {
  for (const outage of [status(503), status(429), raw()]) {
    await using server = new FaultServer({ "/robots.txt": outage, "*": EMPTY });
    const options = { respectRobots: true, retries: 0, retryDelay: 1 };
    // RFC 9309 §2.3.1.4: an unreachable robots.txt disallows everything
    assertEquals((await summaryOf(server.url, options)).verdict, "blocked");
    assertEquals(Object.keys(server.counts), ["/robots.txt"]);
  }
});

Deno.test("walk() with respectRobots probes known paths if robots.txt is missing", async () => {
  for (
    const absence of [status(404), status(403), ok(""), ok("<html><title>Home</title></html>")]
  ) {
    await using server = new FaultServer({ "/robots.txt": absence, "*": EMPTY });
    assertEquals((await summaryOf(server.url, { respectRobots: true })).verdict, "complete");
    assertEquals(server.counts["/sitemap.xml"], 1);
  }
});

Deno.test("rules apply to the host that was asked for robots.txt, also after a redirect", async () => {
  await using elsewhere = new FaultServer({
    "/robots.txt": ok("User-agent: *\nDisallow: /private"),
  });
  await using server = new FaultServer({
    "/robots.txt": redirect(`${elsewhere.origin}/robots.txt`),
    "*": EMPTY,
  });
  const options = { respectRobots: true, extraKnownPaths: ["private.xml"] };
  const { warnings } = await summaryOf(server.url, options);
  assertEquals(warnings, ["probe-failed"]);
  assertEquals(server.counts["/private.xml"], undefined);
});

Deno.test("Crawl-delay delays requests, up to maxRetryDelay", async () => {
  const children = Array.from({ length: 4 }, (_, at) => `Sitemap: {{origin}}/c${at}.xml\n`);
  await using server = new FaultServer({
    "/robots.txt": ok(`User-agent: *\nCrawl-delay: 999999999\n${children.join("")}`),
    "*": EMPTY,
  });
  const { calls, fetch } = watched();
  const { verdict } = await summaryOf(server.url, {
    ...OPTIONS,
    fetch,
    respectRobots: true,
    maxRetryDelay: 100,
  });
  assertEquals(verdict, "complete");
  const [, ...declared] = calls;
  assertEquals(declared.length, 4);
  for (const [at, call] of declared.entries()) {
    const before = declared[at - 1];
    if (before !== undefined) assert(call.at - before.at >= 100 - SLACK);
  }
});

for (const retryAfter of [undefined, "1"]) {
  const named = retryAfter === undefined ? "" : ", with Retry-After";
  Deno.test(`a server that allows 20 requests a second is read to its end${named}`, async () => {
    const refusal = status(429, retryAfter === undefined ? {} : { "Retry-After": retryAfter });
    let tokens = 1, last = performance.now();
    const limited = (answer: Answer): Answer => async (wire) => {
      const now = performance.now();
      tokens = Math.min(1, tokens + (now - last) / 50);
      last = now;
      const isRefused = tokens < 1;
      if (!isRefused) tokens--;
      await (isRefused ? refusal : answer)(wire);
    };
    const children = Array.from({ length: 30 }, (_, at) => `/c${at}.xml`);
    await using server = new FaultServer({
      "/robots.txt": limited(ok("Sitemap: {{origin}}/index.xml")),
      "/index.xml": limited(index(...children)),
      "*": limited(EMPTY),
    });
    const { calls, fetch } = watched();
    const retryDelay = retryAfter === undefined ? 50 : 1000;
    const { verdict } = await summaryOf(server.url, { ...OPTIONS, fetch, retryDelay });
    assertEquals(verdict, "complete");
    assertEquals(new Set(calls.map(({ path }) => path)).size, 32);
  });
}
