/**
 * Strings: copies that keep no other string alive, trimming, values shortened for messages, figures.
 *
 * A slice of a string keeps the whole string alive, so what outlives a chunk must be a copy, see
 * `docs/ARCHITECTURE.md`, "What we learned about V8".
 *
 * @module
 */

/** Length from which V8 makes a slice refer to its string; shorter ones are copied. */
const MIN_SLICED_LENGTH = 13;
/** Character that is found at once in an address, which most copied texts are. */
const FIRST_LETTER = "h";
const NEL = 0x85;
const SPACE_REGEXP = /[\s\x85]/;
/** Maximum length of a value in a message. */
const MAX_LENGTH = 200;

/**
 * Returns two strings as one that keeps neither alive. Searching the result makes V8 flatten it, which
 * copies both; the comparison, which is never true, keeps the search from being optimised away.
 */
export function joinedCopy(head: string, tail: string): string {
  const text = head + tail;
  return text.indexOf(FIRST_LETTER) > text.length ? "" : text;
}

export function ownCopy(text: string): string {
  return text.length < MIN_SLICED_LENGTH ? text : joinedCopy(text.slice(0, 1), text.slice(1));
}

/** `edge` matches one character. */
export function trimmed(text: string, edge: RegExp): string {
  // a pattern such as `\s+$` would take quadratic time
  let start = 0, end = text.length;
  while (start < end && edge.test(text.charAt(start))) start++;
  while (end > start && edge.test(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

/** Trims Unicode whitespace like `trim()`, and NEL. */
export function trimSpace(text: string): string {
  const inner = text.trim();
  const hasNel = inner.charCodeAt(0) === NEL || inner.charCodeAt(inner.length - 1) === NEL;
  return hasNel ? trimmed(inner, SPACE_REGEXP) : inner;
}

export function excerpt(text: string): string {
  return startOf(text, MAX_LENGTH);
}

export function startOf(text: string, length: number): string {
  if (text.length <= length) return text;
  // without half a surrogate pair at its end
  return `${text.slice(0, length).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Texts of 0, 0.1, … 1, as most priorities are. */
const TENTHS: readonly string[] = Array.from({ length: 11 }, (_, tenths) => String(tenths / 10));

/** Returns what `String()` returns for a number, which takes longer for one with decimals. */
export function numberText(number: number): string {
  const tenths = number * 10;
  const isKnown = tenths >= 0 && tenths <= 10 && Math.trunc(tenths) / 10 === number;
  return isKnown ? TENTHS[tenths]! : String(number);
}

/** Returns a number such as `1,234`. `Intl` is not used, as it is slow to load on Node. */
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** Returns a count such as `1 page` or `1,234 pages`. */
export function count(number: number, noun: string): string {
  return `${grouped(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/** Whether databases can store a text: it has neither NUL nor half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}

/** Quotes a word for a shell, if necessary. */
export function quotedWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
