import type { TreeEvent } from "../../data/events.ts";
import { diff as diffOf, type DiffEvent } from "../../sync/diff.ts";
import { rowStream } from "../../sync/row_stream.ts";
import type { PageField } from "../../sync/identity.ts";
import type { RowSpec } from "../../write/rows.ts";
import type { Arguments } from "../arguments.ts";
import { type DiffRow, diffRows, type DiffSummary, markdown } from "../diff_formats.ts";
import { EXIT_CODES } from "../run/failure.ts";
import type { FormatName } from "../format_names.ts";
import type { Reading, Source } from "../run/reading.ts";
import { rowFormat } from "../row_formats.ts";
import { PageFilter, pageFilterOptions } from "../run/selection.ts";
import { openSession, type OperandOptions, type Session } from "../run/session.ts";
import { type ReadingPlan, readingPlan } from "../sources.ts";
import { changeCounts } from "../run/summary.ts";
import { terminalColumns } from "../run/terminal.ts";

export async function diff(args: Arguments): Promise<number> {
  const [a, b] = await twoSides(args);
  using session = await openSession(args);
  const events = diffOf(a.events(session), b.events(session), {
    ignoreOrigin: args.has("ignore-origin"),
    ...args.given<{ fields: readonly PageField[] }>("fields"),
  });
  let summary: DiffSummary | undefined;
  async function* rows(): AsyncGenerator<readonly DiffRow[], void, void> {
    for await (const batch of events.batches()) {
      const found: DiffRow[] = [];
      for (const event of batch) {
        if (event.type === "finished") summary = summaryOf(event, a.name, b.name);
        else found.push(rowOf(event, a.name, b.name));
      }
      yield found;
    }
  }
  async function* summaries(): AsyncGenerator<readonly DiffSummary[], void, void> {
    for await (const _ of rows());
    if (summary !== undefined) yield [summary];
  }
  async function write(): Promise<void> {
    const { color, output: { isTerminal } } = session;
    const isSummary = args.has("summary");
    if (args.format<FormatName<"diff">>() === "markdown") {
      const format = markdown(() => summary, isSummary ? 0 : undefined);
      return await session.writeRows(rows(), { head: args.byteOrderMark(), ...format });
    }
    if (isSummary) {
      return await session.writeRows(summaries(), rowFormat(args, SUMMARIES, isTerminal));
    }
    const spec = diffRows(color, isTerminal ? terminalColumns() : Infinity);
    await session.writeRows(rows(), rowFormat(args, spec, isTerminal));
  }
  await session.follow(write);
  if (session.signal.aborted || summary === undefined) return session.exitCode;
  const { added, changed, removed, verdictA, verdictB } = summary;
  const isEmpty = added + changed + removed === 0;
  session.say(isEmpty ? "no differences" : changeCounts(summary));
  if (verdictA !== "complete" || verdictB !== "complete") return EXIT_CODES.partial;
  return !isEmpty && args.has("exit-code") ? EXIT_CODES.changes : EXIT_CODES.complete;
}

async function twoSides(args: Arguments): Promise<[Side, Side]> {
  const plan = await readingPlan(args);
  const [a, b] = plan.sources as readonly [Source, Source];
  return [new Side(a, plan, args), new Side(b, plan, args)];
}

class Side {
  readonly #source: Source;
  readonly #options: OperandOptions;
  readonly #concurrency: number;
  #reading: Reading | undefined;

  constructor(source: Source, plan: ReadingPlan, args: Arguments) {
    const { sources: _, concurrency = 1, ...options } = plan;
    // each side has its own limits
    const filter = new PageFilter(pageFilterOptions(args));
    this.#source = source;
    this.#options = { ...options, filter, isUnattended: true };
    this.#concurrency = concurrency;
  }

  /** A URL or a path; final once it was read. */
  get name(): string {
    return this.#reading?.name ?? this.#source.name;
  }

  /** What was lost is printed when they end. */
  events(session: Session): AsyncIterable<TreeEvent> {
    return rowStream(() => this.#read(session));
  }

  async *#read(session: Session): AsyncGenerator<readonly TreeEvent[], void, void> {
    const reading = session.begin(this.name, this.#options, () => this.#concurrency);
    this.#reading = reading;
    for await (const batch of this.#source.read(reading)) {
      reading.watch.progress();
      for (const event of batch) session.add(event, reading);
      yield batch as readonly TreeEvent[];
    }
    reading.ending = reading.tally.verdict ?? "partial";
    session.end(reading, this.#options, false);
  }
}

type DiffFinished = Extract<DiffEvent, { readonly type: "finished" }>;

function summaryOf({ verdicts, stats }: DiffFinished, a: string, b: string): DiffSummary {
  return { a, verdictA: verdicts.a, b, verdictB: verdicts.b, ...stats };
}

function rowOf(event: Exclude<DiffEvent, DiffFinished>, a: string, b: string): DiffRow {
  if (event.type === "incomplete") return { ...event, site: event.side === "a" ? a : b };
  const site = event.type === "removed" ? a : b;
  return { ...event, sitemap: event.sitemap.url, site };
}

const SUMMARIES: RowSpec<DiffSummary> = {
  columns: [
    ["a", ({ a }) => a],
    ["verdictA", ({ verdictA }) => verdictA],
    ["b", ({ b }) => b],
    ["verdictB", ({ verdictB }) => verdictB],
    ["added", ({ added }) => added, "count"],
    ["changed", ({ changed }) => changed, "count"],
    ["removed", ({ removed }) => removed, "count"],
    ["unchanged", ({ unchanged }) => unchanged, "count"],
  ],
  // a side that was not read completely is named before
  drop: ["unchanged", "verdictA", "verdictB", "b"],
};
