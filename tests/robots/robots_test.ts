import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { parseRobots, readRobots, type Robots } from "../../src/robots/mod.ts";
import { utf16 } from "../bytes/utf16.ts";
import { bytes } from "../http/scripted_fetch.ts";
import { chunked } from "../support/chunked.ts";

const USER_AGENT = "sitetree/0.1.0 (+https://example.com/bot)";

function allowed(text: string, paths: readonly string[], userAgent = USER_AGENT): boolean[] {
  const robots = parseRobots(text);
  return paths.map((path) => robots.allows(new URL(path, "https://site.test/"), userAgent));
}

function assertAllows(text: string, paths: Readonly<Record<string, boolean>>): void {
  const names = Object.keys(paths);
  const actual = allowed(text, names);
  assertEquals(names.map((name, index) => [name, actual[index]]), Object.entries(paths));
}

function lines(...list: string[]): string {
  return list.join("\n");
}

Deno.test("allows() allows everything without rules", () => {
  for (
    const text of [
      "",
      "User-agent: *",
      "User-agent: *\nDisallow:",
      "User-agent: *\nAllow:",
      "Disallow: /",
      "User-agent: other\nDisallow: /",
      "<!DOCTYPE html><title>Not found</title>\n<p style='a:b'>Disallow: /</p>",
      "User-agent: *\nDisallow: private\nDisallow: https://site.test/\nDisallow: $",
    ]
  ) assertEquals([text, ...allowed(text, ["/", "/private"])], [text, true, true]);
});

Deno.test("allows() always allows robots.txt itself", () => {
  assertAllows("User-agent: *\nDisallow: /", {
    "/robots.txt": true,
    "/robots.txt?a": true,
    "/a/robots.txt": false,
    "/robots.txt.gz": false,
  });
});

Deno.test("allows() compares octets as RFC 9309 §2.2.2 does", () => {
  // each rule matches both, and is matched by each
  const alike = [
    ["/foo/bar?baz=quz", "/foo/bar?baz=quz"],
    ["/foo/bar?baz=http://foo.bar", "/foo/bar?baz=http%3A%2F%2Ffoo.bar"],
    ["/foo/bar/ツ", "/foo/bar/%E3%83%84"],
    ["/foo/bar/%e3%83%84", "/foo/bar/%E3%83%84"],
    ["/a b", "/a%20b"],
    ["/a%3Ab@c", "/a:b%40c"],
    ["/a%zz", "/a%25zz"],
    ["/a|b", "/a%7cb"],
    ["/a^b", "/a%5Eb"],
    ["/a?b='c'", "/a?b=%27c%27"],
    ["/😀A", "/%F0%9F%98%80A"],
    ["/ツ%", "/%E3%83%84%25"],
  ];
  for (const pair of alike) {
    for (const rule of pair) {
      const actual = allowed(`User-agent: *\nDisallow: ${rule}`, pair);
      assertEquals([rule, ...actual], [rule, false, false]);
    }
  }
});

Deno.test("allows() decodes unreserved characters of URLs, but, as Google, not those of rules", () => {
  assertAllows("User-agent: *\nDisallow: /~joe/a-b_c.d9", {
    "/~joe/a-b_c.d9": false,
    "/%7Ejoe/%61%2Db%5fc%2e%64%39": false,
    "/%257Ejoe/a-b_c.d9": true,
  });
  assertAllows("User-agent: *\nDisallow: /%7ejoe/", {
    "/%7Ejoe/": false,
    "/~joe/": true,
  });
  // the longest match of either spelling
  assertAllows("User-agent: *\nAllow: /b/\nDisallow: /%62/", { "/%62/": false, "/b/": true });
});

Deno.test("allows() distinguishes separators from encoded characters", () => {
  assertAllows("User-agent: *\nDisallow: /a%2Fb", { "/a%2fb": false, "/a/b": true });
  assertAllows("User-agent: *\nDisallow: /a/b", { "/a%2Fb": true, "/a/b": false });
  assertAllows("User-agent: *\nDisallow: /a%3Fb", { "/a%3Fb": false, "/a?b": true });
  assertAllows("User-agent: *\nDisallow: /a?b=1&", { "/a?b=1&c": false, "/a?b=1%26c": true });
  assertAllows("User-agent: *\nDisallow: /*/x", { "/a?b=/x": false, "/a?b=%2Fx": false });
});

Deno.test("allows() matches * and $ literally where they are encoded", () => {
  // RFC 9309 §2.2.3
  assertAllows("User-agent: *\nDisallow: /file-with-a-%2A.html\nDisallow: /foo-%24", {
    "/file-with-a-*.html": false,
    "/file-with-a-%2a.html": false,
    "/file-with-a-x.html": true,
    "/foo-$": false,
    "/foo-%24bar": false,
    "/foo-": true,
  });
  assertAllows("User-agent: *\nDisallow: /a$b", { "/a$b": false, "/a%24bc": false, "/a": true });
});

Deno.test("allows() uses the group of our product, else that of *", () => {
  const text = lines("User-agent: *", "Disallow: /all", "User-agent: SiteTree", "Disallow: /ours");
  const agents: Readonly<Record<string, boolean>> = {
    [USER_AGENT]: true,
    "SITETREE": true,
    "  sitetree (like Gecko)": true,
    "sitetree-news/1": false,
    // as in the example of RFC 9309 §2.2.1
    "Mozilla/5.0 (compatible; SiteTree/1; +https://a.test)": true,
    "Mozilla/5.0 (Linux) sitetree/1": false,
    "sitetree/1 (compatible; other/2)": true,
    "": false,
    "*": false,
  };
  for (const [agent, isOurs] of Object.entries(agents)) {
    assertEquals([agent, ...allowed(text, ["/all", "/ours"], agent)], [agent, isOurs, !isOurs]);
  }
});

Deno.test("allows() uses no group of a product whose name is similar", () => {
  for (const agent of ["sitetree2", "site", "sitetree_x", "*tree", ""]) {
    assertEquals([agent, ...allowed(`User-agent: ${agent}\nDisallow: /`, ["/a"])], [agent, true]);
  }
  assertEquals(allowed("User-agent: bot2\nDisallow: /", ["/"], "bot1/3"), [true]);
});

Deno.test("crawlDelay() returns the delay of our group, in milliseconds", () => {
  function delay(...list: string[]): number | undefined {
    return parseRobots(lines(...list)).crawlDelay(USER_AGENT);
  }
  const delays = { "2": 2000, "0.5 # slow": 500, ".25": 250, "1.": 1000, "0": 0 };
  for (const [text, milliseconds] of Object.entries(delays)) {
    assertEquals(delay("User-agent: *", `crawl-DELAY: ${text}`), milliseconds, text);
    assertEquals(delay("User-agent: *", `Crawl-delay: ${text}`), milliseconds, text);
  }
  assertEquals(delay("User-agent: *", "Disallow: /"), undefined);
  assertEquals(delay("Crawl-delay: 5", "User-agent: *"), undefined);
  for (const bad of ["", "-1", "x", "1s", "1e3", "0x10", "Infinity", "1".repeat(400), "."]) {
    assertEquals([bad, delay("User-agent: *", `Crawl-delay: ${bad}`)], [bad, undefined]);
  }
  assertEquals(delay("User-agent: *", "Crawl-delay: 1", "Crawl-delay: 3", "Crawl-delay: 2"), 3000);
  assertEquals(
    delay("User-agent: *", "Crawl-delay: 9", "Disallow:", "User-agent: sitetree", "Disallow:"),
    undefined,
  );
  assertEquals(
    delay("User-agent: sitetree", "Crawl-delay: 1", "Disallow:", "User-agent: *", "Crawl-delay: 9"),
    1000,
  );
});

Deno.test("allows() compares long paths with many rules", () => {
  const path = "a".repeat(100_000);
  const rules = Array.from({ length: 900 }, (_, at) => `Disallow: /${"a".repeat(at)}b`);
  const text = lines("User-agent: *", ...rules, "Disallow: /*c", "Allow: /a");
  const paths = [`/${path}`, `/${path}c`, `/ab${path}`, `/${"a".repeat(899)}b`, `/c${path}`];
  assertEquals(allowed(text, paths), [true, false, false, false, false]);
});

Deno.test("crawlDelay() tells apart agents that share rules", () => {
  const robots = parseRobots(lines(
    ...["User-agent: a", "Crawl-delay: 5", "User-agent: b", "Crawl-delay: 10", "User-agent: *"],
    ...["Disallow: /x", "User-agent: a", "Crawl-delay: 1"],
  ));
  assertEquals(["a", "b", "c"].map((agent) => robots.crawlDelay(agent)), [5000, 10_000, undefined]);
  assertEquals(["a", "b", "c"].map((agent) => robots.allows("/x", agent)), [false, false, false]);
});

Deno.test("allows() obeys all rules of 500 KiB", () => {
  const rules = Array.from({ length: 25_000 }, (_, at) => `Disallow: /*/${at}$`);
  const robots = parseRobots(lines("User-agent: *", ...rules));
  assertEquals(robots.truncated, false);
  const paths = ["/a/0", "/a/24999", "/a/b/12345", "/a/25000", "/0", "/a/0/"];
  assertEquals(paths.map((path) => robots.allows(path, "bot")), [
    ...[false, false, false],
    ...[true, true, true],
  ]);
});

Deno.test("groups have agents, rules and delays as written", () => {
  const { groups, ...robots } = parseRobots(lines(
    ...[
      "Disallow: /outside",
      "User-agent: ExampleBot/1.2",
      "User-agent: * (all)",
      "Disallow: /A*b$",
    ],
    ...["Allow: /ü", "Disallow:", "Crawl-delay: 0.5", "User-agent: other", "User-agent: ツ"],
    ...["User-agent:", "Disallow: /", "User-agent: ツ", "Disallow: /y"],
  ));
  assertEquals(groups, [
    {
      agents: ["ExampleBot", "*"],
      rules: [{ allow: false, path: "/A*b$" }, { allow: true, path: "/ü" }],
      crawlDelay: 500,
    },
    { agents: ["other"], rules: [{ allow: false, path: "/" }] },
  ]);
  // without the object
  const { allows, crawlDelay } = robots;
  assertEquals([allows("/y", "bot"), allows("/y", "other"), crawlDelay("bot")], [true, false, 500]);
});

Deno.test("sitemaps are those that a walk reads, in order and without duplicates", () => {
  const text = lines(
    ...["\ufeffSitemap: https://site.test/1.xml", "User-agent: bot", "Sitemap: /2.xml # comment"],
    ...["site-maps ::https://site.test/3.xml, https://site.test/4.xml", "Sitemap: '5.xml'"],
    ...["Sitemap: https://site.test/1.xml#again", "Sitemap: ", "Sitemap: ftp://site.test/"],
    ...["Disallow: /\u2028Sitemap: www.site.test/6.xml", "# Sitemap: /7.xml"],
  );
  const given = parseRobots(text, { url: "https://site.test/a/robots.txt" });
  assertEquals(given.sitemaps, [
    ...["https://site.test/1.xml", "https://site.test/2.xml", "https://site.test/3.xml"],
    ...["https://site.test/4.xml", "https://site.test/a/5.xml", "https://www.site.test/6.xml"],
  ]);
  const url = new URL("https://site.test/a/robots.txt");
  assertEquals(parseRobots(text, { url }).sitemaps, given.sitemaps);
  const absolute = given.sitemaps.filter((_, at) => at !== 1 && at !== 4);
  assertEquals(parseRobots(text).sitemaps, absolute);
  assertEquals(parseRobots(text, { url: "" }).sitemaps, absolute);
});

Deno.test("parseRobots() throws for unknown and invalid options", async () => {
  assertThrows(() => parseRobots("", { uri: "" } as object), TypeError, 'Unknown option "uri"');
  assertThrows(() => parseRobots("", { url: 1 } as object), TypeError, "not a string or URL");
  await assertRejects(() => readRobots(null, { uri: "" } as object), TypeError, "Unknown option");
});

const LIMIT = 500 * 1024;

/** A robots.txt of a number of bytes, with a rule and a sitemap at its end. */
function ofSize(size: number, filler = "#"): string {
  const [start, end] = ["User-agent: *\n", "\nDisallow: /last\nSitemap: https://site.test/last"];
  const left = size - start.length - end.length;
  return start + filler.repeat(left / bytes(filler).length) +
    "x".repeat(left % bytes(filler).length) + end;
}

Deno.test("500 KiB are read, to the last whole line", async () => {
  for (const filler of ["#", "ü", "ツ", "😀"]) {
    const whole = ofSize(LIMIT, filler), over = `${ofSize(LIMIT, filler)}.xml`;
    // whose chunks end before the limit, at it, and after it
    const readers = [100_000, LIMIT / 4, LIMIT, Infinity].map((size) => async (text: string) =>
      await readRobots(streamOf(text, size))
    );
    for (const read of [parseRobots, ...readers]) {
      const robots = await read(whole);
      assertEquals([robots.truncated, robots.sitemaps], [false, ["https://site.test/last"]]);
      const truncated: Robots = await read(over);
      assertEquals([truncated.truncated, truncated.sitemaps], [true, []]);
      assertEquals([robots, truncated].map(({ allows }) => allows("/last", "bot")), [false, false]);
    }
  }
});

/** A stream of chunks of a size, with the number that was read, and whether it was cancelled. */
function streamOf(content: string | Uint8Array, size = 100_000) {
  const chunks = chunked(typeof content === "string" ? bytes(content) : content, size);
  const state = { read: 0, isCancelled: false };
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = chunks[state.read++];
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    },
    cancel: () => void (state.isCancelled = true),
  }, { highWaterMark: 0 });
  return Object.assign(stream, { state });
}

Deno.test("readRobots() reads a stream in chunks of any size", async () => {
  const text = "User-agent: bot\r\nDisallow: /ü\rCrawl-delay: 1\r\nSitemap: /é.xml\nAllow: /ツ";
  const options = { url: "https://site.test/robots.txt" };
  const { allows: _, crawlDelay: __, ...expected } = parseRobots(text, options);
  assertEquals(expected.sitemaps, ["https://site.test/%C3%A9.xml"]);
  const contents = [bytes(text), bytes(`\ufeff${text}`)];
  for (const content of [...contents, utf16(`\ufeff${text}`, true), utf16(text, true)]) {
    for (const size of [Infinity, 7, 1]) {
      const { allows, crawlDelay, ...robots } = await readRobots(streamOf(content, size), options);
      assertEquals(robots, expected);
      assertEquals([allows("/%C3%BC", "bot"), crawlDelay("bot")], [false, 1000]);
    }
  }
  assertEquals((await readRobots(null)).groups, []);
});

Deno.test("readRobots() cancels a stream after 500 KiB, and rejects with its error", async () => {
  const endless = streamOf(new Uint8Array(100 * 1024 * 1024).fill(0x23), 64 * 1024);
  assertEquals((await readRobots(endless)).truncated, true);
  assertEquals(endless.state, { read: 8, isCancelled: true });
  const failing = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(bytes("User-agent: *\nDisallow: /"));
    },
    pull(controller) {
      controller.error(new TypeError("connection reset"));
    },
  });
  await assertRejects(() => readRobots(failing), TypeError, "connection reset");
});

Deno.test("parseRobots() reads the sitemaps of a robots.txt inside HTML", () => {
  const html = "<html><body><pre>User-agent: *\nSitemap: https://site.test/a.xml\n" +
    "Sitemap: <https://site.test/b.xml></pre><p>Sitemap: /c.xml<br>Host: x</p></body></html>";
  const { sitemaps } = parseRobots(html, { url: "https://site.test/robots.txt" });
  const paths = sitemaps.map((url) => url.replace("https://site.test", ""));
  assertEquals(paths, ["/a.xml", "/b.xml", "/c.xml"]);
});

Deno.test("500 KiB are read to the last whole line, whatever ends it", () => {
  for (const end of ["\n", "\r", "\r\n"]) {
    const lines = ["User-agent: *", "Disallow: /first", "#".repeat(LIMIT - 100), "Disallow: /last"];
    const text = `${lines.join(end)}${"x".repeat(100)}`;
    const { truncated, groups } = parseRobots(text);
    assertEquals([truncated, groups[0]?.rules], [true, [{ allow: false, path: "/first" }]]);
  }
});
