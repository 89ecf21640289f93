/**
 * Words that are like a word that someone got wrong.
 *
 * @module
 */

import { closestString } from "@std/text/closest-string";

/**
 * The word of a list that another is the beginning of, or that is most like it; `undefined` where
 * none is much like it, since a wrong guess helps nobody.
 */
export function nearest(word: string, words: readonly string[]): string | undefined {
  if (word === "" || words.length === 0) return undefined;
  const longer = words.find((other) => other.startsWith(word));
  if (longer !== undefined) return longer;
  const other: string = closestString(word, words);
  return changes(word.toLowerCase(), other.toLowerCase()) <= Math.ceil(word.length / 2)
    ? other
    : undefined;
}

/** How many letters must be added, left out or replaced to make one word of another. */
function changes(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, length) => length);
  for (const [at, letter] of [...from].entries()) {
    const next = [at + 1];
    for (let column = 1; column <= to.length; column++) {
      const same = letter === to[column - 1] ? 0 : 1;
      next.push(Math.min(row[column]! + 1, next[column - 1]! + 1, row[column - 1]! + same));
    }
    row = next;
  }
  return row[to.length]!;
}
