import { count } from "../data/text.ts";
import { type Arguments, formatConflict } from "./arguments.ts";
import type { ListColumn } from "./columns.ts";
import { EXIT_CODES, UsageError } from "./failure.ts";
import type { FormatName } from "./format_names.ts";
import { eventWriter, type FormatSettings, formatsOf, type FormatSpec } from "./formats.ts";
import { columnsHelp } from "./help.ts";
import { printText } from "./output.ts";
import { openSession } from "./session.ts";
import type { WalkTally } from "./reading.ts";
import { type SampledPage, sampleWriter, sampling, samplingOption } from "./sampling.ts";
import { isSnapshot } from "./snapshots.ts";
import { readingPlan } from "./sources.ts";

/** Pages of a sitemap that the tree shows on a terminal. */
const SHOWN_PAGES = 10;
/** Sitemaps in a tree after which a shorter form is suggested. */
const LONG_TREE = 20;

export async function ls(args: Arguments): Promise<number> {
  if (args.value<unknown>("columns") === "help") {
    await printText(columnsHelp());
    return EXIT_CODES.complete;
  }
  const options = formatSettings(args);
  const { hasOnlyPages = false, isPerSite = false } = formatsOf(options)[options.format]!;
  const plan = await readingPlan(args);
  using session = await openSession(args);
  const settings = { ...options, warn: (line: string) => session.note(line) };
  const isShortened = settings.format === "tree" && settings.maxPages !== undefined &&
    session.output.isTerminal && plan.sources.length === 1;
  const sample = sampling<SampledPage>(args);
  const open = (site: URL | undefined) =>
    eventWriter(settings, session.output, site, session.color);
  const isWriterPerSource = settings.stripUrl || isPerSite;
  const exitCode = await session.run({
    ...plan,
    makeWriter({ site: first }) {
      if (sample === undefined) return open(first);
      const ofSite = (site = "") => open(isWriterPerSource ? URL.parse(site) ?? undefined : first);
      return sampleWriter(sample, ofSite, isWriterPerSource);
    },
    isWriterPerSource: sample === undefined && isWriterPerSource,
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

export function formatSettings(args: Arguments): FormatSettings {
  const sampled = samplingOption(args);
  const format = listFormat(args, sampled !== undefined);
  const stripUrl = args.has("strip-url");
  const columns = args.value<readonly ListColumn[]>("columns");
  const ofSitemaps = args.has("sitemaps");
  const formats = formatsOf({ ofSitemaps });
  const { hasOnlyPages = false, canStripUrl = false } = formats[format]!;
  const ofPages = ["sample", "per-pattern", "columns"].find((name) => args.has(name));
  if (ofSitemaps && ofPages !== undefined) {
    throw new UsageError(`Option "--sitemaps" cannot be combined with "--${ofPages}"`);
  }
  if (sampled !== undefined && !hasOnlyPages) {
    throw formatConflict(sampled, format, `it works with ${formatsWith("hasOnlyPages", formats)}`);
  }
  if (stripUrl && !canStripUrl) {
    throw formatConflict(
      "strip-url",
      format,
      `it works with ${formatsWith("canStripUrl", formats)}`,
    );
  }
  if (columns !== undefined && format !== "csv") {
    throw formatConflict("columns", format, "add --format=csv");
  }
  if (args.has("all") && format !== "tree") {
    throw formatConflict("all", format, "it works with tree");
  }
  if (args.has("notes") && format !== "events") {
    throw formatConflict("notes", format, "add --format=events");
  }
  return {
    ...{ format, ofSitemaps, stripUrl, columns },
    hasSite: hasManySites(args),
    mark: args.byteOrderMark(),
    ...(!args.has("all") && { maxPages: SHOWN_PAGES }),
  };
}

function listFormat(args: Arguments, isSampled: boolean): FormatName<"list"> {
  if (args.has("format")) return args.format();
  const format = args.format<FormatName<"list">>();
  return isSampled && format === "tree" ? "pages" : format;
}

function formatsWith(
  property: "hasOnlyPages" | "canStripUrl",
  formats: Readonly<Record<string, FormatSpec>>,
): string {
  return Object.keys(formats).filter((name) => formats[name]![property]).join(", ");
}

/** A list or a snapshot counts as many: its length may change from one run to the next. */
function hasManySites(args: Arguments): boolean {
  const { operands } = args;
  return operands.length > 1 || args.has("from") || !args.has("site") && operands.some(isSnapshot);
}
