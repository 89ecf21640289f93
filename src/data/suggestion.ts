import { closestString } from "@std/text/closest-string";
import { levenshteinDistance } from "@std/text/levenshtein-distance";

/**
 * Returns the end of a message about an unknown word, such as `; did you mean "format"?`, with a word
 * that the text begins, ends (`depth` for `max-depth`) or resembles; empty without a close one.
 */
export function suggestion(text: string, words: readonly string[], prefix = ""): string {
  if (text === "" || words.length === 0) return "";
  const lower = text.toLowerCase();
  const part = words.find((word) => word.toLowerCase().startsWith(lower)) ??
    words.find((word) => word.split(/[.-]/).at(-1)!.toLowerCase() === lower);
  const word: string = part ?? closestString(text, words);
  const distance: number = levenshteinDistance(lower, word.toLowerCase());
  const isClose = part !== undefined || distance <= Math.ceil(text.length / 2);
  return isClose ? `; did you mean "${prefix}${word}"?` : "";
}
