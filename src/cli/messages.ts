/**
 * Messages on standard error, in the colors and with the silence that the arguments ask for.
 *
 * @module
 */

import { escapeControls } from "../write/escape.ts";
import { type ColorName, Screen, terminalColumns, usesColor, wrap } from "./terminal.ts";

/** Layout of a paragraph. */
export interface ParagraphOptions {
  /** Text before each line. Default: none. */
  readonly indent?: string;
  /** Adds colors to the first line. Default: none. */
  readonly paint?: (line: string) => string;
}

/** Messages on standard error. */
export class Messages {
  readonly screen: Screen = new Screen();
  /** Whether nothing but errors is printed. */
  readonly quiet: boolean;
  /** When colors are used on the output. */
  readonly when: ColorName;
  /** Whether colors are used on standard error. */
  readonly color: boolean;

  /** Takes `--quiet` and `--color`. */
  constructor(quiet: boolean, when: ColorName = "auto") {
    this.quiet = quiet;
    this.when = when;
    this.color = this.screen.isTerminal && usesColor(this.when, true);
  }

  /** Prints a line, unless `--quiet`. */
  note(line: string): void {
    if (!this.quiet) this.screen.print(escapeControls(line));
  }

  /** Prints a text, unless `--quiet`; on a terminal it is broken at spaces. */
  paragraph(text: string, { indent = "", paint = (line) => line }: ParagraphOptions = {}): void {
    if (this.quiet) return;
    const width = this.screen.isTerminal ? terminalColumns() - indent.length : Infinity;
    const [first = "", ...rest] = wrap(escapeControls(text), width);
    for (const line of [this.color ? paint(first) : first, ...rest]) {
      this.screen.print(indent + line);
    }
  }
}
