/**
 * Writes events to an output, at the pace of the output.
 *
 * @module
 */

import type { TreeEvent } from "../data/events.ts";
import { statSync } from "../platform/host.ts";
import { CSV_COLUMNS, type CsvColumn } from "../write/csv.ts";
import { escapeControlsInJson, escapeFormatControls } from "../write/escape.ts";
import { pageToJsonText } from "../write/ndjson.ts";
import { keepUrl, pagesFormat, stripOrigin, tabtreeFormat } from "../write/tabtree.ts";
import type { TextFormat } from "../write/text_stream.ts";
import type { Arguments } from "./arguments.ts";
import { UsageError } from "./failure.ts";
import type { FormatName, ReportFormatName } from "./options.ts";
import type { ByteSink, Output } from "./output.ts";
import { SplitOutput, SplitWriter } from "./split_output.ts";
import { suggestion } from "./values.ts";

/** Takes events and writes them somewhere. */
export interface EventWriter {
  /** Takes an event; a promise is given where the next one has to wait. */
  write(event: TreeEvent): Promise<void> | undefined;
  /** Writes the rest, so that the output is complete: whole lines, a closed document. */
  close(): Promise<void>;
  /**
   * Takes the rest instead of writing it, for a process that exits at once. Absent where that rest
   * does not complete the output.
   */
  takeRest?(): Uint8Array;
}

/** A text format for events. */
export interface EventFormat extends TextFormat<TreeEvent> {
  /** Makes a piece of any length harmless, which costs less than doing so for each event. */
  readonly escape?: (text: string) => string;
}

/** Bytes gathered before a piece is written in any case. */
const PIECE_BYTES = 64 * 1024;
/**
 * Characters gathered before they become bytes. A long string that grows is thousands of short ones
 * to the garbage collector, which makes room for them: 60 MB at 64 KiB, next to nothing at 4 KiB.
 */
const TEXT_LENGTH = 4 * 1024;
/** The most bytes that a character takes. */
const MAX_BYTES = 3;

/**
 * Writes events by a text format, in large pieces and without a promise for each event: half of the
 * cost of a page in a `TransformStream` is the stream.
 */
export class TextEventWriter implements EventWriter {
  readonly #format: EventFormat;
  readonly #sink: ByteSink;
  readonly #encoder = new TextEncoder();
  #text: string;
  /** Filled while the other one is written: new ones each time would wait for the collector. */
  #buffer = new Uint8Array(PIECE_BYTES + 2 * MAX_BYTES * TEXT_LENGTH);
  #otherBuffer = new Uint8Array(this.#buffer.length);
  #filled = 0;
  #isEnded = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  /** Writes nothing yet. */
  constructor(format: EventFormat, sink: ByteSink) {
    this.#format = format;
    this.#sink = sink;
    this.#text = format.head ?? "";
  }

  write(event: TreeEvent): Promise<void> | undefined {
    try {
      this.#text += this.#format.write(event);
    } catch (error) {
      this.#failure = { error };
    }
    if (this.#text.length >= TEXT_LENGTH) this.#encode();
    if (this.#filled >= PIECE_BYTES || this.#failure !== undefined) return this.#flush();
    this.#flushSoon();
    return undefined;
  }

  async close(): Promise<void> {
    this.#end();
    await this.#flush();
  }

  takeRest(): Uint8Array {
    this.#end();
    this.#encode();
    const rest = this.#buffer.subarray(0, this.#filled);
    this.#filled = 0;
    return rest;
  }

  #end(): void {
    if (!this.#isEnded) this.#text += this.#format.end?.() ?? "";
    this.#isEnded = true;
  }

  #encode(): void {
    const text = this.#format.escape?.(this.#text) ?? this.#text;
    this.#text = "";
    const most = this.#filled + MAX_BYTES * text.length;
    if (most > this.#buffer.length) {
      const larger = new Uint8Array(most);
      larger.set(this.#buffer.subarray(0, this.#filled));
      this.#buffer = larger;
    }
    this.#filled += this.#encoder.encodeInto(text, this.#buffer.subarray(this.#filled)).written;
  }

  /** Flushes when the event loop turns, which it does when the source pauses. */
  #flushSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // The buffer of the piece being written is in use until the next turn.
      if (this.#writing !== undefined) this.#flushSoon();
      else this.#flush().catch(() => {});
    }, 0);
  }

  /** Writes all that was gathered, after the piece being written. */
  async #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#writing;
    if (this.#failure !== undefined) throw this.#failure.error;
    this.#encode();
    if (this.#filled === 0) return;
    const piece = this.#buffer.subarray(0, this.#filled);
    [this.#buffer, this.#otherBuffer] = [this.#otherBuffer, this.#buffer];
    this.#filled = 0;
    // A failure is reported to this caller, or to the next one where this is the timer.
    this.#writing = this.#sink.write(piece).catch((error) => void (this.#failure = { error }))
      .finally(() => this.#writing = undefined);
    await this.#writing;
    const failure = this.#failure as { readonly error: unknown } | undefined;
    if (failure !== undefined) throw failure.error;
  }
}

// MERGED: The formats by name.

/** How events are written. */
export interface FormatSettings {
  /** The format. */
  readonly format: FormatName;
  /** Whether the origin of the site is omitted in URLs. */
  readonly stripUrl: boolean;
  /** The columns of `csv`; `undefined` for the usual ones. */
  readonly columns: readonly CsvColumn[] | undefined;
  /** Whether the columns are to be listed by `columnsHelp()`, and nothing else is to be done. */
  readonly listsColumns?: boolean;
}

const STRIPPING: readonly FormatName[] = ["tree", "tabtree", "pages", "sitemaps"];

/** The formats by the extension of a file. */
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

/** Reads the options of the format. */
export function formatSettings(args: Arguments): FormatSettings {
  const columns = args.value("columns");
  if (columns === "help") {
    return { format: "csv", stripUrl: false, columns: undefined, listsColumns: true };
  }
  const format = args.value("split") === undefined ? listFormat(args) : splitFormat(args);
  const stripUrl = args.has("strip-url");
  if (stripUrl && !STRIPPING.includes(format)) {
    throw new UsageError(
      `Option "--strip-url" does not go with the format ${format}`,
      `it goes with ${STRIPPING.join(", ")}`,
    );
  }
  return { format, stripUrl, columns: columnsOf(columns, format) };
}

/** Reads the format of `stats`. */
export function reportFormat(args: Arguments): ReportFormatName {
  return args.value<ReportFormatName>("format") ??
    formatOfFile(args.value("output"), REPORT_FORMAT_BY_EXTENSION) ?? "text";
}

function listFormat(args: Arguments): FormatName {
  return args.value<FormatName>("format") ??
    formatOfFile(args.value("output"), FORMAT_BY_EXTENSION) ?? "tree";
}

function splitFormat(args: Arguments): "xml" {
  if (args.value("output") !== undefined) {
    throw new UsageError(
      'Option "--split" does not go with "--output"',
      "it names a folder for several files",
    );
  }
  const format = args.value<FormatName>("format") ?? "xml";
  if (format === "xml") return format;
  throw new UsageError(
    `Option "--split" does not go with the format ${format}`,
    "it writes XML sitemaps",
  );
}

/** Returns the format by the extension of a file; `undefined` without one and for devices. */
function formatOfFile<T>(
  path: string | undefined,
  formats: Readonly<Record<string, T>>,
): T | undefined {
  if (path === undefined) return undefined;
  const name = path.replace(/^.*[/\\]/s, "").replace(/\.gz$/i, "");
  // The dot of `.hidden` begins no extension.
  const extension = /(?<=.)\.([^.]+)$/s.exec(name)?.[1]?.toLowerCase() ?? "";
  if (Object.hasOwn(formats, extension)) return formats[extension];
  if (extension === "" || !isPlainFile(path)) return undefined;
  const known = Object.keys(formats).map((known) => `.${known}`);
  throw new UsageError(
    `Unknown extension ".${extension}" of "${path}"`,
    `expected ${known.join(", ")}, each also with .gz, or --format`,
  );
}

/** Whether a path names a file, or nothing yet; neither a folder nor a device nor a pipe. */
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
      `Option "--columns" does not go with the format ${format}`,
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
 * Makes the writer of a format. `site` is the site whose origin `--strip-url` omits, and below which
 * `--split` places sitemaps. Modules of one format are loaded for that one alone: those of XML take
 * 10 MB.
 */
export async function eventWriter(
  settings: FormatSettings,
  output: Output,
  site: URL | undefined,
  color: boolean,
): Promise<EventWriter> {
  if (output instanceof SplitOutput) return new SplitWriter(output, site);
  const format = await eventFormat(settings, site, color);
  // In a file, CSV keeps terminal controls that the other formats escape.
  const isUnsafe = output.isTerminal && /csv$/.test(settings.format);
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
      const outline = outlineFormat({ color, stripUrl: strips && site.origin });
      // the summary goes to standard error
      return { write: (event) => event.type === "finished" ? "" : outline.write(event) };
    }
    case "tabtree":
      return tabtreeFormat(shorten);
    case "pages":
      return pagesFormat(shorten);
    case "ndjson":
      return {
        write: (event) =>
          event.type === "page" ? pageToJsonText(event.page, event.sitemap.url) + "\n" : "",
        escape: escapeControlsInJson,
      };
    case "json": {
      const { jsonFormat } = await import("../write/json.ts");
      return jsonFormat({ sitemap: true });
    }
    case "csv": {
      const { csvFormat } = await import("../write/csv.ts");
      return csvFormat(settings.columns === undefined ? {} : { columns: settings.columns });
    }
    case "xml": {
      const { sitemapXmlFormat } = await import("../write/xml.ts");
      const { limitedSitemap } = await import("./sources.ts");
      return limitedSitemap(sitemapXmlFormat({}));
    }
    case "events": {
      const { ndjsonFormat } = await import("../write/ndjson.ts");
      return ndjsonFormat();
    }
    case "sitemaps":
    case "sitemaps-csv":
    case "sitemaps-ndjson": {
      const { sitemapCsvFormat, sitemapNdjsonFormat, sitemapTableFormat } = await import(
        "./sitemap_rows.ts"
      );
      if (settings.format === "sitemaps") return sitemapTableFormat(shorten);
      return settings.format === "sitemaps-csv" ? sitemapCsvFormat() : sitemapNdjsonFormat();
    }
  }
}
