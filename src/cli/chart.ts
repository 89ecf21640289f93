/**
 * Bar charts for a terminal.
 *
 * @module
 */

import { cutMiddle, padEnd, padStart, widthOf } from "./text_width.ts";
import { grouped } from "./wording.ts";

/** A bar. */
export interface ChartRow {
  /** Its name, without control characters. */
  readonly label: string;
  /** Its length. */
  readonly count: number;
}

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
const GAP = 2;
/** Bars longer than this say no more. */
const MAX_BAR = 40;
const MIN_BAR = 6;

/** Returns a bar of so many columns, visible if it is longer than 0. */
export function bar(length: number): string {
  const eighths = Math.round(length * 8);
  if (eighths <= 0) return length > 0 ? EIGHTHS[1]! : "";
  return "█".repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8]!;
}

/** Lines of label, count and bar that fit a width; `paint` colours the bars. */
export function chartLines(
  rows: readonly ChartRow[],
  width: number,
  paint: (bar: string) => string,
): string[] {
  const most = Math.max(...rows.map(({ count }) => count), 1);
  const countWidth = Math.max(...rows.map(({ count }) => grouped(count).length));
  const forLabels = width - GAP - countWidth - GAP - MIN_BAR;
  const labelWidth = Math.max(
    1,
    Math.min(forLabels, Math.max(...rows.map(({ label }) => widthOf(label)))),
  );
  const barWidth = Math.min(MAX_BAR, width - labelWidth - GAP - countWidth - GAP);
  return rows.map(({ label, count }) => {
    const name = padEnd(cutMiddle(label, labelWidth), labelWidth);
    const number = padStart(grouped(count), countWidth);
    const drawn = barWidth < 1 ? "" : bar(count / most * barWidth);
    return `${name}  ${number}  ${drawn === "" ? "" : paint(drawn)}`.trimEnd();
  });
}
