/**
 * The terminal: its width, and standard error with its progress line and messages.
 *
 * @module
 */

import { codeOf, isTerminal, noColor, printSync, terminalWidth } from "../../platform/process.ts";
import { ERASE_LINE } from "../../write/ansi.ts";
import { escapeControls } from "../../write/escape.ts";
import { paragraph } from "../../write/layout.ts";

export type ColorName = "auto" | "always" | "never";

export function usesColor(when: ColorName, isTerminal: boolean): boolean {
  return when === "always" || when === "auto" && isTerminal && !noColor();
}

const DEFAULT_COLUMNS = 80;

export function terminalColumns(): number {
  return terminalWidth() || DEFAULT_COLUMNS;
}

export function outputColumns(otherwise: number = Infinity): number {
  return isTerminal("stdout") ? terminalColumns() : otherwise;
}

/** Milliseconds between two updates of the progress line. */
const INTERVAL = 100;
/** Free columns after the progress line: some terminals wrap in the last one, and `^C` takes two. */
const MARGIN = 3;

/** Standard error: a progress line, and messages above it. */
export class Messages {
  readonly isTerminal: boolean = isTerminal("stderr");
  /** Whether nothing but errors is printed. */
  readonly quiet: boolean;
  /** When colors are used. */
  readonly when: ColorName;
  readonly #format: (line: string) => string;
  /** Milliseconds without output after which progress is printed elsewhere than on a terminal. */
  readonly maxSilence: number = 30_000;
  #lastOutput = performance.now();
  #hasProgress = false;
  /** Writes to the same terminal under way. */
  #writes = 0;

  /** `format` returns what is printed for a line of a message. */
  constructor(
    quiet = false,
    when: ColorName = "auto",
    format: (line: string) => string = (line) => line,
  ) {
    this.quiet = quiet;
    this.when = when;
    this.#format = format;
  }

  note(text: string, paint?: (line: string) => string): void {
    if (!this.quiet) this.report(text, paint);
  }

  report(text: string, paint: (line: string) => string = (line) => line): void {
    const escaped = escapeControls(text);
    const lines = this.isTerminal ? paragraph(escaped, terminalColumns()) : [escaped];
    const isPainted = this.isTerminal && usesColor(this.when, true);
    for (const [at, line] of lines.entries()) {
      this.printLine(this.#format(isPainted && at === 0 ? paint(line) : line));
    }
  }

  printLine(line: string): void {
    this.erase();
    this.#write(`${line}\n`);
  }

  showLine(line: string): void {
    if (this.#writes > 0) return;
    this.#write(ERASE_LINE + line);
    this.#hasProgress = true;
  }

  /** Elsewhere than on a terminal, prints the line only after a long silence. */
  follow(line: (elapsed: number, width: number) => string): () => void {
    if (this.quiet) return () => {};
    const started = performance.now();
    const timer = setInterval(() => {
      const now = performance.now();
      if (this.isTerminal) {
        this.showLine(line(now - started, terminalColumns() - MARGIN));
      } else if (now - this.#lastOutput >= this.maxSilence) {
        this.printLine(this.#format(line(now - started, Infinity)));
      }
    }, INTERVAL);
    return () => {
      clearInterval(timer);
      this.erase();
    };
  }

  erase(): void {
    if (!this.#hasProgress) return;
    this.#hasProgress = false;
    this.#write(ERASE_LINE);
  }

  /** Notes that something was printed elsewhere than on standard error. */
  endSilence(): void {
    this.#lastOutput = performance.now();
  }

  async withoutProgress(write: () => Promise<void>): Promise<void> {
    this.erase();
    this.#writes++;
    try {
      await write();
    } finally {
      this.#writes--;
    }
  }

  #write(text: string): void {
    this.endSilence();
    try {
      printSync("stderr", text);
    } catch (error) {
      // a closed standard error does not end the command
      if (codeOf(error) !== "EPIPE") throw error;
    }
  }
}
