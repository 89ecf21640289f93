/**
 * `sitetree stats`: a report on the sitemaps of a site.
 *
 * @module
 */

import type { TreeEvent } from "../../data/events.ts";
import type { Arguments } from "../arguments.ts";
import type { EventWriter } from "../formats.ts";
import { reportFormat } from "../formats.ts";
import type { ReportFormatName } from "../options.ts";
import { terminalColumns } from "../terminal.ts";
import type { Reading } from "../session.ts";
import { openSession, type Session } from "../session.ts";
import { readingPlan } from "../sources.ts";
import { StatsReport } from "../stats_report.ts";
import { StatsTally } from "../stats_tally.ts";
import { summaryLine } from "../summary.ts";

/** Longer lines are hard to read. */
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
    makeWriter: (_source, reading) => new ReportWriter(session, reading, format, reports++ === 0),
    isWriterPerSource: true,
    reportsEnding: true,
    keepsEmpty: true,
  });
}

/** Writes the report once all events are there. */
class ReportWriter implements EventWriter {
  readonly #stats = new StatsTally();
  readonly #session: Session;
  readonly #reading: Reading;
  readonly #format: ReportFormatName;
  readonly #isFirst: boolean;

  constructor(session: Session, reading: Reading, format: ReportFormatName, isFirst: boolean) {
    this.#session = session;
    this.#reading = reading;
    this.#format = format;
    this.#isFirst = isFirst;
  }

  write(event: TreeEvent): undefined {
    this.#stats.see(event);
  }

  async close(): Promise<void> {
    const { output, color } = this.#session;
    const width = output.isTerminal ? Math.min(terminalColumns(), MAX_WIDTH) : FILE_WIDTH;
    const report = new StatsReport(this.#stats, width, color);
    const text = this.#format === "json"
      ? report.json(this.#reading)
      : (this.#isFirst ? "" : "\n") + report.text(summaryLine(this.#reading));
    await output.write(new TextEncoder().encode(text));
  }
}
