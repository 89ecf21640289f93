import { assert, assertEquals } from "@std/assert";
import type { RequestReport, WalkOptions } from "../../mod.ts";
import { FakeClock } from "../http/fake_clock.ts";
import { type Answer, silence, status, text } from "../http/scripted_fetch.ts";
import { HOME, index, numbered, type Pages, robots, urlset } from "./site.ts";
import { searched, type Walked } from "./walked.ts";

const SITEMAP = urlset("/1");
const SILENCE = silence();

function broken(code: string): Answer {
  return () =>
    Promise.reject(new TypeError("failed", { cause: Object.assign(new Error(), { code }) }));
}

/** Walks a site in the time of a fake clock, with all the jitter there can be. */
async function timed(
  pages: Pages,
  options: WalkOptions = {},
): Promise<Walked & { readonly seconds: number }> {
  const clock = new FakeClock(...Array(500).fill(1));
  const started = clock.time;
  const result = await searched(pages, options, { clock });
  assertEquals(clock.pending, 0);
  return Object.assign(result, { seconds: (clock.time - started) / 1000 });
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

for (const [name, answer, maxSeconds, robots] of DOWN) {
  Deno.test(`walk() ends as blocked in time if a site ${name}`, async () => {
    const { verdict, seconds, paths, messages } = await timed({ "*": answer });
    assertEquals(verdict, "blocked");
    assert(seconds <= maxSeconds, `${seconds} s`);
    assertEquals(paths, [...Array(robots).fill("/robots.txt"), "/sitemap.xml"]);
    assertEquals(messages.length, 2);
    assert(messages[1]!.endsWith("; 17 other known paths were not requested"), messages[1]);
  });

  Deno.test(`walk() without retries waits for nothing if a site ${name}`, async () => {
    const { verdict, seconds, paths } = await timed({ "*": answer }, { retries: 0 });
    assertEquals([verdict, seconds], ["blocked", answer === SILENCE ? 60 : 0]);
    assertEquals(paths, ["/robots.txt", "/sitemap.xml"]);
  });

  Deno.test(`walk() probes all known paths if only robots.txt ${name}`, async () => {
    for (const concurrency of [1, 4]) {
      const site = { "/robots.txt": answer, "/sitemap.xml": SITEMAP };
      const { verdict, paths } = await timed(site, { concurrency });
      assert(["partial", "complete"].includes(verdict));
      const probed = paths.filter((path) => path !== "/robots.txt");
      assertEquals(probed[0], "/sitemap.xml");
      assertEquals([probed.length, new Set(probed).size], [18, 18], "each once");
    }
  });
}

Deno.test("walk() names the time that a site asks to wait", async () => {
  const { messages } = await timed({ "*": status(503, { "retry-after": "120" }) });
  const reason = "503 Service Unavailable; asks to wait 120 s";
  assertEquals(messages[0], `robots-unreadable Cannot read robots.txt: ${reason}`);
});

Deno.test("walk() keeps the order of the known paths if one was requested first", async () => {
  const large = urlset(...numbered(5000, () => "/1"));
  for (const concurrency of [1, 2, 4]) {
    for (const body of [SITEMAP, large]) {
      const result = await timed({
        "/robots.txt": 500,
        "/sitemap_index.xml": SITEMAP,
        "/sitemap.xml": body,
        "/sitemap.txt": `${HOME}2`,
      }, { concurrency });
      const expected = ["/", "/sitemap_index.xml", "/sitemap.xml", "/sitemap.txt"];
      assertEquals(result.entered(), expected);
    }
  }
});

Deno.test("walk() still reads given sitemaps of a site whose robots.txt fails", async () => {
  const { verdict, paths } = await timed(
    { "*": broken("ECONNRESET"), "/mine.xml": SITEMAP },
    { sitemaps: [`${HOME}mine.xml`], useRobots: true, useKnownPaths: true },
  );
  assertEquals(verdict, "partial");
  assert(paths.includes("/mine.xml"));
});

/** A site with an index of 50 sitemaps, without these. */
const CHILDREN = numbered(50, (at) => `/${at}.xml`);
const LISTED: Pages = { "/robots.txt": robots("/index.xml"), "/index.xml": index(...CHILDREN) };

Deno.test(`walk() gives up a host that stops answering`, async () => {
  for (
    const [code, answer, maxSeconds] of [
      ["network", broken("ECONNRESET"), 10],
      ["timeout", SILENCE, 100],
    ] as const
  ) {
    const down: RequestReport[] = [];
    const result = await timed({ ...LISTED, "*": answer }, {
      onRequest(report) {
        if (report.code === "host-down") down.push(report);
      },
    });
    assertEquals(result.verdict, "partial");
    const invalid = result.of("invalid").map((event) => event.code);
    assertEquals(invalid, Array(50).fill(code), "the index was read");
    assert(result.paths.length <= 15, `${result.paths.length} requests`);
    assert(result.seconds <= maxSeconds, `${result.seconds} s`);
    assert(down.length >= 40 && down.every(({ phase }) => phase === "failure"));
  }
});

Deno.test("walk() does not give up a host for one sitemap that is never answered", async () => {
  const site = { ...LISTED, "/7.xml": broken("ECONNRESET"), "*": SITEMAP };
  assertEquals((await timed(site)).invalid, ["network /7.xml"]);
});

Deno.test("walk() reads the sitemaps of other hosts when one is down", async () => {
  const urls = numbered(20, (at) => `https://${at % 2 ? "b" : "c"}.test/${at}.xml`);
  const { pages, invalid, seconds } = await timed({
    ...LISTED,
    "/index.xml": index(...urls),
    "*": (url, init) =>
      (url.includes("//b.test/") ? broken("ECONNREFUSED") : text(SITEMAP))(url, init),
  }, { useKnownPaths: false });
  assertEquals([pages.length, invalid.length], [10, 10]);
  assert(seconds < 10, `${seconds} s`);
});

Deno.test("walk() does not wait for the retries of a site whose sitemaps all fail", async () => {
  const { invalid, seconds, paths } = await timed({ ...LISTED, "*": 502 });
  assertEquals(invalid.length, 50);
  assert(seconds <= 45, `${seconds} s`);
  assert(CHILDREN.every((path) => paths.includes(path)));
});
