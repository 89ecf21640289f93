/**
 * `sitetree changes`: the changes that the runs of `sitetree sync` found.
 *
 * @module
 */

import { MAX_BATCH_ITEMS } from "../data/batches.ts";
import type { ChangesOptions, Snapshot } from "../sync/mod.ts";
import { TextWriter } from "../write/text_stream.ts";
import { type Arguments, fixedOperands } from "./arguments.ts";
import { CHANGE_FORMATS, type ChangeEvent, isChange } from "./change_formats.ts";
import type { EventWriter, SourceEvent } from "./event_writer.ts";
import { EXIT_CODES, UsageError } from "./failure.ts";
import type { FormatName } from "./format_names.ts";
import type { Reading, Source } from "./reading.ts";
import { PageFilter } from "./selection.ts";
import { openSession, type Session } from "./session.ts";
import { openSnapshotFile, siteOf } from "./snapshots.ts";
import { changeCounts } from "./summary.ts";

/** Runs the command. Returns the exit code. */
export async function changes(args: Arguments): Promise<number> {
  const [path] = fixedOperands(args) as [string];
  const settings = changeSettings(args);
  using snapshot = await openSnapshotFile(path, { readOnly: true });
  const selections = selectionsOf(snapshot, path, args);
  using session = await openSession(args);
  let hasChanges = false;
  const exitCode = await session.run({
    sources: [changesSource(path, snapshot, selections)],
    filter: new PageFilter(),
    makeWriter: () => changeWriter(session, settings, () => hasChanges = true),
    isWriterPerSource: false,
    summary: (reading) => summaryOf(reading, selections),
  });
  const isSignalled = hasChanges && args.has("exit-code") && exitCode === EXIT_CODES.complete;
  return isSignalled ? EXIT_CODES.changes : exitCode;
}

interface ChangeSettings {
  readonly format: FormatName<"changes">;
  /** Byte order mark, or nothing. */
  readonly mark: string;
}

/** Returns the format of changes that the options ask for. */
export function changeSettings(args: Arguments): ChangeSettings {
  return { format: args.format<FormatName<"changes">>(), mark: args.byteOrderMark() };
}

/** Returns a writer of changes, which ignores other events. */
export function changeWriter(
  { output, color }: Session,
  { format, mark }: ChangeSettings,
  onChange?: () => void,
): EventWriter {
  const { write, head = "", ...rest } = CHANGE_FORMATS[format]({
    color,
    isTerminal: output.isTerminal,
  });
  return new TextWriter({
    ...rest,
    head: mark + head,
    write(event: SourceEvent) {
      if (!isChange(event)) return "";
      onChange?.();
      return write(event);
    },
  }, (bytes) => output.write(bytes));
}

/** Returns which changes to read: by default those of the last run of each site. */
function selectionsOf(snapshot: Snapshot, path: string, args: Arguments): ChangesOptions[] {
  const wanted = args.value("site");
  const site = wanted === undefined ? undefined : siteOf(snapshot, path, wanted);
  const since = args.value<number | Date>("since");
  if (since === undefined) {
    const sites = site === undefined ? snapshot.sites().map(({ homepage }) => homepage) : [site];
    return sites.map((site) => ({ site, since: runBeforeLast(snapshot, site) }));
  }
  const runs = snapshot.runs();
  if (typeof since === "number" && since > 0 && !runs.some(({ id }) => id === since)) {
    const [first = 0, last = 0] = [runs[0]?.id, runs.at(-1)?.id];
    throw new UsageError(
      `Unknown run ${since} in "${path}": it has runs ${first} to ${last}`,
      since > last
        ? "a date is written as 2024-05-01"
        : "earlier ones were deleted by --keep-runs; --since 0 prints all changes",
    );
  }
  return [{ since, ...(site === undefined ? {} : { site }) }];
}

/** Returns the number of the run before the last one that ended; 0 if there is none. */
function runBeforeLast(snapshot: Snapshot, site: string): number {
  const ended = snapshot.runs(site).filter(({ finished }) => finished !== undefined);
  return ended.at(-2)?.id ?? 0;
}

function changesSource(
  path: string,
  snapshot: Snapshot,
  selections: readonly ChangesOptions[],
): Source {
  return {
    name: path,
    site: undefined,
    async *read({ tally }) {
      for (const selection of selections) {
        let batch: ChangeEvent[] = [];
        for (const change of snapshot.changes(selection)) {
          if (batch.push(change) < MAX_BATCH_ITEMS) continue;
          yield batch;
          batch = [];
        }
        yield batch;
      }
      tally.verdict = "complete";
    },
  };
}

function summaryOf({ tally: { changes } }: Reading, selections: readonly ChangesOptions[]): string {
  const { added, changed, removed } = changes;
  const counts = added + changed + removed === 0 ? "no changes" : changeCounts(changes);
  const [{ since = 0 } = {}, other] = selections;
  if (other !== undefined || since === 0) return counts;
  return `${counts} since ${typeof since === "number" ? `run ${since}` : since.toISOString()}`;
}
