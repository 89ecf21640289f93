/**
 * Standard error as people see it: lines, and a progress line that gives way to them.
 *
 * @module
 */

import { codeOf, isTerminal, terminalWidth, writeErrorSync } from "../platform/host.ts";

/** Width of a terminal that does not report it. */
const DEFAULT_COLUMNS = 80;

/** Returns the width of the terminal. */
export function terminalColumns(): number {
  return terminalWidth() || DEFAULT_COLUMNS;
}

const ERASE_LINE = "\r\x1b[K";

/** Standard error. */
export class Screen {
  /** Whether it is a terminal. */
  readonly isTerminal: boolean = isTerminal("stderr");
  readonly #encoder = new TextEncoder();
  #hasProgress = false;

  /** Writes a line in the place of the progress line. */
  print(line: string): void {
    this.erase();
    this.#write(`${line}\n`);
  }

  /** Shows a progress line in the place of the one before. */
  showProgress(line: string): void {
    this.#write(ERASE_LINE + line);
    this.#hasProgress = true;
  }

  /** Takes the progress line away. */
  erase(): void {
    if (!this.#hasProgress) return;
    this.#hasProgress = false;
    this.#write(ERASE_LINE);
  }

  #write(text: string): void {
    try {
      writeErrorSync(this.#encoder.encode(text));
    } catch (error) {
      // The reader has gone away: no reason to stop.
      if (codeOf(error) !== "EPIPE") throw error;
    }
  }
}
