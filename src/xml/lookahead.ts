/**
 * Looks ahead for end tags, to tell elements that are closed, and hide what is in them, from those that
 * are not.
 *
 * @module
 */

import { windowText } from "../bytes/window.ts";
import { MAX_MISSPELT } from "./markup.ts";

/** Number of bytes within which the end tag of an element is looked for. */
const LOOKAHEAD = 64 * 1024;
/** Bytes that may be searched, in addition to those of the document, before elements count as open. */
const BUDGET = 1024 * 1024;
const MAX_NAMES = 64;

interface Ahead {
  /** Bytes of the window as latin1. */
  readonly text: string;
  /** Offset of the window in the document. */
  readonly offset: number;
  /** Offset in the window at which the search begins. */
  readonly from: number;
  /** Whether the document ends with the window. */
  readonly isLast: boolean;
}

export class Lookahead {
  /** Offsets in the document before which names have no end tag. */
  readonly #ends = new Map<string, number>();
  /** Offset in the document of an end tag that hides what precedes it. */
  #hiddenUntil = 0;
  #searched = 0;

  /**
   * Whether one of the open elements is closed by its end tag, before an element around them ends;
   * `undefined` if that takes more bytes. Names are those of elements, as written.
   */
  isClosed(
    ahead: Ahead,
    open: readonly string[],
    around: readonly string[],
  ): boolean | undefined {
    const { text, offset, from, isLast } = ahead;
    if (offset + from < this.#hiddenUntil) return true;
    if (this.#searched > BUDGET + 4 * (offset + from)) return false;
    const end = Math.min(from + LOOKAHEAD, text.length);
    const isWhole = isLast || end - from === LOOKAHEAD;
    const closed = open.filter((name) => this.#nextEnd(name, ahead, end) < end);
    if (closed.length === 0) return isWhole ? false : undefined;
    const found = endOfOne(text.slice(from, end), closed, around);
    if (found === undefined && !isWhole) return undefined;
    this.#searched += found?.at ?? LOOKAHEAD;
    if (found?.isOpen === true) this.#hiddenUntil = offset + from + found.at;
    return found?.isOpen ?? false;
  }

  /** Returns the offset of the next end tag of a name, or `end`; text is searched once. */
  #nextEnd(name: string, { text, offset, from }: Ahead, end: number): number {
    const known = (this.#ends.get(name) ?? 0) - offset;
    const start = Math.max(from, known);
    if (start >= end) return end;
    const source = sourceOf(name);
    const tag = new RegExp(`</${source}[\\s/>]|${misspelt(source)}`, "i");
    const length = text.slice(start, end).search(tag);
    const found = length < 0 ? end : start + length;
    if (this.#ends.size >= MAX_NAMES) this.#ends.clear();
    // an end tag may begin before the end of the text
    const none = found < end ? found : Math.max(start, end - 4 * name.length - MAX_MISSPELT);
    this.#searched += none - start;
    this.#ends.set(name, offset + none);
    return found;
  }
}

function sourceOf(name: string): string {
  return windowText(name).replace(/[^\w:]/g, "\\$&");
}

/** Returns the pattern of an end tag with blanks around its slash. */
function misspelt(source: string): string {
  return String.raw`<[ \t\r\n]*/[ \t\r\n]*${source}[ \t\r\n]*>`;
}

/** Returns where the first of the open elements, or one around them, is closed by its end tag. */
function endOfOne(
  text: string,
  open: readonly string[],
  around: readonly string[],
): { readonly at: number; readonly isOpen: boolean } | undefined {
  const names = [...open, ...around].map(sourceOf).join("|");
  const skipped = String.raw`<!--[^]*?(?:-->|$)|<!(?:\s*\[)?\s*CDATA\s*\[[^]*?(?:\]\]>|$)`;
  const tag = String.raw`<(?<slash>/?)(?<name>${names})(?=[\s/>])[^<>]*?(?<empty>/?)>`;
  const tags = new RegExp(`${skipped}|${tag}|${misspelt(`(?<misspelt>${names})`)}`, "gi");
  const depths = new Map(open.map((name) => [windowText(name).toLowerCase(), 0]));
  for (const { index: at, groups } of text.matchAll(tags)) {
    const { slash, name, misspelt, empty } = groups!, written = name ?? misspelt;
    if (written === undefined || empty === "/") continue;
    const lowerName = written.toLowerCase(), depth = depths.get(lowerName), isStart = slash === "";
    if (depth === undefined) {
      if (!isStart) return { at, isOpen: false };
    } else if (isStart) depths.set(lowerName, depth + 1);
    else if (depth === 0) return { at, isOpen: true };
    else depths.set(lowerName, depth - 1);
  }
  return undefined;
}
