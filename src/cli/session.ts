/**
 * Runs a command: reads operands and writes their events, with progress line, log, summary, Ctrl-C
 * and exit code.
 *
 * @module
 */

import { getColorEnabled, setColorEnabled } from "@std/fmt/colors";
import type { TreeEvent } from "../data/events.ts";
import { count, grouped } from "../data/text.ts";
import { exit, noColor, onSignal } from "../platform/host.ts";
import { escapeControls } from "../write/escape.ts";
import type { Arguments } from "./arguments.ts";
import type { EventWriter } from "./event_writer.ts";
import { EXIT_CODES, Failure, Interrupted, OutputClosed, worstExitCode } from "./failure.ts";
import { type Log, logEvent, openLog } from "./log.ts";
import type { ColorName } from "./options.ts";
import { openOutput, type Output } from "./output.ts";
import { Progress, Totals } from "./progress.ts";
import { Reading } from "./reading.ts";
import type { PageFilter } from "./selection.ts";
import type { ReadContext, ReadingPlan, Source } from "./sources.ts";
import { openSplitOutput } from "./split_output.ts";
import { adviceLines, filterLines, paintEnding, summaryLine } from "./summary.ts";
import { Screen, terminalColumns, wrap } from "./terminal.ts";

/** Milliseconds that a run has to end after an interruption. */
const GRACE_PERIOD = 2000;

/**
 * Returns a signal that Ctrl-C aborts with an {@linkcode Interrupted}, so that a run can end in
 * order. A second Ctrl-C, or a run that does not end in time, ends the process at once, after a call
 * of `onExit`.
 */
export function interruptSignal(onExit: () => void): AbortSignal {
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
    setTimeout(() => exitNow(exitCode), GRACE_PERIOD);
    controller.abort(new Interrupted(exitCode));
  });
  return controller.signal;
}

/** Options of a run. */
export interface RunOptions extends ReadingPlan {
  /** Creates the writer of an operand, or that of all of them. */
  readonly makeWriter: (source: Source, reading: Reading) => EventWriter | Promise<EventWriter>;
  /** Whether each operand has its own writer; they are read one after the other then. */
  readonly isWriterPerSource: boolean;
  /** Whether operands are read at the same time. Default: false. */
  readonly isParallel?: boolean;
  /** Whether the output itself contains the summary. Default: false. */
  readonly reportsEnding?: boolean;
  /** Whether an output without any page is kept. Default: false. */
  readonly keepsEmpty?: boolean;
  /** Returns further lines of advice. */
  readonly moreAdvice?: (reading: Reading) => readonly string[];
}

const DEFAULT_RETRIES = 4;

/** One run of a command. */
export class Session implements Disposable {
  /** Standard error. */
  readonly screen: Screen;
  /** The log of `-v`. */
  readonly log: Log;
  /** Output of the command. */
  readonly output: Output;
  /** Whether colors are used on the output. */
  readonly color: boolean;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  readonly #quiet: boolean;
  readonly #discardPartial: boolean;
  readonly #totals = new Totals();
  readonly #started = performance.now();
  /** Aborted to stop reading: by Ctrl-C, `--max-pages` or a failure. */
  readonly #stop = new AbortController();
  #writer: EventWriter | undefined;
  #opening: Promise<EventWriter> | undefined;
  #hasOutputFailed = false;
  #exitCode: number = EXIT_CODES.complete;
  #hasPages = false;

  /** Creates a session; see {@linkcode openSession}. */
  constructor(
    screen: Screen,
    log: Log,
    output: Output,
    { color, quiet, discardPartial }: {
      readonly color: ColorName;
      readonly quiet: boolean;
      readonly discardPartial: boolean;
    },
  ) {
    this.screen = screen;
    this.log = log;
    this.output = output;
    this.color = getColorEnabled() && (output.isTerminal || color === "always");
    this.#quiet = quiet;
    this.#discardPartial = discardPartial;
    this.signal = interruptSignal(() => {
      screen.erase();
      const rest = this.#writer?.takeRest?.();
      if (rest !== undefined && !discardPartial) this.#notePartial(output.keepPartialSync(rest));
      else output.discard();
    });
    this.signal.addEventListener("abort", () => this.#stop.abort(this.signal.reason));
  }

  /** Reads all operands. Returns the exit code. */
  async run(options: RunOptions): Promise<number> {
    const isShown = this.screen.isTerminal && !this.#quiet;
    const progress = isShown ? new Progress(this.#totals, this.screen) : undefined;
    let only: Reading | undefined;
    try {
      only = await this.#readAll(options);
      await this.#closeWriter();
      progress?.stop();
      if (!this.signal.aborted) {
        if (options.keepsEmpty || this.#hasPages) await this.output.commit();
      } else if (!this.#discardPartial) {
        this.#notePartial(await this.output.keepPartial());
      }
    } catch (error) {
      // `head` has read enough
      if (error instanceof OutputClosed) return EXIT_CODES.complete;
      // standard output keeps what was read
      if (!this.#hasOutputFailed) await this.#closeWriter().catch(() => {});
      throw error;
    } finally {
      progress?.stop();
      this.output.discard();
    }
    if (only === undefined) this.#concludeAll(options);
    else this.#conclude(only, options);
    return this.signal.aborted ? (this.signal.reason as Interrupted).exitCode : this.#exitCode;
  }

  /** Removes an output that was not finished. */
  [Symbol.dispose](): void {
    this.output.discard();
  }

  /** Prints a line on standard error, unless `--quiet`. */
  note(line: string): void {
    if (!this.#quiet) this.screen.print(escapeControls(line));
  }

  /** Reads all operands, several at once if parallel. Returns the reading of a single operand. */
  async #readAll(options: RunOptions): Promise<Reading | undefined> {
    const { sources, isParallel = false, concurrency = 1 } = options;
    const waiting = sources.values();
    const lanes = isParallel ? Math.min(concurrency, sources.length) : 1;
    let only: Reading | undefined;
    let active = lanes;
    const share = () => Math.max(1, Math.floor(concurrency / active));
    const readNext = async () => {
      for (const source of waiting) {
        if (this.#stop.signal.aborted) break;
        const reading = await this.#readOne(source, share, options);
        if (sources.length === 1) only = reading;
        else this.#conclude(reading, options);
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

  async #readOne(source: Source, share: () => number, options: RunOptions): Promise<Reading> {
    const { filter, limits = {}, retries = DEFAULT_RETRIES, sources } = options;
    const reading = new Reading(source.name, filter, limits, retries);
    this.#totals.begin(reading);
    const context: ReadContext = {
      signal: this.#stop.signal,
      log: this.log,
      note: (line) => this.note(line),
      share,
      maxPages: sources.length === 1 ? filter.maxPages : undefined,
      elapsed: performance.now() - this.#started,
    };
    try {
      await this.#read(source, reading, context, options);
      if (options.isWriterPerSource && sources.length > 1) await this.#closeWriter();
    } catch (error) {
      const isOwn = error instanceof Failure && !this.#hasOutputFailed;
      if (!isOwn || sources.length === 1) throw error;
      reading.failure = error;
      // no report on an operand that failed
      if (options.reportsEnding) this.#writer = this.#opening = undefined;
      else if (options.isWriterPerSource) await this.#closeWriter();
    } finally {
      this.#totals.end(reading);
    }
    this.#exitCode = worstExitCode(this.#exitCode, reading.exitCode);
    if (reading.ending === "complete" || reading.ending === "partial") this.#hasPages = true;
    return reading;
  }

  /** Writes the events of an operand, to its end or until reading stops. */
  async #read(
    source: Source,
    reading: Reading,
    context: ReadContext,
    options: RunOptions,
  ): Promise<void> {
    const { filter, isWriterPerSource, makeWriter, sources } = options;
    const open = async () => {
      // shared by operands that are read at the same time
      this.#opening ??= Promise.resolve(makeWriter(source, reading));
      return this.#writer = await this.#opening;
    };
    // the site of an operand is known once there are events
    let writer = isWriterPerSource || sources.length === 1 ? undefined : await open();
    try {
      for await (const batch of source.read(reading, context)) {
        reading.watch.progress();
        writer ??= await open();
        if (!await this.#writeBatch(batch, reading, filter, writer)) break;
      }
    } catch (error) {
      const isStopped = this.#stop.signal.aborted && error === this.#stop.signal.reason;
      if (!isStopped) throw error;
    }
    writer ??= await open();
    const { tally, selection } = reading;
    if (tally.verdict !== undefined && !this.signal.aborted) {
      reading.ending = tally.verdict;
      return;
    }
    // the last pages may be those of other operands
    if (filter.isFull) tally.endedBy ??= "max-pages";
    for (const event of selection.closing()) {
      tally.see(event);
      await this.#write(event, writer);
    }
    reading.ending = this.signal.aborted ? "interrupted" : "partial";
  }

  /** Writes the selected events of a batch. Returns whether to read on. */
  async #writeBatch(
    batch: readonly TreeEvent[],
    reading: Reading,
    filter: PageFilter,
    writer: EventWriter,
  ): Promise<boolean> {
    for (const event of batch) {
      reading.see(event);
      if (this.log.level > 0) logEvent(this.log, event);
      const selected = reading.selection.select(event);
      if (selected === undefined) continue;
      const written = this.#write(selected, writer);
      if (written !== undefined) await written;
      // Ctrl-C while the output was busy: the rest of the batch is dropped
      if (this.#stop.signal.aborted) return false;
      if (event.type === "page" && filter.isFull && reading.stopsWhenFull) {
        this.#stop.abort(new Interrupted(EXIT_CODES.complete));
        return false;
      }
    }
    return true;
  }

  #write(event: TreeEvent, writer: EventWriter): Promise<void> | undefined {
    try {
      return writer.write(event)?.catch((error) => this.#failOutput(error));
    } catch (error) {
      this.#failOutput(error);
    }
  }

  /** Completes the output of an operand, or of all of them. */
  async #closeWriter(): Promise<void> {
    try {
      await this.#writer?.close();
    } catch (error) {
      this.#failOutput(error);
    }
    this.#writer = this.#opening = undefined;
  }

  /** Marks a failure as that of the output, not of an operand. */
  #failOutput(error: unknown): never {
    this.#hasOutputFailed = true;
    throw error;
  }

  #notePartial(path: string | undefined): void {
    if (path !== undefined) this.note(`Interrupted: kept what was read in "${path}"`);
  }

  /** Prints the summary and the advice of an operand, unless it is complete and not at a terminal. */
  #conclude(reading: Reading, options: RunOptions): void {
    if (this.#quiet) return;
    const { screen, log, output } = this;
    const { failure, ending = "partial", tally } = reading;
    const isAlone = options.sources.length === 1;
    if (failure !== undefined) {
      return screen.print(escapeControls(`${reading.name}: ${failure.message}`));
    }
    const isShown = options.reportsEnding === true && !output.isFile && isAlone;
    const filtered = isAlone ? filterLines(options.filter, tally.pages) : [];
    const more = options.moreAdvice?.(reading) ?? [];
    const advice = [...adviceLines(ending, reading), ...more, ...filtered];
    const isWorthPrinting = ending !== "complete" || !isAlone || screen.isTerminal ||
      log.level > 0 || options.filter.hasUnexpectedDrops(tally.pages) || reading.leftOutAll ||
      more.length > 0;
    if (!isWorthPrinting) return;
    const width = screen.isTerminal ? terminalColumns() : Infinity;
    if (!isShown) {
      const text = isAlone ? summaryLine(reading) : `${reading.name}: ${summaryLine(reading)}`;
      const [first = "", ...rest] = wrap(escapeControls(text), width);
      const isPainted = screen.isTerminal && getColorEnabled();
      screen.print(isPainted ? paintEnding(ending, first) : first);
      for (const line of rest) screen.print(line);
    }
    for (const line of advice.flatMap((text) => wrap(text, width - 2))) screen.print(`  ${line}`);
  }

  /** Prints the totals of several operands. */
  #concludeAll({ sources, filter }: RunOptions): void {
    if (this.#quiet) return;
    const { endings, sitemaps, pages } = this.#totals;
    const counts = [...endings].map(([ending, number]) => `${number} ${ending}`);
    const line = `${count(sources.length, "operand")}: ${counts.join(", ")}, ` +
      `${count(sitemaps, "sitemap")}, ${count(pages, "page")}`;
    this.screen.print(filter.kept === pages ? line : `${line} (${grouped(filter.kept)} kept)`);
    for (const text of filterLines(filter, pages)) this.screen.print(`  ${text}`);
  }
}

/** Opens the output and the log that the arguments ask for. */
export async function openSession(args: Arguments): Promise<Session> {
  const screen = new Screen();
  const color = args.value<ColorName>("color") ?? "auto";
  setColorEnabled(color !== "never" && !noColor());
  const log = openLog(args, screen);
  const folder = args.value("split");
  const output = folder === undefined
    ? await openOutput(args.value("output"), screen)
    : await openSplitOutput(folder);
  return new Session(screen, log, output, {
    color,
    quiet: args.has("quiet"),
    discardPartial: args.has("discard-partial"),
  });
}
