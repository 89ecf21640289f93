import { assertEquals, assertStrictEquals, assertStringIncludes, assertThrows } from "@std/assert";
import type { WalkOptions } from "../../mod.ts";
import { commandOf, parseArguments } from "../../src/cli/arguments.ts";
import { refuseConflicts } from "../../src/cli/conflicts.ts";
import { UsageError } from "../../src/cli/run/failure.ts";
import type { CommandName } from "../../src/cli/commands.ts";
import { walkSettings } from "../../src/cli/run/walk_settings.ts";
import { insecureFetch } from "../../src/platform/host_http.ts";

const URL_OPERAND = "https://example.com/";

/** Returns the message about arguments, with the hint behind an arrow. */
function complaint(command: CommandName, args: string[]): string {
  const error: UsageError = assertThrows(() => {
    refuseConflicts(parseArguments(command, args));
  }, UsageError);
  assertEquals(error.exitCode, 2);
  return error.hint === undefined ? error.message : `${error.message} -> ${error.hint}`;
}

Deno.test("parseArguments() accepts options before, between and after operands", () => {
  const words = `-rk --match=a+b ${URL_OPERAND} -fpages -vv -o x`.split(" ");
  const args = parseArguments("ls", words);
  assertEquals(args.operands, [URL_OPERAND]);
  const flags = ["no-robots", "no-known", "quiet"] as const;
  assertEquals(flags.map((name) => args.has(name)), [true, true, false]);
  assertEquals(args.all("match").map(String), ["/a+b/u"]);
  assertEquals([args.value("format"), args.value("output")], ["pages", "x"]);
  assertEquals(args.all("verbose").length, 2);
});

Deno.test("parseArguments() takes only a number for an optional value", () => {
  const cases: readonly (readonly [words: string[], value: unknown, operands: string[]])[] = [
    [["--pages", "a.test"], true, ["a.test"]],
    [["a.test", "--pages"], true, ["a.test"]],
    [["--pages", "1_000", "a.test"], 1000, ["a.test"]],
    [["--pages=7", "8"], 7, ["8"]],
    [["--pages", "7", "8"], 7, ["8"]],
    [["--pages", "7.test"], true, ["7.test"]],
    [["--pages", "--", "7"], true, ["7"]],
    [["--pages", "-q", "7"], true, ["7"]],
  ];
  for (const [words, value, operands] of cases) {
    const args = parseArguments("check", words);
    assertEquals([args.value("pages"), args.operands], [value, operands], words.join(" "));
  }
  assertThrows(() => parseArguments("check", ["--pages="]), UsageError, "Missing value");
  assertThrows(() => parseArguments("check", ["--pages=0"]), UsageError, "at least 1");
});

Deno.test("parseArguments() accepts values that begin with a dash", () => {
  const args = parseArguments("ls", ["--match", "-draft", "-of", "-", "--header", "a: b=c"]);
  assertEquals(args.all("match").map(String), ["/-draft/u"]);
  assertEquals([args.value("output"), args.operands], ["f", ["-"]]);
  assertEquals(args.all<unknown>("header"), [["a", "b=c"]]);
  assertEquals(parseArguments("ls", ["-f=csv"]).value("format"), "csv");
});

Deno.test("parseArguments() reads all arguments after -- as operands", () => {
  const args = parseArguments("ls", ["-fcsv", "--", "-fpages"]);
  assertEquals([args.value("format"), args.operands], ["csv", ["-fpages"]]);
});

Deno.test("parseArguments() reads a lone dash and numbers as operands", () => {
  assertEquals(parseArguments("ls", ["-"]).operands, ["-"]);
  assertEquals(parseArguments("ls", ["2024"]).operands, ["2024"]);
});

const FORMATS = "one of tree, tabtree, pages, ndjson, json, csv, xml, events";
const LIST_HINT = '"sitetree ls --help" lists all options';
const AT_LEAST_1 = "a whole number of at least 1";
const DURATION = "a duration with its unit, such as 500ms, 10s or 2m";

Deno.test("invalid values are reported with what was expected", () => {
  const rows: readonly (readonly [option: string, value: string, expected: string])[] = [
    // the value of an option is the next argument, even a URL
    ["format", URL_OPERAND, FORMATS],
    ["format", "jsn", `${FORMATS}; did you mean "json"?`],
    ["max-pages", "-1", AT_LEAST_1],
    ["concurrency", "0", AT_LEAST_1],
    ["max-sitemaps", "0", AT_LEAST_1],
    ["retries", "-1", "a whole number of at least 0"],
    ["max-bytes", "many", "a size such as 500KB, 10MB or 10MiB"],
    ["deadline", "soon", DURATION],
    ["timeout", "10", DURATION],
    ["timeout", "0s", "a duration of at least 1ms"],
    ["wait", "0.5", DURATION],
    ["since", "6m", "a date such as 2024-05-01, yesterday, 12h, 7d, 2w, 3mo or 1y"],
    ["user-agent", "mill\n2", "one line of Latin characters"],
    ["user-agent", "€", "one line of Latin characters"],
    ["proxy", "localhost", "the URL of a proxy such as http://localhost:8080"],
  ];
  for (const [option, value, expected] of rows) {
    const message = `Invalid value "${value}" for "--${option}": expected ${expected}`;
    assertEquals(complaint("ls", [URL_OPERAND, `--${option}`, value]), message);
  }
  const since = 'Invalid value "41" for "--since": expected a date such as ';
  assertStringIncludes(complaint("changes", ["a.db", "--since", "41"]), since);
  const after = 'Invalid value "7d" for "--after": expected a whole number of at least 0';
  assertEquals(complaint("changes", ["a.db", "--after", "7d"]), after);
});

Deno.test("invalid arguments are reported with what was expected", () => {
  const reported: readonly (readonly [args: string[], message: string])[] = [
    [["--match"], 'Missing value for "--match" -> expected --match=REGEX'],
    [["-f"], 'Missing value for "--format" -> expected --format=FORMAT'],
    [["--match="], 'Missing value for "--match" -> expected --match=REGEX'],
    [["--frobnicate"], `Unknown option "--frobnicate" -> ${LIST_HINT}`],
    [["-x"], `Unknown option "-x" -> ${LIST_HINT}`],
    [["-kxr"], `Unknown option "-x" -> ${LIST_HINT}`],
    [["--constructor"], `Unknown option "--constructor" -> ${LIST_HINT}`],
    [["--no-rob"], `Unknown option "--no-rob"; did you mean "--no-robots"? -> ${LIST_HINT}`],
    [["--quiet=no"], 'Unexpected value "no" for "--quiet"'],
    [
      ["--match=("],
      'Invalid value "(" for "--match": Unterminated group -> expected a regular expression: ' +
      "escape special characters with a backslash",
    ],
    [
      ["--header=nonsense"],
      'Invalid value for "--header": expected a header such as "Accept-Language: de"',
    ],
    [
      ["-u", "-fcsv"],
      'Option "--strip-url" cannot be combined with the format csv -> ' +
      "it works with tree, tabtree, pages",
    ],
    [
      ["--columns=url"],
      'Option "--columns" cannot be combined with the format tree -> add --format=csv',
    ],
    [
      ["--notes", "-fndjson"],
      'Option "--notes" cannot be combined with the format ndjson -> add --format=events',
    ],
  ];
  for (const [args, message] of reported) {
    assertEquals(complaint("ls", [URL_OPERAND, ...args]), message);
  }
  assertEquals(
    complaint("changes", ["--no-known", "a.db"]),
    'Option "--no-known" does not apply to "changes" -> ' +
      'it applies to "ls", "check", "report", "explain", "diff", "sync", "fleet work"',
  );
});

Deno.test("commandOf() suggests the most similar command, and ls before a URL", () => {
  assertEquals(commandOf("report"), "report");
  const names =
    "expected ls, check, report, explain, diff, sync, changes, snapshot, fleet, demo, " +
    "completions";
  const errors: readonly (readonly [word: string, message: string, hint: string])[] = [
    ["reprt", 'Unknown command "reprt"; did you mean "report"?', names],
    ["list", 'Unknown command "list"; did you mean "ls"?', names],
    ["constructor", 'Unknown command "constructor"', names],
    [URL_OPERAND, `Missing command before "${URL_OPERAND}"`, `try "sitetree ls ${URL_OPERAND}"`],
    ["example.com", 'Missing command before "example.com"', 'try "sitetree ls example.com"'],
    [
      "--quiet",
      'Unexpected option "--quiet" before the command',
      'options follow the command, as in "sitetree ls -f pages https://example.com/"',
    ],
  ];
  for (const [word, message, hint] of errors) {
    const error: UsageError = assertThrows(() => commandOf(word), UsageError);
    assertEquals([error.message, error.hint], [message, hint]);
  }
});

Deno.test("walkSettings() maps arguments to options of walk()", () => {
  const words = "--timeout=1.5s --wait=250ms --random-wait --deadline=2m --retries=0 -A mill/1.0 " +
    "--respect-robots --max-depth=0 --max-sitemaps=7 --max-bytes=10MiB --concurrency=1_0 " +
    "--hosts=same-site --proxy=socks5://localhost:1080 --known-path=/a --known-path=b -i " +
    "--homepage=always --feeds --include=news --exclude=OLD --since=2024-05-01 -HX-One:1";
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
