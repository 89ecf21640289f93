/**
 * Runs a command: reads operands and writes their events, with progress line, log, summary, Ctrl-C
 * and exit code.
 *
 * ```text
 * operands ─► events() ─► fold ─► format ─► output
 *                └─► log, tally ─► progress line, summary, exit code
 * ```
 *
 * @module
 */

import type { Operand } from "../../source/reader.ts";
import { count, grouped } from "../../data/text.ts";
import type { Arguments } from "../arguments.ts";
import type { EventWriter, SourceEvent } from "./event_writer.ts";
import { EXIT_CODES, Failure, type Interrupted, OutputClosed, worstExitCode } from "../failure.ts";
import { failureOf } from "./failures.ts";
import { interruptSignal } from "./interrupt.ts";
import { type Log, logEvent, messageFormat, openLog } from "./log.ts";
import type { ReadingPlan } from "./operands.ts";
import { openOutput, type Output } from "./output.ts";
import { progressLine, Totals } from "./progress.ts";
import { Reading } from "./reading.ts";
import { adviceLines, filterLines, paintEnding, summaryLine } from "./summary.ts";
import { rowFormat, type RowSpec } from "../../write/rows.ts";
import type { TextFormat } from "../../write/text_stream.ts";
import { type ColorName, Messages, terminalColumns, usesColor } from "./terminal.ts";

/** What operands are read with, and how their ends are reported. */
export interface ReadingOptions extends Omit<ReadingPlan, "operands"> {
  /** Whether the output is a report: it contains the summary, and is kept without any page. */
  readonly isReport?: boolean;
  /** Whether the output names the sitemaps that could not be read. Default: false. */
  readonly namesLosses?: boolean;
  /** Returns the summary of an operand. Default: that of a walk. */
  readonly summary?: (reading: Reading) => string;
  /**
   * Whether each operand is judged by itself: one that is complete is not reported elsewhere than on a
   * terminal, even if there are others, and one that failed is also named with `--quiet`.
   * Default: false.
   */
  readonly isUnattended?: boolean;
  readonly moreAdvice?: (reading: Reading) => readonly string[];
}

type MakeWriter = (operand: Operand, reading: Reading) => EventWriter | Promise<EventWriter>;

interface RunOptions extends ReadingOptions, Pick<ReadingPlan, "operands"> {
  /** The writer of all operands, or what makes one for each; they are read one by one then. */
  readonly writer: EventWriter | MakeWriter;
  readonly isParallel?: boolean;
  /** Writes what follows the last operand, of which `only` is the reading if there are no others. */
  readonly finish?: (only: Reading | undefined) => Promise<void>;
}

/** After Ctrl-C, a run has the grace period to end. */
export async function openSession(args: Arguments, gracePeriod?: number): Promise<Session> {
  const color = args.value<ColorName>("color");
  const messages = new Messages(args.has("quiet"), color, messageFormat(args));
  const log = openLog(args, messages);
  const output = await openOutput(args.value("output"), messages);
  return new Session(messages, log, output, args.has("discard-partial"), gracePeriod);
}

export class Session implements Disposable {
  readonly messages: Messages;
  readonly log: Log;
  readonly output: Output;
  /** Whether colors are used on the output. */
  readonly color: boolean;
  readonly signal: AbortSignal;
  readonly #discardPartial: boolean;
  readonly #totals = new Totals();
  readonly #started = performance.now();
  /** Aborted to stop reading: by Ctrl-C or a failure. */
  readonly #stop = new AbortController();
  #writer: EventWriter | undefined;
  #exitCode: number = EXIT_CODES.complete;
  /** Returns the progress line of what follows a walk. */
  #stage: ((width: number) => string) | undefined;
  #hasPages = false;

  constructor(
    messages: Messages,
    log: Log,
    output: Output,
    discardPartial: boolean,
    gracePeriod?: number,
  ) {
    this.messages = messages;
    this.log = log;
    this.output = output;
    this.#discardPartial = discardPartial;
    this.color = usesColor(messages.when, output.isTerminal);
    this.signal = interruptSignal(() => {
      messages.erase();
      const rest = this.#writer?.takeRest?.();
      if (rest !== undefined && !discardPartial) this.#notePartial(output.keepPartialSync(rest));
      else output.discard();
    }, gracePeriod);
    this.signal.addEventListener("abort", () => this.#stop.abort(this.signal.reason));
  }

  /** Reads operands, and writes their events. Returns the exit code. */
  async run(options: RunOptions): Promise<number> {
    const { operands, finish, isReport = false } = options;
    const stopProgress = this.#showProgress();
    let only: Reading | undefined;
    try {
      only = await this.#readAll(options);
      await this.#closeWriter();
      await finish?.(only);
      stopProgress();
      if (isReport || this.#hasPages || this.signal.aborted) await this.#complete();
    } catch (error) {
      // the reader closed the pipe; findings fail a check all the same
      if (error instanceof OutputClosed) return EXIT_CODES.complete;
      // standard output keeps what was read, but no report on an operand that failed
      if (!isReport) await this.#closeWriter().catch(() => {});
      throw error;
    } finally {
      stopProgress();
      this.output.discard();
    }
    if (only === undefined) {
      this.concludeAll(count(operands.length, "operand"), options);
    } else {
      // perhaps only when all was read
      if (this.signal.aborted) only.ending = "interrupted";
      this.#conclude(only, options, true);
    }
    return this.exitCode;
  }

  [Symbol.dispose](): void {
    this.output.discard();
  }

  /** Number of operands that have ended, and of pages read by now. */
  get figures(): { readonly ended: number; readonly pages: number } {
    const { endings, now: { pages } } = this.#totals;
    return { ended: [...endings.values()].reduce((sum, number) => sum + number, 0), pages };
  }

  get exitCode(): number {
    return this.signal.aborted ? (this.signal.reason as Interrupted).exitCode : this.#exitCode;
  }

  /** Shows the progress line while a function reads operands by itself. */
  async follow(read: () => Promise<void>): Promise<void> {
    const stopProgress = this.#showProgress();
    try {
      await read();
    } catch (error) {
      if (!this.#isStop(error)) throw error;
    } finally {
      stopProgress();
    }
  }

  /** Begins to read an operand or a site, which `end()` ends. */
  begin(name: string, { settings, filter }: ReadingOptions, share?: () => number): Reading {
    const started = this.#started;
    const reading = new Reading(name, settings, filter, {
      signal: this.#stop.signal,
      log: this.log,
      note: (line) => this.note(line),
      get elapsed() {
        return performance.now() - started;
      },
    }, share);
    this.#totals.begin(reading);
    return reading;
  }

  /**
   * Yields the events of an operand, counted and logged, and those that complete them after Ctrl-C. A
   * failure is thrown if the operand is alone, and otherwise its outcome.
   */
  async *events(
    operand: Operand,
    reading: Reading,
    isAlone: boolean,
  ): AsyncGenerator<readonly SourceEvent[], void, void> {
    try {
      for await (const batch of operand.read(reading)) {
        reading.watch.progress();
        for (const event of batch) this.add(event, reading);
        yield batch;
        // Ctrl-C may have come while the output was busy
        if (this.#stop.signal.aborted) break;
      }
    } catch (error) {
      if (!this.#isStop(error)) {
        const failure = failureOf(error);
        if (isAlone || !(failure instanceof Failure)) throw failure;
        reading.failure = failure;
        return;
      }
    }
    const { tally } = reading;
    reading.ending = this.signal.aborted ? "interrupted" : tally.verdict ?? "partial";
    if (reading.ending === tally.verdict) return;
    const unfinished = tally.unfinished();
    for (const event of unfinished) tally.add(event);
    yield unfinished;
  }

  add(event: SourceEvent, reading: Reading): void {
    reading.add(event);
    if (this.log.level > 0) logEvent(this.log, event);
  }

  end(reading: Reading, options: ReadingOptions, isAlone: boolean): void {
    this.#end(reading);
    if (isAlone || reading.ending !== "interrupted") this.#conclude(reading, options, isAlone);
  }

  /** Columns of the output; infinite but for a terminal. */
  get width(): number {
    return this.output.isTerminal ? terminalColumns() : Infinity;
  }

  /** Returns the format of rows that the arguments ask for. */
  rowFormat<Row>(args: Arguments, spec: RowSpec<Row>): TextFormat<Row> {
    const { head = "", ...format } = rowFormat(args.format(), spec, this.width);
    return { head: args.byteOrderMark() + head, ...format };
  }

  /** After Ctrl-C, a line says that the output is incomplete, unless a summary has. */
  async writeRows<T>(
    batches: AsyncIterable<readonly T[]>,
    { head = "", write, end }: TextFormat<T>,
    onWritten?: (batch: readonly T[]) => Promise<void> | void,
  ): Promise<void> {
    await this.print(head);
    try {
      for await (const batch of batches) {
        await this.print(batch.map((row) => write(row)).join(""));
        await onWritten?.(batch);
        if (this.signal.aborted) break;
      }
    } catch (error) {
      if (!this.#isStop(error)) throw error;
    }
    await this.print(end?.() ?? "");
    await this.#complete();
    const isNamed = this.#totals.endings.has("interrupted");
    if (this.signal.aborted && !isNamed) this.note("interrupted: the output is incomplete");
  }

  /** Writes a text to the output. */
  async print(text: string): Promise<void> {
    if (text !== "") await this.output.write(new TextEncoder().encode(text));
  }

  /** Prints a line on standard error, nothing with `--quiet`. */
  note(line: string): void {
    this.messages.note(line);
  }

  /** Prints a line on a terminal only. */
  say(line: string): void {
    if (this.messages.isTerminal) this.note(line);
  }

  /** Replaces the progress line until the returned function is called. */
  showStage(line: (width: number) => string): () => void {
    this.#stage = line;
    return () => void (this.#stage = undefined);
  }

  #isStop(error: unknown): boolean {
    const { signal } = this.#stop;
    return signal.aborted && error === signal.reason;
  }

  #showProgress(): () => void {
    return this.messages.follow((elapsed, width) =>
      this.#stage?.(width) ?? progressLine(this.#totals.now, elapsed, width)
    );
  }

  async #complete(): Promise<void> {
    if (!this.signal.aborted) await this.output.commit();
    else if (!this.#discardPartial) this.#notePartial(await this.output.keepPartial());
  }

  #end(reading: Reading): void {
    this.#totals.end(reading);
    this.#exitCode = worstExitCode(this.#exitCode, reading.exitCode);
    if (reading.ending === "complete" || reading.ending === "partial") this.#hasPages = true;
  }

  #notePartial(path: string | undefined): void {
    if (path !== undefined) this.note(`Interrupted: partial output kept in "${path}"`);
  }

  /** Returns the reading of a single operand. */
  async #readAll(options: RunOptions): Promise<Reading | undefined> {
    const { operands, filter, writer, isParallel = false, settings: { concurrency } } = options;
    const isAlone = operands.length === 1;
    const waiting = operands.values();
    let only: Reading | undefined;
    let active = isParallel ? Math.min(concurrency, operands.length) : 1;
    const share = () => Math.max(1, Math.floor(concurrency / active));
    if (typeof writer !== "function") this.#writer = writer;
    const readNext = async () => {
      for (const operand of waiting) {
        if (this.#stop.signal.aborted || filter.full.aborted) break;
        const reading = this.begin(operand.name, options, share);
        try {
          await this.#write(operand, reading, options);
        } finally {
          this.#end(reading);
        }
        if (isAlone) only = reading;
        else this.#conclude(reading, options, false);
      }
      active--;
    };
    try {
      await Promise.all(Array.from({ length: active }, readNext));
    } catch (error) {
      this.#stop.abort(error);
      throw error;
    }
    return only;
  }

  /** Writes the events of an operand. If there are several, the failure of one does not end the run. */
  async #write(operand: Operand, reading: Reading, options: RunOptions): Promise<void> {
    const { operands, writer: given, isReport = false } = options;
    const isAlone = operands.length === 1;
    // the site of an operand is known once there are events
    const open = async () => this.#writer ??= await (given as MakeWriter)(operand, reading);
    for await (const batch of this.events(operand, reading, isAlone)) {
      await (await open()).writeAll(batch, siteName(operand), operand);
    }
    if (reading.failure === undefined) await open();
    if (typeof given !== "function" || isAlone) return;
    // no report on an operand that failed
    if (reading.failure !== undefined && isReport) this.#writer = undefined;
    await this.#closeWriter();
    if (this.signal.aborted) reading.ending = "interrupted";
  }

  async #closeWriter(): Promise<void> {
    const writer = this.#writer;
    await writer?.close();
    this.#writer = undefined;
  }

  /** Prints the summary and the advice of an operand, unless it is complete and not at a terminal. */
  #conclude(reading: Reading, options: ReadingOptions, isAlone: boolean): void {
    const { failure, ending = "partial", name } = reading;
    const { messages, log, output } = this;
    const { filter, isReport = false, isUnattended = false, summary = summaryLine } = options;
    const advice = adviceLines(ending, reading, options.namesLosses);
    const hasFailed = ending !== "interrupted" && reading.exitCode !== EXIT_CODES.complete;
    if (messages.quiet && isUnattended && hasFailed) {
      const reason = failure?.message ?? [ending, ...advice.slice(0, 1)].join(": ");
      return messages.report(`${name}: ${reason}`);
    }
    if (failure !== undefined) return this.note(`${name}: ${failure.message}`);
    const more = options.moreAdvice?.(reading) ?? [];
    const wasSlowedDown = reading.watch.slowDowns.summary() !== undefined;
    const isExpected = ending === "complete" && (isAlone || isUnattended) && !wasSlowedDown &&
      more.length === 0 && !filter.hasUnexpectedDrops && !reading.leftOutAll;
    if (isExpected && !messages.isTerminal && log.level === 0) return;
    // on a terminal, a report that was interrupted says so itself
    const isCut = this.signal.aborted && !output.isTerminal;
    if (!isReport || output.isFile || !isAlone || isCut) {
      const line = summary(reading);
      messages.note(
        isAlone ? line : `${name}: ${line}`,
        (line) => paintEnding(ending, line),
      );
    }
    const dropped = isAlone ? filterLines(filter) : [];
    for (const line of [...advice, ...more, ...dropped]) messages.note(`  ${line}`);
  }

  /** Prints how operands ended, such as `3 operands`, and further lines. */
  concludeAll(
    operands: string,
    { filter, isUnattended = false }: ReadingOptions,
    more: readonly string[] = [],
  ): void {
    if (isUnattended && this.exitCode === EXIT_CODES.complete && !this.messages.isTerminal) return;
    const { endings, now: { sitemaps, pages } } = this.#totals;
    const counts = [...endings].map(([ending, number]) => `${number} ${ending}`);
    const line = `${operands}: ${counts.join(", ")}, ` +
      `${count(sitemaps, "sitemap")}, ${count(pages, "page")}`;
    this.note(
      filter.taken === pages || !filter.isFiltering
        ? line
        : `${line} (${grouped(filter.taken)} kept)`,
    );
    for (const text of [...filterLines(filter), ...more]) this.note(`  ${text}`);
  }
}

function siteName({ site, name }: Operand): string {
  return site === undefined ? name : `${site.origin}/`;
}
