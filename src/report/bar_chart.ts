import { grouped } from "../data/text.ts";
import { padEnd, padStart, widthOf } from "../write/layout.ts";

export type ChartRow = readonly [label: string, count: number];

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
const GAP = 2;
const MAX_BAR = 40;
const MIN_BAR = 6;

/** Returns a bar of a number of columns; any length above 0 is visible. */
function bar(length: number): string {
  const eighths = Math.round(length * 8);
  if (eighths <= 0) return length > 0 ? EIGHTHS[1]! : "";
  return "█".repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8]!;
}

/**
 * Returns lines of label, count and bar that fit a width; `paint` colors the bars. A label that does
 * not fit has a line of its own.
 */
export function chartLines(
  rows: readonly ChartRow[],
  width: number,
  paint: (bar: string) => string,
): string[] {
  const most = Math.max(...rows.map(([, count]) => count), 1);
  const countWidth = Math.max(...rows.map(([, count]) => grouped(count).length));
  const forLabels = width - GAP - countWidth - GAP - MIN_BAR;
  const longest = Math.max(...rows.map(([label]) => widthOf(label)));
  const labelWidth = Math.max(0, Math.min(forLabels, longest));
  const barWidth = Math.min(MAX_BAR, width - labelWidth - GAP - countWidth - GAP);
  return rows.flatMap(([label, count]) => {
    const isLong = widthOf(label) > labelWidth;
    const name = padEnd(isLong ? "" : label, labelWidth);
    const number = padStart(grouped(count), countWidth);
    const drawn = barWidth < 1 ? "" : bar(count / most * barWidth);
    const line = `${name}  ${number}  ${drawn === "" ? "" : paint(drawn)}`.trimEnd();
    return isLong ? [label, line] : [line];
  });
}
