/**
 * Numbers and times as people read them.
 *
 * @module
 */

import { duration } from "./terminal.ts";
import { green, red, yellow } from "@std/fmt/colors";
import { count, excerpt, grouped } from "../data/text.ts";
import { escapeControls } from "../write/escape.ts";
import { permittedCommand } from "./failure.ts";
import type { PageFilter } from "./selection.ts";
import type { Ending, Reading } from "./reading.ts";
import type { WalkTally } from "./reading.ts";

// MERGED: The summary of a run in a line, and advice.

const COLORS: Readonly<Record<Ending, (text: string) => string>> = {
  complete: green,
  partial: yellow,
  none: red,
  blocked: red,
  interrupted: yellow,
};

/** Such as `partial: 3 sitemaps, 12 pages (5 kept), 1 invalid, 2 warnings, 0.4 s`. */
export function summaryLine(
  { ending = "interrupted", tally, selection: { kept }, elapsed }: Reading,
): string {
  const parts = [count(tally.sitemaps, "sitemap")];
  parts.push(
    kept === tally.pages
      ? count(tally.pages, "page")
      : `${count(tally.pages, "page")} (${grouped(kept)} kept)`,
  );
  if (tally.invalid > 0) parts.push(`${grouped(tally.invalid)} invalid`);
  if (tally.warnings > 0) parts.push(count(tally.warnings, "warning"));
  parts.push(duration(elapsed));
  return `${ending}: ${parts.join(", ")}`;
}

/** Colors the beginning of a summary. */
export function paintEnding(ending: Ending, line: string): string {
  return line.replace(ending, COLORS[ending]);
}

/** A reason that names a status, such as `403 Forbidden`. */
const STATUS_REGEXP = /: [45]\d\d /;
/** Pending requests that a message names. */
const MAX_PENDING = 3;

/** Returns what went wrong and what to try, in lines. */
export function adviceLines(ending: Ending, reading: Reading): string[] {
  const { tally, pendingAtEnd } = reading;
  const lines: string[] = [];
  if (ending === "partial" || ending === "blocked" || ending === "none") {
    const { firstInvalid, firstObstacle, firstCut, invalid, endedBy } = tally;
    if (firstInvalid !== undefined) {
      const { sitemap, reason, code } = firstInvalid;
      lines.push(`${excerpt(sitemap.url)}: ${excerpt(reason)} (${code})`);
      if (invalid > 1) lines.push(`and ${grouped(invalid - 1)} more; use -v to list them all`);
    }
    if (endedBy === "deadline") lines.push("--deadline reached: the rest was left out");
    else if (firstObstacle !== undefined) lines.push(excerpt(firstObstacle.message));
    if (pendingAtEnd.length > 0) {
      const more = pendingAtEnd.length - MAX_PENDING;
      const named = pendingAtEnd.slice(0, MAX_PENDING).map(excerpt).join(", ");
      lines.push(`pending then: ${named}${more > 0 ? ` and ${more} more` : ""}`);
    }
    if (lines.length === 0 && firstCut !== undefined && endedBy === undefined) {
      const { sitemap, message, code } = firstCut;
      lines.push(`${excerpt(sitemap.url)}: ${excerpt(message)} (${code})`);
    }
  }
  lines.push(...leftOutLines(reading), ...refusedLines(reading));
  if (ending === "blocked") lines.push(blockedAdvice(tally));
  if (ending === "none" && !reading.leftOutAll && reading.noneAdvice !== "") {
    lines.push(reading.noneAdvice);
  }
  return lines.map(escapeControls);
}

function blockedAdvice({ firstInvalid, firstObstacle }: WalkTally): string {
  const reasons = [firstObstacle?.message, firstInvalid && `: ${firstInvalid.reason}`];
  const isAnswered = reasons.some((reason) => STATUS_REGEXP.test(`${reason} `));
  return isAnswered || firstInvalid?.code === "blocked"
    ? "access was refused: try another --user-agent, --header or --proxy"
    : "the site cannot be reached: check its address and the network";
}

/** Returns what the filter dropped, in lines. */
export function filterLines(filter: PageFilter, pages: number): string[] {
  const { unmatched, outdated, undated, repeated } = filter;
  const lines: string[] = [];
  if (pages > 0 && filter.kept === 0) {
    lines.push(
      pages === 1
        ? "its only page was filtered out"
        : `all ${grouped(pages)} pages were filtered out`,
    );
  }
  if (unmatched > 0) lines.push(`--match and --ignore dropped ${count(unmatched, "page")}`);
  if (outdated > 0) {
    const dateless = undated > 0
      ? `, ${grouped(undated)} without a date (--undated keeps them)`
      : "";
    lines.push(`--since dropped ${count(outdated, "page")}${dateless}`);
  }
  if (repeated > 0) lines.push(`--unique dropped ${count(repeated, "repeated page")}`);
  if (filter.isUniqueFull) lines.push("--unique ran out of memory: later duplicates were kept");
  return lines;
}

/** Returns lines about sitemaps that options left out. */
function leftOutLines({ leftOut, tally }: Reading): string[] {
  const { include, exclude, since } = leftOut;
  const { tooDeep, endedBy, limits: { maxDepth, maxPages, maxSitemaps } } = tally;
  const lines: string[] = [];
  if (endedBy === "max-pages") {
    lines.push(`--max-pages ${maxPages} reached: further pages were left out`);
  }
  if (endedBy === "max-sitemaps" && maxSitemaps !== undefined) {
    lines.push(`--max-sitemaps ${maxSitemaps} reached: further sitemaps were left out`);
  }
  if (tooDeep > 0 && maxDepth !== undefined) {
    lines.push(`--max-depth ${maxDepth} left out ${count(tooDeep, "sitemap")}`);
  }
  if (include.size > 0) lines.push(`--include left out ${count(include.size, "sitemap")}`);
  if (exclude > 0) lines.push(`--exclude left out ${count(exclude, "sitemap")}`);
  if (since > 0) {
    lines.push(`--since left out ${count(since, "sitemap")}; --no-prune reads them`);
  }
  return lines;
}

/** Hosts that a message names. */
const MAX_HOSTS = 5;

/** Returns a line about hosts without permission. */
function refusedLines({ refusedHosts }: Reading): string[] {
  if (refusedHosts.size === 0) return [];
  const hosts = [...refusedHosts].slice(0, MAX_HOSTS).join(", ");
  const more = refusedHosts.size > MAX_HOSTS ? ", …" : "";
  return [`no permission to contact ${excerpt(hosts)}${more}; run: ${permittedCommand()}`];
}
