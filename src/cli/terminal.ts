/**
 * How wide text is in a terminal, and text that is cut to a width.
 *
 * @module
 */

import { codeOf, isTerminal, terminalWidth, writeErrorSync } from "../platform/host.ts";

const MARK_REGEXP = /[\p{Mn}\p{Me}\p{Cf}]/u;
const NOT_ASCII_REGEXP = /[^\x20-\x7e]/;

/** The blocks whose characters take two columns, as Unicode's East Asian Width has them. */
const WIDE_BLOCKS: readonly (readonly [first: number, last: number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18aff],
  [0x1aff0, 0x1b2ff],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f900, 0x1f9ff],
  [0x1fa70, 0x1faff],
  [0x20000, 0x3fffd],
];

function characterWidth(character: string): number {
  const code = character.codePointAt(0)!;
  if (code < 0x300) return 1;
  if (MARK_REGEXP.test(character)) return 0;
  return WIDE_BLOCKS.some(([first, last]) => code >= first && code <= last) ? 2 : 1;
}

/** How many columns a text takes. It must have no control characters. */
export function widthOf(text: string): number {
  if (!NOT_ASCII_REGEXP.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** The longest beginning of a text that fits into a width. */
function beginning(text: string, width: number): string {
  let taken = "";
  let left = width;
  for (const character of text) {
    left -= characterWidth(character);
    if (left < 0) break;
    taken += character;
  }
  return taken;
}

/** A text cut to a width, with an ellipsis for what is missing in its middle. */
export function cutMiddle(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  if (width < 1) return "";
  const head = beginning(text, Math.ceil((width - 1) / 2));
  const backwards = [...text].reverse().join("");
  const tail = beginning(backwards, width - 1 - widthOf(head));
  return `${head}…${[...tail].reverse().join("")}`;
}

/** A text with spaces behind it up to a width. */
export function padEnd(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}

/** A text with spaces before it up to a width. */
export function padStart(text: string, width: number): string {
  return " ".repeat(Math.max(0, width - widthOf(text))) + text;
}

/** A text broken at spaces into lines of a width; words that are too long are cut. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (widthOf(longer) <= width) {
      line = longer;
      continue;
    }
    if (line !== "") lines.push(line);
    line = cutMiddle(word, width);
  }
  return [...lines, line];
}

// MERGED: Standard error as people see it: lines, and a progress line that gives way to them.

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
  async evict(write: () => Promise<void>): Promise<void> {
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

/** Such as `0:07` or `1:02:03`. */
export function clock(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  const two = (number: number) => String(number).padStart(2, "0");
  const minutes = Math.floor(seconds / 60) % 60;
  const hours = Math.floor(seconds / 3600);
  return hours > 0
    ? `${hours}:${two(minutes)}:${two(seconds % 60)}`
    : `${minutes}:${two(seconds % 60)}`;
}

/** Such as `0.4 s` or `1:02:03`. */
export function duration(milliseconds: number): string {
  return milliseconds < 60_000 ? `${(milliseconds / 1000).toFixed(1)} s` : clock(milliseconds);
}
