/**
 * The writers of `ls`.
 *
 * @module
 */

import type { TreeEvent } from "../../data/events.ts";
import { chosenColumns } from "../../write/csv.ts";
import { ndjsonFormat } from "../../write/json.ts";
import { outlineFormat } from "../../write/outline.ts";
import { pageRowFormat } from "../../write/event_rows.ts";
import { sitemapRowFormat } from "../../write/event_rows.ts";
import {
  keepUrl,
  pagesFormat,
  type ShortenUrl,
  stripPrefix,
  tabtreeFormat,
} from "../../write/text.ts";
import { type TextFormat, TextWriter } from "../../write/text_stream.ts";
import type { Arguments } from "../arguments.ts";
import { defaultColumns, LIST_COLUMNS } from "../columns.ts";
import type { FormatName } from "../format_names.ts";
import type { EventWriter } from "../run/event_writer.ts";
import type { Output } from "../run/output.ts";
import { terminalColumns } from "../run/terminal.ts";
import { isSnapshot } from "../../source/snapshot.ts";

/** Pages of a sitemap that the tree shows on a terminal. */
export const SHOWN_PAGES = 10;

interface FormatSettings {
  readonly format: FormatName<"list"> | FormatName<"rows">;
  /** Whether sitemaps are listed instead of pages. Default: false. */
  readonly ofSitemaps?: boolean;
  readonly stripUrl: boolean;
  readonly columns?: readonly string[] | undefined;
  /** Whether there is a column of the site unless columns are chosen. Default: false. */
  readonly hasSite?: boolean;
  /** Text before all output. Default: none. */
  readonly mark?: string;
  /** Pages of a sitemap that the tree shows on a terminal. Default: all. */
  readonly maxPages?: number;
  /** Prints a line about the output on standard error. Default: nothing is printed. */
  readonly warn?: (line: string) => void;
}

interface FormatOptions {
  readonly shorten: ShortenUrl;
  /** Origin that `--strip-url` omits. */
  readonly origin: string | undefined;
  readonly color: boolean;
  /** Columns of the terminal; infinite elsewhere. */
  readonly width: number;
  readonly maxPages: number;
  readonly columns: readonly string[];
  readonly hasSite: boolean;
  readonly warn: (line: string) => void;
}

type Create = (options: FormatOptions) => TextFormat<TreeEvent> | Promise<TextFormat<TreeEvent>>;

const FORMATS: Readonly<Record<FormatName<"list">, Create>> = {
  tree({ color, origin, maxPages, width }) {
    const outline = outlineFormat({
      ...{ color, stripUrl: origin ?? false },
      maxPages: width < Infinity ? maxPages : Infinity,
    });
    // the summary goes to standard error
    return { write: (event) => event.type === "finished" ? "" : outline.write(event) };
  },
  tabtree: ({ shorten }) => tabtreeFormat(shorten),
  pages: ({ shorten }) => pagesFormat(shorten),
  ndjson: (options) => pageRows("ndjson", options),
  json: (options) => pageRows("json", options),
  csv: (options) => pageRows("csv", options),
  async xml({ warn }) {
    // loads @libs/xml, which no other format needs
    const { sitemapXmlFormat } = await import("../../write/xml.ts");
    return sitemapXmlFormat(warn);
  },
  events: () => ndjsonFormat(),
};

function pageRows(
  name: Parameters<typeof pageRowFormat>[0],
  { columns, hasSite, width }: FormatOptions,
): TextFormat<TreeEvent> {
  return pageRowFormat(name, { columns: chosenColumns(columns, LIST_COLUMNS), hasSite, width });
}

/** Whether each site has its own document, which may be appended to another. */
export function isPerSite({ ofSitemaps, format }: FormatSettings): boolean {
  return !ofSitemaps && (format === "tree" || format === "tabtree");
}

export function formatSettings(args: Arguments): FormatSettings {
  return {
    ofSitemaps: args.has("sitemaps"),
    format: args.format<FormatSettings["format"]>(),
    stripUrl: args.has("strip-url"),
    columns: args.value<readonly string[]>("columns"),
    hasSite: hasManySites(args),
    ...(!args.has("all") && { maxPages: SHOWN_PAGES }),
    mark: args.byteOrderMark(),
  };
}

/** A list or a snapshot counts as many: its length may change from one run to the next. */
function hasManySites(args: Arguments): boolean {
  const { operands } = args;
  return operands.length > 1 || args.has("from") || !args.has("site") && operands.some(isSnapshot);
}

/** Returns the writer of a format. `site` is the site whose origin `--strip-url` omits. */
export async function eventWriter(
  settings: FormatSettings,
  output: Output,
  site: URL | undefined,
  color: boolean,
): Promise<EventWriter> {
  const { mark = "", maxPages = Infinity, warn = () => {} } = settings;
  const { columns = defaultColumns(settings.hasSite ?? false) } = settings;
  const origin = settings.stripUrl ? site?.origin : undefined;
  const options = {
    ...{ origin, color, maxPages, columns, warn },
    shorten: origin === undefined ? keepUrl : stripPrefix(origin),
    width: output.isTerminal ? terminalColumns() : Infinity,
    hasSite: columns.includes("site"),
  };
  const { head = "", ...format } = settings.ofSitemaps
    ? sitemapRowFormat(settings.format as FormatName<"rows">, options)
    : await FORMATS[settings.format as FormatName<"list">](options);
  return new TextWriter({ ...format, head: mark + head }, (bytes) => output.write(bytes));
}
