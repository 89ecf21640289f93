import { assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "../../src/cli/run/failure.ts";
import type { CommandName } from "../../src/cli/commands.ts";
import { OPTIONS, optionsOf } from "../../src/cli/options.ts";
import {
  parseRegexp,
  parseSince,
  parseSize,
  parseTime,
  timeFrom,
  type ValueParser,
  wholeNumber,
} from "../../src/cli/values.ts";

Deno.test("parseTime() reads numbers with a unit", () => {
  const times: [string, number][] = [
    ["10s", 10_000],
    ["0.5s", 500],
    [".5s", 500],
    ["500ms", 500],
    ["2m", 120_000],
    ["1.5H", 5_400_000],
    ["7 d", 604_800_000],
    ["0s", 0],
  ];
  for (const [text, milliseconds] of times) assertEquals(parseTime(text, "wait"), milliseconds);
});

Deno.test("parseTime() rejects numbers without a unit", () => {
  for (const text of ["10", "0", "1.5", "", "s", "-1s", "1e3ms", "10 parsecs"]) {
    assertThrows(() => parseTime(text, "wait"), UsageError, `"${text}" for "--wait": expected a`);
  }
});

Deno.test("parseSize() reads bytes and multiples of them", () => {
  const sizes: [string, number][] = [
    ["500000", 500_000],
    ["1b", 1],
    ["500KB", 500_000],
    ["1.5k", 1500],
    ["10MiB", 10_485_760],
    ["1gi", 1_073_741_824],
  ];
  for (const [text, bytes] of sizes) assertEquals(parseSize(text, "max-bytes"), bytes);
  for (const text of ["0", "KB", "-1", "1TB", "1 megabyte"]) {
    assertThrows(() => parseSize(text, "max-bytes"), UsageError, "a size such as 500KB");
  }
});

Deno.test("parseSince() reads dates, days and times ago", () => {
  const now = Date.UTC(2024, 4, 8, 15, 30);
  const since = (text: string) => new Date(parseSince(text, "since", now)).toISOString();
  assertEquals(since("2024-05-01"), "2024-05-01T00:00:00.000Z");
  assertEquals(since("2024-05-01T12:00:00+02:00"), "2024-05-01T10:00:00.000Z");
  assertEquals(since("2024"), "2024-01-01T00:00:00.000Z");
  assertEquals(since("today"), "2024-05-08T00:00:00.000Z");
  assertEquals(since("Yesterday"), "2024-05-07T00:00:00.000Z");
  assertEquals(since("7d"), "2024-05-01T15:30:00.000Z");
  assertEquals(since("1W"), "2024-05-01T15:30:00.000Z");
  assertEquals(since("36h"), "2024-05-07T03:30:00.000Z");
  assertEquals(since("3mo"), "2024-02-08T15:30:00.000Z");
  assertEquals(since("1y"), "2023-05-08T15:30:00.000Z");
});

Deno.test("parseSince() ends at the last day of a shorter month", () => {
  const since = (text: string, now: number) =>
    new Date(parseSince(text, "since", now)).toISOString().slice(0, 10);
  assertEquals(since("1mo", Date.UTC(2024, 2, 31)), "2024-02-29");
  assertEquals(since("1y", Date.UTC(2024, 1, 29)), "2023-02-28");
  assertEquals(since("13mo", Date.UTC(2024, 0, 15)), "2022-12-15");
});

Deno.test("parseSince() rejects units that are ambiguous or missing", () => {
  for (const text of ["6m", "6", "soon", "mo", "-1d"]) {
    assertThrows(() => parseSince(text, "since", 0), UsageError, "expected a date such as");
  }
});

Deno.test("parseRegexp() supports Unicode, and accepts needless escapes", () => {
  assertEquals(parseRegexp("^.$", "match").test("😀"), true);
  assertEquals(parseRegexp(String.raw`a\-b\_c`, "match").test("a-b_c"), true);
});

/** Values of options with a least one, and what they mean; `undefined` if they are too small. */
const LEAST: readonly (readonly [ValueParser, string, number | undefined])[] = [
  [wholeNumber(0), "0", 0],
  [wholeNumber(0), "1e3", undefined],
  [wholeNumber(2), "1", undefined],
  [wholeNumber(2), "2", 2],
  [wholeNumber(2), "1_000", 1000],
  [wholeNumber(2), "9007199254740991", Number.MAX_SAFE_INTEGER],
  [wholeNumber(2), "9007199254740992", undefined],
  [timeFrom(10_000), "9999ms", undefined],
  [timeFrom(10_000), "10s", 10_000],
  [timeFrom(10_000), "10001ms", 10_001],
];

for (const [parse, text, value] of LEAST) {
  const outcome = value === undefined ? "rejects" : "reads";
  Deno.test(`an option with a least value ${outcome} ${text}`, () => {
    if (value !== undefined) assertEquals(parse(text, "slots"), value);
    else assertThrows(() => parse(text, "slots"), UsageError, "of at least");
  });
}

const MEANT:
  readonly (readonly [command: CommandName, option: string, words: string, meant: string])[] = [
    ["check", "fail-on", "notices n NOTICE", "notice"],
    ["check", "fail-on", "warn warnings Warning worning", "warning"],
    ["check", "fail-on", "errors eror ERROR", "error"],
    ["check", "fail-on", "never none x off", ""],
    ["check", "format", "junti", "junit"],
    ["check", "format", "html csv", ""],
    ["report", "format", "htm", "html"],
    ["ls", "color", "allways", "always"],
    ["ls", "color", "nevr", "never"],
    ["ls", "hosts", "random", ""],
    ["ls", "hosts", "same samehost", "same-host"],
    ["ls", "hosts", "samesite site", "same-site"],
    ["fleet sites", "verdict", "fail", "failed"],
  ];

Deno.test("options with a set of words offer the one that is meant", () => {
  for (const [command, option, words, meant] of MEANT) {
    const { parse, choices = {} } = optionsOf(command).find(({ name }) => name === option)!;
    const known = Object.keys(choices);
    for (const word of words.split(" ")) {
      const end = meant === "" ? "" : `; did you mean "${meant}"?`;
      const message = `Invalid value "${word}" for "--${option}": expected one of ` +
        known.join(", ") + end;
      const { message: shown } = assertThrows(() => parse!(word, option), UsageError);
      assertEquals(shown, message);
    }
  }
  for (const { name, choices, parse } of OPTIONS) {
    for (const word of Object.keys(choices ?? {})) {
      assertEquals(parse?.(word, name) ?? word, word);
    }
  }
});
