/**
 * `ls`: what a tree lists, in every format.
 *
 * @module
 */

import type { TreeEvent } from "../../data/events.ts";
import { count } from "../../data/text.ts";
import { isSnapshot } from "../../source/snapshot.ts";
import type { Column, PageRow } from "../../write/columns.ts";
import { chosenColumns } from "../../write/csv.ts";
import { pageRowFormat, sitemapRowFormat } from "../../write/event_rows.ts";
import { ndjsonFormat } from "../../write/json.ts";
import { outlineFormat } from "../../write/outline.ts";
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
import { type FormatName, PAGE_FORMATS } from "../format_names.ts";
import type { EventWriter } from "../run/event_writer.ts";
import { readingPlan } from "../run/operands.ts";
import type { Output } from "../run/output.ts";
import { type SampledPage, sampleWriter, Sampling } from "../run/sampling.ts";
import { openSession } from "../run/session.ts";
import { terminalColumns } from "../run/terminal.ts";
import type { WalkTally } from "../run/walk_tally.ts";
import { openFleetAt, sitesOfRun } from "./fleet/open.ts";

/** Pages of a sitemap that the tree shows on a terminal. */
const SHOWN_PAGES = 10;
/** Sitemaps in a tree after which a shorter form is suggested. */
const LONG_TREE = 20;

export async function ls(args: Arguments): Promise<number> {
  const options = formatSettings(args);
  const hasOnlyPages = !args.has("sitemaps") && PAGE_FORMATS.includes(options.format);
  const run = args.value("run");
  const plan = await readingPlan(
    args,
    run === undefined ? undefined : async function* (path, { context: { note }, advice }) {
      await using fleet = await openFleetAt(path, args);
      yield* sitesOfRun(fleet, run, { note, advice });
    },
  );
  using session = await openSession(args);
  const settings = { ...options, warn: (line: string) => session.note(line) };
  const isShortened = settings.format === "tree" && settings.maxPages === SHOWN_PAGES &&
    session.output.isTerminal && plan.operands.length === 1;
  const sample = Sampling.of<SampledPage>(args);
  const open = (site: URL | undefined) =>
    eventWriter(settings, session.output, site, session.color);
  const isPerOperand = settings.stripUrl || settings.format === "tree" ||
    settings.format === "tabtree";
  const exitCode = await session.run({
    ...plan,
    writer: sample === undefined
      ? isPerOperand ? ({ site }) => open(site) : await open(undefined)
      : sampleWriter(
        sample,
        (site = "") => open(isPerOperand ? URL.parse(site) ?? undefined : undefined),
        isPerOperand,
      ),
    // the same seed gives the same pages if they come in the same order
    isParallel: sample === undefined && hasOnlyPages && !settings.stripUrl,
    moreAdvice: ({ tally }) => [
      ...unfetchedAdvice(tally, hasOnlyPages),
      ...(isShortened ? lengthAdvice(tally) : []),
    ],
  });
  if (sample?.isSeedGiven) session.say(sample.summary);
  else if (sample !== undefined) session.note(sample.summary);
  return exitCode;
}

function unfetchedAdvice({ pages, unfetched }: WalkTally, hasOnlyPages: boolean): string[] {
  if (pages > 0 || unfetched === 0 || !hasOnlyPages) return [];
  return [
    `it lists ${count(unfetched, "sitemap")} and no pages: ` +
    '-f tree shows them, "sitetree ls URL" reads them',
  ];
}

function lengthAdvice({ largest, sitemaps }: WalkTally): string[] {
  const shorter = "--sitemaps lists the sitemaps only";
  if (largest > SHOWN_PAGES) return [`--all shows all pages, ${shorter}`];
  return sitemaps > LONG_TREE ? [shorter] : [];
}

// ----------------------------------------------------------------------------------------- formats

interface FormatSettings {
  readonly format: FormatName<"list"> | FormatName<"rows">;
  /** Whether sitemaps are listed instead of pages. Default: false. */
  readonly ofSitemaps?: boolean;
  readonly stripUrl: boolean;
  /** Columns of CSV; rows of JSON and of sitemaps have `site` if it is one. Default: without `site`. */
  readonly columns?: readonly string[];
  /** Text before all output. Default: none. */
  readonly mark?: string;
  /** Pages of a sitemap that the tree shows on a terminal. Default: all. */
  readonly maxPages?: number;
  /** Prints a line about the output on standard error. Default: nothing is printed. */
  readonly warn?: (line: string) => void;
}

interface FormatOptions extends Required<Pick<FormatSettings, "maxPages" | "warn">> {
  readonly shorten: ShortenUrl;
  /** Origin that `--strip-url` omits. */
  readonly origin: string | undefined;
  readonly color: boolean;
  /** Columns of the terminal; infinite elsewhere. */
  readonly width: number;
  readonly columns: readonly Column<PageRow>[];
  readonly hasSite: boolean;
}

type Create = (options: FormatOptions) => TextFormat<TreeEvent> | Promise<TextFormat<TreeEvent>>;

const FORMATS: Readonly<Record<FormatName<"list">, Create>> = {
  tree({ color, origin, maxPages, width }) {
    const shown = width < Infinity ? maxPages : Infinity;
    const outline = outlineFormat({ color, stripUrl: origin ?? false, maxPages: shown });
    // the summary goes to standard error
    return { write: (event) => event.type === "finished" ? "" : outline.write(event) };
  },
  tabtree: ({ shorten }) => tabtreeFormat(shorten),
  pages: ({ shorten }) => pagesFormat(shorten),
  ndjson: (options) => pageRowFormat("ndjson", options),
  json: (options) => pageRowFormat("json", options),
  csv: (options) => pageRowFormat("csv", options),
  async xml({ warn }) {
    // loads @libs/xml, which no other format needs
    const { sitemapXmlFormat } = await import("../../write/xml.ts");
    return sitemapXmlFormat(warn);
  },
  events: () => ndjsonFormat(),
};

function formatSettings(args: Arguments): FormatSettings {
  return {
    ofSitemaps: args.has("sitemaps"),
    format: args.format<FormatSettings["format"]>(),
    stripUrl: args.has("strip-url"),
    columns: args.value<readonly string[]>("columns") ?? defaultColumns(hasManySites(args)),
    maxPages: args.has("all") ? Infinity : SHOWN_PAGES,
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
  const { columns: names = defaultColumns(false) } = settings;
  const origin = settings.stripUrl ? site?.origin : undefined;
  const options = {
    ...{ origin, color, maxPages, warn },
    columns: chosenColumns(names, LIST_COLUMNS),
    shorten: origin === undefined ? keepUrl : stripPrefix(origin),
    width: output.isTerminal ? terminalColumns() : Infinity,
    hasSite: names.includes("site"),
  };
  const { head = "", ...format } = settings.ofSitemaps
    ? sitemapRowFormat(settings.format as FormatName<"rows">, options)
    : await FORMATS[settings.format as FormatName<"list">](options);
  return new TextWriter({ ...format, head: mark + head }, (bytes) => output.write(bytes));
}
