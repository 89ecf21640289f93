/**
 * What a run came to, in a line, and what to do next where it came to little.
 *
 * @module
 */

import { green, red, yellow } from "@std/fmt/colors";
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
  color: boolean,
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
  return `${color ? COLORS[ending](ending) : ending}: ${parts.join(", ")}`;
}

/**
 * What stood in the way, unless it `isShown` already, and what to try, in lines; none where there is
 * nothing to say.
 */
export function adviceLines(ending: Ending, tally: WalkTally, isShown: boolean): string[] {
  if (ending === "complete" || ending === "interrupted") return [];
  const { firstInvalid, firstObstacle, invalid } = tally;
  const lines: string[] = [];
  if (firstInvalid !== undefined && !isShown) {
    const { sitemap, reason, code } = firstInvalid;
    lines.push(escapeControls(`${sitemap.url}: ${reason} (${code})`));
    if (invalid > 1) lines.push(`and ${grouped(invalid - 1)} more; -v tells of each`);
  }
  if (firstObstacle !== undefined) lines.push(escapeControls(firstObstacle.message));
  if (ending === "blocked") {
    lines.push("the site lets us read nothing: try another --user-agent, --header or --proxy");
  } else if (ending === "none") {
    lines.push("none is declared in robots.txt or stands at a known path: try --known-path");
  }
  return lines;
}
