/**
 * `sitetree sites` and `sitetree runs`: what a snapshot holds, as tables.
 *
 * @module
 */

import type { RecordedRun, RecordedSite, RowStream, Snapshot } from "../sync/mod.ts";
import { type Arguments, fixedOperands } from "./arguments.ts";
import { OutputClosed } from "./failure.ts";
import { type RowColumn, rowFormat } from "./row_formats.ts";
import { openSession } from "./session.ts";
import { openSnapshotAt, siteOf } from "./snapshots.ts";

/** Columns about how a run ended. */
const ENDING: readonly RowColumn<RecordedRun>[] = [
  ["verdict", ({ verdict }) => verdict],
  ["code", ({ code }) => code],
  ["finished", ({ finished }) => finished?.toISOString()],
  ["reason", ({ reason }) => reason],
];

const SITE_COLUMNS: readonly RowColumn<RecordedSite>[] = [
  ["site", ({ homepage }) => homepage],
  ["pages", ({ pages }) => pages, "count"],
  ...ENDING.map(([name, read]): RowColumn<RecordedSite> => [
    name,
    ({ lastRun }) => lastRun && read(lastRun),
  ]),
];

const RUN_COLUMNS: readonly RowColumn<RecordedRun>[] = [
  ["run", ({ id }) => id, "number"],
  ["site", ({ site }) => site],
  ["after", ({ after }) => after, "number"],
  ["added", ({ added }) => added, "count"],
  ["changed", ({ changed }) => changed, "count"],
  ["removed", ({ removed }) => removed, "count"],
  ["unconfirmed", ({ unconfirmed }) => unconfirmed, "count"],
  ["started", ({ started }) => started.toISOString()],
  ...ENDING,
];

/** `sites`. */
export async function sites(args: Arguments): Promise<number> {
  return await writeTable(args, SITE_COLUMNS, (snapshot) => snapshot.sites());
}

/** `runs`. */
export async function runs(args: Arguments): Promise<number> {
  return await writeTable(args, RUN_COLUMNS, async (snapshot, path) => {
    const wanted = args.value("site");
    return snapshot.runs(wanted && (await siteOf(snapshot, path, wanted)).homepage);
  });
}

async function writeTable<T>(
  args: Arguments,
  columns: readonly RowColumn<T>[],
  read: (snapshot: Snapshot, path: string) => RowStream<T> | Promise<RowStream<T>>,
): Promise<number> {
  const [path] = fixedOperands(args) as [string];
  await using snapshot = await openSnapshotAt(path, args, { readOnly: true });
  using session = await openSession(args);
  const format = rowFormat(args, columns, session.output.isTerminal);
  try {
    await session.writeRows((await read(snapshot, path)).batches(), format);
  } catch (error) {
    if (!(error instanceof OutputClosed)) throw error;
  }
  return session.exitCode;
}
