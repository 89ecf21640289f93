/**
 * The formats by name.
 *
 * @module
 */

import { CSV_COLUMNS, type CsvColumn } from "../write/csv_columns.ts";
import { escapeControlsInJson, escapeFormatControls } from "../write/escape.ts";
import { pageToJsonText } from "../write/page_json.ts";
import { type Arguments, nearestHint } from "./arguments.ts";
import { type EventFormat, type EventWriter, TextEventWriter } from "./event_writer.ts";
import { UsageError } from "./failure.ts";
import { type FormatName, FORMATS } from "./option_table.ts";
import type { Output } from "./sink.ts";
import { keepUrl, pagesFormat, stripOrigin, tabtreeFormat } from "./tabtree.ts";
import { parseChoice } from "./values.ts";

/** How to write what is found. */
export interface FormatSettings {
  /** The format. */
  readonly format: FormatName;
  /** Whether the address of the site is left out of lines. */
  readonly stripUrl: boolean;
  /** The columns of `csv`, the usual ones where there are none. */
  readonly columns: readonly CsvColumn[] | undefined;
}

const FORMAT_NAMES = Object.keys(FORMATS) as FormatName[];
const STRIPPING: readonly FormatName[] = ["tree", "tabtree", "pages"];

/** The formats that the end of a file's name stands for. */
const FORMAT_BY_EXTENSION: Readonly<Record<string, FormatName>> = {
  csv: "csv",
  json: "json",
  jsonl: "ndjson",
  ndjson: "ndjson",
  txt: "pages",
  xml: "xml",
};

/** Reads the options that say how to write. */
export function formatSettings(args: Arguments): FormatSettings {
  const given = args.value("format");
  const format = given === undefined
    ? formatOfFile(args.value("output")) ?? "tree"
    : parseChoice("format", given, FORMAT_NAMES);
  const stripUrl = args.has("strip-url");
  if (stripUrl && !STRIPPING.includes(format)) {
    throw new UsageError(
      `Option "--strip-url" does not go with the format ${format}`,
      `it goes with ${STRIPPING.join(", ")}`,
    );
  }
  return { format, stripUrl, columns: columnsOf(args.value("columns"), format) };
}

function formatOfFile(path: string | undefined): FormatName | undefined {
  const extension = path?.toLowerCase().replace(/\.gz$/, "").match(/\.([a-z]+)$/)?.[1] ?? "";
  return Object.hasOwn(FORMAT_BY_EXTENSION, extension) ? FORMAT_BY_EXTENSION[extension] : undefined;
}

function columnsOf(
  text: string | undefined,
  format: FormatName,
): readonly CsvColumn[] | undefined {
  if (text === undefined) return undefined;
  if (format !== "csv") {
    throw new UsageError(
      `Option "--columns" does not go with the format ${format}`,
      "add --format=csv",
    );
  }
  return text.split(",").map((name) => columnOf(name.trim()));
}

function columnOf(name: string): CsvColumn {
  const column = CSV_COLUMNS.find((other) => other === name);
  if (column !== undefined) return column;
  // All of their names would fill a screen.
  const groups = new Set(CSV_COLUMNS.map((other) => other.replace(/\..*/, ".…")));
  throw new UsageError(
    `Option "--columns" has "${name}", which is no column`,
    nearestHint(name, CSV_COLUMNS) ?? `there are ${[...groups].join(", ")}`,
  );
}

/**
 * Makes the writer of a format. The site is what `--strip-url` takes off. What only one format needs
 * is loaded for that one alone: that of XML takes 10 MB.
 */
export async function eventWriter(
  settings: FormatSettings,
  output: Output,
  site: URL | undefined,
  color: boolean,
): Promise<EventWriter> {
  const format = await eventFormat(settings, site, color);
  // In a file, CSV keeps what a terminal would obey; the other formats have escapes for it.
  const isUnsafe = settings.format === "csv" && output.isTerminal;
  return new TextEventWriter(
    isUnsafe ? { ...format, escape: escapeFormatControls } : format,
    output,
  );
}

async function eventFormat(
  settings: FormatSettings,
  site: URL | undefined,
  color: boolean,
): Promise<EventFormat> {
  const strips = settings.stripUrl && site !== undefined;
  const shorten = strips ? stripOrigin(site) : keepUrl;
  switch (settings.format) {
    case "tree": {
      const { outlineFormat } = await import("../write/outline.ts");
      return outlineFormat({ color, stripUrl: strips && site.origin });
    }
    case "tabtree":
      return tabtreeFormat(shorten);
    case "pages":
      return pagesFormat(shorten);
    case "ndjson":
      return {
        write: (event) => event.type === "page" ? pageToJsonText(event.page) + "\n" : "",
        escape: escapeControlsInJson,
      };
    case "json": {
      const { jsonFormat } = await import("../write/json.ts");
      return jsonFormat();
    }
    case "csv": {
      const { csvFormat } = await import("../write/csv.ts");
      return csvFormat(settings.columns === undefined ? {} : { columns: settings.columns });
    }
    case "xml": {
      const { sitemapXmlFormat } = await import("../write/sitemap_xml.ts");
      return sitemapXmlFormat({});
    }
    case "events": {
      const { ndjsonFormat } = await import("../write/ndjson.ts");
      return ndjsonFormat();
    }
  }
}
