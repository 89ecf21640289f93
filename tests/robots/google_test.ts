/**
 * Behaviour that the tests of Google's parser (https://github.com/google/robotstxt) describe, as tables
 * of our own: what a file allows, by user agent and URL.
 *
 * Two descriptions do not apply. Google leaves it to the caller to encode a URL, and to extract the
 * product token from a User-Agent; `allows()` does both.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { parseRobots, readRobots, type Robots } from "../../src/robots/mod.ts";
import { bytes } from "../http/scripted_fetch.ts";

/** Expectations by user agent: paths that are allowed, and paths that are not. */
type Verdicts = Readonly<
  Record<string, { readonly yes?: readonly string[]; readonly no?: readonly string[] }>
>;

/** Asserts what a file allows; a path without a scheme is one of `https://site.test`. */
function assertVerdicts(robots: Robots | readonly string[], verdicts: Verdicts): void {
  const file = "groups" in robots ? robots : parseRobots(robots.join("\n"));
  for (const [agent, { yes = [], no = [] }] of Object.entries(verdicts)) {
    const url = (path: string) => path.startsWith("/") ? `https://site.test${path}` : path;
    const actual = [yes, no].map((paths) => paths.filter((path) => file.allows(url(path), agent)));
    assertEquals(actual, [yes, []], `${agent}: ${JSON.stringify(file.groups).slice(0, 300)}`);
  }
}

function assertBot(rules: readonly string[], verdict: Verdicts[string]): void {
  assertVerdicts(["User-agent: bot", ...rules], { bot: verdict });
}

Deno.test("a line is a key and a value, with a colon or with whitespace between two words", () => {
  const verdict = { bot: { no: ["/x/y"] } };
  assertVerdicts(["user-agent: bot", "disallow: /"], verdict);
  assertVerdicts(["user-agent bot", "disallow /"], verdict);
  assertVerdicts(["user-agent:BOT", "disallow:/"], verdict);
  assertVerdicts(["  USER-AGENT  :  bot  # us", "disallow: /"], verdict);
  assertVerdicts(["user-agent\t \tbot", "  disallow\t/  # all of it"], verdict);
  assertVerdicts(["agent: bot", "deny: /"], { bot: { yes: ["/x/y"] } });
  assertBot(["disallow / now"], { yes: ["/x/y"] });
  assertBot(["disallow"], { yes: ["/x/y"] });
  assertBot([": /"], { yes: ["/x/y"] });
});

Deno.test("a group is one or more agents and the rules up to the next agent; groups are merged", () => {
  const file = [
    ...["allow: /outside/", "", "user-agent: One", "disallow: /", "allow: /1/", "user-agent: Two"],
    ...["disallow: /", "allow: /2/", "", "", "allow: /2b/", "user-agent: Three", ""],
    ...["user-agent: One", "allow: /1b/", "disallow: /"],
  ];
  assertVerdicts(file, {
    One: { yes: ["/1/", "/1b/x"], no: ["/2/", "/outside/", "/2b/"] },
    Two: { yes: ["/2/x", "/2b/"], no: ["/1/", "/1b/", "/outside/"] },
    Three: { yes: ["/1b/"], no: ["/outside/", "/1/"] },
  });
});

Deno.test("other lines do not end a group", () => {
  const sitemap = "Sitemap: https://site.test/s.xml";
  for (const line of [sitemap, "Unknown-key: value", "Crawl-delay: 1", "Host: a", "junk", "# a"]) {
    const rules = ["Disallow: /a", line, "Disallow: /b"];
    assertVerdicts(["User-agent: one", line, "User-agent: *", ...rules, "User-agent: three"], {
      one: { no: ["/a", "/b"] },
      two: { no: ["/a", "/b"] },
      three: { yes: ["/a", "/b"] },
    });
  }
});

Deno.test("keys are case-insensitive, may be longer, and may be misspelt", () => {
  const agents = ["USER-AGENT", "uSeR-aGeNt", "useragent", "user agent", "User-Agents"];
  const disallows = [
    ...["DISALLOW", "dIsAlLoW", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"],
    "Disallowed",
  ];
  for (const agent of agents) {
    for (const disallow of disallows) {
      for (const allow of ["ALLOW", "AlLoW", "allowed"]) {
        assertVerdicts([`${agent}: bot`, `${allow}: /x/`, `${disallow}: /`], {
          bot: { yes: ["/x/y"], no: ["/a/b"] },
        });
      }
    }
  }
});

Deno.test("agents are product tokens, case-insensitive, up to the first other character", () => {
  const rules = ["Allow: /x/", "Disallow: /"];
  for (const line of ["FOO BAR", "foo bar", "FoO bAr", "foo/2.1", "foo*", "Foo (bar)", "foo;"]) {
    const verdict = { yes: ["/x/y"], no: ["/a/b"] };
    assertVerdicts([`User-Agent: ${line}`, ...rules], { Foo: verdict, foo: verdict, FOO: verdict });
  }
  for (const token of ["foo-bar", "foo_bar"]) {
    assertVerdicts([`User-Agent: ${token}`, ...rules], {
      [token]: { no: ["/a"] },
      foo: { yes: ["/a"] },
    });
  }
  for (const line of ["", "ツ", " ", "/2.1"]) {
    assertVerdicts([`User-Agent: ${line}`, ...rules], {
      foo: { yes: ["/a"] },
      "": { yes: ["/a"] },
    });
  }
  assertVerdicts(["User-Agent: *", "Disallow: /", "User-Agent: Foo Bar", ...rules], {
    foo: { yes: ["/x/y"] },
    bar: { no: ["/x/y"] },
  });
});

Deno.test("the groups of * are for agents that no group names", () => {
  assertVerdicts(["user-agent: *", "allow: /", "user-agent: one", "disallow: /"], {
    one: { no: ["/x"] },
    two: { yes: ["/x"] },
  });
  assertVerdicts(["user-agent: one", "allow: /", "user-agent: two", "disallow: /"], {
    three: { yes: ["/x"] },
  });
  for (const everyone of ["*", "* ", "* and more", "*\tall"]) {
    assertVerdicts([`user-agent: ${everyone}`, "disallow: /"], { one: { no: ["/x"] } });
  }
  assertVerdicts(["user-agent: *bot", "disallow: /"], { bot: { yes: ["/x"] } });
  for (const blank of ["\v", "\f", "\v\f ", "\0", "\0x"]) {
    assertVerdicts([`user-agent: *${blank}`, "disallow: /"], { one: { no: ["/x"] } });
  }
  for (const other of ["\ufeff", "\u00a0", "\u0085", "\u2028", "\u3000"]) {
    assertVerdicts([`user-agent: *${other}`, "disallow: /"], { one: { yes: ["/x"] } });
  }
});

Deno.test("whitespace of ASCII beside keys and values is ignored, and what follows NUL", () => {
  for (const blank of ["\v", "\f", "\t", " ", "\v \f"]) {
    assertBot([`disallow:${blank}/x${blank}`], { no: ["/x"], yes: ["/y"] });
    assertBot([`${blank}disallow${blank}:/x`], { no: ["/x"], yes: ["/y"] });
    if (blank.length === 1) assertBot([`${blank}disallow ${blank}/x`], { no: ["/x"], yes: ["/y"] });
    assertVerdicts([`user-agent:${blank}bot${blank}`, "disallow: /"], { bot: { no: ["/x"] } });
  }
  for (const other of ["\ufeff", "\u00a0", "\u0085", "\u2028", "\u3000"]) {
    assertBot([`disallow: /x${other}`], { no: [`/x${encodeURIComponent(other)}`], yes: ["/x"] });
    assertBot([`disallow:${other}/x`], { yes: ["/x"] });
  }
  assertBot(["disallow: /x\0/y", "allow: /z\0"], { no: ["/x", "/x/z"], yes: ["/z"] });
  assertBot(["disallow\0: /", "\0disallow: /", "disallow: \0/"], { yes: ["/x"] });
  assertBot(["disallow: /\0\ndisallow: /"], { no: ["/x"] });
  assertBot(["disallow /x\0 y z"], { no: ["/x"], yes: ["/y"] });
});

Deno.test("the longest rule decides, and among equals the one that allows", () => {
  const cases: readonly (readonly [rules: readonly string[], Verdicts[string]])[] = [
    [["disallow: /", "allow: /p", "disallow: /p/q", "allow: /p/q/x"], {
      no: ["/", "/q", "/p/q"],
      yes: ["/p", "/p/q/x/y"],
    }],
    [["allow: /cup", "disallow: /*.htm"], { no: ["/cup.htm"], yes: ["/cup"] }],
    // wildcards count as characters, and characters beyond ASCII as encoded
    [["allow: /x", "disallow: /x*"], { no: ["/x"] }],
    [["allow: /x$", "disallow: /x"], { yes: ["/x"], no: ["/xy"] }],
    [["allow: /aaaaa*", "disallow: /*ツ"], { no: ["/aaaaaツ"], yes: ["/aaaaa"] }],
  ];
  for (const [rules, verdict] of cases) assertBot(rules, verdict);
});

Deno.test("rules are encoded where they are not ASCII, and not decoded", () => {
  const only = (rule: string) => ["Disallow: /", `Allow: ${rule}`];
  const query = "/find?q=tea&next=https://other.test/?a&b";
  assertBot(only(query), { yes: [query], no: ["/find?q=tea"] });
  assertBot(only("/menu/茶"), { yes: ["/menu/%E8%8C%B6"], no: ["/menu/%E8%8C"] });
  assertBot(only("/menu/%E8%8C%B6"), { yes: ["/menu/%E8%8C%B6", "/menu/茶"] });
  assertBot(only("/menu/%bf"), { yes: ["/menu/%BF"], no: ["/menu/bf"] });
  assertBot(only("/Café"), { yes: ["/Caf%C3%A9Noir"], no: ["/Caf"] });
  assertBot(only("/menu/%74%65%61"), { yes: ["/menu/%74%65%61"], no: ["/menu/tea"] });
});

Deno.test("# begins a comment, and $ is literal before the end", () => {
  assertBot(["# Disallow: /", "Disallow: /a/b#c", "Allow: /"], { yes: ["/a/c"], no: ["/a/b"] });
  assertBot(["Disallow: /a$b"], { no: ["/a$bc"], yes: ["/a", "/ab"] });
});

Deno.test("a rule that allows index.html allows its directory", () => {
  for (const name of ["index.html", "index.htm"]) {
    assertVerdicts(["User-Agent: *", `Allow: /dir/${name}`, "Disallow: /"], {
      bot: {
        yes: ["/dir/", `/dir/${name}`],
        no: ["/dir/index.ht", "/dir", "/other", "/dir/other", "/other/dir/"],
      },
    });
  }
  assertVerdicts(["User-Agent: *", "Allow: /dir/index.html", "Disallow: /"], {
    bot: { no: ["/dir/index.htm"] },
  });
  assertVerdicts(["User-Agent: *", "Disallow: /dir/index.html"], { bot: { yes: ["/dir/"] } });
});

Deno.test("a line ends after 8 times 2,083 bytes", () => {
  const maxLength = 2083 * 8 - 1;
  /** A path that fills a line up to a number of bytes before its end. */
  const path = (key: string, letter: string, before: number) =>
    `/x/${letter.repeat(maxLength - `${key}: /x/`.length - before)}`;
  const cut = path("disallow", "a", 1);
  assertBot([`disallow: ${cut}/end`], {
    yes: ["/other", `${cut}-other`],
    no: [`${cut}/other`, `${cut}/end`],
  });
  const [a, b] = [path("allow", "a", 1), path("allow", "b", 1)];
  assertBot(["disallow: /", `allow: ${a}/end`, `allow: ${b}/end`], {
    no: ["/", `${a}-`],
    yes: [`${a}/end`, `${b}/other`],
  });
  // bytes, not characters
  const wide = `/${"ツ".repeat(maxLength / 3)}`;
  assertBot([`disallow: ${wide}`], { no: [wide.slice(0, -3)], yes: [wide.slice(0, -5)] });
});

Deno.test("prefixes, extensions and precedence, as Google documents them", () => {
  const only = (rule: string) => ["disallow: /", `allow: ${rule}`];
  const tea = {
    yes: [
      "/tea",
      "/tea.html",
      "/tea/green.html",
      "/teapots",
      "/teapots/blue.html",
      "/tea.html?a=b",
      "/tea?kind=green",
    ],
    no: ["/", "/cup", "/Tea.asp", "/greentea", "/?kind=tea", "/menu/tea"],
  };
  assertBot(only("/tea"), tea);
  assertBot(only("/tea*"), tea);
  assertBot(only("/*.pdf$"), {
    yes: ["/report.pdf", "/old/report.pdf", "/a.pdf/b.pdf"],
    no: [
      ...["/cup", "/report.pdf?page=2", "/report.pdf/", "/report.pdf2", "/pdf/", "/show?pdf"],
      ...["/apdfb", "//report.PDF"],
    ],
  });
});

Deno.test("lines end with LF, CR or CRLF, and the last one need not", () => {
  const lines = ["User-Agent: one", "Allow: /a/b", "User-Agent: two", "", "", "Disallow: /"];
  const mixed = "User-Agent: one\nAllow: /a/b\r\nUser-Agent: two\n\r\n\nDisallow: /";
  for (const text of [...["\n", "\r\n", "\r"].map((end) => lines.join(end)), mixed]) {
    for (const end of ["", "\n", "\r\n", "\r"]) {
      assertEquals(parseRobots(text + end).groups, [
        { agents: ["one"], rules: [{ allow: true, path: "/a/b" }] },
        { agents: ["two"], rules: [{ allow: false, path: "/" }] },
      ]);
    }
  }
});

Deno.test("a byte order mark, or a part of one, is skipped at the beginning only", async () => {
  const read = async (...parts: (string | readonly number[])[]) => {
    const content = parts.flatMap((part) => typeof part === "string" ? [...bytes(part)] : part);
    const { groups } = await readRobots(new Blob([Uint8Array.from(content)]).stream());
    return groups.map(({ agents, rules }) => `${agents} ${rules.length}`);
  };
  const [agent, rule] = ["User-Agent: one\n", "Allow: /a\n"];
  for (const mark of [[], [0xef, 0xbb, 0xbf], [0xef, 0xbb], [0xef]]) {
    assertEquals(await read(mark, agent, rule), ["one 1"]);
  }
  // not a byte order mark: the first line is unreadable
  assertEquals(await read([0xef, 0x11, 0xbf], agent, rule), []);
  assertEquals(await read(agent, [0xef, 0xbb, 0xbf], rule), ["one 0"]);
  assertEquals(parseRobots(`\ufeff${agent}${rule}`).groups.length, 1);
});

Deno.test("a URL is matched from its path to its query", () => {
  const paths = {
    "": "/",
    "https://site.test": "/",
    "https://site.test/": "/",
    "https://site.test/b": "/b",
    "https://site.test/b/": "/b/",
    "https://site.test:8080/b?c=https://d.test/#e": "/b?c=https://d.test/",
    "https://user:word@site.test/b/c?d=e&f=g#h": "/b/c?d=e&f=g",
    "site.test": "/",
    "site.test/": "/",
    "site.test/b?c#d": "/b?c",
    "site.test?b": "/?b",
    "site.test/b;c#d": "/b;c",
    "b": "/",
    "b/": "/",
    "b/c": "/c",
    "/b": "/b",
    "/b?c#d": "/b?c",
    "/b?": "/b?",
    "/b?#c": "/b?",
    "/#b": "/",
    "/x/../b": "/b",
    " /b\n": "/b",
    "//site.test/b/c": "/b/c",
    "https://[": "/",
  };
  for (const [url, path] of Object.entries(paths)) {
    const robots = parseRobots(`User-agent: *\nAllow: ${path}$\nDisallow: /`);
    assertEquals([url, robots.allows(url, "bot")], [url, true]);
  }
});
