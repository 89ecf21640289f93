import { statSync } from "../platform/host.ts";
import { UsageError } from "./failure.ts";

/** Formats by what is written, with their meanings. The first of each is the default. */
export const FORMAT_NAMES = {
  list: {
    "tree": "the tree as it grows",
    "tabtree": "sitemaps and pages, indented by tabs",
    "pages": "one URL per line",
    "ndjson": "one page per line, as JSON",
    "json": "all pages as one JSON array",
    "csv": "one page per row",
    "xml": "one XML sitemap with all pages",
    "events": "every event of the walk, as NDJSON",
  },
  report: {
    text: "a readable report",
    html: "one file to open in a browser",
    json: "the same figures as one JSON object",
  },
  explain: {
    text: "a readable report",
    json: "the same figures as one JSON object",
  },
  check: {
    text: "findings with advice",
    json: "the same for programs, as one JSON object",
    markdown: "tables, such as for the summary of a job",
    github: "annotations of GitHub Actions",
    junit: "JUnit XML, with a test case for each rule",
    sarif: "SARIF, for code scanning",
  },
  changes: {
    text: "+ URL, ~ URL with what changed, - URL",
    ndjson: "one change per line, as JSON",
    json: "all changes as one JSON array",
    csv: "one change per row",
  },
  diff: {
    text: "+ URL, ~ URL with what changed, - URL",
    ndjson: "one difference per line, as JSON",
    json: "all differences as one JSON array",
    csv: "one difference per row",
    markdown: "tables, such as for a pull request",
  },
  rows: {
    text: "a table",
    ndjson: "one row per line, as JSON",
    json: "all rows as one JSON array",
    csv: "the table as CSV",
  },
  log: {
    text: "time, severity and a sentence",
    json: "one JSON object per line, for collectors",
  },
  fleetStatus: {
    text: "readable lines",
    json: "the same figures as one JSON object",
  },
} as const;

export type FormatName<Kind extends keyof typeof FORMAT_NAMES> =
  & keyof (typeof FORMAT_NAMES)[Kind]
  & string;

/** Formats in which there are pages only, so that those of several sites may be mixed. */
export const PAGE_FORMATS: readonly string[] = ["pages", "ndjson", "json", "csv", "xml"];

/** Options that not all formats have, with the formats of pages and of sitemaps that have them. */
export const OPTION_FORMATS: Readonly<Record<string, readonly string[]>> = {
  "sample": PAGE_FORMATS,
  "per-pattern": PAGE_FORMATS,
  "strip-url": ["tree", "tabtree", "pages", "text"],
  "columns": ["csv"],
  "all": ["tree"],
  "notes": ["events"],
  "bom": ["csv"],
};

/** Formats by extension; some commands have the one, some the other. */
const EXTENSIONS: Readonly<Record<string, readonly string[]>> = {
  csv: ["csv"],
  htm: ["html"],
  html: ["html"],
  json: ["json"],
  jsonl: ["ndjson"],
  md: ["markdown"],
  ndjson: ["ndjson"],
  sarif: ["sarif"],
  txt: ["pages", "text"],
  xml: ["xml", "junit"],
};

/** Returns the format of a file by its extension; `undefined` without one and for devices. */
export function formatOfFile(path: string, formats: readonly string[]): string | undefined {
  const name = path.replace(/^.*[/\\]/s, "").replace(/\.gz$/i, "");
  // `.hidden` has no extension
  const extension = /(?<=.)\.([^.]+)$/s.exec(name)?.[1]?.toLowerCase() ?? "";
  const known = Object.keys(EXTENSIONS).filter((known) => formatOf(known, formats) !== undefined);
  if (known.includes(extension)) return formatOf(extension, formats);
  if (extension === "" || !isPlainFile(path)) return undefined;
  throw new UsageError(
    `Unknown extension ".${extension}" of "${path}"`,
    `expected ${known.map((known) => `.${known}`).join(", ")}, each also with .gz, or --format`,
  );
}

function formatOf(extension: string, formats: readonly string[]): string | undefined {
  return EXTENSIONS[extension]!.find((name) => formats.includes(name));
}

/** Whether a path is that of a regular file, or of a file to be created. */
function isPlainFile(path: string): boolean {
  if (path.startsWith("/dev/")) return false;
  try {
    return statSync(path).isFile();
  } catch {
    return true;
  }
}
