/**
 * Runs a command: reads operands and writes their events, with progress line, log, summary, Ctrl-C
 * and exit code.
 *
 * ```text
 * arguments ─► sources ─► events ─► event writer ─► output
 *                            └─► log, tally ─► progress line, summary, exit code
 * ```
 *
 * @module
 */

import { count, grouped } from "../../data/text.ts";
import { exit, onSignal } from "../../platform/process.ts";
import type { Arguments } from "../arguments.ts";
import type { EventWriter, SourceEvent } from "./event_writer.ts";
import { EXIT_CODES, Failure, Interrupted, OutputClosed, worstExitCode } from "./failure.ts";
import { type Log, logEvent, messageFormat, openLog } from "./log.ts";
import { openOutput, type Output } from "./output.ts";
import { progressLine, Totals } from "./progress.ts";
import { Reading, type Source } from "./reading.ts";
import type { ReadingPlan } from "../sources.ts";
import { adviceLines, filterLines, paintEnding, summaryLine } from "./summary.ts";
import type { TextFormat } from "../../write/text_stream.ts";
import { type ColorName, Messages, usesColor } from "./terminal.ts";

const GRACE_PERIOD = 2000;

/** A second Ctrl-C, or a run that does not end in time, ends the process after `onExit()`. */
export function interruptSignal(
  onExit: () => void,
  gracePeriod: number = GRACE_PERIOD,
): AbortSignal {
  const controller = new AbortController();
  function exitNow(exitCode: number): void {
    try {
      onExit();
    } finally {
      exit(exitCode);
    }
  }
  onSignal((exitCode) => {
    if (controller.signal.aborted) return exitNow(exitCode);
    setTimeout(() => exitNow(exitCode), gracePeriod);
    controller.abort(new Interrupted(exitCode));
  });
  return controller.signal;
}

export interface OperandOptions extends Omit<ReadingPlan, "sources" | "concurrency"> {
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

interface RunOptions extends OperandOptions, Pick<ReadingPlan, "sources" | "concurrency"> {
  readonly makeWriter: (source: Source, reading: Reading) => EventWriter | Promise<EventWriter>;
  /** Whether each operand has its own writer; they are read one after the other then. */
  readonly isWriterPerSource: boolean;
  readonly isParallel?: boolean;
  /** Writes what follows the last operand, of which `only` is the reading if there are no others. */
  readonly finish?: (only: Reading | undefined) => Promise<void>;
}

interface SessionOptions {
  readonly messages: Messages;
  readonly log: Log;
  readonly output: Output;
  readonly discardPartial: boolean;
}

export async function openSession(args: Arguments): Promise<Session> {
  const color = args.value<ColorName>("color");
  const messages = new Messages(args.has("quiet"), color, messageFormat(args));
  const log = openLog(args, messages);
  return new Session({
    messages,
    log,
    output: await openOutput(args.value("output"), messages),
    discardPartial: args.has("discard-partial"),
  });
}

export class Session implements Disposable {
  readonly output: Output;
  /** Whether colors are used on the output. */
  readonly color: boolean;
  readonly signal: AbortSignal;
  readonly #options: SessionOptions;
  readonly #totals = new Totals();
  readonly #started = performance.now();
  /** Aborted to stop reading: by Ctrl-C or a failure. */
  readonly #stop = new AbortController();
  /** A promise, since operands that are read at the same time may share it. */
  #opening: Promise<EventWriter> | undefined;
  #writer: EventWriter | undefined;
  #hasOutputFailed = false;
  #exitCode: number = EXIT_CODES.complete;
  /** Returns the progress line of what follows a walk. */
  #stage: ((width: number) => string) | undefined;
  #hasPages = false;

  constructor(options: SessionOptions) {
    const { messages, output, discardPartial } = options;
    this.#options = options;
    this.output = output;
    this.color = usesColor(messages.when, output.isTerminal);
    this.signal = interruptSignal(() => {
      messages.erase();
      const rest = this.#writer?.takeRest?.();
      if (rest !== undefined && !discardPartial) this.#notePartial(output.keepPartialSync(rest));
      else output.discard();
    });
    this.signal.addEventListener("abort", () => this.#stop.abort(this.signal.reason));
  }

  async run(options: RunOptions): Promise<number> {
    const stopProgress = this.#showProgress();
    let only: Reading | undefined;
    try {
      only = await this.#readAll(options);
      await this.#closeWriter();
      await options.finish?.(only);
      stopProgress();
      if (options.isReport || this.#hasPages || this.signal.aborted) await this.#complete();
    } catch (error) {
      // the reader closed the pipe; findings fail a check all the same
      if (error instanceof OutputClosed) return EXIT_CODES.complete;
      // standard output keeps what was read, but no report on an operand that failed
      if (!this.#hasOutputFailed && !options.isReport) await this.#closeWriter().catch(() => {});
      throw error;
    } finally {
      stopProgress();
      this.output.discard();
    }
    if (only === undefined) {
      this.concludeAll(count(options.sources.length, "operand"), options);
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

  get log(): Log {
    return this.#options.log;
  }

  /** Number of operands that have ended, and of pages read by now. */
  get figures(): { readonly ended: number; readonly pages: number } {
    const { endings, now: { pages } } = this.#totals;
    return { ended: [...endings.values()].reduce((sum, number) => sum + number, 0), pages };
  }

  get exitCode(): number {
    return this.signal.aborted ? (this.signal.reason as Interrupted).exitCode : this.#exitCode;
  }

  /** Shows the progress line while a function reads operands by `begin()` and `end()`. */
  async follow(read: () => Promise<void>): Promise<void> {
    const stopProgress = this.#showProgress();
    try {
      await read();
    } catch (error) {
      if (!this.signal.aborted || error !== this.signal.reason) throw error;
    } finally {
      stopProgress();
    }
  }

  begin(name: string, options: OperandOptions, share: () => number = () => 1): Reading {
    const { filter, limits = {}, retries = 0 } = options;
    const started = this.#started;
    const reading = new Reading(name, filter, {
      signal: this.#stop.signal,
      log: this.#options.log,
      note: (line) => this.note(line),
      share,
      limits,
      retries,
      get elapsed() {
        return performance.now() - started;
      },
    });
    this.#totals.begin(reading);
    return reading;
  }

  add(event: SourceEvent, reading: Reading): void {
    reading.add(event);
    const { log } = this.#options;
    if (log.level > 0) logEvent(log, event);
  }

  end(reading: Reading, options: OperandOptions, isAlone: boolean): void {
    this.#end(reading);
    if (isAlone || reading.ending !== "interrupted") this.#conclude(reading, options, isAlone);
  }

  /** After Ctrl-C, a line says that the output is incomplete, unless a summary has. */
  async writeRows<T>(
    batches: AsyncIterable<readonly T[]>,
    { head = "", write, end }: TextFormat<T>,
    onWritten?: (batch: readonly T[]) => Promise<void> | void,
  ): Promise<void> {
    const encoder = new TextEncoder();
    const print = async (text: string) => {
      if (text !== "") await this.output.write(encoder.encode(text));
    };
    await print(head);
    try {
      for await (const batch of batches) {
        await print(batch.map(write).join(""));
        await onWritten?.(batch);
        if (this.signal.aborted) break;
      }
    } catch (error) {
      if (!this.signal.aborted || error !== this.signal.reason) throw error;
    }
    await print(end?.() ?? "");
    await this.#complete();
    const isNamed = this.#totals.endings.has("interrupted");
    if (this.signal.aborted && !isNamed) this.note("interrupted: the output is incomplete");
  }

  say(line: string): void {
    if (this.#options.messages.isTerminal) this.note(line);
  }

  #showProgress(): () => void {
    return this.#options.messages.follow((elapsed, width) =>
      this.#stage?.(width) ?? progressLine(this.#totals.now, elapsed, width)
    );
  }

  /** Replaces the progress line until the returned function is called. */
  showStage(line: (width: number) => string): () => void {
    this.#stage = line;
    return () => void (this.#stage = undefined);
  }

  async #complete(): Promise<void> {
    if (!this.signal.aborted) await this.output.commit();
    else if (!this.#options.discardPartial) this.#notePartial(await this.output.keepPartial());
  }

  #end(reading: Reading): void {
    this.#totals.end(reading);
    this.#exitCode = worstExitCode(this.#exitCode, reading.exitCode);
    if (reading.ending === "complete" || reading.ending === "partial") this.#hasPages = true;
  }

  /** Prints nothing with `--quiet`. */
  note(line: string): void {
    this.#options.messages.note(line);
  }

  #notePartial(path: string | undefined): void {
    if (path !== undefined) this.note(`Interrupted: partial output kept in "${path}"`);
  }

  /** Returns the reading of a single operand. */
  async #readAll(options: RunOptions): Promise<Reading | undefined> {
    const { sources, filter, isParallel = false, concurrency = 1 } = options;
    const waiting = sources.values();
    const lanes = isParallel ? Math.min(concurrency, sources.length) : 1;
    let only: Reading | undefined;
    let active = lanes;
    const share = () => Math.max(1, Math.floor(concurrency / active));
    const readNext = async () => {
      for (const source of waiting) {
        if (this.#stop.signal.aborted || filter.full.aborted) break;
        const reading = await this.#readOne(source, share, options);
        if (sources.length === 1) only = reading;
        else this.#conclude(reading, options, false);
      }
      active--;
    };
    try {
      await Promise.all(Array.from({ length: lanes }, readNext));
    } catch (error) {
      this.#stop.abort(error);
      throw error;
    }
    return only;
  }

  /** If there are several operands, the failure of one does not end the run. */
  async #readOne(source: Source, share: () => number, options: RunOptions): Promise<Reading> {
    const isAlone = options.sources.length === 1;
    const reading = this.begin(source.name, options, share);
    try {
      await this.#writeEvents(source, reading, options);
      if (options.isWriterPerSource && !isAlone) await this.#closeWriter();
      if (this.signal.aborted) reading.ending = "interrupted";
    } catch (error) {
      const isOwn = error instanceof Failure && !this.#hasOutputFailed;
      if (!isOwn || isAlone) throw error;
      reading.failure = error;
      // no report on an operand that failed
      if (options.isReport) this.#writer = this.#opening = undefined;
      else if (options.isWriterPerSource) await this.#closeWriter();
    } finally {
      this.#end(reading);
    }
    return reading;
  }

  async #writeEvents(
    source: Source,
    reading: Reading,
    { isWriterPerSource, makeWriter, sources }: RunOptions,
  ): Promise<void> {
    const open = async () => {
      this.#opening ??= Promise.resolve(makeWriter(source, reading));
      return this.#writer = await this.#opening;
    };
    // the site of an operand is known once there are events
    let writer = isWriterPerSource || sources.length === 1 ? undefined : await open();
    const { signal } = this.#stop;
    try {
      for await (const batch of source.read(reading)) {
        reading.watch.progress();
        writer ??= await open();
        for (const event of batch) this.add(event, reading);
        await this.#write(batch, writer, source);
        // Ctrl-C may have come while the output was busy
        if (signal.aborted) break;
      }
    } catch (error) {
      if (!signal.aborted || error !== signal.reason) throw error;
    }
    writer ??= await open();
    const { tally } = reading;
    if (tally.verdict !== undefined && !this.signal.aborted) {
      reading.ending = tally.verdict;
      return;
    }
    const unfinished = tally.unfinished();
    for (const event of unfinished) tally.add(event);
    await this.#write(unfinished, writer, source);
    reading.ending = this.signal.aborted ? "interrupted" : "partial";
  }

  async #write(events: readonly SourceEvent[], writer: EventWriter, source: Source): Promise<void> {
    try {
      await writer.writeAll(events, siteName(source), source);
    } catch (error) {
      this.#failOutput(error);
    }
  }

  async #closeWriter(): Promise<void> {
    try {
      await this.#writer?.close();
    } catch (error) {
      this.#failOutput(error);
    }
    this.#writer = this.#opening = undefined;
  }

  #failOutput(error: unknown): never {
    this.#hasOutputFailed = true;
    throw error;
  }

  /** Prints the summary and the advice of an operand, unless it is complete and not at a terminal. */
  #conclude(reading: Reading, options: OperandOptions, isAlone: boolean): void {
    const { failure, ending = "partial", name } = reading;
    const { messages, log, output } = this.#options;
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
    { filter, isUnattended = false }: OperandOptions,
    more: readonly string[] = [],
  ): void {
    const { messages } = this.#options;
    if (isUnattended && this.exitCode === EXIT_CODES.complete && !messages.isTerminal) return;
    const { endings, now: { sitemaps, pages } } = this.#totals;
    const counts = [...endings].map(([ending, number]) => `${number} ${ending}`);
    const line = `${operands}: ${counts.join(", ")}, ` +
      `${count(sitemaps, "sitemap")}, ${count(pages, "page")}`;
    this.note(
      filter.kept === pages || !filter.isFiltering
        ? line
        : `${line} (${grouped(filter.kept)} kept)`,
    );
    for (const text of [...filterLines(filter), ...more]) this.note(`  ${text}`);
  }
}

function siteName({ site, name }: Source): string {
  return site === undefined ? name : `${site.origin}/`;
}
