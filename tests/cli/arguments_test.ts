import { assertEquals, assertStrictEquals } from "@std/assert";
import type { WalkOptions } from "../../mod.ts";
import { parseArguments } from "../../src/cli/arguments.ts";
import type { CommandName } from "../../src/cli/commands.ts";
import { walkSettings } from "../../src/cli/run/walk_settings.ts";
import { insecureFetch } from "../../src/platform/host_http.ts";

/** Words after a command, the values of its options, and the operands. */
const PARSED: readonly (readonly [
  line: string,
  values: Readonly<Record<string, readonly unknown[]>>,
  operands: readonly string[],
])[] = [
  // options before, between and after operands
  [
    "ls -rk --match=a+b a.test -fpages -vv b.test -o x",
    {
      "no-robots": [true],
      "no-known": [true],
      "match": [/a+b/u],
      "format": ["pages"],
      "verbose": [true, true],
      "output": ["x"],
    },
    ["a.test", "b.test"],
  ],
  // values that begin with a dash
  ["ls --match -draft -of -", { match: [/-draft/u], output: ["f"] }, ["-"]],
  ["ls --header a:b=c", { header: [["a", "b=c"]] }, []],
  ["ls -f=csv", { format: ["csv"] }, []],
  ["ls -fcsv -- -fpages", { format: ["csv"] }, ["-fpages"]],
  ["ls 2024", {}, ["2024"]],
  // only a number is an optional value after a space
  ["check --pages a.test", { pages: [true] }, ["a.test"]],
  ["check a.test --pages", { pages: [true] }, ["a.test"]],
  ["check --pages 1_000 a.test", { pages: [1000] }, ["a.test"]],
  ["check --pages=7 8", { pages: [7] }, ["8"]],
  ["check --pages 7 8", { pages: [7] }, ["8"]],
  ["check --pages 7.test", { pages: [true] }, ["7.test"]],
  ["check --pages -- 7", { pages: [true] }, ["7"]],
  ["check --pages -q 7", { pages: [true], quiet: [true] }, ["7"]],
];

for (const [line, values, operands] of PARSED) {
  Deno.test(`parseArguments() reads ${line}`, () => {
    const [command, ...words] = line.split(" ");
    const args = parseArguments(command as CommandName, words);
    assertEquals(args.operands, operands);
    const given = new Set(args.optionWords.map((word) => word.replace(/^--|=.*/g, "")));
    assertEquals(
      Object.fromEntries([...given].map((name) => [name, args.all<unknown>(name)])),
      values,
    );
  });
}

Deno.test("walkSettings() maps arguments to options of walk()", () => {
  const words = "--timeout=1.5s --wait=250ms --random-wait --deadline=2m --retries=0 -A mill/1.0 " +
    "--respect-robots --max-depth=0 --max-sitemaps=7 --max-bytes=10MiB --concurrency=1_0 " +
    "--hosts=same-site --proxy=socks5://localhost:1080 --known-path=/a --known-path=b -i " +
    "--homepage=always --feeds --sitemaps --include=news --exclude=OLD --since=2024-05-01 -HX-One:1";
  const { options, proxy, include, exclude, prunedBefore } = walkSettings(
    parseArguments("ls", [...words.split(" "), "https://example.com/shop"]),
  );
  assertEquals(proxy?.href, "socks5://localhost:1080");
  assertEquals([...include, ...exclude].map(String), ["/news/iu", "/OLD/iu"]);
  assertEquals(prunedBefore, Date.UTC(2024, 4, 1));
  const { headers, fetch, ...others } = options;
  assertEquals(typeof fetch, "function");
  assertEquals([...new Headers(headers)], [["x-one", "1"]]);
  const expected: WalkOptions = {
    useRobots: true,
    useKnownPaths: true,
    extraKnownPaths: ["/a", "b"],
    useHomepage: true,
    useFeeds: true,
    userAgent: "mill/1.0",
    timeout: 1500,
    wait: 250,
    randomWait: true,
    deadline: 120_000,
    retries: 0,
    hosts: "same-site",
    concurrency: 10,
    respectRobots: true,
    maxDepth: 0,
    maxSitemaps: 7,
    maxBytes: 10 * 1024 ** 2,
  };
  assertEquals(others, expected);
});

Deno.test("walkSettings() keeps --known-path when --no-known is given", () => {
  const { options, prunedBefore } = walkSettings(
    parseArguments("ls", ["-rk", "--known-path=a", "--insecure", "--no-prune", "--since=1y"]),
  );
  assertEquals([options.useRobots, options.useKnownPaths], [false, false]);
  assertEquals(options.extraKnownPaths, ["a"]);
  assertStrictEquals(options.fetch, insecureFetch);
  assertEquals(prunedBefore, undefined);
});
