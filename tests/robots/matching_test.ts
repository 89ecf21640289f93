import { assertEquals } from "@std/assert";
import fc from "../support/fast_check.ts";
import { parseRobots } from "../../src/robots/mod.ts";
import { PatternSet } from "../../src/robots/pattern_set.ts";

type Rule = readonly [allow: boolean, path: string];

/** Whether a pattern matches a path, by a regular expression. */
function matches(pattern: string, path: string): boolean {
  const source = pattern.replace(/\$$/, "\0").replace(/[$?.]/g, "\\$&").replaceAll("*", ".*");
  return new RegExp(`^${source.replace("\0", "$")}`, "s").test(path);
}

/** The verdict of the longest rule that matches, by trying all of them. */
function naivelyAllowed(rules: readonly Rule[], path: string): boolean {
  const matching = rules.filter(([, pattern]) => pattern !== "" && matches(pattern, path));
  const longest = Math.max(...matching.map(([, { length }]) => length));
  const decisive = matching.filter(([, { length }]) => length === longest);
  return decisive.length === 0 || decisive.some(([allow]) => allow);
}

function word(alphabet: string, maxLength: number): fc.Arbitrary<string> {
  return fc.string({ unit: fc.constantFrom(...alphabet), maxLength });
}

const PATH = word("ab/", 10).map((rest) => `/${rest}`);
const PATTERN = fc.tuple(
  fc.constantFrom("/", "/", "/", "*", ""),
  word("ab*/$", 8),
  fc.constantFrom("", "", "$"),
).map((parts) => parts.join(""));

Deno.test("allows() agrees with regular expressions on small alphabets", () => {
  const counts = { true: 0, false: 0 };
  const rules = fc.array(fc.tuple(fc.boolean(), PATTERN), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(rules, fc.array(PATH, { minLength: 1, maxLength: 8 }), (rules, paths) => {
      const lines = rules.map(([allow, path]) => `${allow ? "Allow" : "Disallow"}: ${path}`);
      const robots = parseRobots(`User-agent: *\n${lines.join("\n")}`);
      for (const path of paths) {
        const expected = naivelyAllowed(rules, path);
        assertEquals([path, robots.allows(`https://site.test${path}`, "bot")], [path, expected]);
        counts[`${expected}`]++;
      }
    }),
    { seed: 9309, numRuns: 4000 },
  );
  assertEquals(counts.true > 2000 && counts.false > 2000, true, JSON.stringify(counts));
});

Deno.test("a set of patterns finds the first that matches, text after text", () => {
  const patterns = fc.array(word("ab*", 8).map((rest) => `^${rest}`), {
    minLength: 1,
    maxLength: 20,
  });
  const texts = fc.array(word("ab", 14).map((text) => `^${text}`), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(patterns, texts, (patterns, texts) => {
      const set = new PatternSet(patterns);
      for (const text of texts) {
        const expected = patterns.findIndex((pattern) =>
          matches(pattern.replace("^", "\\^"), text)
        );
        assertEquals(set.find(text), expected < 0 ? Infinity : expected);
      }
    }),
    { seed: 9309, numRuns: 4000 },
  );
});

Deno.test("rules of several agents do not affect each other", () => {
  const line = fc.oneof(
    fc.constantFrom("one", "two", "*").map((agent) => ["User-agent", agent] as const),
    fc.tuple(fc.constantFrom("Allow", "Disallow"), PATTERN),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 20 }), PATH, (lines, path) => {
      // the groups by RFC 9309 §2.2.1, line by line
      const rules = new Map<string, Rule[]>();
      let agents: string[] = [], isAfterRule = false;
      for (const [key, value] of lines) {
        if (key === "User-agent") {
          if (isAfterRule) agents = [];
          agents.push(value);
          if (!rules.has(value)) rules.set(value, []);
        } else {for (const agent of new Set(agents)) {
            rules.get(agent)!.push([key === "Allow", value]);
          }}
        isAfterRule = key !== "User-agent";
      }
      const robots = parseRobots(lines.map((pair) => pair.join(": ")).join("\n"));
      for (const agent of ["one", "two", "three"]) {
        const expected = naivelyAllowed(rules.get(agent) ?? rules.get("*") ?? [], path);
        assertEquals([agent, robots.allows(`https://site.test${path}`, agent)], [agent, expected]);
      }
    }),
    { seed: 9309, numRuns: 4000 },
  );
});

/** Lines of 500 KiB, made to be slow, and a URL; comparing rule by rule takes minutes. */
const HOSTILE: Readonly<
  Record<string, readonly [line: (at: number) => string, path: string, allowed: boolean]>
> = {
  "many wildcards": [() => `Disallow: /${"*a".repeat(8000)}*b`, "a".repeat(50_000), true],
  "long words that nearly match": [
    (at) => `Disallow: /*${"a".repeat(8000)}b*${at}`,
    "a".repeat(200_000),
    true,
  ],
  "words of all lengths": [(at) => `Disallow: /*${"a".repeat(at)}*b`, "a".repeat(8000), true],
  "a wildcard in each of many rules": [(at) => `Disallow: /*a*${at}b`, "a".repeat(200_000), true],
  "many rules that match": [
    (at) => `Disallow: /*a*a*${"*".repeat(at % 7)}`,
    "a".repeat(8000),
    false,
  ],
  "the same rule again and again": [() => "Disallow: /*a*b", "ab".repeat(50_000), false],
  "rules that wait for each other's words": [
    (at) => `Disallow: /*${at % 10}*${at % 9}*${at % 8}*${at % 7}*x`,
    "0123456789".repeat(10_000),
    true,
  ],
  "many agents of the same rules": [
    (at) => at < 10_000 ? `User-agent: bot${at}\nCrawl-delay: 1` : `Disallow: /${at}`,
    "a".repeat(8000),
    true,
  ],
  "many groups of the same agent": [
    (at) => `User-agent: bot\nDisallow: /*${at}*b`,
    "0123456789".repeat(10_000),
    true,
  ],
};

for (const [name, [line, path, allowed]] of Object.entries(HOSTILE)) {
  Deno.test(`allows() is not slowed down by ${name}`, () => {
    let text = "User-agent: bot\n";
    for (let at = 0; text.length < 500 * 1024 - 17_000; at++) text += `${line(at)}\n`;
    const robots = parseRobots(text);
    assertEquals(robots.truncated, false);
    assertEquals(robots.allows(`/${path}`, "bot"), allowed);
  });
}
