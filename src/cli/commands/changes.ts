import type { ChangesOptions, RecordedChange, RecordedRun, Snapshot } from "../../sync/mod.ts";
import type { RowSpec } from "../../write/rows.ts";
import type { Arguments } from "../arguments.ts";
import { type ChangeEvent, changeRows } from "../../sync/change_rows.ts";
import { EXIT_CODES, Failure, OutputClosed, UsageError } from "../failure.ts";
import { openSession, type Session } from "../run/session.ts";
import { wantedSite } from "../../source/snapshot.ts";
import { openSnapshotOf } from "../run/operands.ts";
import { changeCounts } from "../run/summary.ts";

type Counts = Record<ChangeEvent["type"], number>;

const NO_CHANGES: Readonly<Counts> = { added: 0, changed: 0, removed: 0 };

type ChangeBatches = AsyncIterable<readonly RecordedChange[]>;

export async function changes(args: Arguments): Promise<number> {
  const [path] = args.operands as [string];
  await using snapshot = await openSnapshotOf(args, path, { readOnly: true });
  const batches = await selectedChanges(snapshot, path, args);
  using session = await openSession(args);
  const counts = new Map<string, Counts>();
  const total = { ...NO_CHANGES };
  const counted = countedBy(batches, counts, total);
  try {
    if (args.has("summary")) {
      await session.writeRows(
        summaries(counted, counts),
        session.rowFormat(args, SUMMARIES),
      );
    } else {
      await writeChanges(snapshot, counted, session, args);
    }
    if (!session.signal.aborted) {
      session.say(counts.size === 0 ? "no changes" : changeCounts(total));
    }
  } catch (error) {
    if (error instanceof RangeError) {
      throw new UsageError(error.message, `"sitetree ls ${path}" reads the pages of today`);
    }
    // the reader closed the pipe, as `head` does
    if (!(error instanceof OutputClosed)) throw error;
  }
  const isSignalled = counts.size > 0 && args.has("exit-code") && !session.signal.aborted;
  return isSignalled ? EXIT_CODES.changes : session.exitCode;
}

async function writeChanges(
  snapshot: Snapshot,
  batches: ChangeBatches,
  session: Session,
  args: Arguments,
): Promise<void> {
  const consumer = args.value("consumer");
  let written: number | undefined, acknowledged: number | undefined;
  const acknowledge = async () => {
    if (!args.has("ack") || written === undefined || session.signal.aborted) return;
    await snapshot.ack(consumer!, written);
    acknowledged = written;
  };
  // a file and an array are of use only when they are complete
  const isWhole = args.has("output") || args.format() === "json";
  try {
    await session.writeRows<RecordedChange>(
      batches,
      session.rowFormat(args, changeRows(session.color)),
      async (batch) => {
        written = batch.at(-1)!.sequence;
        if (!isWhole) await acknowledge();
      },
    );
    if (isWhole) await acknowledge();
  } catch (error) {
    if (!args.has("ack") || !(error instanceof OutputClosed)) throw error;
    const since = acknowledged === undefined ? "nothing" : `only changes up to ${acknowledged}`;
    throw new Failure(`${error.message}: ${since} acknowledged for "${consumer}"`);
  }
}

/** Options that select changes; otherwise they are those of the last run. */
const SELECTIONS = ["after", "since", "consumer"];

async function selectedChanges(
  snapshot: Snapshot,
  path: string,
  args: Arguments,
): Promise<ChangeBatches> {
  const wanted = args.value("site");
  const site = wanted && (await wantedSite(snapshot, path, wanted)).homepage;
  const since = args.value<number>("since");
  if (SELECTIONS.some((name) => args.has(name))) {
    return snapshot.changes({
      ...args.given<ChangesOptions>("after", "consumer"),
      ...(since !== undefined && { since: new Date(since) }),
      ...(site !== undefined && { site }),
    }).batches();
  }
  const last = new Map<string, RecordedRun>();
  for await (const run of snapshot.runs(site)) {
    if (run.finished !== undefined) last.set(run.site, run);
  }
  const runs = [...last.values()];
  const first = runs.reduce((first, { after }) => Math.min(first, after), Infinity);
  return snapshot.changesOf(new Set(runs.map(({ id }) => id)), first).batches();
}

/** Counts changes by site while they are read. */
async function* countedBy(
  batches: ChangeBatches,
  counts: Map<string, Counts>,
  total: Counts,
): AsyncGenerator<readonly RecordedChange[], void, void> {
  for await (const batch of batches) {
    for (const { site, type } of batch) {
      const ofSite = counts.get(site) ?? { ...NO_CHANGES };
      counts.set(site, ofSite);
      ofSite[type]++;
      total[type]++;
    }
    yield batch;
  }
}

type Summary = readonly [site: string, counts: Counts];

const SUMMARIES: RowSpec<Summary> = {
  columns: [
    ["site", ([site]) => site],
    ["added", ([, { added }]) => added, "count"],
    ["changed", ([, { changed }]) => changed, "count"],
    ["removed", ([, { removed }]) => removed, "count"],
  ],
};

/** Yields the numbers of changes of each site, once all are counted. */
async function* summaries(
  counted: ChangeBatches,
  counts: ReadonlyMap<string, Counts>,
): AsyncGenerator<readonly Summary[], void, void> {
  for await (const _ of counted);
  yield [...counts];
}
