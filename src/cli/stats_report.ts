/**
 * Bar charts for a terminal.
 *
 * @module
 */

import { bold, cyan, dim } from "@std/fmt/colors";
import { INVALID_CODES, type InvalidCode, WARNING_CODES, type WarningCode } from "../data/codes.ts";
import { CHANGE_FREQUENCIES } from "../data/page.ts";
import { count, excerpt, grouped } from "../data/text.ts";
import { escapeControls, escapeControlsInJson } from "../write/escape.ts";
import type { Ending, Reading } from "./session.ts";
import {
  type Counts,
  type Faults,
  faultsByCount,
  KINDS,
  type StatsTally,
  TOP,
} from "./stats_tally.ts";
import { cutMiddle, padEnd, padStart, widthOf, wrap } from "./terminal.ts";
import type { WalkTally } from "./walk_tally.ts";

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

// MERGED: How many pages were last modified when, by day, month or year.

const DAY = 86_400_000;
/** Dates outside of these years are counted together, so that memory has a bound. */
const FIRST_YEAR = 1990;
const LAST_YEAR = 2100;
const MAX_ROWS = 24;

/** Length of time of a row. */
interface Unit {
  /** The number of the unit that a time lies in. */
  readonly of: (time: Date) => number;
  /** Returns the name of a unit. */
  readonly label: (number: number) => string;
}

/** From the finest to the coarsest. */
const UNITS: readonly Unit[] = [
  {
    of: (time) => Math.floor(time.getTime() / DAY),
    label: (day) => new Date(day * DAY).toISOString().slice(0, 10),
  },
  {
    of: (time) => time.getUTCFullYear() * 12 + time.getUTCMonth(),
    label: (month) => `${Math.floor(month / 12)}-${String(month % 12 + 1).padStart(2, "0")}`,
  },
  { of: (time) => time.getUTCFullYear(), label: String },
];

/** Counts times. */
export class DateHistogram {
  readonly #days = new Map<number, number>();
  #earlier = 0;
  #later = 0;

  /** Counts a time, in milliseconds since 1970. */
  add(time: number): void {
    const year = new Date(time).getUTCFullYear();
    if (year < FIRST_YEAR) this.#earlier++;
    else if (year > LAST_YEAR) this.#later++;
    else {
      const day = Math.floor(time / DAY);
      this.#days.set(day, (this.#days.get(day) ?? 0) + 1);
    }
  }

  /** A row for each unit from the first to the last, in the finest unit that makes few rows. */
  rows(): ChartRow[] {
    const rows = this.#unitRows();
    const cut = rows.length - MAX_ROWS;
    const old = rows.splice(0, Math.max(0, cut));
    const earlier = old.reduce((sum, { count }) => sum + count, this.#earlier);
    if (earlier > 0) rows.unshift({ label: "earlier", count: earlier });
    if (this.#later > 0) rows.push({ label: "later", count: this.#later });
    return rows;
  }

  #unitRows(): ChartRow[] {
    if (this.#days.size === 0) return [];
    const days = [...this.#days.keys()].sort((a, b) => a - b);
    const first = new Date(days[0]! * DAY);
    const last = new Date(days.at(-1)! * DAY);
    const unit = UNITS.find(({ of }) => of(last) - of(first) < MAX_ROWS) ?? UNITS.at(-1)!;
    const counts = new Map<number, number>();
    for (const [day, count] of this.#days) {
      const number = unit.of(new Date(day * DAY));
      counts.set(number, (counts.get(number) ?? 0) + count);
    }
    const from = unit.of(first);
    return Array.from({ length: unit.of(last) - from + 1 }, (_, at) => ({
      label: unit.label(from + at),
      count: counts.get(from + at) ?? 0,
    }));
  }
}

// MERGED: The report of `sitetree stats -f json`.

/** Outcome of a walk. */
export interface StatsOutcome {
  /** How it ended. */
  readonly ending: Ending;
  /** Its figures. */
  readonly tally: Pick<WalkTally, "sitemaps" | "pages" | "invalid" | "warnings">;
  /** How long it took, in milliseconds. */
  readonly elapsed: number;
}

/** Returns a report as one JSON document, with the figures of the text report. */
export function statsJson(stats: StatsTally, { ending, tally, elapsed }: StatsOutcome): string {
  const { overlap } = stats;
  const isEstimate = overlap.sampledOneIn > 1;
  const report = {
    url: stats.root,
    verdict: ending,
    durationMs: Math.round(elapsed),
    sitemaps: {
      count: tally.sitemaps,
      byType: Object.fromEntries(KINDS.map(([type]) => [type, stats.kinds.get(type) ?? 0])),
      withPages: stats.listing,
      largest: stats.largest,
    },
    pages: { count: tally.pages, kept: stats.pages, unique: overlap.addresses, isEstimate },
    hosts: [...stats.hosts]
      .filter(([host]) => host !== "")
      .sort((a, b) => b[1] - a[1])
      .map(([host, pages]) => ({ host, pages })),
    otherHosts: { pages: stats.hosts.get("") ?? 0 },
    lastModified: {
      histogram: stats.dates.rows().map(({ label, count }) => ({ period: label, pages: count })),
      none: stats.undated,
    },
    changeFrequency: {
      ...Object.fromEntries(
        CHANGE_FREQUENCIES.map((name) => [name, stats.frequencies.get(name) ?? 0]),
      ),
      none: stats.frequencies.get("") ?? 0,
    },
    priority: {
      ...Object.fromEntries(
        stats.priorities.map((pages, tenths) => [(tenths / 10).toFixed(1), pages]),
      ),
      none: stats.withoutPriority,
    },
    extensions: Object.fromEntries(stats.extensions),
    overlap: {
      pages: overlap.repeated,
      isEstimate,
      examples: stats.shared.map(({ url, first, second }) => ({ url, sitemaps: [first, second] })),
    },
    warnings: {
      count: tally.warnings,
      byCode: byCode(stats.warnings, WARNING_CODES, ({ sitemap, line, message }) => ({
        url: sitemap.url,
        line,
        message,
      })),
    },
    invalid: {
      count: tally.invalid,
      byCode: byCode(stats.invalid, INVALID_CODES, ({ sitemap, reason }) => ({
        url: sitemap.url,
        reason,
      })),
    },
  };
  return `${escapeControlsInJson(JSON.stringify(report, null, 2))}\n`;
}

function byCode<K extends string, E>(
  all: ReadonlyMap<K, Faults<E>>,
  meanings: Readonly<Record<K, string>>,
  example: (event: E) => object,
): Record<string, object> {
  return Object.fromEntries(
    faultsByCount(all).map(([code, { count, examples }]) => [
      code,
      { count, meaning: meanings[code], examples: examples.map(example) },
    ]),
  );
}

// MERGED: The report of `sitetree stats`, laid out for a width.

const FREQUENCIES = [...CHANGE_FREQUENCIES, ""];

type Paint = (text: string) => string;

/** Lays out a report. */
export class StatsReport {
  readonly #stats: StatsTally;
  readonly #width: number;
  readonly #heading: Paint;
  readonly #bar: Paint;
  readonly #faint: Paint;
  readonly #lines: string[] = [];
  readonly #origin: string;

  /** Reports on a tally for a width, with or without colors. */
  constructor(stats: StatsTally, width: number, color: boolean) {
    this.#stats = stats;
    this.#width = width;
    this.#heading = color ? bold : same;
    this.#bar = color ? cyan : same;
    this.#faint = color ? dim : same;
    this.#origin = URL.parse(stats.root)?.origin ?? "";
  }

  /** Returns the whole report as text; `verdict` is its last line. */
  text(verdict: string): string {
    const stats = this.#stats;
    this.#lines.push(this.#heading(this.#cut(stats.root, this.#width)));
    const kinds = KINDS.map(([type, label]) => ({ label, count: stats.kinds.get(type) ?? 0 }));
    this.#chart("Sitemaps by kind", kinds.filter(isThere));
    const { largest } = stats;
    const shown = stats.listing > TOP ? ` (${TOP} of ${grouped(stats.listing)})` : "";
    const listed = largest.map(({ url, pages }) => ({ label: this.#short(url), count: pages }));
    this.#chart(`Pages by sitemap${shown}`, listed);
    this.#hosts();
    this.#chart("Last modified", [
      ...stats.dates.rows(),
      ...[{ label: "no date", count: stats.undated }].filter(isThere),
    ]);
    const frequencies = FREQUENCIES.map((name) =>
      row(name || "not given", stats.frequencies, name)
    );
    this.#chart("Change frequency", frequencies.filter(isThere));
    const priorities = stats.priorities.map((count, tenths) => ({
      label: (tenths / 10).toFixed(1),
      count,
    }));
    const withoutPriority = { label: "not given", count: stats.withoutPriority };
    this.#chart("Priority", [...priorities.reverse(), withoutPriority].filter(isThere));
    this.#extensions();
    this.#overlap();
    this.#warnings();
    this.#invalid();
    this.#section("Verdict");
    this.#paragraph(verdict);
    return `${this.#lines.join("\n")}\n`;
  }

  /** Returns the whole report as one JSON document. */
  json(
    { ending = "interrupted", tally, started }: Pick<Reading, "ending" | "tally" | "started">,
  ): string {
    return statsJson(this.#stats, { ending, tally, elapsed: performance.now() - started });
  }

  #section(title: string): void {
    this.#lines.push("", this.#heading(cutMiddle(title, this.#width)));
  }

  /** Text, indented and broken into lines; those after the first are indented further. */
  #paragraph(text: string, indent = 2, paint: Paint = same): void {
    const [first = "", ...rest] = wrap(escapeControls(text), this.#width - indent);
    this.#lines.push(" ".repeat(indent) + paint(first));
    if (rest.length === 0) return;
    for (const line of wrap(rest.join(" "), this.#width - indent - 2)) {
      this.#lines.push(" ".repeat(indent + 2) + paint(line));
    }
  }

  /** An example of the line above. */
  #example(text: string): void {
    this.#paragraph(text, 4, this.#faint);
  }

  #chart(title: string, rows: readonly ChartRow[]): void {
    if (rows.length === 0) return;
    this.#section(title);
    for (const line of chartLines(rows, this.#width - 2, this.#bar)) this.#lines.push(`  ${line}`);
  }

  #hosts(): void {
    const { hosts } = this.#stats;
    const sorted = [...hosts].filter(([host]) => host !== "").sort((a, b) => b[1] - a[1]);
    const rows = sorted.slice(0, TOP).map(([host, count]) => ({
      label: escapeControls(host),
      count,
    }));
    const others = sorted.slice(TOP).reduce((sum, [, n]) => sum + n, hosts.get("") ?? 0);
    if (others > 0) rows.push({ label: "other hosts", count: others });
    this.#chart("Pages by host", rows);
  }

  #extensions(): void {
    const { extensions } = this.#stats;
    if (extensions.size === 0) return;
    this.#section("Extensions");
    for (const [name, { pages, items }] of extensions) {
      const detail = name === "news" ? "" : `, ${grouped(items)} in all`;
      this.#paragraph(`${name}: ${count(pages, "page")}${detail}`);
    }
  }

  #overlap(): void {
    const { overlap, shared } = this.#stats;
    if (overlap.addresses === 0) return;
    this.#section("Pages in several sitemaps");
    const estimated = overlap.sampledOneIn > 1
      ? `; estimated from one in ${grouped(overlap.sampledOneIn)}`
      : "";
    const of = `of ${count(overlap.addresses, "different page")}${estimated}`;
    this.#paragraph(overlap.repeated === 0 ? `none ${of}` : `${grouped(overlap.repeated)} ${of}`);
    for (const { url, first, second } of shared) {
      const others = first === second ? "twice" : `and ${this.#short(second)}`;
      this.#example(`${this.#short(url)} in ${this.#short(first)} ${others}`);
    }
  }

  #warnings(): void {
    const sections = faultsByCount(this.#stats.warnings);
    if (sections.length > 0) this.#section("Warnings");
    for (const [code, { count, examples }] of sections) {
      this.#fault(code, count, WARNING_CODES[code as WarningCode]);
      for (const { sitemap, line, message } of examples) {
        const place = line === undefined ? "" : `:${line}`;
        this.#example(`${this.#short(sitemap.url)}${place}: ${excerpt(message)}`);
      }
    }
  }

  #invalid(): void {
    const sections = faultsByCount(this.#stats.invalid);
    if (sections.length > 0) this.#section("Invalid sitemaps");
    for (const [code, { count, examples }] of sections) {
      this.#fault(code, count, INVALID_CODES[code as InvalidCode]);
      for (const { sitemap, reason } of examples) {
        this.#example(`${this.#short(sitemap.url)}: ${excerpt(reason)}`);
      }
    }
  }

  #fault(code: string, number: number, meaning: string): void {
    this.#paragraph(`${grouped(number)} × ${code}: ${meaning}`);
  }

  #cut(text: string, width: number): string {
    return cutMiddle(escapeControls(text), width);
  }

  /** An address without the site's own origin, harmless to a terminal. */
  #short(url: string): string {
    const isOwn = this.#origin !== "" && url.startsWith(`${this.#origin}/`);
    return escapeControls(excerpt(isOwn ? url.slice(this.#origin.length) : url));
  }
}

function same(text: string): string {
  return text;
}

function isThere({ count }: ChartRow): boolean {
  return count > 0;
}

function row(label: string, counts: Counts, name: string): ChartRow {
  return { label, count: counts.get(name) ?? 0 };
}
