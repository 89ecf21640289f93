import type { TreeEvent } from "../data/events.ts";
import { diff as diffOf, type DiffEvent } from "../sync/diff.ts";
import type { PageField } from "../sync/identity.ts";
import type { TextFormat } from "../write/text_stream.ts";
import { type Arguments, fixedOperands } from "./arguments.ts";
import { DIFF_FORMATS, type DiffRow, type DiffSummary, markdown } from "./diff_formats.ts";
import { EXIT_CODES, OutputClosed } from "./failure.ts";
import type { FormatName } from "./format_names.ts";
import type { Reading, Source } from "./reading.ts";
import { type RowColumn, rowFormat } from "./row_formats.ts";
import { PageFilter, pageFilterOptions } from "./selection.ts";
import { openSession, type OperandOptions, type Session } from "./session.ts";
import { type ReadingPlan, readingPlan } from "./sources.ts";
import { changeCounts } from "./summary.ts";

export async function diff(args: Arguments): Promise<number> {
  const [a, b] = await twoSides(args);
  using session = await openSession(args);
  const fields = args.value<readonly PageField[]>("fields");
  const events = diffOf(a.events(session), b.events(session), {
    ignoreOrigin: args.has("ignore-origin"),
    ...(fields !== undefined && { fields }),
  });
  let summary: DiffSummary | undefined;
  async function* rows(): AsyncGenerator<readonly DiffRow[], void, void> {
    for await (const batch of events.batches()) {
      const found = batch.map((event) => rowOf(event, a.name, b.name));
      const last = found.at(-1);
      if (last?.type === "summary") summary = last;
      yield found;
    }
  }
  try {
    await session.follow(() => session.writeRows(rows(), rowsFormat(args, session)));
  } catch (error) {
    // the reader closed the pipe, as `head` does
    if (!(error instanceof OutputClosed)) throw error;
  }
  if (session.signal.aborted || summary === undefined) return session.exitCode;
  const { added, changed, removed, verdictA, verdictB } = summary;
  const isEmpty = added + changed + removed === 0;
  session.say(isEmpty ? "no differences" : changeCounts(summary));
  if (verdictA !== "complete" || verdictB !== "complete") return EXIT_CODES.partial;
  return !isEmpty && args.has("exit-code") ? EXIT_CODES.changes : EXIT_CODES.complete;
}

async function twoSides(args: Arguments): Promise<[Side, Side]> {
  fixedOperands(args);
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
    const batches = () => this.#read(session);
    return {
      batches,
      async *[Symbol.asyncIterator]() {
        for await (const batch of batches()) yield* batch;
      },
    } as AsyncIterable<TreeEvent>;
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

function rowOf(event: DiffEvent, a: string, b: string): DiffRow {
  if (event.type === "incomplete") return { ...event, site: event.side === "a" ? a : b };
  if (event.type === "finished") {
    const { verdicts, stats } = event;
    return { type: "summary", a, verdictA: verdicts.a, b, verdictB: verdicts.b, ...stats };
  }
  const site = event.type === "removed" ? a : b;
  return { ...event, sitemap: event.sitemap.url, site };
}

const SUMMARY_COLUMNS: readonly RowColumn<DiffSummary>[] = [
  ["a", ({ a }) => a],
  ["verdictA", ({ verdictA }) => verdictA],
  ["b", ({ b }) => b],
  ["verdictB", ({ verdictB }) => verdictB],
  ["added", ({ added }) => added, "count"],
  ["changed", ({ changed }) => changed, "count"],
  ["removed", ({ removed }) => removed, "count"],
  ["unchanged", ({ unchanged }) => unchanged, "count"],
];

/** Columns that a narrow terminal lacks: a side that was not read completely is named before. */
const DROP = ["unchanged", "verdictA", "verdictB", "b"];

function rowsFormat(args: Arguments, session: Session): TextFormat<DiffRow> {
  const { color, output: { isTerminal } } = session;
  const name = args.format<FormatName<"diff">>();
  if (!args.has("summary")) {
    const { head = "", ...rest } = DIFF_FORMATS[name]({ color, isTerminal });
    return { head: args.byteOrderMark() + head, ...rest };
  }
  if (name === "markdown") return markdown(0);
  const { write, ...rest } = rowFormat(args, SUMMARY_COLUMNS, isTerminal, DROP);
  return { ...rest, write: (row) => row.type === "summary" ? write(row) : "" };
}
