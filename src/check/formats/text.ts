import { groupBy } from "../../data/group_by.ts";
import { count, grouped } from "../../data/text.ts";
import { type Paint, painter } from "../../write/ansi.ts";
import { escapeControls } from "../../write/escape.ts";
import type { ShortenUrl } from "../../write/text.ts";
import {
  hanging,
  indented,
  padEnd,
  padStart,
  paragraph,
  widthOf,
  wrap,
} from "../../write/layout.ts";
import type { Finding } from "../finding.ts";
import type { Severity } from "../severity.ts";
import {
  type FormatSettings,
  furtherExamples,
  messageOf,
  shortUrls,
  type SiteCheck,
  summaryText,
} from "./finding_text.ts";

/** Columns of a sentence at most. */
const MAX_WIDTH = 100;
/** Sitemaps of a rule that are shown, unless all are asked for. */
const SHOWN_SITEMAPS = 5;

export const COLORS = { error: "red", warning: "yellow", notice: "cyan" } as const;

export function checkText(check: SiteCheck, settings: FormatSettings): string {
  const { site, findings, skipped, verdict } = check;
  const { color, verbose } = settings;
  const style = painter(color);
  const text = new FindingLines(settings, site);
  const name = escapeControls(site);
  const summary = summaryText(check);
  const lines = findings.length === 0
    ? wrap(`${name}: ${summary}`, settings.width)
      .map((line) => style(verdict === "complete" ? "green" : "yellow", line))
    : [
      style("bold", name) + (verdict === "interrupted" ? `: ${style("yellow", verdict)}` : ""),
      "",
      ...groups(findings).flatMap((group) => text.group(group)),
      ...wrap(summary, settings.width).map((line) => style("bold", line)),
    ];
  if (skipped.length > 0) {
    const hint = verbose ? "" : hintText(settings, "names them");
    lines.push(style("dim", `${count(skipped.length, "rule")} not judged${hint}`));
  }
  if (verbose) {
    const width = Math.max(0, ...skipped.map(({ code }) => code.length));
    for (const { code, reason } of skipped) {
      const shown = hanging(`  ${code}`, escapeControls(reason), width + 4, settings.width);
      lines.push(...shown.map((line) => style("dim", line)));
    }
  }
  return lines.map((line) => `${line}\n`).join("");
}

function hintText({ verboseHint }: FormatSettings, effect: string): string {
  return verboseHint === "" ? "" : `; ${verboseHint} ${effect}`;
}

/** Returns the findings in groups of the same rule and severity. */
export function groups<T extends { readonly code: string; readonly severity: Severity }>(
  findings: readonly T[],
): [T, ...T[]][] {
  return [...groupBy(findings, ({ severity, code }) => `${severity} ${code}`).values()];
}

class FindingLines {
  readonly #width: number;
  readonly #settings: FormatSettings;
  readonly #paint: Paint;
  readonly #short: ShortenUrl;
  readonly #site: string;

  constructor(settings: FormatSettings, site: string) {
    this.#site = site;
    this.#width = settings.width;
    this.#settings = settings;
    this.#paint = painter(settings.color);
    this.#short = shortUrls(site);
  }

  /** Returns the lines of findings of the same rule: rule, findings with examples, advice. */
  group(findings: readonly [Finding, ...Finding[]]): string[] {
    const [{ code, severity, help }] = findings;
    const shown = this.#settings.verbose ? findings : findings.slice(0, SHOWN_SITEMAPS);
    const more = findings.length - shown.length;
    const hint = hintText(this.#settings, "shows all");
    return [
      `${this.#paint(COLORS[severity], severity)} ${this.#paint("bold", code)}`,
      ...shown.flatMap((finding) => this.#finding(finding)),
      ...(more > 0 ? [`  and ${count(more, "more sitemap")}${hint}`] : []),
      ...this.#paragraph(`help: ${help}`, "  ").map((line, at) =>
        at === 0 ? line.replace("help:", this.#paint("green", "help:")) : line
      ),
      "",
    ];
  }

  #finding(finding: Finding): string[] {
    const { sitemap } = finding;
    // the site may be one sitemap
    const isNamed = sitemap !== undefined && sitemap !== this.#site;
    const message = messageOf(finding, isNamed ? this.#short(sitemap) : undefined);
    return [...this.#paragraph(message, "  "), ...this.#examples(finding)];
  }

  /** Returns examples in columns: line number, URL, value; or the value below, if one is too wide. */
  #examples(finding: Finding): string[] {
    const rows = furtherExamples(finding).map(({ line, url = "", value = "" }) => ({
      line: line === undefined ? "" : `line ${grouped(line)}`,
      url: this.#short(url),
      value: this.#short(value),
    }));
    const widest = (key: "line" | "url" | "value") =>
      Math.max(0, ...rows.map((row) => widthOf(row[key])));
    const lineWidth = widest("line");
    const before = lineWidth === 0 ? 0 : lineWidth + 2;
    const width = this.#width - 4;
    const [urlWidth, valueWidth] = [widest("url"), widest("value")];
    const isWide = before + urlWidth + 2 + valueWidth <= width;
    const lines = rows.flatMap(({ line, url, value }) => {
      const place = padStart(line, lineWidth);
      if (urlWidth === 0) return hanging(place, value, before, width);
      const start = lineWidth === 0 ? url : `${place}  ${url}`;
      if (value === "") return [start];
      if (isWide) return [`${padEnd(start, before + urlWidth)}  ${value}`];
      return [start, ...paragraph(" ".repeat(before + 2) + value, width)];
    });
    const more = finding.count - finding.examples.length;
    if (more > 0 && lines.length > 0) lines.push(`and ${grouped(more)} more`);
    return lines.map((line) => `    ${this.#paint("dim", line)}`);
  }

  #paragraph(text: string, indent: string): string[] {
    return indented(escapeControls(text), indent, Math.min(this.#width, MAX_WIDTH));
  }
}
