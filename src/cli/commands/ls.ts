/**
 * `sitetree ls`, `parse` and `replay`: lists sitemaps and their pages as they are found.
 *
 * @module
 */

import { count } from "../../data/text.ts";
import type { Arguments } from "../arguments.ts";
import { EXIT_CODES } from "../failure.ts";
import { eventWriter, formatSettings } from "../formats.ts";
import { columnsHelp } from "../help.ts";
import type { FormatName } from "../options.ts";
import { printText } from "../output.ts";
import type { Reading } from "../reading.ts";
import { openSession } from "../session.ts";
import { readingPlan } from "../sources.ts";

/** Formats that show the sitemaps that an index lists. */
const SHOWING_LISTS: ReadonlySet<FormatName> = new Set([
  "tree",
  "tabtree",
  "events",
  "sitemaps",
  "sitemaps-csv",
  "sitemaps-ndjson",
]);

/** Formats in which pages of several sites may be mixed. */
const PARALLEL: ReadonlySet<FormatName> = new Set(["pages", "ndjson", "json", "csv", "xml"]);
/** Formats without head and end, which depend on the site. */
const PER_SOURCE: ReadonlySet<FormatName> = new Set(["tree", "tabtree"]);

/** Runs the command. Returns the exit code. */
export async function ls(args: Arguments): Promise<number> {
  const format = formatSettings(args);
  if (format.listsColumns) {
    await printText(columnsHelp());
    return EXIT_CODES.complete;
  }
  const plan = await readingPlan(args);
  using session = await openSession(args);
  return await session.run({
    ...plan,
    makeWriter: ({ site }) => eventWriter(format, session.output, site, session.color),
    isWriterPerSource: format.stripUrl || PER_SOURCE.has(format.format),
    isParallel: PARALLEL.has(format.format) && !format.stripUrl,
    moreAdvice: (reading) => unfetchedAdvice(reading, format.format),
  });
}

function unfetchedAdvice({ tally }: Reading, format: FormatName): string[] {
  if (tally.pages > 0 || tally.unfetched === 0 || SHOWING_LISTS.has(format)) return [];
  return [
    `it lists ${count(tally.unfetched, "sitemap")} and no pages: ` +
    '-f tree shows them, "sitetree ls URL" reads them',
  ];
}
