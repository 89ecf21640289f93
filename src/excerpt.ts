/**
 * Values from the network, shortened for messages.
 *
 * @module
 */

/** Characters of a value that a message holds. */
const MAX_LENGTH = 200;

/** Returns a text for a message: its first 200 characters, and an ellipsis if there are more. */
export function excerpt(text: string): string {
  if (text.length <= MAX_LENGTH) return text;
  // without half a surrogate pair at its end
  return `${text.slice(0, MAX_LENGTH).replace(/[\ud800-\udbff]$/, "")}…`;
}
