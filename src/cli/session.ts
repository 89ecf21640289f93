/**
 * Ctrl-C and its kin.
 *
 * @module
 */

import { count, grouped } from "../data/text.ts";
import { getColorEnabled, setColorEnabled } from "@std/fmt/colors";
import type { TreeEvent } from "../data/events.ts";
import { exit, noColor, onSignal } from "../platform/host.ts";
import { escapeControls } from "../write/escape.ts";
import type { Arguments } from "./arguments.ts";
import { EXIT_CODES, Failure, Interrupted, OutputClosed, worstExitCode } from "./failure.ts";
import type { EventWriter } from "./formats.ts";
import { type Log, logEvent, openLog } from "./log.ts";
import type { ColorName } from "./options.ts";
import { openOutput, type Output } from "./output.ts";
import { Progress, Totals } from "./progress.ts";
import { RequestWatch } from "./request_watch.ts";
import { type PageFilter, Selection } from "./selection.ts";
import type { ReadContext, Source } from "./sources.ts";
import { openSplitOutput } from "./split_output.ts";
import { adviceLines, filterLines, paintEnding, summaryLine } from "./summary.ts";
import { Screen, terminalColumns, wrap } from "./terminal.ts";
import { type UserLimits, WalkTally } from "./walk_tally.ts";

/** Milliseconds that a run has to end after it was asked to. */
const GRACE = 2000;

/**
 * Turns the first signal into an abort, so that a run can end in order. The second one, or a run
 * that does not end in time, ends the process at once.
 */
export class Interruption {
  readonly #controller = new AbortController();
  readonly #onExit: () => void;

  /** Listens. `onExit` is called before the process is ended at once, and must be synchronous. */
  constructor(onExit: () => void) {
    this.#onExit = onExit;
    onSignal((exitCode) => this.#interrupt(exitCode));
  }

  /** Aborted by the first signal, with an {@linkcode Interrupted}. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  #interrupt(exitCode: number): void {
    if (this.#controller.signal.aborted) return this.#exit(exitCode);
    setTimeout(() => this.#exit(exitCode), GRACE);
    this.#controller.abort(new Interrupted(exitCode));
  }

  #exit(exitCode: number): void {
    try {
      this.#onExit();
    } finally {
      exit(exitCode);
    }
  }
}

// MERGED: One operand being read: its figures and its outcome.

/** How a run ended. */
export type Ending = "complete" | "partial" | "none" | "blocked" | "interrupted";

/** Sitemaps that options left out. */
export interface LeftOut {
  /** By `--include`; those that turned out to be an index are not among them. */
  readonly include: Set<string>;
  /** By `--exclude`. */
  exclude: number;
  /** By `--since`, since their index declares them as older. */
  since: number;
}

/** One operand being read. */
export class Reading {
  /** A URL or a path. */
  name: string;
  /** Figures of the events. */
  tally: WalkTally;
  /** The pages that are kept. */
  readonly selection: Selection;
  /** Requests of the walk. */
  watch: RequestWatch;
  /** Sitemaps that options left out. */
  readonly leftOut: LeftOut = { include: new Set(), exclude: 0, since: 0 };
  /** Hosts that Deno has no permission for. */
  readonly refusedHosts: Set<string> = new Set();
  /** How it ended, once it has. */
  ending: Ending | undefined;
  /** What ended it, if it failed. */
  failure: Failure | undefined;
  /** Whether reading is stopped after `--max-pages`; a walk may end by itself. */
  stopsWhenFull = true;
  /** Advice for a site without sitemaps. */
  noneAdvice = "";
  /** Requests under way when a deadline ended the walk. */
  pendingAtEnd: readonly string[] = [];
  /** When it began. */
  readonly started: number = performance.now();
  readonly #retries: number;

  /** Reads nothing yet. */
  constructor(name: string, filter: PageFilter, limits: UserLimits, retries: number) {
    this.name = name;
    this.tally = new WalkTally(limits);
    this.selection = new Selection(filter);
    this.watch = new RequestWatch(retries);
    this.#retries = retries;
  }

  /** Begins again under another name: what was read so far is not written. */
  reset(name: string): void {
    this.name = name;
    this.tally = new WalkTally(this.tally.limits);
    this.watch = new RequestWatch(this.#retries);
  }

  /** Takes an event. */
  see(event: TreeEvent): void {
    this.tally.see(event);
    if (event.type === "sitemap-entered" && this.leftOut.include.size > 0) {
      const { url, requestedUrl = url } = event.sitemap;
      this.leftOut.include.delete(requestedUrl);
    } else if (event.type === "warning" && event.code === "deadline") {
      this.pendingAtEnd = this.watch.pending(this.name);
    }
  }

  /** Milliseconds since it began. */
  get elapsed(): number {
    return performance.now() - this.started;
  }

  /** Exit code for it alone. */
  get exitCode(): number {
    if (this.failure !== undefined) return this.failure.exitCode;
    const { ending = "partial" } = this;
    const isByUser = ending === "partial" ? this.tally.isLimitedByUser : this.leftOutAll;
    return isByUser ? EXIT_CODES.complete : EXIT_CODES[ending];
  }

  /** Whether options left out all sitemaps that there are. */
  get leftOutAll(): boolean {
    const { include, exclude, since } = this.leftOut;
    const isNone = this.ending === "none" || this.ending === "complete" && this.tally.pages === 0;
    return isNone && include.size + exclude + since > 0;
  }
}

// MERGED: Reads operands and writes their events: output, progress, log, summary, Ctrl-C and exit code.

/** What is particular to a run. */
export interface RunOptions {
  /** The operands. */
  readonly sources: readonly Source[];
  /** Decides about their pages. */
  readonly filter: PageFilter;
  /** Makes the writer of an operand, or that of all of them. */
  readonly makeWriter: (
    source: Source,
    reading: Reading,
  ) => EventWriter | Promise<EventWriter>;
  /** Whether each operand has a writer of its own; they are read one after the other then. */
  readonly isWriterPerSource: boolean;
  /** Whether operands are read at the same time. Default: false. */
  readonly isParallel?: boolean;
  /** Requests at once, of all operands together. Default: 1. */
  readonly concurrency?: number;
  /** Retries of a sitemap. Default: 4. */
  readonly retries?: number;
  /** Limits that the user set. Default: none. */
  readonly limits?: UserLimits;
  /** Whether the output says itself how a walk ended. Default: false. */
  readonly reportsEnding?: boolean;
  /** Whether an output without any page is worth keeping. Default: false. */
  readonly keepsEmpty?: boolean;
  /** Lines to be added to the advice. */
  readonly moreAdvice?: (reading: Reading) => readonly string[];
}

const DEFAULT_RETRIES = 4;

/** One run of a command. */
export class Session implements Disposable {
  /** Standard error. */
  readonly screen: Screen;
  /** The log of `-v`. */
  readonly log: Log;
  /** Where the command writes to. */
  readonly output: Output;
  /** Whether colors are used on the output. */
  readonly color: boolean;
  readonly #interruption: Interruption;
  readonly #quiet: boolean;
  readonly #discardPartial: boolean;
  readonly #totals = new Totals();
  readonly #started = performance.now();
  /** Aborted where nothing more is to be read. */
  readonly #stop = new AbortController();
  #writer: EventWriter | undefined;
  #opening: Promise<EventWriter> | undefined;
  #hasOutputFailed = false;
  #exitCode: number = EXIT_CODES.complete;
  #isWorthKeeping = false;

  /** Takes what {@linkcode openSession} has opened. */
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
    this.#interruption = new Interruption(() => {
      screen.erase();
      const rest = this.#writer?.takeRest?.();
      if (rest !== undefined && !discardPartial) this.#notePartial(output.keepPartialSync(rest));
      else output.discard();
    });
    this.signal.addEventListener("abort", () => this.#stop.abort(this.signal.reason));
  }

  /** Aborted by Ctrl-C. */
  get signal(): AbortSignal {
    return this.#interruption.signal;
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
      if (this.signal.aborted) await this.#keepPartial();
      else if (options.keepsEmpty || this.#isWorthKeeping) await this.output.commit();
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
    return this.signal.aborted ? exitCodeOf(this.signal.reason) : this.#exitCode;
  }

  /** Leaves nothing behind of an output that was not finished. */
  [Symbol.dispose](): void {
    this.output.discard();
  }

  /** Prints a line on standard error, unless it is to be quiet. */
  note(line: string): void {
    if (!this.#quiet) this.screen.print(escapeControls(line));
  }

  /** Reads all operands, some of them at once. Returns what became of the only one. */
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
      await this.#pump(source, reading, context, options);
      if (options.isWriterPerSource && sources.length > 1) await this.#closeWriter();
    } catch (error) {
      const isOwn = error instanceof Failure && !this.#hasOutputFailed;
      if (!isOwn || sources.length === 1) throw error;
      reading.failure = error;
      // a report on an operand that failed would be wrong
      if (options.reportsEnding) this.#writer = this.#opening = undefined;
      else if (options.isWriterPerSource) await this.#closeWriter();
    } finally {
      this.#totals.end(reading);
    }
    this.#exitCode = worstExitCode(this.#exitCode, reading.exitCode);
    if (reading.ending === "complete" || reading.ending === "partial") this.#isWorthKeeping = true;
    return reading;
  }

  /** Writes the events of an operand, to its end or until nothing more is wanted. */
  async #pump(
    source: Source,
    reading: Reading,
    context: ReadContext,
    options: RunOptions,
  ): Promise<void> {
    const { filter, isWriterPerSource, makeWriter, sources } = options;
    const open = async () => {
      // several operands may wait for the one that they share
      this.#opening ??= Promise.resolve(makeWriter(source, reading));
      return this.#writer = await this.#opening;
    };
    // its site is known once there are events
    let writer = isWriterPerSource || sources.length === 1 ? undefined : await open();
    try {
      for await (const batch of source.read(reading, context)) {
        reading.watch.progress();
        writer ??= await open();
        if (!await this.#take(batch, reading, filter, writer)) break;
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
    // other operands may have had the last pages
    if (filter.isFull) tally.endedBy ??= "max-pages";
    for (const event of selection.closing()) {
      tally.see(event);
      await this.#write(event, writer);
    }
    reading.ending = this.signal.aborted ? "interrupted" : "partial";
  }

  /** Writes the selected events of a batch; returns whether more are wanted. */
  async #take(
    batch: readonly TreeEvent[],
    reading: Reading,
    filter: PageFilter,
    writer: EventWriter,
  ): Promise<boolean> {
    const { log } = this;
    for (const event of batch) {
      reading.see(event);
      if (log.level > 0) logEvent(log, event);
      const selected = reading.selection.select(event);
      if (selected === undefined) continue;
      const waiting = this.#write(selected, writer);
      if (waiting !== undefined) await waiting;
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

  /** Ends the output of an operand, or of all of them. */
  async #closeWriter(): Promise<void> {
    try {
      await this.#writer?.close();
    } catch (error) {
      this.#failOutput(error);
    }
    this.#writer = this.#opening = undefined;
  }

  /** Notes that it is not an operand that failed. */
  #failOutput(error: unknown): never {
    this.#hasOutputFailed = true;
    throw error;
  }

  async #keepPartial(): Promise<void> {
    if (this.#discardPartial) return;
    this.#notePartial(await this.output.keepPartial());
  }

  #notePartial(path: string | undefined): void {
    if (path !== undefined) this.note(`Interrupted: kept what was read in "${path}"`);
  }

  /** Prints how an operand ended, where that is news to the reader of standard error. */
  #conclude(reading: Reading, options: RunOptions): void {
    if (this.#quiet) return;
    const { screen, log, output } = this;
    const { failure, ending = "partial", tally } = reading;
    const isAlone = options.sources.length === 1;
    if (failure !== undefined) {
      return screen.print(escapeControls(`${reading.name}: ${failure.message}`));
    }
    const isKnown = (options.reportsEnding ?? false) && !output.isFile && isAlone;
    const filtered = isAlone ? filterLines(options.filter, tally.pages) : [];
    const more = options.moreAdvice?.(reading) ?? [];
    const advice = [...adviceLines(ending, reading), ...more, ...filtered];
    const isNews = ending !== "complete" || screen.isTerminal || log.level > 0 || !isAlone ||
      options.filter.hasSurprised(tally.pages) || reading.leftOutAll || more.length > 0;
    if (!isNews) return;
    const width = screen.isTerminal ? terminalColumns() : Infinity;
    if (!isKnown) {
      const text = isAlone ? summaryLine(reading) : `${reading.name}: ${summaryLine(reading)}`;
      const [first = "", ...rest] = wrap(escapeControls(text), width);
      const isPainted = screen.isTerminal && getColorEnabled();
      screen.print(isPainted ? paintEnding(ending, first) : first);
      for (const line of rest) screen.print(line);
    }
    for (const line of advice.flatMap((text) => wrap(text, width - 2))) screen.print(`  ${line}`);
  }

  /** Prints the sum of several operands. */
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

function exitCodeOf(reason: unknown): number {
  return reason instanceof Interrupted ? reason.exitCode : EXIT_CODES.interrupted;
}

/** Opens the output and the log that the arguments ask for. */
export async function openSession(
  args: Arguments,
  quiet: boolean = args.has("quiet"),
): Promise<Session> {
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
    quiet,
    discardPartial: args.has("discard-partial"),
  });
}
