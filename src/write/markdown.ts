/**
 * Texts from sites in Markdown: shown as they are, whatever they contain.
 *
 * GitHub looks for links where references have been decoded, and for mentions, issues, commits, emoji
 * and formulas in the HTML after that. All of these end at a tag, so that an element without content
 * separates what would make one.
 *
 * | text              | what it would be      | separated               |
 * | ----------------- | --------------------- | ----------------------- |
 * | `https://a.test`  | link                  | behind the colon        |
 * | `www.a.test`      | link                  | behind `www`            |
 * | `a@b.test`, `@a`  | link, mention         | behind the at sign      |
 * | `#1`, `GH-1`      | link to an issue      | behind the sign         |
 * | `0a1b2c3`         | link to a commit      | behind six hex digits   |
 * | `:tada:`          | emoji                 | behind the colon        |
 * | `$x$`             | formula               | behind the sign         |
 *
 * @module
 */

import { excerpt } from "../data/text.ts";
import { escapeControls } from "./escape.ts";

/** Characters that have a meaning in Markdown, in a table or in HTML. */
const MEANINGFUL_REGEXP = /[\\`*_~[\]<>&|@#!$]/g;
/** What a text is separated behind; the colons of `12:30:00` are left. */
const SEPARATED_REGEXP = /:(?!\s|\d\d(?!\d))|[@#$]|[a-z]-(?=\d)|www(?=\.)|[\da-f]{6}(?=[\da-f])/gi;
/** An element without content; a comment is removed before the last of these are looked for. */
const SEPARATOR = "<b></b>";
/** Placeholder of a separator: a control character, which no text has by then. */
const HOLE = "\0";

export function inertText(text: string): string {
  return escapeControls(excerpt(text))
    .replace(SEPARATED_REGEXP, `$&${HOLE}`)
    .replace(MEANINGFUL_REGEXP, (character) => `&#${character.charCodeAt(0)};`)
    .replaceAll(HOLE, SEPARATOR);
}

export function codeSpan(text: string): string {
  const plain = escapeControls(excerpt(text));
  // these end a span or a cell, and a backslash cannot be escaped in a span
  const isPlain = plain !== "" && !/[`|\\]|^ | $/.test(plain);
  return isPlain ? `\`${plain}\`` : `<code>${inertText(text)}</code>`;
}

/** Returns lines that are shown on demand. */
export function details(summary: string, lines: readonly string[]): string[] {
  return ["", `<details><summary>${summary}</summary>`, "", ...lines, "", "</details>"];
}
