import { assertEquals } from "@std/assert";
import { parse as parseCsv } from "@std/csv/parse";
import type { SitemapPage } from "../../mod.ts";
import { type ChangeEvent, changeRows } from "../../src/sync/change_rows.ts";
import { rowFormat } from "../../src/write/rows.ts";
import { changedFields } from "../../src/sync/identity.ts";

type Fields = Partial<SitemapPage>;

function change(
  type: ChangeEvent["type"],
  page: Fields,
  previous?: Fields,
): ChangeEvent {
  const url = "https://a.test/p";
  const after = { url, ...page }, before = previous && { url, ...previous };
  return {
    type,
    page: after,
    ...(before && { previous: before, fields: changedFields(after, before) }),
    sitemap: "https://a.test/s.xml",
    site: "https://a.test/",
    run: 7,
    sequence: 1234,
    time: new Date("2024-05-03T06:00:00Z"),
  };
}

function written(
  name: Parameters<typeof rowFormat>[0],
  changes: readonly ChangeEvent[],
  { color = false, isTerminal = false } = {},
): string {
  const width = isTerminal ? 80 : Infinity;
  const { head = "", write, end } = rowFormat(name, changeRows(color), width);
  return head + changes.map((change) => write(change)).join("") + (end?.() ?? "");
}

/** What the text format shows of a change: the fields before and after. */
const SHOWN: readonly [before: Fields, after: Fields, shown: string][] = [
  [{}, { lastModified: "2024-05" }, "lastModified none → 2024-05"],
  [
    { lastModified: "2024-05" },
    { lastModified: "2024-05-01T12:00:00.000Z" },
    "lastModified 2024-05 → 2024-05-01T12:00:00.000Z",
  ],
  [{ priority: 0.5 }, { changeFrequency: "daily" }, "changeFrequency none → daily"],
  [{ priority: 1 }, {}, "priority 1 → none"],
  [{}, { images: [{ loc: "https://a.test/\x1b.png" }] }, "images"],
  [
    { newsStory: { title: "a" } },
    { newsStory: { title: "b" }, priority: 0 },
    "priority none → 0, newsStory",
  ],
];

Deno.test("text has the fields of a changed page that are not equal", () => {
  for (const [before, after, shown] of SHOWN) {
    const line = written("text", [change("changed", after, before)]);
    assertEquals(line, `~ https://a.test/p (${shown})\n`);
  }
});

const ORIGIN = {
  sitemap: "https://a.test/s.xml",
  site: "https://a.test/",
  run: 7,
  sequence: 1234,
  time: "2024-05-03T06:00:00.000Z",
};

const CHANGES = [
  change("added", { url: "https://a.test/a b\x1b[31m\u202e", priority: 0.8 }),
  change("changed", { lastModified: "2024-05-02" }, { lastModified: "2024-05-01" }),
  change("removed", { url: "=HYPERLINK(1)" }),
];

Deno.test("text marks changes by a sign, and by a color on request", () => {
  const lines = [
    "+ https://a.test/a%20b%1B[31m%E2%80%AE",
    "~ https://a.test/p (lastModified 2024-05-01 → 2024-05-02)",
    "- =HYPERLINK(1)",
  ];
  assertEquals(written("text", CHANGES), lines.map((line) => `${line}\n`).join(""));
  const [first] = written("text", CHANGES, { color: true }).split("\n");
  assertEquals(first, `\x1b[32m${lines[0]}\x1b[39m`);
});

Deno.test("ndjson and json have the page before and after, the sitemap, the run and the number", () => {
  const expected = [
    {
      type: "added",
      page: { url: "https://a.test/a b\x1b[31m\u202e", priority: 0.8 },
      ...ORIGIN,
    },
    {
      type: "changed",
      page: { url: "https://a.test/p", lastModified: "2024-05-02" },
      previous: { url: "https://a.test/p", lastModified: "2024-05-01" },
      fields: ["lastModified"],
      ...ORIGIN,
    },
    { type: "removed", page: { url: "=HYPERLINK(1)" }, ...ORIGIN },
  ];
  const lines = written("ndjson", CHANGES);
  assertEquals(lines.trimEnd().split("\n").map((line) => JSON.parse(line)), expected);
  assertEquals(JSON.parse(written("json", CHANGES)), expected);
  assertEquals(written("json", []), "[]\n");
  // deno-lint-ignore no-control-regex -- what terminals interpret
  assertEquals(/[\x1b\u202e]/.test(lines), false);
});

Deno.test("csv has the fields of the page and the names of those that changed", () => {
  const rows = parseCsv(written("csv", CHANGES), { skipFirstRow: true });
  const origin = { ...ORIGIN, run: "7", sequence: "1234" };
  const none = { priority: "", lastModified: "", changeFrequency: "", changed: "" };
  assertEquals(rows as unknown[], [
    {
      type: "added",
      url: "https://a.test/a b\\x1b[31m\u202e",
      ...none,
      priority: "0.8",
      ...origin,
    },
    {
      type: "changed",
      url: "https://a.test/p",
      ...none,
      lastModified: "2024-05-02",
      changed: "lastModified",
      ...origin,
    },
    { type: "removed", url: "'=HYPERLINK(1)", ...none, ...origin },
  ]);
  assertEquals(written("csv", CHANGES, { isTerminal: true }).includes("\u202e"), false);
});
