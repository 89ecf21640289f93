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
  /** Writes to the same terminal that are not finished. */
  #writes = 0;

  /** Writes a line in the place of the progress line. */
  print(line: string): void {
    this.erase();
    this.#write(`${line}\n`);
  }

  /** Shows a progress line in the place of the one before, unless other output is being written. */
  showProgress(line: string): void {
    if (this.#writes > 0) return;
    this.#write(ERASE_LINE + line);
    this.#hasProgress = true;
  }

  /** Takes the progress line away. */
  erase(): void {
    if (!this.#hasProgress) return;
    this.#hasProgress = false;
    this.#write(ERASE_LINE);
  }

  /** Erases the progress line, and shows none until a write to the same terminal is finished. */
  async giveWay(write: () => Promise<void>): Promise<void> {
    this.erase();
    this.#writes++;
    try {
      await write();
    } finally {
      this.#writes--;
    }
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
