/**
 * `sitetree stats`: a report on the sitemaps of a site.
 *
 * @module
 */

import type { Arguments } from "../arguments.ts";
import type { EventWriter } from "../event_writer.ts";
import { reportFormat } from "../formats.ts";
import type { ReportFormatName } from "../options.ts";
import type { Reading } from "../reading.ts";
import { openSession, type Session } from "../session.ts";
import { readingPlan } from "../sources.ts";
import { statsJson, statsText } from "../stats_report.ts";
import { StatsTally } from "../stats_tally.ts";
import { summaryLine } from "../summary.ts";
import { terminalColumns } from "../terminal.ts";

/** Columns of a report, at most on a terminal and always in a file. */
const MAX_WIDTH = 100;
const FILE_WIDTH = 80;

/** Runs the command. Returns the exit code. */
export async function stats(args: Arguments): Promise<number> {
  const format = reportFormat(args);
  const plan = await readingPlan(args);
  using session = await openSession(args);
  let reports = 0;
  return await session.run({
    ...plan,
    makeWriter: (_source, reading) => reportWriter(session, reading, format, reports++ > 0),
    isWriterPerSource: true,
    reportsEnding: true,
    keepsEmpty: true,
  });
}

/** Returns a writer of a report, which is written once there are no more events. */
function reportWriter(
  { output, color }: Session,
  reading: Reading,
  format: ReportFormatName,
  isFurther: boolean,
): EventWriter {
  const stats = new StatsTally();
  return {
    write(event) {
      stats.see(event);
      return undefined;
    },
    async close() {
      const { ending = "interrupted", tally, elapsed } = reading;
      const width = output.isTerminal ? Math.min(terminalColumns(), MAX_WIDTH) : FILE_WIDTH;
      const text = format === "json"
        ? statsJson(stats, { ending, tally, elapsed })
        : (isFurther ? "\n" : "") + statsText(stats, summaryLine(reading), { width, color });
      await output.write(new TextEncoder().encode(text));
    },
  };
}
