/**
 * Formats of the pages of a run, and of the sites that were given up.
 *
 * @module
 */

import type { DeadSite, FleetPage } from "../../fleet/mod.ts";
import { COLUMNS } from "../../write/csv.ts";
import { escapeControls, escapeControlsInJson } from "../../write/escape.ts";
import { type TextFormat, TextWriter } from "../../write/text_stream.ts";
import type { Arguments } from "../arguments.ts";
import { csvTable } from "../change_formats.ts";
import type { FormatName } from "../format_names.ts";
import type { Output } from "../output.ts";

/** Creates a format; `isTerminal` says whether it is written to one. */
type FormatMaker<T> = (isTerminal: boolean) => TextFormat<T>;

/** Columns of a page in CSV: those of `ls`, its sitemap and its site. */
const PAGE_COLUMNS = [
  ...["url", "priority", "lastModified", "changeFrequency"].map((name) => {
    const { read } = COLUMNS.find((column) => column.name === name)!;
    return [name, (page: FleetPage) => read(page, undefined)] as const;
  }),
  ["sitemap", ({ sitemap }: FleetPage) => sitemap],
  ["site", ({ site }: FleetPage) => site],
] as const;

const PAGE_FORMATS: Readonly<Record<FormatName<"fleetPages">, FormatMaker<FleetPage>>> = {
  ndjson: () => ({ write: pageLine }),
  csv: (isTerminal) => csvTable(PAGE_COLUMNS, isTerminal),
};

const DEAD_FORMATS: Readonly<Record<FormatName<"deadSites">, FormatMaker<DeadSite>>> = {
  text: () => ({ write: (site) => `${deadLine(site)}\n` }),
  ndjson: () => ({ write: (site) => `${escapeControlsInJson(JSON.stringify(site))}\n` }),
  csv: (isTerminal) =>
    csvTable<DeadSite>([
      ["homepage", ({ homepage }) => homepage],
      ["reason", ({ reason }) => reason],
      ["failures", ({ failures }) => failures],
      ["crashes", ({ crashes }) => crashes],
      ["since", ({ since }) => since.toISOString()],
    ], isTerminal),
};

/** Returns the format of pages that the options ask for. */
export function pageFormat(args: Arguments): FormatMaker<FleetPage> {
  return marked(args, PAGE_FORMATS[args.format<FormatName<"fleetPages">>()]);
}

/** Returns the format of sites that were given up that the options ask for. */
export function deadFormat(args: Arguments): FormatMaker<DeadSite> {
  return marked(args, DEAD_FORMATS[args.format<FormatName<"deadSites">>()]);
}

/** Returns a format that begins with the byte order mark of `--bom`. */
function marked<T>(args: Arguments, make: FormatMaker<T>): FormatMaker<T> {
  const mark = args.byteOrderMark();
  return (isTerminal) => {
    const format = make(isTerminal);
    return { ...format, head: mark + (format.head ?? "") };
  };
}

/** Returns a line such as `https://example.com/: 503 Service Unavailable`. */
export function deadLine({ homepage, reason }: Pick<DeadSite, "homepage" | "reason">): string {
  // a reason may begin with a URL of the site
  const isNamed = reason.startsWith(homepage);
  return escapeControls(isNamed ? reason : `${homepage}: ${reason}`);
}

/** Returns a page as `ls` writes it, with its site. */
function pageLine({ site, sitemap, ...page }: FleetPage): string {
  return `${escapeControlsInJson(JSON.stringify({ ...page, sitemap, site }))}\n`;
}

/** Writes items to an output, at its pace, until the signal aborts. */
export async function writeItems<T>(
  items: AsyncIterable<T>,
  makeFormat: FormatMaker<T>,
  output: Output,
  signal: AbortSignal,
): Promise<void> {
  const writer = new TextWriter(makeFormat(output.isTerminal), (bytes) => output.write(bytes));
  for await (const item of items) {
    if (signal.aborted) break;
    await writer.write(item);
  }
  await writer.close();
}
