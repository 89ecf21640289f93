/**
 * Layout of text: lines that fit into the width of a terminal.
 *
 * | too wide for the terminal                     | what follows                                   |
 * | --------------------------------------------- | ---------------------------------------------- |
 * | message, help, advice                         | broken at spaces                               |
 * | word, URL, command to copy                    | whole, on a line that the terminal breaks      |
 * | progress line                                 | fields are left out, the least important first |
 * | table                                         | columns are left out; a long URL has a line    |
 * | text beside another: `explain`, options       | below it                                       |
 *
 * @module
 */

import { padEnd, widthOf } from "./table.ts";

/** Words of a text; a time such as `0.2 s` or a command to copy, after `run: `, is one of them. */
const WORDS_REGEXP = /\brun: deno .*$|[\d.]+ s,?(?![^ ])| |[^ ]+/g;

/** Returns the lines of a text broken at spaces; a word that is too long is a line. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.match(WORDS_REGEXP) ?? []) {
    if (word === " ") continue;
    const longer = line === "" ? word : `${line} ${word}`;
    if (line === "" || widthOf(longer) <= width) {
      line = longer;
      continue;
    }
    lines.push(line);
    line = word;
  }
  return [...lines, line];
}

/** Returns the lines of a text, each with the spaces that it begins with. */
export function paragraph(text: string, width: number): string[] {
  const indent = /^ */.exec(text)![0];
  return wrap(text.slice(indent.length), width - indent.length).map((line) => indent + line);
}

/** Returns the lines of a text after an indent; those after the first are indented further. */
export function indented(text: string, indent: string, width: number): string[] {
  const [first = "", ...rest] = wrap(text, width - indent.length);
  const more = rest.length === 0 ? [] : wrap(rest.join(" "), width - indent.length - 2);
  return [indent + first, ...more.map((line) => `${indent}  ${line}`)];
}

/** Columns of a text beside another, at least; with fewer, it is below. */
const MIN_BESIDE = 24;
const INDENT_BELOW = 4;

/** Returns a text from column `at` on, beside `head` or, in a narrow terminal, below it. */
export function hanging(head: string, text: string, at: number, width: number): string[] {
  const column = width - at < MIN_BESIDE ? INDENT_BELOW : at;
  const [first = "", ...rest] = wrap(text, width - column);
  const indent = " ".repeat(column);
  const start = head.trimEnd();
  return [
    ...(start === "" || widthOf(start) <= column - 2
      ? [padEnd(start, column) + first]
      : [start, indent + first]),
    ...rest.map((line) => indent + line),
  ].map((line) => line.trimEnd());
}

export function fittingLine(parts: readonly string[], width: number, between = "  "): string {
  const lines = parts.map((_, at) => parts.slice(0, at + 1).join(between));
  return lines.findLast((line) => widthOf(line) <= width) ?? "";
}
