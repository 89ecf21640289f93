import type { TreeEvent } from "../../data/events.ts";
import { diff as diffOf, type DiffEvent } from "../../sync/diff.ts";
import { rowStream } from "../../sync/row_stream.ts";
import type { PageField } from "../../sync/identity.ts";
import type { Arguments } from "../arguments.ts";
import {
  changeRows,
  DIFF_SUMMARY_ROWS,
  type DiffRow,
  type DiffSummary,
} from "../../sync/change_rows.ts";
import { diffMarkdown } from "../../sync/diff_markdown.ts";
import { EXIT_CODES } from "../failure.ts";
import type { FormatName } from "../format_names.ts";
import type { Operand } from "../../source/reader.ts";
import { readingPlan } from "../run/operands.ts";
import type { Reading } from "../run/reading.ts";
import { PageFilter, pageFilterOptions } from "../run/selection.ts";
import { openSession, type ReadingOptions, type Session } from "../run/session.ts";
import { changeCounts } from "../run/summary.ts";

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
    const { color } = session;
    const isSummary = args.has("summary");
    if (args.format<FormatName<"diff">>() === "markdown") {
      const format = diffMarkdown(() => summary, isSummary ? 0 : undefined);
      return await session.writeRows(rows(), { head: args.byteOrderMark(), ...format });
    }
    if (isSummary) {
      return await session.writeRows(summaries(), session.rowFormat(args, DIFF_SUMMARY_ROWS));
    }
    await session.writeRows(rows(), session.rowFormat(args, changeRows(color)));
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
  const { operands, settings } = await readingPlan(args);
  const sides = operands.map((operand) => {
    // each side has its own limits
    const filter = new PageFilter(pageFilterOptions(args));
    return new Side(operand, { settings, filter, isUnattended: true });
  });
  return sides as [Side, Side];
}

class Side {
  readonly #operand: Operand;
  readonly #options: ReadingOptions;
  #reading: Reading | undefined;

  constructor(operand: Operand, options: ReadingOptions) {
    this.#operand = operand;
    this.#options = options;
  }

  /** A URL or a path; final once it was read. */
  get name(): string {
    return this.#reading?.name ?? this.#operand.name;
  }

  /** What was lost is printed when they end. */
  events(session: Session): AsyncIterable<TreeEvent> {
    return rowStream(() => this.#read(session));
  }

  async *#read(session: Session): AsyncGenerator<readonly TreeEvent[], void, void> {
    const reading = this.#reading = session.begin(this.name, this.#options);
    yield* session.events(this.#operand, reading, true) as AsyncGenerator<readonly TreeEvent[]>;
    session.signal.throwIfAborted();
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
