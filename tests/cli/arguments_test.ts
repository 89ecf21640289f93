import { assertEquals, assertThrows } from "@std/assert";
import { commandOf, parseArguments } from "../../src/cli/arguments.ts";
import { UsageError } from "../../src/cli/failure.ts";
import { formatSettings } from "../../src/cli/formats.ts";
import type { CommandName } from "../../src/cli/option_table.ts";
import { onlyOperand, selectionOptions, walkSettings } from "../../src/cli/walk_settings.ts";

const URL_OPERAND = "https://example.com/";

/** What is said about arguments, with the hint behind an arrow. */
function complaint(command: CommandName, args: string[]): string {
  const error: UsageError = assertThrows(() => {
    const parsed = parseArguments(command, args);
    formatSettings(parsed);
    if (command === "parse") onlyOperand(parsed, "FILE");
    else walkSettings(parsed);
    selectionOptions(parsed);
  }, UsageError);
  assertEquals(error.exitCode, 2);
  return error.hint === undefined ? error.message : `${error.message} -> ${error.hint}`;
}

Deno.test("parseArguments() takes options before, between and after operands", () => {
  const args = parseArguments("ls", [
    "-rk",
    "--match=a b",
    URL_OPERAND,
    "-fpages",
    "-vv",
    "-o",
    "x",
  ]);
  assertEquals(args.operands, [URL_OPERAND]);
  assertEquals([args.has("no-robots"), args.has("no-known"), args.has("quiet")], [
    true,
    true,
    false,
  ]);
  assertEquals(args.all("match"), ["a b"]);
  assertEquals([args.value("format"), args.value("output")], ["pages", "x"]);
  assertEquals(args.count("verbose"), 2);
});

Deno.test("parseArguments() takes the next word for a value, even one that begins with a dash", () => {
  const args = parseArguments("ls", ["--match", "-draft", "-of", "-", "--header", "a=b: c"]);
  assertEquals(args.all("match"), ["-draft"]);
  assertEquals([args.value("output"), args.operands], ["f", ["-"]]);
  assertEquals(args.all("header"), ["a=b: c"]);
  assertEquals(parseArguments("ls", ["-f=csv"]).value("format"), "csv");
});

Deno.test("parseArguments() takes what follows -- as it is", () => {
  const args = parseArguments("parse", ["-fcsv", "--", "-fpages"]);
  assertEquals([args.value("format"), args.operands], ["csv", ["-fpages"]]);
});

Deno.test("parseArguments() keeps a lone dash and numbers as texts", () => {
  assertEquals(parseArguments("parse", ["-"]).operands, ["-"]);
  assertEquals(parseArguments("parse", ["2024"]).operands, ["2024"]);
});

Deno.test("wrong arguments are told with what to write instead", () => {
  const said: readonly (readonly [args: string[], message: string])[] = [
    [[], 'No URL given -> write it as in "sitetree ls https://example.com/"'],
    [
      ["http://a.test", "http://b.test"],
      'One URL at a time, not "http://a.test", "http://b.test" -> ' +
      "run it once for each, and quote what has spaces",
    ],
    [["//example.com/x"], 'No scheme in "//example.com/x" -> try "https://example.com/x"'],
    [["localhost:8000"], 'No scheme in "localhost:8000" -> try "http://localhost:8000"'],
    [["127.0.0.1/x"], 'No scheme in "127.0.0.1/x" -> try "http://127.0.0.1/x"'],
    [["[fe80::1]:80/"], 'No scheme in "[fe80::1]:80/" -> try "http://[fe80::1]:80/"'],
    [["localhost.test"], 'No scheme in "localhost.test" -> try "https://localhost.test"'],
    [
      ["ftp://example.com"],
      '"ftp://example.com" is not an http(s) URL -> write it as "https://example.com/"',
    ],
    [["http://"], '"http://" is not an http(s) URL -> write it as "https://example.com/"'],
    [[URL_OPERAND, "--match"], 'Option "--match" has no value -> write --match=REGEX'],
    [[URL_OPERAND, "-f"], 'Option "--format" has no value -> write --format=FORMAT'],
    [[URL_OPERAND, "--url=x"], 'Command "ls" has no option "--url" -> it belongs to "parse"'],
    [[URL_OPERAND, "--match="], 'Option "--match" has no value -> write --match=REGEX'],
    [[URL_OPERAND, "-x"], 'There is no option "-x" -> "sitetree ls --help" has them all'],
    [[URL_OPERAND, "-kxr"], 'There is no option "-x" -> "sitetree ls --help" has them all'],
    [[URL_OPERAND, "--foo"], 'There is no option "--foo" -> "sitetree ls --help" has them all'],
    [[URL_OPERAND, "--no-rob"], 'There is no option "--no-rob" -> the nearest is "--no-robots"'],
    [
      [URL_OPERAND, "--quiet=no"],
      'Option "--quiet" takes no value, not "no" -> write --quiet',
    ],
    [
      [URL_OPERAND, "-k", "--known-path=a"],
      'Option "--known-path" does not go with "--no-known" -> with --no-known no path is probed',
    ],
    // The value of an option is what follows it, whatever that is.
    [
      ["-f", URL_OPERAND],
      `Option "--format" is "${URL_OPERAND}", not one of tree, tabtree, pages, ndjson, json, csv, ` +
      "xml, events",
    ],
    [
      [URL_OPERAND, "--max-pages", "-1"],
      'Option "--max-pages" is "-1", not a whole number of at least 1 -> write --max-pages=10',
    ],
    [
      [URL_OPERAND, "--format=jsn"],
      'Option "--format" is "jsn", not one of tree, tabtree, pages, ndjson, json, csv, xml, ' +
      'events -> the nearest is "json"',
    ],
    [
      [URL_OPERAND, "--hosts=same"],
      'Option "--hosts" is "same", not one of any, same-host, same-site -> the nearest is ' +
      '"same-host"',
    ],
    [
      [URL_OPERAND, "--deadline=soon"],
      'Option "--deadline" is "soon", not a time -> write seconds or a unit, such as 10, 500ms, ' +
      "10s or 2m",
    ],
    [[URL_OPERAND, "--timeout=0"], 'Option "--timeout" is "0", not a time of at least 1ms'],
    [
      [URL_OPERAND, "--concurrency=0"],
      'Option "--concurrency" is "0", not a whole number of at least 1 -> write --concurrency=10',
    ],
    [
      [URL_OPERAND, "--max-pages=1e3"],
      'Option "--max-pages" is "1e3", not a whole number of at least 1 -> write --max-pages=10',
    ],
    [
      [URL_OPERAND, "--match=("],
      'Option "--match" is "(", not a regular expression: Unterminated group -> a special ' +
      "character needs a backslash to stand for itself",
    ],
    [
      [URL_OPERAND, "--since=yesterday"],
      'Option "--since" is "yesterday", not a date -> write 2024-05-01, 2024-05-01T12:00:00Z, or ' +
      "how long ago, such as 12h, 7d or 2w",
    ],
    [
      [URL_OPERAND, "--header=nonsense"],
      'Option "--header" is "nonsense", not a header -> write --header="Accept-Language: de"',
    ],
    [
      [URL_OPERAND, "--user-agent=mill\n2"],
      'Option "--user-agent" is "mill\n2", which no header can hold -> write it in one line of ' +
      "Latin characters",
    ],
    [
      [URL_OPERAND, "--user-agent=€"],
      'Option "--user-agent" is "€", which no header can hold -> write it in one line of Latin ' +
      "characters",
    ],
    [
      [URL_OPERAND, "--proxy=localhost"],
      'Option "--proxy" is "localhost", not the URL of a proxy -> write ' +
      "--proxy=http://localhost:8080",
    ],
    [
      [URL_OPERAND, "-u", "-fcsv"],
      'Option "--strip-url" does not go with the format csv -> it goes with tree, tabtree, pages',
    ],
    [
      [URL_OPERAND, "--columns=url"],
      'Option "--columns" does not go with the format tree -> add --format=csv',
    ],
  ];
  for (const [args, message] of said) assertEquals(complaint("ls", args), message);
  assertEquals(
    complaint("parse", []),
    'No FILE given -> write it as in "sitetree parse sitemap.xml"',
  );
});

Deno.test("commandOf() names the nearest command, and ls before a URL", () => {
  assertEquals(commandOf("stats"), "stats");
  const hints: readonly (readonly [word: string, hint: string])[] = [
    ["stat", 'the nearest is "stats"'],
    ["list", 'the nearest is "ls"'],
    ["constructor", "there are ls, stats, parse, demo, completions"],
    [URL_OPERAND, `try "sitetree ls ${URL_OPERAND}"`],
    ["example.com", 'try "sitetree ls https://example.com"'],
    [
      "--quiet",
      'options follow the command, as in "sitetree ls -f pages https://example.com/"',
    ],
  ];
  for (const [word, hint] of hints) {
    const error: UsageError = assertThrows(() => commandOf(word), UsageError);
    assertEquals(error.hint, hint);
  }
});

Deno.test("formatSettings() goes by the name of the file where no format is given", () => {
  const formatOf = (...args: string[]) => formatSettings(parseArguments("ls", args)).format;
  assertEquals(formatOf(), "tree");
  assertEquals(formatOf("-o", "pages.CSV"), "csv");
  assertEquals(formatOf("-o", "a.b/pages.jsonl.gz"), "ndjson");
  assertEquals(formatOf("-o", "pages.gz"), "tree");
  assertEquals(formatOf("-o", "pages.constructor"), "tree");
  assertEquals(formatOf("-o", "pages.csv", "-f", "events"), "events");
});

Deno.test("formatSettings() takes columns by name", () => {
  const columnsOf = (list: string) =>
    formatSettings(parseArguments("ls", ["-f", "csv", "--columns", list])).columns;
  assertEquals(columnsOf("url, images.loc"), ["url", "images.loc"]);
  const hintOf = (list: string) => {
    const error: UsageError = assertThrows(() => columnsOf(list), UsageError);
    return error.hint;
  };
  assertEquals(hintOf("url,image.loc"), 'the nearest is "images.loc"');
  assertEquals(
    hintOf("zzz"),
    "there are url, priority, lastModified, changeFrequency, newsStory.…, images.…, videos.…, " +
      "alternates.…, sitemap.…",
  );
});

Deno.test("walkSettings() makes options of the library", () => {
  const { homepage, hosts, options, proxy } = walkSettings(parseArguments("ls", [
    "--timeout=1.5",
    "--wait=250ms",
    "--deadline=2m",
    "--max-depth=0",
    "--concurrency=1_0",
    "--hosts=same-site",
    "--proxy=socks5://localhost:1080",
    "--known-path=/a",
    "--known-path=b",
    "https://example.com/shop",
  ]));
  assertEquals(homepage.href, "https://example.com/shop");
  assertEquals(hosts, "same-site");
  assertEquals(proxy?.href, "socks5://localhost:1080");
  const { headers: _headers, ...others } = options;
  assertEquals(others, {
    useRobots: true,
    useKnownPaths: true,
    extraKnownPaths: ["/a", "b"],
    timeout: 1500,
    wait: 250,
    deadline: 120_000,
    concurrency: 10,
    maxDepth: 0,
  });
});
