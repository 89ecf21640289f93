import type { PageEvent, SitemapRef } from "../data/events.ts";
import { PROTOCOL_LIMITS } from "../data/limits.ts";
import { csvFormat } from "../write/csv.ts";
import { jsonFormat } from "../write/json.ts";
import { membersJson, objectJson, quotedJson } from "../write/json_text.ts";
import { ndjsonFormat } from "../write/ndjson.ts";
import { outlineFormat } from "../write/outline.ts";
import { forTerminal } from "../write/rows.ts";
import {
  keepUrl,
  pagesFormat,
  type ShortenUrl,
  stripPrefix,
  tabtreeFormat,
} from "../write/text.ts";
import { TextWriter } from "../write/text_stream.ts";
import type { Arguments } from "./arguments.ts";
import { defaultColumns, LIST_COLUMNS, type ListColumn } from "./columns.ts";
import type { EventFormat, EventWriter, SourceEvent, WrittenEvent } from "./run/event_writer.ts";
import type { FormatName } from "./format_names.ts";
import type { Output } from "./run/output.ts";
import { sitemapRowsFormat } from "./sitemap_rows.ts";
import { isSnapshot } from "../source/snapshot.ts";
import { terminalColumns } from "./run/terminal.ts";

/** Pages of a sitemap that the tree shows on a terminal. */
export const SHOWN_PAGES = 10;

interface FormatSettings {
  readonly format: FormatName<"list"> | FormatName<"rows">;
  /** Whether sitemaps are listed instead of pages. Default: false. */
  readonly ofSitemaps?: boolean;
  readonly stripUrl: boolean;
  readonly columns?: readonly ListColumn[] | undefined;
  /** Whether the site of each page is written, where the format has room for it. Default: false. */
  readonly hasSite?: boolean;
  /** Text before all output. Default: none. */
  readonly mark?: string;
  /** Pages of a sitemap that the tree shows on a terminal. Default: all. */
  readonly maxPages?: number;
  /** Prints a line about the output on standard error. Default: nothing is printed. */
  readonly warn?: (line: string) => void;
}

interface FormatOptions extends Omit<FormatSettings, "format" | "stripUrl"> {
  readonly shorten: ShortenUrl;
  /** Origin that `--strip-url` omits. */
  readonly origin: string | undefined;
  readonly color: boolean;
  /** Columns of the terminal; infinite elsewhere. */
  readonly width: number;
}

interface FormatSpec {
  /** Whether each site has its own document, which may be appended to another. */
  readonly isPerSite?: boolean;
  readonly canHaveSite?: boolean;
  readonly create: (options: FormatOptions) => EventFormat | Promise<EventFormat>;
}

const FORMATS: Readonly<Record<FormatName<"list">, FormatSpec>> = {
  "tree": {
    isPerSite: true,
    create({ color, origin, maxPages = Infinity, width }) {
      const outline = outlineFormat({
        ...{ color, stripUrl: origin ?? false },
        maxPages: width < Infinity ? maxPages : Infinity,
      });
      // the summary goes to standard error
      return { write: (event) => event.type === "finished" ? "" : outline.write(event) };
    },
  },
  "tabtree": {
    isPerSite: true,
    create: ({ shorten }) => tabtreeFormat(shorten),
  },
  "pages": {
    create: ({ shorten }) => pagesFormat(shorten),
  },
  "ndjson": {
    canHaveSite: true,
    create() {
      const json = pageJson("\n");
      return { write: (event) => event.type === "page" ? json(event) : "" };
    },
  },
  "json": {
    canHaveSite: true,
    create() {
      const json = pageJson("");
      return jsonFormat((event) => event.type === "page" ? json(event) : undefined);
    },
  },
  "csv": {
    canHaveSite: true,
    create: ({ columns, hasSite = false, width }) =>
      forTerminal(csvFormat({ columns: columns ?? defaultColumns(hasSite) }, LIST_COLUMNS), width),
  },
  "xml": {
    async create({ warn = () => {} }) {
      // loads @libs/xml, which no other format needs
      const { sitemapXmlFormat } = await import("../write/xml.ts");
      return measuredSitemap(sitemapXmlFormat(), warn);
    },
  },
  "events": { create: () => ndjsonFormat() },
};

const SITEMAP_FORMATS: Readonly<Record<FormatName<"rows">, FormatSpec>> = {
  text: { create: (options) => sitemapRowsFormat("text", options) },
  ndjson: { canHaveSite: true, create: (options) => sitemapRowsFormat("ndjson", options) },
  json: { canHaveSite: true, create: (options) => sitemapRowsFormat("json", options) },
  csv: { canHaveSite: true, create: (options) => sitemapRowsFormat("csv", options) },
};

export function formatsOf(
  { ofSitemaps = false }: Pick<FormatSettings, "ofSitemaps">,
): Readonly<Record<string, FormatSpec>> {
  return ofSitemaps ? SITEMAP_FORMATS : FORMATS;
}

export function formatSettings(args: Arguments): FormatSettings {
  return {
    ofSitemaps: args.has("sitemaps"),
    format: args.format<FormatSettings["format"]>(),
    stripUrl: args.has("strip-url"),
    columns: args.value<readonly ListColumn[]>("columns"),
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
  const { format: name, stripUrl, columns, hasSite = false, mark = "" } = settings;
  const spec = formatsOf(settings)[name]!;
  const origin = stripUrl ? site?.origin : undefined;
  const { head = "", ...format } = await spec.create({
    ...{ ...settings, origin, color },
    shorten: origin === undefined ? keepUrl : stripPrefix(origin),
    width: output.isTerminal ? terminalColumns() : Infinity,
  });
  const writer = new TextWriter({ ...format, head: mark + head }, (bytes) => output.write(bytes));
  const needsSite = columns === undefined ? hasSite : columns.includes("site");
  return needsSite && spec.canHaveSite ? withSite(writer) : writer;
}

function withSite(writer: TextWriter<WrittenEvent>): EventWriter {
  return {
    writeAll: (events: readonly SourceEvent[], site) =>
      writer.writeAll(events.map((event) => ({ ...event, site }) as WrittenEvent)),
    close: () => writer.close(),
    takeRest: () => writer.takeRest(),
  };
}

/** The text `after` follows the JSON of each page. */
function pageJson(after: string): (event: WrittenEvent & PageEvent) => string {
  let lastRef: SitemapRef | undefined, lastSite: string | undefined, end = "";
  return ({ page, sitemap, site }) => {
    // the pages of a sitemap share one ref
    if (sitemap !== lastRef || site !== lastSite) {
      lastRef = sitemap;
      lastSite = site;
      const siteMember = site === undefined ? "" : `,"site":${quotedJson(site)}`;
      end = `,"sitemap":${quotedJson(sitemap.url)}${siteMember}}${after}`;
    }
    const members = membersJson(page);
    if (members !== undefined) return members + end;
    return objectJson({ ...page, sitemap: sitemap.url, site }, after);
  };
}

/** Returns an XML format that calls `warn` once, when the sitemap exceeds what the protocol allows. */
function measuredSitemap(format: EventFormat, warn: (line: string) => void): EventFormat {
  const encoder = new TextEncoder();
  const bytesOf = (text = "") => encoder.encode(text).length;
  let urls = 0;
  let bytes = bytesOf(format.head) + bytesOf(format.end?.());
  let hasWarned = false;
  return {
    ...format,
    write(event) {
      const text = format.write(event);
      if (text === "" || hasWarned) return text;
      urls++;
      bytes += bytesOf(text);
      const excess = excessOf(urls, bytes);
      if (excess === undefined) return text;
      hasWarned = true;
      warn(`Writing one XML sitemap of more than ${excess}: the protocol requires several files`);
      return text;
    },
  };
}

function excessOf(urls: number, bytes: number): string | undefined {
  if (urls > PROTOCOL_LIMITS.maxUrls) return "50,000 URLs";
  return bytes > PROTOCOL_LIMITS.maxBytes ? "50 MiB (52,428,800 bytes)" : undefined;
}
