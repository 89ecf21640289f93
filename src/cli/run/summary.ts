import { count, excerpt, grouped } from "../../data/text.ts";
import { duration, faultCounts, size, walkFigures } from "../../data/words.ts";
import { endingStyle, paint } from "../../write/ansi.ts";
import { escapeControls } from "../../write/escape.ts";
import { adviceFor, loginAdvice } from "./advice.ts";
import { permittedCommand } from "../failure.ts";
import type { PageFilter } from "./selection.ts";
import type { Ending, Reading } from "./reading.ts";
import type { ChangeTally } from "./walk_tally.ts";

const MAX_PENDING = 3;
const MAX_CAUSES = 3;
const MAX_HOSTS = 5;

/** Returns a line such as `partial: 3 sitemaps, 12 pages (5 kept), 1 invalid, 2 warnings, 0.4 s`. */
export function summaryLine({ ending = "interrupted", tally, elapsed }: Reading): string {
  return `${ending}: ${walkFigures(tally, elapsed)}`;
}

/** Returns a line such as `complete: +12 ~3 -1, 74 of 75 sitemaps unchanged, 3 MB saved, 0.4 s`. */
export function syncLine({ ending = "interrupted", tally, elapsed }: Reading): string {
  const { sitemaps, changes: { unchangedSitemaps, unconfirmed, bytesSaved } } = tally;
  const parts = [
    changeCounts(tally.changes),
    `${grouped(unchangedSitemaps)} of ${count(sitemaps, "sitemap")} unchanged`,
    ...(bytesSaved > 0 ? [`${size(bytesSaved)} saved`] : []),
    ...(unconfirmed > 0 ? [`${count(unconfirmed, "page")} unconfirmed`] : []),
    ...faultCounts(tally),
    duration(elapsed),
  ];
  return `${ending}: ${parts.join(", ")}`;
}

export function changeCounts(
  { added, changed, removed }: Pick<ChangeTally, "added" | "changed" | "removed">,
): string {
  return `+${grouped(added)} ~${grouped(changed)} -${grouped(removed)}`;
}

export function paintEnding(ending: Ending, line: string): string {
  return line.replace(ending, paint(endingStyle(ending), ending));
}

export function adviceLines(ending: Ending, reading: Reading, areLossesNamed = false): string[] {
  const hasLosses = ending === "partial" || ending === "blocked" || ending === "none";
  const { advice, watch } = reading;
  const lines = [
    ...(hasLosses ? lossLines(reading, areLossesNamed) : []),
    ...leftOutLines(reading),
    ...refusedLines(reading),
    watch.slowDowns.summary() ?? [],
    ...advice,
    ...(hasLosses ? causeLines(reading) : []),
  ].flat();
  if (ending === "none" && !reading.leftOutAll && reading.noneAdvice !== "") {
    lines.push(watch.isAllMissing ? reading.missingAdvice : reading.noneAdvice);
  }
  return lines.map(escapeControls);
}

function lossLines({ tally, pendingAtEnd }: Reading, areNamed: boolean): string[] {
  const { firstObstacle, invalid, endedBy } = tally;
  const { firstInvalid, firstTruncation } = areNamed ? {} : tally;
  const lines: string[] = [];
  if (firstInvalid !== undefined) {
    const { sitemap, reason, code } = firstInvalid;
    lines.push(`${excerpt(sitemap.url)}: ${excerpt(reason)} (${code})`);
    if (invalid > 1) lines.push(`and ${grouped(invalid - 1)} more; use -v to list them all`);
  }
  if (endedBy === "deadline") lines.push("--deadline reached: the rest was left out");
  else if (firstObstacle !== undefined) lines.push(excerpt(firstObstacle.message));
  if (firstObstacle?.code === "mass-removal") {
    lines.push("--allow-mass-removal removes them, if they are really gone");
  }
  if (pendingAtEnd.length > 0) {
    const more = pendingAtEnd.length - MAX_PENDING;
    const named = pendingAtEnd.slice(0, MAX_PENDING).map(excerpt).join("; ");
    lines.push(`still pending: ${named}${more > 0 ? ` and ${more} more` : ""}`);
  }
  if (lines.length === 0 && firstTruncation !== undefined && endedBy === undefined) {
    const { sitemap, message, code } = firstTruncation;
    lines.push(`${excerpt(sitemap.url)}: ${excerpt(message)} (${code})`);
  }
  return lines;
}

function leftOutLines({ leftOut: { include, exclude, since }, tally }: Reading): string[] {
  const { tooDeep, endedBy, limits: { maxDepth, maxPages, maxSitemaps } } = tally;
  const [what, given = ""] = endedBy === "max-pages"
    ? ["pages", maxPages]
    : ["sitemaps", maxSitemaps];
  // saved events may be those of a walk with a limit
  const reached = `${`--${endedBy} ${given}`.trimEnd()} reached: further ${what} were left out`;
  const counts: readonly (readonly [option: string, sitemaps: number, hint?: string])[] = [
    [`--max-depth ${maxDepth}`, maxDepth === undefined ? 0 : tooDeep],
    ["--include", include.size],
    ["--exclude", exclude],
    ["--since", since, "; --no-prune reads them"],
  ];
  return [
    ...(tally.isEndedByUser ? [reached] : []),
    ...counts.filter(([, sitemaps]) => sitemaps > 0).map(([option, sitemaps, hint = ""]) =>
      `${option} left out ${count(sitemaps, "sitemap")}${hint}`
    ),
  ];
}

function refusedLines({ refusedHosts }: Reading): string[] {
  if (refusedHosts.size === 0) return [];
  const hosts = [...refusedHosts].slice(0, MAX_HOSTS).join(", ");
  const more = refusedHosts.size > MAX_HOSTS ? ", …" : "";
  return [`no permission to contact ${excerpt(hosts)}${more}; run: ${permittedCommand()}`];
}

function causeLines({ watch, blockedAdvice, tally: { loginPage }, name }: Reading): string[] {
  if (loginPage !== undefined) return [loginAdvice(loginPage, name)];
  const lines = watch.causes().map((cause) =>
    cause.code === "blocked" ? blockedAdvice : adviceFor(cause)
  );
  return [...new Set(lines)].filter((line) => line !== undefined).slice(0, MAX_CAUSES);
}

export function filterLines(filter: PageFilter): string[] {
  const { taken, dropped, unmatched, outdated, undated, repeated } = filter;
  const lines: string[] = [];
  if (taken === 0 && dropped > 0) {
    const all = dropped === 1 ? "the only page was" : `all ${grouped(dropped)} pages were`;
    lines.push(`${all} filtered out`);
  }
  if (unmatched > 0) lines.push(`--match and --ignore dropped ${count(unmatched, "page")}`);
  if (outdated > 0) {
    const dateless = undated > 0
      ? `, ${grouped(undated)} without a date (--undated keeps them)`
      : "";
    lines.push(`--since dropped ${count(outdated, "page")}${dateless}`);
  }
  if (repeated > 0) lines.push(`--unique dropped ${count(repeated, "duplicate page")}`);
  if (filter.isUniqueFull) lines.push("--unique ran out of memory: later duplicates were kept");
  return lines;
}
