import { assertEquals } from "@std/assert";
import { rowFormat, type RowSpec, tableText } from "../../src/write/rows.ts";

interface Row {
  readonly name: string;
  readonly run?: number;
  readonly pages?: number;
  readonly tags?: readonly string[];
}

const SPEC: RowSpec<Row> = {
  columns: [
    ["name", ({ name }) => name],
    ["last_run", ({ run }) => run, "number"],
    ["pages", ({ pages }) => pages, "count"],
    ["tags", ({ tags }) => tags],
  ],
};

const ROWS: readonly Row[] = [
  { name: "=a\x1b\u202e", run: 1234, pages: 1234, tags: ["x", "y"] },
  { name: "水", tags: [] },
];

function written(
  name: Parameters<typeof rowFormat>[0],
  { spec = SPEC, rows = ROWS, width = Infinity } = {},
): string {
  const { head = "", write, end } = rowFormat(name, spec, width);
  return head + rows.map((row) => write(row)).join("") + (end?.() ?? "");
}

const LINES: RowSpec<Row> = {
  ...SPEC,
  line: ({ name }) => `* ${name.length}`,
  json: ({ name, tags }, after) => JSON.stringify({ tags, name }) + after,
};

const CASES: Readonly<Record<string, readonly [actual: string, expected: string]>> = {
  "text is a table, with numbers aligned and absent values as a dash": [
    written("text"),
    [
      "NAME          LAST RUN  PAGES  TAGS",
      "=a\\x1b\\u202e      1234  1,234  x,y",
      "水                   -      -",
      "",
    ].join("\n"),
  ],
  "text without rows is nothing": [written("text", { rows: [] }), ""],
  "text of a narrow terminal lacks the last columns": [
    written("text", { width: 25 }),
    "NAME          LAST RUN\n=a\\x1b\\u202e      1234\n水                   -\n",
  ],
  "text of a narrow terminal lacks the columns that are to be dropped first": [
    tableText({ ...SPEC, drop: ["last_run", "pages"] }, ROWS, 20),
    "NAME          TAGS\n=a\\x1b\\u202e  x,y\n水\n",
  ],
  "text has the line of a row, if there is one": [
    written("text", { spec: LINES, width: 3 }),
    "* 4\n* 1\n",
  ],
  "ndjson has the columns, with terminal controls escaped": [
    written("ndjson"),
    '{"name":"=a\\u001b\\u202e","last_run":1234,"pages":1234,"tags":["x","y"]}\n' +
    '{"name":"水","tags":[]}\n',
  ],
  "json is one array of them": [
    written("json", { rows: [ROWS[1]!, ROWS[1]!] }),
    '[\n{"name":"水","tags":[]},\n{"name":"水","tags":[]}\n]\n',
  ],
  "json without rows is an empty array": [written("json", { rows: [] }), "[]\n"],
  "json is that of a row, if it has its own": [
    written("json", { spec: LINES, rows: [ROWS[1]!] }),
    '[\n{"tags":[],"name":"水"}\n]\n',
  ],
  "csv has a header, no formulas, and numbers as they are": [
    written("csv"),
    'name,last_run,pages,tags\r\n\'=a\\x1b\u202e,1234,1234,"x|y"\r\n水,,,\r\n',
  ],
  "csv on a terminal has its controls escaped": [
    written("csv", { rows: [ROWS[0]!], width: 80 }),
    'name,last_run,pages,tags\r\n\'=a\\x1b\\u202e,1234,1234,"x|y"\r\n',
  ],
};

for (const [name, [actual, expected]] of Object.entries(CASES)) {
  Deno.test(name, () => assertEquals(actual, expected));
}
