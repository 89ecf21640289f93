/**
 * `sitetree stats`: a report on the sitemaps of a site.
 *
 * @module
 */

import type { TreeEvent } from "../events.ts";
import type { Arguments } from "./arguments.ts";
import type { EventWriter } from "./event_writer.ts";
import { terminalColumns } from "./screen.ts";
import { selectionOfWalk } from "./selection.ts";
import { openSession, type Session } from "./session.ts";
import { startWalk } from "./site_walk.ts";
import { StatsReport } from "./stats_report.ts";
import { StatsTally } from "./stats_tally.ts";
import { selectionOptions, walkSettings } from "./walk_settings.ts";

/** The widest that a report gets: longer lines are hard to read. */
const MAX_WIDTH = 100;
const FILE_WIDTH = 80;

/** Runs the command: what the process exits with. */
export async function stats(args: Arguments): Promise<number> {
  const settings = walkSettings(args);
  const { selection, maxPages } = selectionOfWalk(selectionOptions(args));
  using session = await openSession(args);
  const { batches, advice } = await startWalk(settings, session, maxPages);
  return await session.run({
    batches,
    selection,
    writer: new ReportWriter(session),
    tellsEnding: "always",
    keepsEmpty: true,
    moreAdvice: advice,
  });
}

/** Writes the report once all events are there. */
class ReportWriter implements EventWriter {
  readonly #stats = new StatsTally();
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  write(event: TreeEvent): undefined {
    this.#stats.see(event);
  }

  async close(): Promise<void> {
    const { output, color } = this.#session;
    const width = output.isTerminal ? Math.min(terminalColumns(), MAX_WIDTH) : FILE_WIDTH;
    const report = new StatsReport(this.#stats, width, color);
    await output.write(new TextEncoder().encode(report.text(this.#session.summary())));
  }
}
