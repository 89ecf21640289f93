import { assertEquals, assertThrows } from "@std/assert";
import { type Arguments, parseArguments } from "../../src/cli/arguments.ts";
import { refuseConflicts } from "../../src/cli/conflicts.ts";
import { itemsHelp } from "../../src/cli/help.ts";
import { UsageError } from "../../src/cli/failure.ts";
import { CSV_COLUMNS } from "../write/samples.ts";
import { optionsOf } from "../../src/cli/options.ts";

function argumentsOf(...args: string[]): Arguments {
  const parsed = parseArguments("ls", [...args, "https://a.test/"]);
  refuseConflicts(parsed);
  return parsed;
}

const FORMATS_OF_PATHS: Readonly<Record<string, string>> = {
  "a.csv": "csv",
  "a.CSV.GZ": "csv",
  "a.json": "json",
  "a.jsonl": "ndjson",
  "a.ndjson.gz": "ndjson",
  "a.txt": "pages",
  "dir.d/a.b.xml": "xml",
  ".hidden.csv": "csv",
  "out": "tree",
  "out.": "tree",
  "out.gz": "tree",
  "dir.d/out": "tree",
  "dir.d/": "tree",
  ".hidden": "tree",
  ".hidden.gz": "tree",
  ".csv": "tree",
  "..": "tree",
  "-": "tree",
  "/dev/null": "tree",
  "/dev/stdout": "tree",
  "/dev/fd/3": "tree",
  "/dev/disk.img": "tree",
};

Deno.test("the extension of --output names the format; without one it is the usual one", () => {
  for (const [path, format] of Object.entries(FORMATS_OF_PATHS)) {
    assertEquals(argumentsOf("-o", path).format(), format, path);
  }
});

Deno.test("an unknown extension of --output is a usage error that lists the known ones", () => {
  for (const [path, extension] of [["a.cvs", "cvs"], ["a.xlsx.gz", "xlsx"], ["d/a.1", "1"]]) {
    const error = assertThrows(() => argumentsOf("-o", path!), UsageError);
    assertEquals(error.message, `Unknown extension ".${extension}" of "${path}"`);
    assertEquals(
      error.hint,
      "expected .csv, .json, .jsonl, .ndjson, .txt, .xml, each also with .gz, or --format",
    );
    assertEquals(error.exitCode, 2);
  }
  assertEquals(argumentsOf("-o", "a.cvs", "-f", "csv").format(), "csv");
});

Deno.test(
  "a folder or a pipe has no extension",
  { ignore: Deno.build.os === "windows" },
  async () => {
    const folder = await Deno.makeTempDir({ suffix: ".d" });
    try {
      await new Deno.Command("mkfifo", { args: [`${folder}/pipe.x`] }).output();
      assertEquals(argumentsOf("-o", folder).format(), "tree");
      assertEquals(argumentsOf("-o", `${folder}/pipe.x`).format(), "tree");
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
);

Deno.test("--sitemaps has formats of rows, and excludes options of pages", () => {
  const formatOf = (...args: string[]) => argumentsOf("--sitemaps", ...args).format();
  assertEquals(
    [[], ["-o", "a.csv"], ["-o", "a.txt"], ["-o", "a.json"], ["-o", "a.jsonl"], ["-f", "csv"]]
      .map((args) => formatOf(...args)),
    ["text", "csv", "text", "json", "ndjson", "csv"],
  );
  assertThrows(() => formatOf("-f", "tree"), UsageError, "expected one of text, ndjson, json, csv");
  assertThrows(() => argumentsOf("-f", "text"), UsageError, "expected one of tree, tabtree, pages");
  for (const option of ["--sample=1", "--per-pattern=1", "--columns=url"]) {
    const message = `cannot be combined with "${option.replace(/=.*/, "")}"`;
    assertThrows(() => formatOf(option), UsageError, message);
  }
  for (const option of ["--all", "--notes"]) {
    assertThrows(() => formatOf(option), UsageError, "text");
  }
  assertThrows(() => formatOf("-u", "-f", "csv"), UsageError, "the format csv");
});

Deno.test("report and check have other formats, and extensions for them", () => {
  const formatOf = (...args: string[]) =>
    parseArguments("report", [...args, "https://a.test/"]).format();
  assertEquals(
    [formatOf(), formatOf("-o", "a.json.gz"), formatOf("-o", "a.txt"), formatOf("-o", "a.htm")],
    ["text", "json", "text", "html"],
  );
  const formats = ["txt", "json", "md", "xml", "sarif"]
    .map((name) => parseArguments("check", ["-o", `a.${name}`, "https://a.test/"]).format());
  assertEquals(formats, ["text", "json", "markdown", "junit", "sarif"]);
  const error = assertThrows(() => formatOf("-o", "a.csv"), UsageError);
  assertEquals(error.hint, "expected .htm, .html, .json, .txt, each also with .gz, or --format");
});

Deno.test("--columns takes names, or all of them", () => {
  assertEquals(argumentsOf("-f", "csv", "--columns", "url, sitemap").value("columns"), [
    "url",
    "sitemap",
  ]);
  assertEquals(argumentsOf("-f", "csv", "--columns", "all").value("columns"), [
    ...CSV_COLUMNS,
    "site",
  ]);
  assertEquals(
    argumentsOf("-f", "csv", "--columns", "loc,lastmod,changefreq,site").value("columns"),
    ["url", "lastModified", "changeFrequency", "site"],
  );
  assertThrows(
    () => argumentsOf("-f", "csv", "--columns", "lastmodified"),
    UsageError,
    'Unknown column "lastmodified"; did you mean "lastModified"?',
  );
  assertThrows(() => argumentsOf("--columns", "all"), UsageError, "the format tree");
  const inherited = () => argumentsOf("-f", "csv", "--columns", "constructor");
  assertThrows(inherited, UsageError, 'Unknown column "constructor"');
  for (
    const [name, meant] of [
      ["title", "newsStory.title"],
      ["LOC", ""],
      ["image.loc", "images.loc"],
      ["Sitemap", "sitemap"],
      ["lok", "loc"],
    ] as const
  ) {
    const columns = () => argumentsOf("-f", "csv", "--columns", name).value("columns");
    if (meant === "") assertEquals(columns(), ["url"]);
    else assertThrows(columns, UsageError, `Unknown column "${name}"; did you mean "${meant}"?`);
  }
});

Deno.test("--bom and --all exclude formats without them", () => {
  assertEquals(argumentsOf("-f", "csv", "--bom").byteOrderMark(), "\ufeff");
  assertEquals(argumentsOf("--sitemaps", "-f", "csv", "--bom").byteOrderMark(), "\ufeff");
  assertEquals(argumentsOf("-f", "csv").byteOrderMark(), "");
  assertThrows(() => argumentsOf("--bom"), UsageError, "the format tree");
  assertThrows(() => argumentsOf("-f", "json", "--bom"), UsageError, "the format json");
  assertThrows(() => argumentsOf("--all", "-f", "pages"), UsageError, "the format pages");
});

Deno.test("--columns help describes every column in a line of 80 columns", () => {
  const spec = optionsOf("ls").find(({ name }) => name === "columns")!;
  const lines = itemsHelp(spec, 80).trimEnd().split("\n");
  assertEquals(lines.map((line) => line.split(" ")[0]), [...CSV_COLUMNS, "site"]);
  for (const line of lines) {
    assertEquals(/^\S+ {2,}\S.{3,}$/.test(line) && line.length <= 80, true, line);
  }
});
