/**
 * What a run came to, in a line, and what to do next where it came to little.
 *
 * @module
 */

import { green, red, yellow } from "@std/fmt/colors";
import { excerpt } from "../excerpt.ts";
import { escapeControls } from "../write/escape.ts";
import type { WalkTally } from "./walk_tally.ts";
import { count, duration, grouped } from "./wording.ts";

/** How a run ended. */
export type Ending = "complete" | "partial" | "none" | "blocked" | "interrupted";

const COLORS: Readonly<Record<Ending, (text: string) => string>> = {
  complete: green,
  partial: yellow,
  none: red,
  blocked: red,
  interrupted: yellow,
};

/** Such as `partial: 3 sitemaps, 12 pages (5 kept), 1 invalid, 2 warnings, 0.4 s`. */
export function summaryLine(
  ending: Ending,
  tally: WalkTally,
  kept: number,
  elapsed: number,
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

/** The beginning of a summary, coloured by how good it is. */
export function paintEnding(ending: Ending, line: string): string {
  return line.replace(ending, COLORS[ending]);
}

/** A reason that tells of an answer, such as `403 Forbidden`, and not of the way there. */
const ANSWERED_REGEXP = /: [45]\d\d /;

/**
 * What stood in the way, unless it `isShown` already, and what to try, in lines; none where there is
 * nothing to say.
 */
export function adviceLines(ending: Ending, tally: WalkTally, isShown: boolean): string[] {
  if (ending === "complete" || ending === "interrupted") return [];
  const { firstInvalid, firstObstacle, firstCut, invalid } = tally;
  const lines: string[] = [];
  if (firstInvalid !== undefined && !isShown) {
    const { sitemap, reason, code } = firstInvalid;
    lines.push(`${excerpt(sitemap.url)}: ${excerpt(reason)} (${code})`);
    if (invalid > 1) lines.push(`and ${grouped(invalid - 1)} more; -v tells of each`);
  }
  if (firstObstacle !== undefined) lines.push(excerpt(firstObstacle.message));
  if (lines.length === 0 && firstCut !== undefined && !isShown) {
    const { sitemap, message, code } = firstCut;
    lines.push(`${excerpt(sitemap.url)}: ${excerpt(message)} (${code})`);
  }
  if (ending === "blocked") lines.push(blockedAdvice(tally));
  return lines.map(escapeControls);
}

function blockedAdvice({ firstInvalid, firstObstacle }: WalkTally): string {
  const reasons = [firstObstacle?.message, firstInvalid && `: ${firstInvalid.reason}`];
  const isAnswered = reasons.some((reason) => ANSWERED_REGEXP.test(`${reason} `));
  return isAnswered || firstInvalid?.code === "blocked"
    ? "the site lets us read nothing: try another --user-agent, --header or --proxy"
    : "the site is out of reach: check its address and the network";
}
