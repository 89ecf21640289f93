import { assertEquals, assertThrows } from "@std/assert";
import { OPTIONS } from "../../src/cli/options.ts";
import { UsageError } from "../../src/cli/failure.ts";
import { PARSERS, timeFrom, type ValueParser, wholeNumber } from "../../src/cli/values.ts";

const NOW = Date.UTC(2024, 4, 8, 15, 30);

/** Values by the placeholder of their option, and what they mean. */
const READ: readonly (readonly [placeholder: string, text: string, meant: unknown])[] = [
  ["TIME", "10s", 10_000],
  ["TIME", "0.5s", 500],
  ["TIME", ".5s", 500],
  ["TIME", "500ms", 500],
  ["TIME", "2m", 120_000],
  ["TIME", "1.5H", 5_400_000],
  ["TIME", "7 d", 604_800_000],
  ["TIME", "0s", 0],
  ["SIZE", "500000", 500_000],
  ["SIZE", "1b", 1],
  ["SIZE", "500KB", 500_000],
  ["SIZE", "1.5k", 1500],
  ["SIZE", "10MiB", 10_485_760],
  ["SIZE", "1gi", 1_073_741_824],
  ["DATE", "2024-05-01", "2024-05-01T00:00:00.000Z"],
  ["DATE", "2024-05-01T12:00:00+02:00", "2024-05-01T10:00:00.000Z"],
  ["DATE", "2024", "2024-01-01T00:00:00.000Z"],
  ["DATE", "today", "2024-05-08T00:00:00.000Z"],
  ["DATE", "Yesterday", "2024-05-07T00:00:00.000Z"],
  ["DATE", "7d", "2024-05-01T15:30:00.000Z"],
  ["DATE", "1W", "2024-05-01T15:30:00.000Z"],
  ["DATE", "36h", "2024-05-07T03:30:00.000Z"],
  ["DATE", "3mo", "2024-02-08T15:30:00.000Z"],
  ["DATE", "1y", "2023-05-08T15:30:00.000Z"],
  ["REGEX", "a+b", /a+b/u],
  // needless escapes, which are errors with the flag
  ["REGEX", String.raw`a\-b\_c`, /a\-b\_c/],
  ["FROM=TO", "https://a.test/=http://b.test:81", ["https://a.test", "http://b.test:81"]],
  ["N", "1_000", 1000],
  ["ADDRESS", "9090", { hostname: "127.0.0.1", port: 9090 }],
  ["ADDRESS", "0", { hostname: "127.0.0.1", port: 0 }],
  ["ADDRESS", "worker.test:80", { hostname: "worker.test", port: 80 }],
  ["ADDRESS", "0.0.0.0:9090", { hostname: "0.0.0.0", port: 9090 }],
  ["ADDRESS", "[::1]:9090", { hostname: "::1", port: 9090 }],
  ["LINE", "X-One : a:b ", ["X-One", "a:b"]],
];

/** Values that are rejected with what is expected, separated by `|`. */
const REJECTED: readonly (readonly [placeholder: string, texts: string, expected: string])[] = [
  [
    "TIME",
    "10|0|1.5||s|-1s|1e3ms|10 parsecs",
    "a duration with its unit, such as 500ms, 10s or 2m",
  ],
  ["SIZE", "0|KB|-1|1TB|1 megabyte", "a size such as 500KB, 10MB or 10MiB"],
  // units that are ambiguous or missing
  [
    "DATE",
    "6m|6|soon|mo|-1d",
    "a date such as 2024-05-01, yesterday, 12h, 7d, 2w, 3mo or 1y",
  ],
  [
    "ADDRESS",
    "|x|65536|-1|:9090|a b:1|::1:9090|http://a.test:1",
    "a port such as 9090, or an address such as 0.0.0.0:9090",
  ],
  ["N", "0|-1|1e3|x", "a whole number of at least 1"],
];

Deno.test("values of options are read by their placeholders, or rejected with what is expected", () => {
  for (const [placeholder, text, meant] of READ) {
    const value = PARSERS[placeholder]!(text, "x", NOW);
    const shown = placeholder === "DATE" ? new Date(value as number).toISOString() : value;
    assertEquals(shown, meant, `${placeholder} ${text}`);
  }
  for (const [placeholder, texts, expected] of REJECTED) {
    for (const text of texts.split("|")) {
      const message = `Invalid value "${text}" for "--x": expected ${expected}`;
      const error = assertThrows(() => PARSERS[placeholder]!(text, "x", NOW), UsageError);
      assertEquals(error.message, message);
    }
  }
});

Deno.test("some months ago is the last day of a shorter month", () => {
  const since = (text: string, now: number) =>
    new Date(PARSERS["DATE"]!(text, "since", now) as number).toISOString().slice(0, 10);
  assertEquals(since("1mo", Date.UTC(2024, 2, 31)), "2024-02-29");
  assertEquals(since("1y", Date.UTC(2024, 1, 29)), "2023-02-28");
  assertEquals(since("13mo", Date.UTC(2024, 0, 15)), "2022-12-15");
});

/** Values of options with a least one, and what they mean; `undefined` if they are too small. */
const LEAST: readonly (readonly [ValueParser, string, number | undefined])[] = [
  [wholeNumber(0), "0", 0],
  [wholeNumber(2), "1", undefined],
  [wholeNumber(2), "2", 2],
  [wholeNumber(2), "9007199254740991", Number.MAX_SAFE_INTEGER],
  [wholeNumber(2), "9007199254740992", undefined],
  [timeFrom(10_000), "9999ms", undefined],
  [timeFrom(10_000), "10s", 10_000],
];

Deno.test("an option with a least value rejects smaller ones", () => {
  for (const [parse, text, value] of LEAST) {
    if (value !== undefined) assertEquals(parse(text, "slots"), value, text);
    else assertThrows(() => parse(text, "slots"), UsageError, "of at least");
  }
});

Deno.test("every choice of an option is a value of it", () => {
  for (const { name, choices, parse } of OPTIONS) {
    for (const word of Object.keys(choices ?? {})) {
      assertEquals(parse?.(word, name) ?? word, word);
    }
  }
});
