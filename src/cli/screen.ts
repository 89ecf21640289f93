/**
 * Standard error as people see it: lines, and a progress line that gives way to them.
 *
 * @module
 */

/** How wide a terminal is where nobody knows. */
const DEFAULT_COLUMNS = 80;

/** How wide the terminal is. */
export function terminalColumns(): number {
  try {
    return Deno.consoleSize().columns || DEFAULT_COLUMNS;
  } catch {
    // There is none.
    return DEFAULT_COLUMNS;
  }
}

const ERASE_LINE = "\r\x1b[K";

/** Standard error. */
export class Screen {
  /** Whether it is a terminal. */
  readonly isTerminal: boolean = Deno.stderr.isTerminal();
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
    const bytes = this.#encoder.encode(text);
    try {
      for (let at = 0; at < bytes.length;) at += Deno.stderr.writeSync(bytes.subarray(at));
    } catch (error) {
      // Nobody listens: no reason to stop.
      if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
    }
  }
}
