import { assertEquals } from "@std/assert";
import { MAX_ROBOTS_RULES, parseRobotsRules } from "../../src/formats/robots_rules.ts";

const USER_AGENT = "sitetree/0.1.0 (+https://example.com/bot)";

/** Which of the paths a robots.txt allows. */
function allowed(text: string, paths: readonly string[], userAgent = USER_AGENT): boolean[] {
  const rules = parseRobotsRules(text, userAgent);
  return paths.map((path) => rules.allows(new URL(path, "https://site.test/")));
}

function assertAllows(text: string, paths: Readonly<Record<string, boolean>>): void {
  const names = Object.keys(paths);
  const actual = allowed(text, names);
  assertEquals(names.map((name, index) => [name, actual[index]]), Object.entries(paths));
}

function lines(...list: string[]): string {
  return list.join("\n");
}

Deno.test("parseRobotsRules() allows everything without rules", () => {
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

Deno.test("parseRobotsRules() matches the beginning of the path", () => {
  assertAllows("User-agent: *\nDisallow: /fish", {
    "/": true,
    "/fish": false,
    "/fish.html": false,
    "/fish/salmon.html?a=b": false,
    "/fishheads": false,
    "/fish?id=anything": false,
    "/Fish.asp": true,
    "/catfish": true,
    "/?id=fish": true,
    "/desert/fish": true,
  });
  assertAllows("User-agent: *\nDisallow: /", { "/": false, "/a?b": false });
});

Deno.test("parseRobotsRules() matches * and $", () => {
  assertAllows("User-agent: *\nDisallow: /*.php$\nDisallow: /a*z\nDisallow: *secret", {
    "/index.php": false,
    "/x/index.php": false,
    "/index.php?a": true,
    "/index.php5": true,
    "/x.php/y.php": false,
    "/az": false,
    "/a/b/z/c": false,
    "/ab": true,
    "/b/az": true,
    "/x/secret": false,
  });
  assertAllows("User-agent: *\nDisallow: /exact$", { "/exact": false, "/exact/": true, "/": true });
  assertAllows("User-agent: *\nDisallow: /$", { "/": false, "/a": true, "/?a": true });
  assertAllows("User-agent: *\nDisallow: /a**b*$", { "/axxbxx": false, "/a": true });
  assertAllows("User-agent: *\nDisallow: /ab*ab$", {
    "/abab": false,
    "/ab": true,
    "/abcab": false,
  });
  assertAllows("User-agent: *\nDisallow: /*?", { "/a?b": false, "/a": true });
});

Deno.test("parseRobotsRules() takes the longest match, and allow among equals", () => {
  assertAllows(
    lines("User-agent: *", "Disallow: /", "Allow: /p", "Disallow: /p/secret", "Allow: /p/secret/x"),
    { "/": false, "/q": false, "/p": true, "/p/secret": false, "/p/secret/x/y": true },
  );
  assertAllows("User-agent: *\nDisallow: /folder\nAllow: /folder", { "/folder/page": true });
  assertAllows("User-agent: *\nAllow: /page\nDisallow: /*.htm", { "/page.htm": false });
  assertAllows("User-agent: *\nAllow: /page\nDisallow: /*.ph", { "/page.php5": true });
  assertAllows("User-agent: *\nAllow: /$\nDisallow: /", { "/": true, "/page.htm": false });
});

Deno.test("parseRobotsRules() always allows robots.txt itself", () => {
  assertAllows("User-agent: *\nDisallow: /", {
    "/robots.txt": true,
    "/robots.txt?a": true,
    "/a/robots.txt": false,
    "/robots.txt.gz": false,
  });
});

Deno.test("parseRobotsRules() compares octets as RFC 9309 §2.2.2 does", () => {
  // each rule matches both, and is matched by each
  const alike = [
    ["/foo/bar?baz=quz", "/foo/bar?baz=quz"],
    ["/foo/bar?baz=http://foo.bar", "/foo/bar?baz=http%3A%2F%2Ffoo.bar"],
    ["/foo/bar/ツ", "/foo/bar/%E3%83%84"],
    ["/foo/bar/%e3%83%84", "/foo/bar/%E3%83%84"],
    ["/foo/bar/%62%61%7A", "/foo/bar/baz"],
    ["/%7Ejoe/", "/~joe/"],
    ["/a b", "/a%20b"],
    ["/a%3Ab@c", "/a:b%40c"],
    ["/a%zz", "/a%25zz"],
    ["/a|b", "/a%7cb"],
    ["/😀%41", "/%F0%9F%98%80A"],
    ["/ツ%", "/%E3%83%84%25"],
  ];
  for (const pair of alike) {
    for (const rule of pair) {
      assertEquals([rule, ...allowed(`User-agent: *\nDisallow: ${rule}`, pair)], [
        rule,
        false,
        false,
      ]);
    }
  }
});

Deno.test("parseRobotsRules() distinguishes separators from encoded characters", () => {
  assertAllows("User-agent: *\nDisallow: /a%2Fb", { "/a%2fb": false, "/a/b": true });
  assertAllows("User-agent: *\nDisallow: /a/b", { "/a%2Fb": true, "/a/b": false });
  assertAllows("User-agent: *\nDisallow: /a%3Fb", { "/a%3Fb": false, "/a?b": true });
  assertAllows("User-agent: *\nDisallow: /a?b=1&", { "/a?b=1&c": false, "/a?b=1%26c": true });
  assertAllows("User-agent: *\nDisallow: /*/x", { "/a?b=/x": false, "/a?b=%2Fx": false });
});

Deno.test("parseRobotsRules() matches * and $ literally where they are encoded", () => {
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

Deno.test("parseRobotsRules() uses the group of our product, else that of *", () => {
  const text = lines("User-agent: *", "Disallow: /all", "User-agent: SiteTree", "Disallow: /ours");
  const paths = ["/all", "/ours"];
  assertEquals(allowed(text, paths), [true, false]);
  assertEquals(allowed(text, paths, "SITETREE"), [true, false]);
  assertEquals(allowed(text, paths, "  sitetree (like Gecko)"), [true, false]);
  assertEquals(allowed(text, paths, "sitetree-news/1"), [false, true]);
  assertEquals(allowed(text, paths, "Mozilla/5.0 (compatible; sitetree/1)"), [false, true]);
  assertEquals(allowed(text, paths, ""), [false, true]);
  assertEquals(allowed(text, paths, "*"), [false, true]);
});

Deno.test("parseRobotsRules() reads user agents with versions, spaces and odd keys", () => {
  for (
    const line of [
      "User-agent: sitetree/1.0",
      "user-agent:SITETREE",
      "  USER-AGENT  :  sitetree  # us",
      "User agent: sitetree",
      "useragent: sitetree bot",
    ]
  ) {
    const text = lines("User-agent: *", "Allow: /", line, "Disallow: /");
    assertEquals([line, ...allowed(text, ["/a"])], [line, false]);
  }
  for (const agent of ["sitetree2", "site", "sitetree_x", "*tree", ""]) {
    assertEquals([agent, ...allowed(`User-agent: ${agent}\nDisallow: /`, ["/a"])], [agent, true]);
  }
  assertEquals(allowed("User-agent: bot2\nDisallow: /", ["/"], "bot1/3"), [true]);
});

Deno.test("parseRobotsRules() uses a group of our product without rules", () => {
  const text = lines("User-agent: *", "Disallow: /", "", "User-agent: sitetree", "Disallow:");
  assertEquals(allowed(text, ["/a"]), [true]);
});

Deno.test("parseRobotsRules() merges groups of the same user agent", () => {
  assertAllows(
    lines(
      "User-agent: sitetree",
      "Disallow: /a",
      "User-agent: other",
      "Disallow: /b",
      "User-agent: sitetree",
      "Disallow: /c",
    ),
    { "/a": false, "/b": true, "/c": false },
  );
});

Deno.test("parseRobotsRules() lets several user agents share a group", () => {
  const text = lines(
    "User-agent: first",
    "",
    "# and",
    "User-agent: sitetree",
    "Sitemap: https://site.test/s.xml",
    "junk",
    "Crawl-delay: 1",
    "User-agent: third",
    "Disallow: /a",
    "",
    "Sitemap: https://site.test/t.xml",
    "Host: site.test",
    "Disallow: /b",
    "User-agent: other",
    "Disallow: /c",
  );
  assertAllows(text, { "/a": false, "/b": false, "/c": true });
});

Deno.test("parseRobotsRules() begins a new group at a user agent after an empty rule", () => {
  const text = lines("User-agent: sitetree", "Disallow:", "User-agent: other", "Disallow: /");
  assertEquals(allowed(text, ["/a"]), [true]);
});

Deno.test("parseRobotsRules() reads all line ends, byte order marks and comments", () => {
  for (const end of ["\n", "\r", "\r\n"]) {
    const text = ["\ufeffUser-agent: *", "Disallow: /a#b", "#Disallow: /c", "\tDisallow :\t/d\t"];
    assertEquals(allowed(text.join(end), ["/a", "/c", "/d", "/e"]), [false, true, false, true]);
  }
});

Deno.test("parseRobotsRules() reads the crawl delay of our group, in milliseconds", () => {
  function delay(...list: string[]): number | undefined {
    return parseRobotsRules(lines(...list), USER_AGENT).crawlDelay;
  }
  assertEquals(delay("User-agent: *", "Crawl-delay: 2"), 2000);
  assertEquals(delay("User-agent: *", "crawl-DELAY: 0.5 # slow"), 500);
  assertEquals(delay("User-agent: *", "Crawl-delay: .25"), 250);
  assertEquals(delay("User-agent: *", "Crawl-delay: 1."), 1000);
  assertEquals(delay("User-agent: *", "Crawl-delay: 0"), 0);
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

Deno.test("parseRobotsRules() keeps a limited number of rules and sets truncated", () => {
  const rules = Array.from({ length: MAX_ROBOTS_RULES }, (_, index) => `Disallow: /${index}/`);
  const full = parseRobotsRules(lines("User-agent: *", ...rules), USER_AGENT);
  assertEquals(full.truncated, false);
  assertEquals(full.allows(new URL(`https://site.test/${MAX_ROBOTS_RULES - 1}/`)), false);
  const over = parseRobotsRules(lines("User-agent: *", ...rules, "Disallow: /x"), USER_AGENT);
  assertEquals(over.truncated, true);
  assertEquals(over.allows(new URL("https://site.test/x")), true);
  assertEquals(over.allows(new URL("https://site.test/0/")), false);
});

Deno.test("parseRobotsRules() does not count other agents' rules against ours", () => {
  const others = Array.from({ length: MAX_ROBOTS_RULES + 1 }, (_, index) => `Disallow: /${index}`);
  const text = lines("User-agent: *", ...others, "User-agent: sitetree", "Disallow: /x");
  const rules = parseRobotsRules(text, USER_AGENT);
  assertEquals(rules.truncated, false);
  assertEquals(rules.allows(new URL("https://site.test/x")), false);
});

Deno.test("parseRobotsRules() does not backtrack on patterns of many wildcards", () => {
  // a regular expression would take exponential time
  const pattern = `/${"*a".repeat(4_000)}*b`;
  const rules = parseRobotsRules(`User-agent: *\nDisallow: ${pattern}`, USER_AGENT);
  assertEquals(rules.allows(new URL(`https://site.test/${"a".repeat(8_000)}`)), true);
  assertEquals(rules.allows(new URL(`https://site.test/${"a".repeat(8_000)}b`)), false);
});

/** The most specific rule that matches, by trying all of them. */
function naivelyAllowed(rules: readonly (readonly [string, string])[], path: string): boolean {
  const matching = rules.filter(([, pattern]) =>
    pattern !== "" && new RegExp(`^${pattern.replaceAll("*", ".*")}`).test(path)
  );
  const longest = Math.max(...matching.map(([, { length }]) => length));
  const decisive = matching.filter(([, { length }]) => length === longest);
  return decisive.length === 0 || decisive.some(([key]) => key === "Allow");
}

Deno.test("parseRobotsRules() agrees with a naive matcher on random rules", () => {
  let seed = 9309;
  function random(below: number): number {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
    return (seed >>> 8) % below;
  }
  function word(alphabet: string, length: number): string {
    return Array.from({ length }, () => alphabet.charAt(random(alphabet.length))).join("");
  }
  function pattern(): string {
    const [alphabet, start] = random(2) === 0 ? ["ab", "/"] : ["ab*", random(4) === 0 ? "*" : "/"];
    return `${start}${word(alphabet, random(6))}${random(3) === 0 ? "$" : ""}`;
  }
  const counts = { true: 0, false: 0 };
  for (let round = 0; round < 5_000; round++) {
    const rules = Array.from(
      { length: random(3) === 0 ? 1 : random(12) },
      () => [random(3) === 0 ? "Allow" : "Disallow", pattern()] as const,
    );
    const text = lines("User-agent: *", ...rules.map(([key, pattern]) => `${key}: ${pattern}`));
    for (let turn = 0; turn < 4; turn++) {
      const path = `/${word("ab", random(8))}`;
      const expected = naivelyAllowed(rules, path);
      const [actual] = allowed(text, [path]);
      if (actual !== expected) assertEquals([text, path, actual], [text, path, expected]);
      counts[`${expected}`]++;
    }
  }
  assertEquals(counts.true > 5_000 && counts.false > 5_000, true, JSON.stringify(counts));
});

Deno.test("parseRobotsRules() compares long paths with many rules", () => {
  const path = "a".repeat(100_000);
  const rules = Array.from({ length: 900 }, (_, at) => `Disallow: /${"a".repeat(at)}b`);
  const text = lines("User-agent: *", ...rules, "Disallow: /*c", "Allow: /a");
  const paths = [`/${path}`, `/${path}c`, `/ab${path}`, `/${"a".repeat(899)}b`, `/c${path}`];
  assertEquals(allowed(text, paths), [true, false, false, false, false]);
});

Deno.test("parseRobotsRules() disallows a URL whose rules take too long", () => {
  const url = new URL(`https://site.test/${"a".repeat(8000)}`);
  const slow = Array.from({ length: 9000 }, (_, at) => `Disallow: /*${"a".repeat(20)}*b${at}`);
  const rules = parseRobotsRules(`User-agent: *\n${slow.join("\n")}`, "sitetree");
  assertEquals(rules.allows(url), false);
  assertEquals(rules.allows(new URL("https://site.test/sitemap.xml")), true);
  // these take a hundredth of the limit
  const many = Array.from({ length: 2000 }, (_, at) => `Disallow: /*/private/${at}/*?session=*`);
  const usual = parseRobotsRules(`User-agent: *\n${many.join("\n")}`, "sitetree");
  assertEquals(usual.allows(new URL(`https://site.test/${"shop/".repeat(40)}`)), true);
  assertEquals(usual.allows(new URL("https://site.test/a/private/7/x?session=1")), false);
});
