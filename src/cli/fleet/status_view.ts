/**
 * The status of a run as a page, and its parts as they change.
 *
 * The server makes the parts; the script of the page only replaces those that differ. Names and reasons
 * come from websites: they are shortened, their control characters are escaped, and they never become
 * markup.
 *
 * @module
 */

import { count, excerpt, grouped } from "../../data/text.ts";
import { isDone } from "../../fleet/rates.ts";
import { sha256 } from "../../platform/digest.ts";
import { escapeControls } from "../../write/escape.ts";
import { duration } from "../terminal.ts";
import { type RunStatus, unreadCount } from "./run_status.ts";

/** What the page shows. */
interface StatusView {
  readonly title: string;
  readonly state: string;
  /** Sentence for those who hear the page. */
  readonly summary: string;
  /** HTML by the ids of elements; one without any is hidden. */
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

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

/** Returns the page with the current values, which are readable without its script. */
export function statusHtml(status: RunStatus): string {
  const { title, parts } = statusView(status);
  const part = (id: string, tag: string, rest = "") =>
    `<${tag} id="${id}"${rest}${parts[id] ? "" : " hidden"}>${parts[id] ?? ""}</${tag}>`;
  const cards = ["overall", "verdicts", "hosts", "unread"];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<noscript><meta http-equiv="refresh" content="10"></noscript>
<style>${STYLE}</style>
</head>
<body>
${part("head", "header")}
<main>
${part("problem", "p", ' class="notice" role="status"')}
${part("connection", "p", ' class="notice" role="status"')}
${cards.map((id) => part(id, "section", ' class="card"')).join("\n")}
<p class="hidden" id="summary" role="status" aria-live="polite"></p>
</main>
<footer>
<p>As of ${part("time", "span")} · <a href="status.json">JSON</a></p>
<noscript><p>This page reloads every 10 seconds; with JavaScript it updates itself.</p></noscript>
</footer>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

/** Returns the Content-Security-Policy: only the style and script of the page, and its own requests. */
export function contentPolicy(): string {
  return `default-src 'none'; style-src '${sourceHash(STYLE)}'; ` +
    `script-src '${sourceHash(SCRIPT)}'; connect-src 'self'; base-uri 'none'; ` +
    "form-action 'none'; frame-ancestors 'none'";
}

function sourceHash(source: string): string {
  const digest = sha256();
  digest.update(source);
  const bytes = digest.digest("hex").match(/../g)!.map((byte) => parseInt(byte, 16));
  return `sha256-${btoa(String.fromCharCode(...bytes))}`;
}

/** States differ in their shapes too: a filled circle, a square, a check mark, a question mark. */
const STYLE = `
:root {
  --page: #f4f5f7; --card: #fff; --text: #1b1f24; --muted: #57606a; --line: #d4d9df;
  --bar: #1f6feb; --track: #e6e9ed; --notice: #fff4d6; --notice-line: #b98900;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0e1116; --card: #171b21; --text: #e8ecf1; --muted: #9aa4af; --line: #303741;
    --bar: #58a6ff; --track: #2a313a; --notice: #3a2f0b; --notice-line: #d9a520;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body {
  margin: 0 auto; max-width: 68rem; padding: 1rem; background: var(--page); color: var(--text);
  font: 16px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  font-variant-numeric: tabular-nums;
}
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 .75rem; margin-bottom: 1rem; }
h1, h2, p, dl, dd { margin: 0; }
h1 { flex: 1 1 auto; min-width: 0; font-size: 1.5rem; line-height: 1.25; }
h1, .text, .note, .notice { overflow-wrap: anywhere; unicode-bidi: isolate; }
h2, caption, dd, tbody th, .state, .notice { font-size: 1rem; font-weight: 600; text-align: start; }
a { color: inherit; }
dt, thead th, footer, .note, .brand { color: var(--muted); font-size: .875rem; font-weight: 400; }
.brand { flex: 1 0 100%; }
.mark::before { content: "? "; }
.mark[data-state="Running"]::before { content: "● "; color: var(--bar); }
.mark[data-state="Paused"]::before { content: "■ "; }
.mark[data-state="Finished"]::before { content: "✓ "; }
.card, .notice {
  margin: 0 0 1rem; padding: 1rem; overflow: hidden;
  background: var(--card); border: 1px solid var(--line); border-radius: .5rem;
}
.notice { background: var(--notice); border-color: var(--notice-line); border-left-width: .4rem; }
.total { margin: .25rem 0 .5rem; color: var(--muted); }
.total strong { margin-inline-end: .5rem; font-size: 2rem; line-height: 1.2; color: var(--text); }
progress {
  display: block; width: 100%; height: .6rem; appearance: none; overflow: hidden; color: var(--bar);
  background: var(--track); border: 1px solid var(--line); border-radius: .5rem;
}
#bar { height: 1rem; }
progress::-webkit-progress-bar { background: var(--track); }
progress::-webkit-progress-value { background: var(--bar); }
progress::-moz-progress-bar { background: var(--bar); }
dl {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr));
  gap: .75rem 1rem; margin-top: 1rem;
}
dd { font-size: 1.25rem; }
table { width: 100%; table-layout: fixed; border-collapse: collapse; }
caption { padding-bottom: .5rem; }
th, td { padding: .4rem .5rem .4rem 0; text-align: start; vertical-align: top; }
tbody tr { border-top: 1px solid var(--line); }
tbody .text, tbody .note {
  display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 6; overflow: hidden;
}
tbody .note:empty { display: none; }
.number { text-align: end; }
#verdicts th:first-child, #verdicts .number { width: 6rem; }
#verdicts .bar { padding-inline-end: 0; vertical-align: middle; }
#hosts th:last-child { width: 30%; }
#unread th:last-child { width: 50%; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
`;

/** Replaces parts that have changed. */
const SCRIPT = `
"use strict";
const INTERVAL = 1000, TIMEOUT = 20000, SUMMARY_INTERVAL = 30000;
const byId = (id) => document.getElementById(id), shown = {};
let summarized = 0, last = "";

function put(id, html) {
  if (shown[id] === html) return;
  byId(id).innerHTML = shown[id] = html;
  byId(id).hidden = html === "";
}

function show({ title, state, summary, parts }) {
  document.title = title;
  for (const [id, html] of Object.entries(parts)) put(id, html);
  if (state === last && Date.now() - summarized < SUMMARY_INTERVAL) return;
  last = state;
  summarized = Date.now();
  byId("summary").textContent = summary;
}

async function update() {
  try {
    show(await (await fetch("view.json", { signal: AbortSignal.timeout(TIMEOUT) })).json());
    put("connection", "");
  } catch {
    put("connection", "Connection lost; trying to reconnect");
  }
  setTimeout(update, INTERVAL);
}
update();
`;
