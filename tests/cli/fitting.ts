/** What fits a terminal. @module */

import { assert } from "@std/assert";
import { widthOf } from "../../src/write/layout.ts";

export const WIDTHS: readonly number[] = [40, 60, 80, 100, 200];

/** Words that are longer than a line may be: URLs, paths and lists of names. */
const LONG_REGEXP = /[/,]/;

/**
 * Asserts that no line of a text is wider than a terminal, except by its last word where that is a URL,
 * a command to copy or a line of the log, and that none is cut.
 */
export function assertFits(text: string, width: number, about = ""): void {
  // deno-lint-ignore no-control-regex -- colors
  for (const line of text.replace(/\x1b\[[\d;]*m/g, "").split("\n")) {
    const last = line.split(" ").at(-1)!;
    const isLong = LONG_REGEXP.test(last) && widthOf(line) - widthOf(last) < width;
    const isCommand = /^ {2}.*\bsitetree |^ {2}export |\brun: deno |^\d{4}-\d\d-\d\dT/.test(line);
    assert(widthOf(line) <= width || isLong || isCommand, `${about} at ${width}: ${line}`);
    // long values from sites end with one, wherever they are shown
    assert(!/(?<!.{150})…/.test(line.replace(/ ├ … /, "")), `${about} at ${width}: ${line}`);
  }
}
