import { assert, assertEquals } from "@std/assert";
import type { TreeEvent } from "../../src/data/events.ts";
import type { Fetch } from "../../src/http/exchange.ts";
import type { RequestReport } from "../../src/http/report.ts";
import type { WalkOptions } from "../../src/walk/options.ts";
import { walkWith } from "../../src/walk/walk.ts";
import { FakeClock } from "../http/fake_clock.ts";

type Answer = (url: URL, init: RequestInit) => Response | Promise<Response>;

const HOME = "https://a.test/";
const SITEMAP = "<urlset><url><loc>https://a.test/1</loc></url></urlset>";

function status(code: number, headers: HeadersInit = {}): Answer {
  return () => new Response("x", { status: code, headers });
}

function broken(code: string): Answer {
  return () =>
    Promise.reject(new TypeError("failed", { cause: Object.assign(new Error(), { code }) }));
}

function text(body: string): Answer {
  return () => new Response(body);
}

/** Never answers. */
const SILENCE: Answer = (_, { signal }) =>
  new Promise((_, reject) => {
    signal!.addEventListener("abort", () => reject(signal!.reason), { once: true });
  });

interface Walked {
  readonly seconds: number;
  readonly paths: readonly string[];
  readonly events: readonly TreeEvent[];
  readonly reports: readonly RequestReport[];
}

/** Walks a site whose pages are those of a table, or `*` for all others. */
async function walked(
  pages: Readonly<Record<string, Answer>>,
  options: WalkOptions = {},
  home = HOME,
): Promise<Walked> {
  const clock = new FakeClock(...Array(500).fill(1));
  const started = clock.time;
  const paths: string[] = [];
  const fetch: Fetch = async (input, init) => {
    const url = new URL(input);
    paths.push(url.pathname);
    return await (pages[url.pathname] ?? pages["*"] ?? status(404))(url, init);
  };
  const reports: RequestReport[] = [];
  const onRequest = (report: RequestReport) => void reports.push(report);
  const walk = walkWith(home, { fetch, onRequest, ...options }, { clock });
  const events = await clock.run(Array.fromAsync(walk));
  assertEquals(clock.pending, 0);
  return { seconds: (clock.time - started) / 1000, paths, events, reports };
}

function verdictOf({ events }: Walked): string {
  const last = events.at(-1)!;
  return last.type === "finished" ? last.verdict : last.type;
}

function warningsOf({ events }: Walked): string[] {
  return events.flatMap((event) => event.type === "warning" ? [event.message] : []);
}

/** Answers of a site that is down, with the most seconds, and the requests for robots.txt. */
const DOWN: readonly (readonly [name: string, answer: Answer, seconds: number, robots: number])[] =
  [
    ["accepts and never answers", SILENCE, 70, 1],
    ["answers 503 with Retry-After: 120", status(503, { "retry-after": "120" }), 5, 1],
    ["answers 429 with Retry-After: 120", status(429, { "retry-after": "120" }), 5, 1],
    ["answers 503", status(503), 40, 5],
    ["answers 500", status(500), 40, 5],
    ["answers 502 with Retry-After: 3600", status(502, { "retry-after": "3600" }), 5, 1],
    ["answers 400", status(400), 40, 5],
    ["answers 429", status(429), 60, 5],
    ["answers 505", status(505), 1, 1],
    ["refuses connections", broken("ECONNREFUSED"), 20, 5],
    ["resets connections", broken("ECONNRESET"), 20, 5],
    ["has an invalid certificate", broken("CERT_HAS_EXPIRED"), 1, 1],
    ["fails the TLS handshake", broken("EPROTO"), 20, 5],
    ["does not exist", broken("ENOTFOUND"), 1, 1],
  ];

for (const [name, answer, seconds, robots] of DOWN) {
  Deno.test(`walk() ends as blocked in time if a site ${name}`, async () => {
    const result = await walked({ "*": answer });
    assertEquals(verdictOf(result), "blocked");
    assert(result.seconds <= seconds, `${result.seconds} s`);
    assertEquals(result.paths, [...Array(robots).fill("/robots.txt"), "/sitemap.xml"]);
    const warnings = warningsOf(result);
    assertEquals(warnings.length, 2);
    assert(warnings[1]!.endsWith("; 17 other known paths were not requested"), warnings[1]);
  });

  Deno.test(`walk() without retries waits for nothing if a site ${name}`, async () => {
    const result = await walked({ "*": answer }, { retries: 0 });
    assertEquals(verdictOf(result), "blocked");
    assertEquals(result.paths, ["/robots.txt", "/sitemap.xml"]);
    assertEquals(result.seconds, answer === SILENCE ? 60 : 0);
  });

  Deno.test(`walk() probes all known paths if only robots.txt ${name}`, async () => {
    for (const concurrency of [1, 4]) {
      const result = await walked({ "/robots.txt": answer, "/sitemap.xml": text(SITEMAP) }, {
        concurrency,
      });
      assert(["partial", "complete"].includes(verdictOf(result)));
      const probed = result.paths.filter((path) => path !== "/robots.txt");
      assertEquals(probed[0], "/sitemap.xml");
      assertEquals([probed.length, new Set(probed).size], [18, 18], "each once");
    }
  });
}

Deno.test("walk() names the time that a site asks to wait", async () => {
  const result = await walked({ "*": status(503, { "retry-after": "120" }) });
  assertEquals(
    warningsOf(result)[0],
    "Cannot read robots.txt: 503 Service Unavailable; asks to wait 120 s",
  );
});

Deno.test("walk() keeps the order of the known paths if one was requested first", async () => {
  const large = `<urlset>${"<url><loc>https://a.test/1</loc></url>".repeat(5000)}</urlset>`;
  for (const concurrency of [1, 2, 4]) {
    for (const body of [SITEMAP, large]) {
      const { events } = await walked({
        "/robots.txt": status(500),
        "/sitemap_index.xml": text(SITEMAP),
        "/sitemap.xml": text(body),
        "/sitemap.txt": text("https://a.test/2"),
      }, { concurrency });
      const entered = events.flatMap((event) =>
        event.type === "sitemap-entered" ? [new URL(event.sitemap.url).pathname] : []
      );
      assertEquals(entered, ["/", "/sitemap_index.xml", "/sitemap.xml", "/sitemap.txt"]);
    }
  }
});

Deno.test("walk() still reads given sitemaps of a site whose robots.txt fails", async () => {
  const result = await walked(
    { "*": broken("ECONNRESET"), "/mine.xml": text(SITEMAP) },
    { sitemaps: ["https://a.test/mine.xml"], useRobots: true, useKnownPaths: true },
  );
  assertEquals(verdictOf(result), "partial");
  assert(result.paths.includes("/mine.xml"));
});

const INDEX = `<sitemapindex>${
  Array.from({ length: 50 }, (_, at) => `<sitemap><loc>https://a.test/${at}.xml</loc></sitemap>`)
    .join("")
}</sitemapindex>`;

for (const order of ["document", "arrival"] as const) {
  Deno.test(`walk() gives up a host that stops answering, in ${order} order`, async () => {
    for (
      const [code, answer, seconds] of [
        ["network", broken("ECONNRESET"), 10],
        ["timeout", SILENCE, 100],
      ] as const
    ) {
      const result = await walked({
        "/robots.txt": text("Sitemap: https://a.test/index.xml"),
        "/index.xml": text(INDEX),
        "*": answer,
      }, { order });
      assertEquals(verdictOf(result), "partial");
      const invalid = result.events.flatMap((event) =>
        event.type === "invalid" ? [event.code] : []
      );
      assertEquals(invalid, Array(50).fill(code), "the index was read");
      assert(result.paths.length <= 15, `${result.paths.length} requests`);
      assert(result.seconds <= seconds, `${result.seconds} s`);
      const down = result.reports.filter((report) => report.code === "host-down");
      assert(down.length >= 40 && down.every(({ phase }) => phase === "failure"));
    }
  });
}

Deno.test("walk() does not give up a host for one sitemap that is never answered", async () => {
  const result = await walked({
    "/robots.txt": text("Sitemap: https://a.test/index.xml"),
    "/index.xml": text(INDEX),
    "/7.xml": broken("ECONNRESET"),
    "*": text(SITEMAP),
  });
  const invalid = result.events.flatMap((event) =>
    event.type === "invalid" ? [event.sitemap.url] : []
  );
  assertEquals(invalid, ["https://a.test/7.xml"]);
});

Deno.test("walk() reads the sitemaps of other hosts when one is down", async () => {
  const urls = Array.from(
    { length: 20 },
    (_, at) => `https://${at % 2 ? "b" : "c"}.test/${at}.xml`,
  );
  const entries = urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join("");
  const result = await walked({
    "/robots.txt": text("Sitemap: https://a.test/index.xml"),
    "/index.xml": text(`<sitemapindex>${entries}</sitemapindex>`),
    "*": (url, init) =>
      url.host === "b.test" ? broken("ECONNREFUSED")(url, init) : new Response(SITEMAP),
  }, { useKnownPaths: false });
  const pages = result.events.filter(({ type }) => type === "page");
  const invalid = result.events.filter(({ type }) => type === "invalid");
  assertEquals([pages.length, invalid.length], [10, 10]);
  assert(result.seconds < 10, `${result.seconds} s`);
});

Deno.test("walk() does not wait for the retries of a site whose sitemaps all fail", async () => {
  const result = await walked({
    "/robots.txt": text("Sitemap: https://a.test/index.xml"),
    "/index.xml": text(INDEX),
    "*": status(502),
  });
  const invalid = result.events.filter(({ type }) => type === "invalid");
  assertEquals(invalid.length, 50);
  assert(result.seconds <= 45, `${result.seconds} s`);
  const asked = new Set(result.paths);
  assert(Array.from({ length: 50 }, (_, at) => `/${at}.xml`).every((path) => asked.has(path)));
});
