/**
 * The report of `sitetree stats`, laid out for a width.
 *
 * @module
 */

import { CHANGE_FREQUENCIES } from "../page.ts";
import { bold, cyan, dim } from "@std/fmt/colors";
import { INVALID_CODES, type InvalidCode, WARNING_CODES, type WarningCode } from "../codes.ts";
import { excerpt } from "../excerpt.ts";
import { escapeControls } from "../write/escape.ts";
import { chartLines, type ChartRow } from "./chart.ts";
import type { Reading } from "./reading.ts";
import { statsJson } from "./stats_json.ts";
import { type Counts, faultsByCount, KINDS, type StatsTally, TOP } from "./stats_tally.ts";
import { cutMiddle, wrap } from "./text_width.ts";
import { count, grouped } from "./wording.ts";

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
