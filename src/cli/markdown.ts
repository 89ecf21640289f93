/**
 * Texts from sites in Markdown: shown as they are, whatever they contain.
 *
 * @module
 */

import { excerpt } from "../data/text.ts";
import { escapeControls } from "../write/escape.ts";

/** Characters that have a meaning in Markdown, in a table or in HTML. */
const MEANINGFUL_REGEXP = /[\\`*_~[\]<>&|@#!$]|:(?=\/\/)|(?<=www)\./gi;

/** Returns a text without any markup, mention or link. */
export function inertText(text: string): string {
  return escapeControls(excerpt(text)).replace(MEANINGFUL_REGEXP, characterReference);
}

/** Returns a text as code. */
export function codeSpan(text: string): string {
  const plain = escapeControls(excerpt(text));
  // these end a span or a cell, and a backslash cannot be escaped in a span
  const isPlain = plain !== "" && !/[`|\\]|^ | $/.test(plain);
  return isPlain ? `\`${plain}\`` : `<code>${inertText(text)}</code>`;
}

function characterReference(character: string): string {
  return `&#${character.charCodeAt(0)};`;
}
