/**
 * Text that is gathered piece by piece, and may become too long.
 *
 * @module
 */

/** Names are read up to this length; longer ones stand for nothing anyway. */
export const MAX_NAME_LENGTH = 1024;

/** Adds to a text; of one that is too long, one character more than is allowed is kept. */
export function limited(text: string, more: string, max: number): string {
  return text.length + more.length <= max
    ? text + more
    : text + more.slice(0, Math.max(0, max + 1 - text.length));
}
