/**
 * The words for verdicts and figures, which messages, formats and the page of the report have in common.
 *
 * @module
 */

import { format } from "@std/fmt/bytes";
import { DAY, HOUR, MINUTE } from "./calendar.ts";
import type { Verdict } from "./events.ts";
import { count, grouped } from "./text.ts";

/** What a verdict means, the best first. */
export const VERDICTS: Readonly<Record<Verdict, string>> = {
  complete: "everything declared was read",
  partial: "not everything could be read",
  none: "no sitemap was found",
  blocked: "nothing could be read",
};

/** Returns those above zero, each such as `1,234 complete`. */
export function namedCounts(counts: Readonly<Record<string, number>>): string[] {
  return Object.entries(counts).filter(([, number]) => number > 0)
    .map(([name, number]) => `${grouped(number)} ${name}`);
}

/** Returns a size such as `1.2 MB`. */
export function size(bytes: number): string {
  return format(bytes);
}

/** Returns a time such as `0.4 s` or `1:02:03`. */
export function duration(milliseconds: number): string {
  const tenths = Math.floor(milliseconds / 100);
  if (tenths < 600) return `${(tenths / 10).toFixed(1)} s`;
  const [hours, minutes, seconds] = [tenths / 36_000, tenths / 600 % 60, tenths / 10 % 60];
  const two = (number: number) => String(Math.floor(number)).padStart(2, "0");
  const start = hours < 1 ? Math.floor(minutes) : `${Math.floor(hours)}:${two(minutes)}`;
  return `${start}:${two(seconds)}`;
}

/** Returns a time such as `45 s` or `1:02:03`. */
export function wholeDuration(milliseconds: number): string {
  return duration(milliseconds).replace(/\.\d s$/, " s");
}

/** Largest time of each unit, its length and its name. */
const UNITS: readonly (readonly [max: number, unit: number, name: string])[] = [
  [100 * 1000, 1000, "s"],
  [100 * MINUTE, MINUTE, "min"],
  [2 * DAY, HOUR, "h"],
  [Infinity, DAY, "days"],
];

/** Returns a time in one unit, rounded up, such as `90 s`, `2 min`, `3 h` or `5 days`. */
export function roughDuration(milliseconds: number): string {
  const [, unit, name] = UNITS.find(([max]) => milliseconds <= max)!;
  return `${Math.ceil(milliseconds / unit)} ${name}`;
}

/** Returns a rate such as `2.5/s` or, with a noun, `1,234 pages/s`. */
export function rate(perSecond: number, noun?: string): string {
  const rounded = perSecond < 10 ? Math.round(perSecond * 10) / 10 : Math.round(perSecond);
  return `${noun === undefined ? grouped(rounded) : count(rounded, noun)}/s`;
}

/** Returns a share such as `12.5 %`; what is neither nothing nor all is never shown as such. */
export function share(part: number, whole: number): string {
  if (whole === 0 || part === 0) return "0 %";
  if (part === whole) return "100 %";
  const percent = Math.min(99.9, Math.max(0.1, part / whole * 100));
  return part / whole < 0.001 ? "< 0.1 %" : `${percent.toFixed(1)} %`;
}

interface WalkFigures {
  readonly sitemaps: number;
  readonly pages: number;
  /** Pages that a filter keeps. Default: all. */
  readonly kept?: number;
  /** Sitemaps that were not to be read. Default: 0. */
  readonly notFetched?: number;
  readonly invalid: number;
  readonly warnings: number;
}

/** Returns figures such as `3 sitemaps, 12 pages (5 kept), 1 invalid, 2 warnings, 0.4 s`. */
export function walkFigures(figures: WalkFigures, milliseconds: number): string {
  const { sitemaps, pages, kept = pages, notFetched = 0 } = figures;
  return [
    count(sitemaps, "sitemap"),
    count(pages, "page") + (kept === pages ? "" : ` (${grouped(kept)} kept)`),
    ...namedCounts({ "not fetched": notFetched }),
    ...faultCounts(figures),
    duration(milliseconds),
  ].join(", ");
}

export function faultCounts(
  { invalid, warnings }: Pick<WalkFigures, "invalid" | "warnings">,
): string[] {
  return [
    ...namedCounts({ invalid }),
    ...(warnings > 0 ? [count(warnings, "warning")] : []),
  ];
}
