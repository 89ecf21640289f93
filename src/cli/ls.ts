/**
 * `sitetree ls`, `parse` and `replay`: lists sitemaps and their pages as they are found.
 *
 * @module
 */

import { count } from "../data/text.ts";
import type { CsvColumn } from "../write/csv.ts";
import type { Arguments } from "./arguments.ts";
import { EXIT_CODES, UsageError } from "./failure.ts";
import type { FormatName } from "./format_names.ts";
import { eventWriter, FORMATS, type FormatSettings } from "./formats.ts";
import { columnsHelp } from "./help.ts";
import { printText } from "./output.ts";
import { openSession } from "./session.ts";
import { readingPlan } from "./sources.ts";

export async function ls(args: Arguments): Promise<number> {
  if (args.value<unknown>("columns") === "help") {
    await printText(columnsHelp());
    return EXIT_CODES.complete;
  }
  const settings = formatSettings(args);
  const { hasOnlyPages = false, isPerSite = false } = FORMATS[settings.format];
  const plan = await readingPlan(args);
  using session = await openSession(args);
  return await session.run({
    ...plan,
    makeWriter: ({ site }) => eventWriter(settings, session.output, site, session.color),
    isWriterPerSource: settings.stripUrl || isPerSite,
    isParallel: hasOnlyPages && !settings.stripUrl,
    moreAdvice({ tally: { pages, unfetched } }) {
      if (pages > 0 || unfetched === 0 || !hasOnlyPages) return [];
      return [
        `it lists ${count(unfetched, "sitemap")} and no pages: ` +
        '-f tree shows them, "sitetree ls URL" reads them',
      ];
    },
  });
}

export function formatSettings(args: Arguments): FormatSettings {
  const isSplit = args.has("split");
  if (isSplit && args.has("output")) {
    throw new UsageError(
      'Option "--split" cannot be combined with "--output"',
      "it names a folder for several files",
    );
  }
  const format = isSplit && !args.has("format") ? "xml" : args.format<FormatName<"list">>();
  const stripUrl = args.has("strip-url");
  const columns = args.value<readonly CsvColumn[]>("columns");
  if (isSplit && format !== "xml") throw conflict("split", format, "it writes XML sitemaps");
  if (stripUrl && !FORMATS[format].canStripUrl) {
    const names = Object.entries(FORMATS).filter(([, spec]) => spec.canStripUrl);
    throw conflict("strip-url", format, `it works with ${names.map(([name]) => name).join(", ")}`);
  }
  if (columns !== undefined && format !== "csv") {
    throw conflict("columns", format, "add --format=csv");
  }
  return { format, stripUrl, columns };
}

function conflict(option: string, format: string, hint: string): UsageError {
  return new UsageError(`Option "--${option}" cannot be combined with the format ${format}`, hint);
}
