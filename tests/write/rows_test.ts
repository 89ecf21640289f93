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
  "markdown is a table, with numbers aligned and texts inert": [
    written("markdown", {
      spec: {
        columns: [
          ...SPEC.columns,
          ["url", ({ name }) => `/${name}`, "code"],
          ["link", ({ name }) => `**${name.length}**`, "markdown"],
        ],
      },
    }),
    "| name | last_run | pages | tags | url | link |\n| --- | ---: | ---: | --- | --- | --- |\n" +
    "| =a&#92;x1b&#92;u202e | 1234 | 1,234 | x,y | <code>/=a&#92;x1b&#92;u202e</code> | **4** |\n" +
    "| 水 |  |  |  | `/水` | **1** |\n",
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

Deno.test("tableText() leaves out columns, and gives a long first cell a line", () => {
  type Sitemap = readonly [url: string, type: string, pages: number];
  const spec: RowSpec<Sitemap> = {
    columns: [
      ["url", ([url]) => url],
      ["type", ([, type]) => type],
      ["pages", ([, , pages]) => pages, "count"],
    ],
    drop: ["type"],
  };
  const rows: readonly Sitemap[] = [
    ["/sitemaps/a.xml", "XML", 1000],
    ["/sitemaps/a-much-longer-name.xml", "index", 7],
  ];
  const draw = (width: number) => tableText(spec, rows, width).trimEnd().split("\n");
  assertEquals(draw(46), [
    "URL                               TYPE   PAGES",
    "/sitemaps/a.xml                   XML    1,000",
    "/sitemaps/a-much-longer-name.xml  index      7",
  ]);
  assertEquals(
    draw(36),
    [
      "URL                   TYPE   PAGES",
      "/sitemaps/a.xml       XML    1,000",
      "/sitemaps/a-much-longer-name.xml",
      "                      index      7",
    ].map((line) =>
      line.replace(/^(\S{3,16} +|  {2,})(?=TYPE|XML|index)/, (start) => start.padEnd(24))
    ),
  );
  assertEquals(draw(30), [
    "URL                      PAGES",
    "/sitemaps/a.xml          1,000",
    "/sitemaps/a-much-longer-name.xml",
    "                             7",
  ]);
  for (const width of [20, 24, 28]) {
    assertEquals(draw(width).filter((line) => line.length > width && line.includes(" ")), []);
  }
});
