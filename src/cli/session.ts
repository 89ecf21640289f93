/**
 * What every command that reads sitemaps has in common: events in, an output, progress, a log, a
 * summary, Ctrl-C, an exit code.
 *
 * @module
 */

import type { TreeEvent } from "../events.ts";
import type { Arguments } from "./arguments.ts";
import type { EventWriter } from "./event_writer.ts";
import { EXIT_CODES, Interrupted, OutputClosed } from "./failure.ts";
import { Interruption } from "./interruption.ts";
import { type Log, logEvent, openLog } from "./log.ts";
import { openOutput } from "./output.ts";
import { Progress } from "./progress.ts";
import { Screen, terminalColumns } from "./screen.ts";
import type { Selection } from "./selection.ts";
import type { Output } from "./sink.ts";
import { adviceLines, type Ending, paintEnding, summaryLine } from "./summary.ts";
import { wrap } from "./text_width.ts";
import { WalkTally } from "./walk_tally.ts";

/** What is particular to a run. */
export interface RunOptions {
  /** The events, in batches. */
  readonly batches: AsyncIterable<readonly TreeEvent[]>;
  /** Which of them are written. */
  readonly selection: Selection;
  /** Writes them to the output of the session. */
  readonly writer: EventWriter;
  /** Whether the writer itself says how it ended: always, where the walk finished, or never. */
  readonly tellsEnding: "always" | "finished" | "never";
  /** Whether an output without any page is worth keeping. */
  readonly keepsEmpty: boolean;
  /** Lines to be added to the advice. */
  readonly moreAdvice?: (ending: Ending) => readonly string[];
}

/** One run of a command. */
export class Session implements Disposable {
  /** Standard error. */
  readonly screen: Screen;
  /** The log of `-v`. */
  readonly log: Log;
  /** What the walk has come to so far. */
  readonly tally: WalkTally = new WalkTally();
  /** Where the command writes to. */
  readonly output: Output;
  /** Whether colours are used on the output. */
  readonly color: boolean;
  readonly #interruption: Interruption;
  readonly #quiet: boolean;
  readonly #started = performance.now();
  #ending: Ending = "interrupted";
  #kept = 0;

  /** Takes what {@linkcode openSession} has opened. */
  constructor(screen: Screen, log: Log, output: Output, quiet: boolean) {
    this.screen = screen;
    this.log = log;
    this.output = output;
    this.color = output.isTerminal && !Deno.noColor;
    this.#quiet = quiet;
    this.#interruption = new Interruption(() => {
      screen.erase();
      output.discard();
    });
  }

  /** Aborted by Ctrl-C. */
  get signal(): AbortSignal {
    return this.#interruption.signal;
  }

  /** Runs to the end: what the process exits with. */
  async run(options: RunOptions): Promise<number> {
    const isShown = this.screen.isTerminal && !this.#quiet;
    const progress = isShown ? new Progress(this.tally, this.screen) : undefined;
    try {
      this.#ending = await this.#pump(options);
      this.#kept = options.selection.pages;
      await options.writer.close();
      progress?.stop();
      if (this.#isKept(options.keepsEmpty)) await this.output.commit();
    } catch (error) {
      // `head` has seen enough: so have we.
      if (error instanceof OutputClosed) return EXIT_CODES.complete;
      throw error;
    } finally {
      progress?.stop();
      this.output.discard();
    }
    if (!this.#quiet) this.#conclude(options);
    return this.signal.aborted ? exitCodeOf(this.signal.reason) : EXIT_CODES[this.#ending];
  }

  /** How it ended, in a line; known once the writer is closed. */
  summary(): string {
    const elapsed = performance.now() - this.#started;
    return summaryLine(this.#ending, this.tally, this.#kept, elapsed);
  }

  /** Leaves nothing behind of an output that was not finished. */
  [Symbol.dispose](): void {
    this.output.discard();
  }

  /** Whether the output is better than what was there before. */
  #isKept(keepsEmpty: boolean): boolean {
    if (this.#ending === "interrupted") return false;
    return keepsEmpty || this.#ending === "complete" || this.#ending === "partial";
  }

  async #pump({ batches, selection, writer }: RunOptions): Promise<Ending> {
    const { tally } = this;
    try {
      for await (const batch of batches) {
        if (!await this.#take(batch, selection, writer)) break;
      }
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
    }
    if (tally.verdict !== undefined && !this.signal.aborted) return tally.verdict;
    for (const event of selection.closing()) {
      tally.see(event);
      await writer.write(event);
    }
    return this.signal.aborted ? "interrupted" : "partial";
  }

  /** Writes the selected events of a batch: whether more are wanted. */
  async #take(
    batch: readonly TreeEvent[],
    selection: Selection,
    writer: EventWriter,
  ): Promise<boolean> {
    const { tally, log } = this;
    for (const event of batch) {
      tally.see(event);
      if (log.level > 0) logEvent(log, event);
      const selected = selection.select(event);
      if (selected === undefined) continue;
      const waiting = writer.write(selected);
      if (waiting !== undefined) await waiting;
      // Ctrl-C may have come while the output was busy: the rest of the batch is dropped.
      if (this.signal.aborted || event.type === "page" && selection.isFull) return false;
    }
    return true;
  }

  /** Says how it ended, where that is news to whoever reads standard error. */
  #conclude(options: RunOptions): void {
    const { screen, tally, log } = this;
    const ending = this.#ending;
    const isWritten = options.tellsEnding === "always" ||
      options.tellsEnding === "finished" && tally.verdict === ending;
    const isKnown = isWritten && !this.output.isFile;
    const advice = [...adviceLines(ending, tally, isKnown), ...options.moreAdvice?.(ending) ?? []];
    const isNews = ending !== "complete" || advice.length > 0 || screen.isTerminal ||
      log.level > 0;
    const width = screen.isTerminal ? terminalColumns() : Infinity;
    if (isNews && !isKnown) {
      const [first = "", ...rest] = wrap(this.summary(), width);
      const isPainted = screen.isTerminal && !Deno.noColor;
      screen.print(isPainted ? paintEnding(ending, first) : first);
      for (const line of rest) screen.print(line);
    }
    for (const line of advice.flatMap((text) => wrap(text, width - 2))) screen.print(`  ${line}`);
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
  const log = openLog(args, screen);
  const output = await openOutput(args.value("output"), screen);
  return new Session(screen, log, output, quiet);
}
