/**
 * The terminal: its width, and standard error with its progress line and messages.
 *
 * @module
 */

import { codeOf, isTerminal, noColor, terminalWidth, writeErrorSync } from "../../platform/host.ts";
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
/** Milliseconds without output after which progress is printed elsewhere than on a terminal. */
const MAX_SILENCE = 30_000;
/** Free columns after the progress line: some terminals wrap in the last one, and `^C` takes two. */
const MARGIN = 3;

export class Screen {
  readonly isTerminal: boolean = isTerminal("stderr");
  readonly #maxSilence: number;
  #lastOutput = performance.now();
  readonly #encoder = new TextEncoder();
  #hasProgress = false;
  /** Writes to the same terminal under way. */
  #writes = 0;

  constructor(maxSilence: number = MAX_SILENCE) {
    this.#maxSilence = maxSilence;
  }

  lines(text: string): string[] {
    return this.isTerminal ? paragraph(text, terminalColumns()) : [text];
  }

  /** Prints a line of a message. */
  print(line: string): void {
    this.printLine(line);
  }

  printLine(line: string): void {
    this.erase();
    this.#write(`${line}\n`);
  }

  showProgress(line: string): void {
    if (this.#writes > 0) return;
    this.#write(ERASE_LINE + line);
    this.#hasProgress = true;
  }

  /** Elsewhere than on a terminal, prints the line only after a long silence. */
  follow(line: (elapsed: number, width: number) => string): () => void {
    const started = performance.now();
    const timer = setInterval(() => {
      const now = performance.now();
      if (this.isTerminal) {
        this.showProgress(line(now - started, terminalColumns() - MARGIN));
      } else if (now - this.#lastOutput >= this.#maxSilence) {
        this.print(line(now - started, Infinity));
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
      writeErrorSync(this.#encoder.encode(text));
    } catch (error) {
      // a closed standard error does not end the command
      if (codeOf(error) !== "EPIPE") throw error;
    }
  }
}

export class Messages {
  readonly screen: Screen;
  /** Whether nothing but errors is printed. */
  readonly quiet: boolean;
  /** When colors are used on the output. */
  readonly when: ColorName;
  /** Whether colors are used on standard error. */
  readonly color: boolean;

  constructor(quiet: boolean, when: ColorName = "auto", screen: Screen = new Screen()) {
    this.screen = screen;
    this.quiet = quiet;
    this.when = when;
    this.color = this.screen.isTerminal && usesColor(this.when, true);
  }

  note(text: string, paint?: (line: string) => string): void {
    if (!this.quiet) this.report(text, paint);
  }

  report(text: string, paint: (line: string) => string = (line) => line): void {
    const [first = "", ...rest] = this.screen.lines(escapeControls(text));
    for (const line of [this.color ? paint(first) : first, ...rest]) this.screen.print(line);
  }
}
