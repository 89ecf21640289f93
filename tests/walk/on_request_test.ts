import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { type RequestReport, type TreeEvent, walk, type WalkOptions } from "../../mod.ts";
import {
  FaultServer,
  type FaultSite,
  ok,
  raw,
  redirect,
  reset,
  status,
} from "../support/fault_server.ts";
import { serveSite } from "../support/fixture_server.ts";
import { timeless } from "../support/timeless.ts";
import { HOME, index, numbered, robots, siteFetch, urlset } from "./site.ts";
import { outline, untilError, untilIdle } from "./walked.ts";

const OPTIONS: WalkOptions = { useKnownPaths: false, concurrency: 1, retryDelay: 0 };

/** Formats a report: `response 503 /a.xml (1)`, `retry 503 /a.xml after 0: http-status, 503 … (1)`. */
function line(report: RequestReport, origin: string): string {
  const short = (url: string) => url.startsWith(origin) ? url.slice(origin.length) : url;
  const { phase, url, sitemap, attempt, status, location, delayMs, code, reason } = report;
  const at = `${phase}${status === undefined ? "" : ` ${status}`} ${short(url)}`;
  const parts = [
    ...(location === undefined ? [] : [` -> ${short(location)}`]),
    ...(delayMs === undefined ? [] : [` after ${delayMs}`]),
    ...(code === undefined ? [] : [`: ${code}, ${reason}`]),
    ...(sitemap === url ? [] : [` for ${short(sitemap)}`]),
  ];
  return `${at}${parts.join("")} (${attempt})`;
}

/** Returns the reports of a walk. */
async function reportsOf(server: FaultServer, options: WalkOptions): Promise<RequestReport[]> {
  const reports: RequestReport[] = [];
  const onRequest = (report: RequestReport) => void reports.push(report);
  await Array.fromAsync(walk(server.url, { ...OPTIONS, ...options, onRequest }));
  await server.idle();
  return reports;
}

/** Returns the formatted reports of a walk, without those of robots.txt. */
async function linesOf(server: FaultServer, options: WalkOptions): Promise<string[]> {
  return (await reportsOf(server, options))
    .filter(({ sitemap }) => !sitemap.endsWith("/robots.txt"))
    .map((report) => line(report, server.origin));
}

const SITEMAPS = (...paths: string[]) => ok(robots(...paths.map((path) => `{{origin}}${path}`)));
const URLSET = urlset("{{origin}}/page");

Deno.test("onRequest gets every request and response, with exactly its fields", async () => {
  await using server = new FaultServer({
    "/robots.txt": SITEMAPS("/a.xml"),
    "/a.xml": ok(URLSET),
  });
  const urls = ["/robots.txt", "/a.xml"].map((path) => server.origin + path);
  const steps = urls.flatMap((url) => [
    { phase: "request" as const, url, sitemap: url, attempt: 1 },
    { phase: "response" as const, url, sitemap: url, attempt: 1, status: 200 },
  ]);
  assertEquals(await reportsOf(server, {}), steps);
});

/** A body of 50 pages that breaks off after some bytes. */
const BODY = urlset(...numbered(50, (at) => `/${at}`));
const SHORT = raw(`HTTP/1.1 200 OK\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY.slice(0, 99)}`);
const NOT_ALLOWED = 'blocked, Host "other.test" is not allowed by the hosts policy';

/** Returns the reports of a request and its response. */
function answered(status: number, path: string, attempt: number): string[] {
  return [`request ${path} (${attempt})`, `response ${status} ${path} (${attempt})`];
}

/** Sites, whose robots.txt declares all other paths, with options and reports. */
const ROWS: Readonly<Record<string, readonly [FaultSite, WalkOptions, reports: string[]]>> = {
  "redirects, and a retry of the target, in one sequence": [
    {
      "/robots.txt": SITEMAPS("/a.xml#part"),
      "/a.xml": redirect("/b.xml", 301),
      "/b.xml": [status(503, { "Retry-After": "0" }), ok(URLSET)],
    },
    {},
    [
      "request /a.xml (1)",
      "redirect 301 /a.xml -> /b.xml (1)",
      "request /b.xml for /a.xml (1)",
      "response 503 /b.xml for /a.xml (1)",
      "slow-down 503 /b.xml after 0: http-status, 503 Service Unavailable for /a.xml (1)",
      "retry 503 /b.xml after 0: http-status, 503 Service Unavailable for /a.xml (1)",
      "request /b.xml for /a.xml (2)",
      "response 200 /b.xml for /a.xml (2)",
    ],
  ],
  "the delay that Retry-After asks for": [
    { "/a.xml": [status(500, { "Retry-After": "1" }), ok(URLSET)] },
    {},
    [
      ...answered(500, "/a.xml", 1),
      "retry 500 /a.xml after 1000: http-status, 500 Internal Server Error (1)",
      ...answered(200, "/a.xml", 2),
    ],
  ],
  "a failure for each request without a response, and no retry after the last": [
    { "/a.xml": reset() },
    { retries: 1 },
    [
      "request /a.xml (1)",
      "failure /a.xml: connection-reset, Connection reset (1)",
      "retry /a.xml after 0: connection-reset, Connection reset (1)",
      "request /a.xml (2)",
      "failure /a.xml: connection-reset, Connection reset (2)",
    ],
  ],
  "statuses such as 404 as responses, and no failure": [
    { "/404": status(404), "/500": status(500) },
    { retries: 0 },
    [...answered(404, "/404", 1), ...answered(500, "/500", 1)],
  ],
  "a failure without a request if a policy refuses": [
    {
      "/robots.txt": ok(
        `User-agent: *\nDisallow: /no\nSitemap: {{origin}}/no.xml\n` +
          robots("http://u:p@other.test/b.xml", "{{origin}}/away", "{{origin}}/to-no"),
      ),
      "/away": redirect("http://other.test/c.xml"),
      "/to-no": redirect("/no.xml"),
    },
    {
      hosts: "same-host",
      respectRobots: true,
      useRobots: true,
      sitemaps: [],
      extraKnownPaths: ["no-path"],
    },
    [
      "failure /no.xml: blocked, Disallowed by robots.txt (1)",
      `failure http://other.test/b.xml: ${NOT_ALLOWED} (1)`,
      "request /away (1)",
      "redirect 302 /away -> http://other.test/c.xml (1)",
      `failure http://other.test/c.xml: ${NOT_ALLOWED} for /away (1)`,
      "request /to-no (1)",
      "redirect 302 /to-no -> /no.xml (1)",
      'failure /no.xml: blocked, Redirects to "{{origin}}/no.xml", disallowed by robots.txt for /to-no (1)',
      "failure /no-path: blocked, Disallowed by robots.txt (1)",
    ],
  ],
  "redirects that cannot be followed, with the reason": [
    { "/ftp": redirect("ftp://other.test/"), "/loop": redirect("/loop") },
    {},
    [
      "request /ftp (1)",
      "redirect 302 /ftp -> ftp://other.test/ (1)",
      'failure /ftp: redirect, Redirect to "ftp://other.test/": expected http(s) (1)',
      "request /loop (1)",
      "redirect 302 /loop -> /loop (1)",
      'failure /loop: redirect, Redirect loop at "{{origin}}/loop" (1)',
    ],
  ],
  "a failure when a body breaks off, and the request for the rest": [
    { "/a.xml": [SHORT, SHORT, ok(BODY)] },
    { retries: 2 },
    [
      ...[1, 2].flatMap((attempt) => [
        ...answered(200, "/a.xml", attempt),
        `failure /a.xml: truncated, Truncated body (${attempt})`,
        `retry /a.xml after 0: truncated, Truncated body (${attempt})`,
      ]),
      ...answered(200, "/a.xml", 3),
    ],
  ],
  "a failure and no retry when a body breaks off without retries": [
    { "/a.xml": SHORT },
    { retries: 0 },
    [
      ...answered(200, "/a.xml", 1),
      "failure /a.xml: truncated, Truncated body (1)",
    ],
  ],
  "a failure when a body breaks off before its first byte": [
    { "/a.xml": [raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"), ok(URLSET)] },
    {},
    [
      ...answered(200, "/a.xml", 1),
      "failure /a.xml: truncated, Truncated body (1)",
      "retry /a.xml after 0: network, Request failed (1)",
      ...answered(200, "/a.xml", 2),
    ],
  ],
};

for (const [name, [site, options, expected]] of Object.entries(ROWS)) {
  Deno.test(`onRequest gets ${name}`, async () => {
    await using server = new FaultServer({
      "/robots.txt": SITEMAPS(...Object.keys(site)),
      ...site,
    });
    const lines = await linesOf(server, options);
    assertEquals(lines, expected.map((line) => line.replace("{{origin}}", server.origin)));
  });
}

Deno.test("onRequest gets a sequence for each sitemap while others are fetched ahead", async () => {
  const paths = numbered(8, (at) => `/${at}.xml`);
  await using server = new FaultServer({
    "/robots.txt": SITEMAPS(...paths),
    "*": ok(URLSET),
    "/3.xml": [status(500), status(502), redirect("/x.xml")],
  });
  const lines = await linesOf(server, { concurrency: 4 });
  for (const path of paths.filter((path) => path !== "/3.xml")) {
    assertEquals(lines.filter((text) => text.includes(path)), answered(200, path, 1));
  }
  assertEquals(lines.filter((text) => text.includes("/3.xml")), [
    ...answered(500, "/3.xml", 1),
    "retry 500 /3.xml after 0: http-status, 500 Internal Server Error (1)",
    ...answered(502, "/3.xml", 2),
    "retry 502 /3.xml after 0: http-status, 502 Bad Gateway (2)",
    "request /3.xml (3)",
    "redirect 302 /3.xml -> /x.xml (3)",
    "request /x.xml for /3.xml (3)",
    "response 200 /x.xml for /3.xml (3)",
  ]);
});

Deno.test("onRequest gets robots.txt and known paths by their own URLs", async () => {
  await using server = new FaultServer({ "/sitemap.xml": ok(URLSET) });
  const reports = await reportsOf(server, { useKnownPaths: true });
  const lines = reports.map((report) => line(report, server.origin));
  assertEquals(lines.slice(0, 2), answered(404, "/robots.txt", 1));
  const known = lines.filter((text) => text.includes("/sitemap.xml ("));
  assertEquals(known, answered(200, "/sitemap.xml", 1));
});

Deno.test("onRequest changes neither the events nor their order", async () => {
  for (const site of ["demo", "broken", "nested"]) {
    await using server = serveSite(site);
    const options = { retryDelay: 0, retries: 1 };
    const without = await Array.fromAsync(walk(server.url, options));
    let count = 0;
    const onRequest = () => void count++;
    const withReports = await Array.fromAsync(walk(server.url, { ...options, onRequest }));
    assertEquals(withReports.map(comparable), without.map(comparable));
    assert(count > 0);
  }
});

function comparable(event: TreeEvent): string {
  const isLast = event.type === "finished";
  const same = isLast ? { ...event, stats: { ...event.stats, requests: 0 } } : event;
  return timeless(JSON.stringify(same));
}

Deno.test("onRequest reports nothing after a walk was left", async () => {
  await using server = serveSite("nested");
  const reports: string[] = [];
  const onRequest = ({ phase }: RequestReport) => void reports.push(phase);
  for await (const event of walk(server.url, { onRequest })) {
    if (event.type === "page") break;
  }
  const { length } = reports;
  await untilIdle(server);
  assertEquals(reports.length, length);
});

// ------------------------------------------------------------------------------------- exceptions

/** Responses with which the second sitemap reaches a phase. */
const PHASES: Readonly<Record<RequestReport["phase"], FaultSite>> = {
  request: {},
  response: {},
  redirect: { "/b.xml": redirect("/c.xml") },
  retry: { "/b.xml": [status(503, { "Retry-After": "0" }), ok(URLSET)] },
  "slow-down": { "/b.xml": [status(429), ok(URLSET)] },
  failure: { "/b.xml": raw("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n<urlset>") },
};

for (const [phase, answers] of Object.entries(PHASES)) {
  Deno.test(`walk() throws the error of onRequest at a ${phase}`, async () => {
    for (const concurrency of [1, 4]) {
      await using server = new FaultServer({
        "/robots.txt": SITEMAPS("/a.xml", "/b.xml", "/c.xml"),
        "*": ok(URLSET),
        ...answers,
      });
      const mine = new Error("mine");
      const onRequest = (report: RequestReport) => {
        if (report.phase === phase && report.sitemap.endsWith("/b.xml")) throw mine;
      };
      const options = { ...OPTIONS, concurrency, onRequest };
      const { events, error } = await untilError(walk(server.url, options));
      assertStrictEquals(error, mine);
      await server.idle();
      const lines = outline(events).map((text) => text.replaceAll(server.origin, ""));
      assertEquals(lines.slice(0, 5), [
        ...["entered /", "entered /robots.txt"],
        ...["entered /a.xml", "page /page", "left /a.xml"],
      ]);
      assertEquals(lines.filter((text) => text.includes("c.xml")), []);
    }
  });
}

Deno.test("walk() throws the error of onRequest even if the sitemap is not read", async () => {
  // the known path is prefetched, and in the tree by its turn
  const { fetch } = siteFetch({
    "/sitemap_index.xml": index("/sitemap.xml"),
    "/sitemap.xml": urlset("/1"),
  });
  for (const phase of ["request", "response"]) {
    const mine = new Error("mine");
    const walked = Array.fromAsync(walk(HOME, {
      fetch,
      useRobots: false,
      onRequest(report) {
        if (report.phase === phase && report.url.endsWith("/sitemap.xml")) throw mine;
      },
    }));
    assertStrictEquals(await walked.catch((error) => error), mine);
  }
});

Deno.test("an evicted sitemap is requested again as the next attempt", async () => {
  const big = urlset(...numbered(20_000, (at) => `/page-${at}`));
  await using server = new FaultServer({
    "/robots.txt": SITEMAPS("/i.xml", "/big.xml"),
    "/i.xml": ok(index("{{origin}}/1", "{{origin}}/2", "{{origin}}/3")),
    "*": ok(URLSET),
    "/big.xml": ok(big),
  });
  const lines = await linesOf(server, { concurrency: 2 });
  const ofBig = lines.filter((text) => text.includes("/big.xml"));
  const attempts = server.counts["/big.xml"]!;
  assert(attempts > 1, "it was evicted");
  const expected = Array.from({ length: attempts }, (_, at) => answered(200, "/big.xml", at + 1));
  assertEquals(ofBig, expected.flat());
});
