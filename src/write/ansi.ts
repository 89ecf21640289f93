/**
 * Escape codes of terminals.
 *
 * @module
 */

/** Codes that start and end a style. Those of `@std/fmt/colors` cannot override `NO_COLOR`. */
const STYLES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

type Style = keyof typeof STYLES;
export type Paint = (style: Style, text: string) => string;

export function paint(style: Style, text: string): string {
  const [start, end] = STYLES[style];
  return `\x1b[${start}m${text}\x1b[${end}m`;
}

/** Returns `paint()`, or without color a function that keeps texts as they are. */
export function painter(color: boolean): Paint {
  return color ? paint : (_style, text) => text;
}

/** Returns the color of a verdict, or of another end of a walk. */
export function endingStyle(ending: string): Style {
  if (ending === "complete") return "green";
  return ending === "partial" || ending === "interrupted" ? "yellow" : "red";
}

export const ERASE_LINE = "\r\x1b[K";

/** Moves up and erases everything from there on. */
export function eraseLines(lines: number): string {
  return lines === 0 ? "" : `\x1b[${lines}A\x1b[J`;
}
