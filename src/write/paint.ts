/**
 * Colours for a terminal, by ANSI escapes.
 *
 * @module
 */

/** Paints text. */
export interface Paint {
  /** For what matters less. */
  readonly dim: (text: string) => string;
  /** For what went wrong. */
  readonly red: (text: string) => string;
  /** For what went well. */
  readonly green: (text: string) => string;
  /** For what went half well. */
  readonly yellow: (text: string) => string;
}

/** Leaves text as it is. */
export const PLAIN: Paint = { dim: same, red: same, green: same, yellow: same };

/** Paints for a terminal, whatever the environment says: the caller has decided. */
export const TERMINAL_COLORS: Paint = {
  dim: (text) => `\x1b[2m${text}\x1b[22m`,
  red: (text) => `\x1b[31m${text}\x1b[39m`,
  green: (text) => `\x1b[32m${text}\x1b[39m`,
  yellow: (text) => `\x1b[33m${text}\x1b[39m`,
};

function same(text: string): string {
  return text;
}
