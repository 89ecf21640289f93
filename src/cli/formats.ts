/**
 * Output formats: the options that choose one, and the writer of each.
 *
 * @module
 */

import type { TreeEvent } from "../data/events.ts";
import { PROTOCOL_LIMITS } from "../data/limits.ts";
import { statSync } from "../platform/host.ts";
import { CSV_COLUMNS, type CsvColumn, csvFormat } from "../write/csv.ts";
import { escapeControlsInJson, escapeFormatControls } from "../write/escape.ts";
import { jsonFormat } from "../write/json.ts";
import { ndjsonFormat, pageToJsonText } from "../write/ndjson.ts";
import { outlineFormat } from "../write/outline.ts";
import { keepUrl, pagesFormat, stripPrefix, tabtreeFormat } from "../write/text.ts";
import type { Arguments } from "./arguments.ts";
import { type EventFormat, type EventWriter, TextEventWriter } from "./event_writer.ts";
import { Failure, UsageError } from "./failure.ts";
import type { FormatName, ReportFormatName } from "./options.ts";
import type { Output } from "./output.ts";
import { sitemapCsvFormat, sitemapNdjsonFormat, sitemapTableFormat } from "./sitemap_rows.ts";
import { SplitOutput, splitWriter } from "./split_output.ts";
import { suggestion } from "./values.ts";

/** Output format and its options. */
export interface FormatSettings {
  /** Name of the format. */
  readonly format: FormatName;
  /** Whether the origin of the site is omitted in URLs. */
  readonly stripUrl: boolean;
  /** Columns of `csv`; `undefined` for the default ones. */
  readonly columns: readonly CsvColumn[] | undefined;
  /** Whether to print `columnsHelp()` and nothing else. Default: false. */
  readonly listsColumns?: boolean;
}

/** Formats that `--strip-url` applies to. */
const STRIPPING: readonly FormatName[] = ["tree", "tabtree", "pages", "sitemaps"];

/** Formats by file extension. */
const FORMAT_BY_EXTENSION: Readonly<Record<string, FormatName>> = {
  csv: "csv",
  json: "json",
  jsonl: "ndjson",
  ndjson: "ndjson",
  txt: "pages",
  xml: "xml",
};

const REPORT_FORMAT_BY_EXTENSION: Readonly<Record<string, ReportFormatName>> = {
  json: "json",
  txt: "text",
};

/** Parses the options of the format. */
export function formatSettings(args: Arguments): FormatSettings {
  const columns = args.value("columns");
  if (columns === "help") {
    return { format: "csv", stripUrl: false, columns: undefined, listsColumns: true };
  }
  const format = args.value("split") === undefined
    ? givenFormat(args, FORMAT_BY_EXTENSION) ?? "tree"
    : splitFormat(args);
  const stripUrl = args.has("strip-url");
  if (stripUrl && !STRIPPING.includes(format)) {
    throw new UsageError(
      `Option "--strip-url" cannot be combined with the format ${format}`,
      `it works with ${STRIPPING.join(", ")}`,
    );
  }
  return { format, stripUrl, columns: columnsOf(columns, format) };
}

/** Parses the format of `stats`. */
export function reportFormat(args: Arguments): ReportFormatName {
  return givenFormat(args, REPORT_FORMAT_BY_EXTENSION) ?? "text";
}

/** Returns the format of `--format`, or else that of the extension of `--output`. */
function givenFormat<T extends string>(
  args: Arguments,
  byExtension: Readonly<Record<string, T>>,
): T | undefined {
  const path = args.value("output");
  return args.value<T>("format") ??
    (path === undefined ? undefined : formatOfFile(path, byExtension));
}

function splitFormat(args: Arguments): "xml" {
  if (args.value("output") !== undefined) {
    throw new UsageError(
      'Option "--split" cannot be combined with "--output"',
      "it names a folder for several files",
    );
  }
  const format = args.value<FormatName>("format") ?? "xml";
  if (format === "xml") return format;
  throw new UsageError(
    `Option "--split" cannot be combined with the format ${format}`,
    "it writes XML sitemaps",
  );
}

/** Returns the format of a file extension; `undefined` without one and for devices. */
function formatOfFile<T>(
  path: string,
  formats: Readonly<Record<string, T>>,
): T | undefined {
  const name = path.replace(/^.*[/\\]/s, "").replace(/\.gz$/i, "");
  // `.hidden` has no extension
  const extension = /(?<=.)\.([^.]+)$/s.exec(name)?.[1]?.toLowerCase() ?? "";
  if (Object.hasOwn(formats, extension)) return formats[extension];
  if (extension === "" || !isPlainFile(path)) return undefined;
  const known = Object.keys(formats).map((known) => `.${known}`);
  throw new UsageError(
    `Unknown extension ".${extension}" of "${path}"`,
    `expected ${known.join(", ")}, each also with .gz, or --format`,
  );
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

function columnsOf(
  text: string | undefined,
  format: FormatName,
): readonly CsvColumn[] | undefined {
  if (text === undefined) return undefined;
  if (format !== "csv") {
    throw new UsageError(
      `Option "--columns" cannot be combined with the format ${format}`,
      "add --format=csv",
    );
  }
  return text === "all" ? CSV_COLUMNS : text.split(",").map((name) => columnOf(name.trim()));
}

function columnOf(name: string): CsvColumn {
  const column = CSV_COLUMNS.find((other) => other === name);
  if (column !== undefined) return column;
  throw new UsageError(
    `Unknown column "${name}"${suggestion(name, CSV_COLUMNS)}`,
    "--columns help lists them",
  );
}

/**
 * Returns the writer of a format. `site` is the site whose origin `--strip-url` omits, and below
 * which `--split` places sitemaps.
 */
export async function eventWriter(
  settings: FormatSettings,
  output: Output,
  site: URL | undefined,
  color: boolean,
): Promise<EventWriter> {
  if (output instanceof SplitOutput) return await splitWriter(output, site);
  const format = await eventFormat(settings, site, color);
  // the other formats escape these themselves
  const isUnsafe = output.isTerminal && /csv$/.test(settings.format);
  return new TextEventWriter(isUnsafe ? escaped(format) : format, output);
}

/** Returns a format with terminal controls escaped that CSV keeps in files. */
function escaped(format: EventFormat): EventFormat {
  return {
    ...format,
    write: (event) => escapeFormatControls(format.write(event)),
    end: () => escapeFormatControls(format.end?.() ?? ""),
  };
}

async function eventFormat(
  settings: FormatSettings,
  site: URL | undefined,
  color: boolean,
): Promise<EventFormat> {
  const strips = settings.stripUrl && site !== undefined;
  const shorten = strips ? stripPrefix(site.origin) : keepUrl;
  switch (settings.format) {
    case "tree": {
      const outline = outlineFormat({ color, stripUrl: strips && site.origin });
      // the summary goes to standard error
      return { write: (event) => event.type === "finished" ? "" : outline.write(event) };
    }
    case "tabtree":
      return tabtreeFormat(shorten);
    case "pages":
      return pagesFormat(shorten);
    case "ndjson":
      return { write: pageLine };
    case "json":
      return jsonFormat({ sitemap: true });
    case "csv":
      return csvFormat(settings.columns === undefined ? {} : { columns: settings.columns });
    case "xml": {
      // loads @libs/xml, which no other format needs
      const { sitemapXmlFormat } = await import("../write/xml.ts");
      return limitedSitemap(sitemapXmlFormat({}));
    }
    case "events":
      return ndjsonFormat();
    case "sitemaps":
      return sitemapTableFormat(shorten);
    case "sitemaps-csv":
      return sitemapCsvFormat();
    case "sitemaps-ndjson":
      return sitemapNdjsonFormat();
  }
}

function pageLine(event: TreeEvent): string {
  if (event.type !== "page") return "";
  return `${escapeControlsInJson(pageToJsonText(event.page, event.sitemap.url))}\n`;
}

/** Returns an XML format that throws a {@linkcode Failure} once a sitemap would be too large. */
export function limitedSitemap(format: EventFormat): EventFormat {
  const encoder = new TextEncoder();
  const bytesOf = (text = "") => encoder.encode(text).length;
  let urls = 0;
  let bytes = bytesOf(format.head) + bytesOf(format.end?.());
  return {
    ...format,
    write(event) {
      const text = format.write(event);
      if (text === "") return "";
      bytes += bytesOf(text);
      if (++urls > PROTOCOL_LIMITS.maxUrls) throw tooLarge("50,000 URLs");
      if (bytes > PROTOCOL_LIMITS.maxBytes) throw tooLarge("50 MB (52,428,800 bytes)");
      return text;
    },
  };
}

function tooLarge(limit: string): Failure {
  return new Failure(
    `Cannot write one XML sitemap: more than ${limit}`,
    "use --split DIR to write several sitemaps and their index",
  );
}
