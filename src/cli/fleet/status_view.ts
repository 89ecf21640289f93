/**
 * The status of a run as a page, and its parts as they change.
 *
 * The page is in `src/report/page/`. The server makes its parts; its script only replaces those that
 * differ. Names and reasons come from websites: they are shortened, their control characters are
 * escaped, and they never become markup.
 *
 * @module
 */

import { count, duration, excerpt, grouped } from "../../data/text.ts";
import { isDone } from "../../fleet/rates.ts";
import { STATUS_PAGE } from "../../report/page.gen.ts";
import { escapeControls, escapeHtml } from "../../write/escape.ts";
import { type RunStatus, unreadCount } from "./run_status.ts";

/** What the page shows. */
interface StatusView {
  readonly title: string;
  readonly state: string;
  /** Sentence for those who hear the page. */
  readonly summary: string;
  /** HTML by the ids of elements. */
  readonly parts: Readonly<Record<string, string>>;
}

/** Cell of a table: its text, and a smaller line below, which may be empty. */
type Cell = readonly [text: string, note: string];

/** Verdicts in the order of the table, with their names. */
const VERDICTS = {
  complete: "Complete",
  partial: "Partial",
  none: "None",
  blocked: "Blocked",
  failed: "Failed",
} as const;

/** Returns what the page shows of a status. */
export function statusView(status: RunStatus): StatusView {
  const { progress, hosts, unread, problem = "", time } = status;
  const { run, round, total, done, active, pages } = progress;
  const state = stateOf(status);
  const share = percent(done, total);
  const sites = `${grouped(done)} of ${count(total, "site")}`;
  const unreadSites = unreadCount(progress);
  return {
    title: `${share} · ${shown(run)} · sitetree`,
    state,
    summary: `${state}: ${sites}, ${count(pages, "page")}, ${grouped(unreadSites)} unread`,
    parts: {
      head: `<p class="brand">sitetree</p><h1>${escapeHtml(shown(run))}</h1>` +
        `<p class="state"><span class="mark" data-state="${state}" aria-hidden="true"></span> ` +
        `<span id="state">${state}</span> ` +
        `<span class="note">${round === 0 ? "" : `Round ${grouped(round)}`}</span></p>`,
      problem: escapeHtml(problem),
      overall: `<h2>Progress</h2><p class="total"><strong>${escapeHtml(share)}</strong> ` +
        `<span id="sites">${sites}</span></p>${
          bar("bar", done, total, 'aria-label="Progress"')
        }<dl>${figures(status)}</dl>`,
      verdicts: verdictTable(status),
      hosts: table(
        ["Slowest hosts", noteOf(hosts.length, active, "No site is in progress")],
        ["Host and worker", "Duration"],
        hosts.map(({ host, homepage, worker, since, notBefore }) => [
          // a homepage may say no more than its host
          [
            host,
            [worker, homepage === `https://${host}/` ? "" : homepage].filter(Boolean).join(" · "),
          ],
          [age(since, time), pauseOf(notBefore, time)],
        ]),
      ),
      unread: table(
        ["Blocked or failed sites", noteOf(unread.length, unreadSites, "None so far")],
        ["Site", "Reason"],
        unread.map(({ homepage, verdict = "", reason = "unknown reason", finished }) => [
          [homepage, finished === undefined ? "" : instant(finished)],
          [reason, verdict],
        ]),
      ),
      time: instant(time),
    },
  };
}

function stateOf({ progress, problem }: RunStatus): string {
  if (problem !== undefined) return "Unknown";
  if (isDone(progress)) return "Finished";
  return progress.paused ? "Paused" : "Running";
}

function figures({ progress }: RunStatus): string {
  const { waiting, active, pages, paused, etaMs, pagesPerSecond, sitesPerSecond } = progress;
  const left = etaMs === undefined || paused ? "–" : etaMs === 0 ? "none" : duration(etaMs);
  const values = [
    ["Pages", "pages", grouped(pages)],
    ["Pages per second", "pages-rate", rate(pagesPerSecond)],
    ["Sites per second", "sites-rate", rate(sitesPerSecond)],
    ["Time left", "left", left],
    ["Sites in progress", "active", grouped(active)],
    ["Waiting for a retry", "waiting", grouped(waiting)],
  ] as const;
  return values.map(([name, id, value]) =>
    `<div><dt>${name}</dt><dd id="${id}">${value}</dd></div>`
  ).join("");
}

function verdictTable({ progress: { verdicts, total } }: RunStatus): string {
  const names = Object.keys(VERDICTS) as (keyof typeof VERDICTS)[];
  const rows = names.map((name) =>
    `<tr><th scope="row">${VERDICTS[name]}</th>` +
    `<td class="number" id="${name}-sites">${grouped(verdicts[name])}</td>` +
    `<td class="number" id="${name}-share">${escapeHtml(percent(verdicts[name], total))}</td>` +
    `<td class="bar">${bar(`${name}-bar`, verdicts[name], total)}</td></tr>`
  );
  return `<table><caption>Verdicts</caption><thead><tr><th scope="col">Verdict</th>
<th scope="col" class="number">Sites</th><th scope="col" class="number">Share</th>
<td class="bar"></td></tr></thead><tbody>${rows.join("")}</tbody></table>`;
}

/** Returns a table of untrusted texts, only its title without any. */
function table(
  [title, note]: Cell,
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
): string {
  const caption = `${title} <span class="note">${note}</span>`;
  if (rows.length === 0) return `<h2>${caption}</h2>`;
  const cells = (row: readonly Cell[]) =>
    row.map(([text, note], at) => {
      const tag = at === 0 ? ['th scope="row"', "th"] : ["td", "td"];
      return `<${tag[0]}><span class="text">${escapeHtml(shown(text))}</span> ` +
        `<span class="note">${escapeHtml(shown(note))}</span></${tag[1]}>`;
    });
  return `<table><caption>${caption}</caption><thead><tr>${
    columns.map((name) => `<th scope="col">${name}</th>`).join("")
  }</tr></thead><tbody>${
    rows.map((row) => `<tr>${cells(row).join("")}</tr>`).join("")
  }</tbody></table>`;
}

/** Returns untrusted text in one line of limited length. */
function shown(text: string): string {
  return excerpt(escapeControls(text));
}

function noteOf(listed: number, all: number, none: string): string {
  if (listed === 0) return none;
  return listed < all ? `First ${grouped(listed)} of ${grouped(all)}` : "";
}

function pauseOf(notBefore: Date | undefined, time: Date): string {
  const wait = (notBefore?.getTime() ?? 0) - time.getTime();
  return wait >= 1000 ? `next request in ${duration(wait)}` : "";
}

function age(since: Date, time: Date): string {
  return duration(Math.max(0, time.getTime() - since.getTime()));
}

function instant(time: Date): string {
  return `${time.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.min(1, Math.max(0, part / whole));
}

function bar(id: string, part: number, whole: number, label = 'aria-hidden="true"'): string {
  return `<progress id="${id}" max="1" value="${ratio(part, whole)}" ${label}></progress>`;
}

/** Returns a share such as `12.3 %`, which is 100 % only if nothing is missing. */
function percent(part: number, whole: number): string {
  const tenths = Math.floor(ratio(part, whole) * 1000);
  if (tenths === 0 && part > 0) return "< 0.1 %";
  return `${(tenths / 10).toFixed(tenths === 1000 ? 0 : 1)} %`;
}

function rate(perSecond: number): string {
  if (perSecond === 0) return "–";
  return perSecond < 10 ? perSecond.toFixed(1) : grouped(Math.round(perSecond));
}

/** Returns the page with the current values, which are readable without its script. */
export function statusHtml(status: RunStatus): string {
  const { title, parts } = statusView(status);
  const values: Readonly<Record<string, string>> = { ...parts, title: escapeHtml(title) };
  return STATUS_PAGE.replace(/\{\{([a-z]+)\}\}/g, (_, name: string) => values[name] ?? "");
}
