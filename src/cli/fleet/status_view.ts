/**
 * The status of a run as text, and the page that shows it.
 *
 * The server formats all values; the script of the page only replaces text. Names and reasons come
 * from websites: they are shortened, their control characters are escaped, and they never become
 * markup.
 *
 * @module
 */

import { count, excerpt, grouped } from "../../data/text.ts";
import { isDone } from "../../fleet/progress.ts";
import { sha256 } from "../../platform/digest.ts";
import { escapeControls } from "../../write/escape.ts";
import { duration } from "../terminal.ts";
import type { RunStatus } from "./status_feed.ts";

/** Cell of a table: its text, and a smaller line below, which may be empty. */
type Cell = readonly [text: string, note: string];

/** What the page shows. */
interface StatusView {
  readonly title: string;
  /** Sentence for those who hear the page. */
  readonly summary: string;
  /** Texts by the ids of their elements. */
  readonly text: Readonly<Record<string, string>>;
  /** Values from 0 to 1 by the ids of their bars. */
  readonly bars: Readonly<Record<string, number>>;
  /** Rows by the ids of their tables. */
  readonly rows: Readonly<Record<string, readonly (readonly Cell[])[]>>;
}

/** Verdicts in the order of the table, with their names. */
const VERDICTS = {
  complete: "Complete",
  partial: "Partial",
  none: "No sitemap",
  dead: "Given up",
} as const;

/** Figures in their order, with their names. */
const FIGURES = {
  pages: "Pages",
  "pages-rate": "Pages per second",
  "sites-rate": "Sites per second",
  left: "Time left",
  active: "Hosts in progress",
  failed: "Waiting for a retry",
} as const;

/** Returns what the page shows of a status. */
export function statusView(status: RunStatus): StatusView {
  const { progress, hosts, dead, problem = "", time } = status;
  const { run, total, done, failed, active, pages, verdicts, etaMs } = progress;
  const finished = done + progress.dead;
  const state = stateOf(status);
  const share = percent(finished, total);
  const shares = Object.keys(VERDICTS).map((name) =>
    [name, verdicts[name as keyof typeof VERDICTS]] as const
  );
  const left = etaMs === undefined || progress.paused
    ? "–"
    : etaMs === 0
    ? "none"
    : duration(etaMs);
  return {
    title: `${share} · ${shown(run)} · sitetree fleet`,
    summary:
      `${state}: ${grouped(finished)} of ${count(total, "site")}, ${count(pages, "page")}, ` +
      `${grouped(progress.dead)} given up`,
    text: {
      run: shown(run),
      state,
      problem,
      share,
      sites: `${grouped(finished)} of ${count(total, "site")}`,
      time: `${time.toISOString().slice(0, 19).replace("T", " ")} UTC`,
      pages: grouped(pages),
      "pages-rate": rate(progress.pagesPerSecond),
      "sites-rate": rate(progress.sitesPerSecond),
      left,
      active: grouped(active),
      failed: grouped(failed),
      ...Object.fromEntries(shares.flatMap(([name, sites]) => [
        [`${name}-sites`, grouped(sites)],
        [`${name}-share`, percent(sites, total)],
      ])),
      "hosts-note": noteOf(hosts.length, active, "No host is in progress"),
      "dead-note": noteOf(dead.length, progress.dead, "None so far"),
    },
    bars: {
      bar: ratio(finished, total),
      ...Object.fromEntries(shares.map(([name, sites]) => [`${name}-bar`, ratio(sites, total)])),
    },
    rows: {
      hosts: hosts.map(({ host, homepage, worker, since, notBefore }) => [
        [shown(host), listed(shown(worker), isPlain(homepage, host) ? "" : shown(homepage))],
        [age(since, time), pauseOf(notBefore, time)],
      ]),
      dead: dead.map(({ homepage, reason, failures, crashes, since }) => [
        [shown(homepage), `${age(since, time)} ago`],
        [shown(reason) || "unknown reason", attempts(failures, crashes)],
      ]),
    },
  };
}

function stateOf({ progress, problem }: RunStatus): string {
  if (problem !== undefined) return "Unknown";
  if (isDone(progress)) return "Finished";
  return progress.paused ? "Paused" : "Running";
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

function attempts(failures: number, crashes: number): string {
  return listed(
    failures > 0 ? count(failures, "failure") : "",
    crashes > 0 ? count(crashes, "lost worker") : "",
  );
}

/** Returns the texts that are not empty as a list. */
function listed(...texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join(" · ");
}

/** Whether the name of a host says as much as its homepage. */
function isPlain(homepage: string, host: string): boolean {
  return homepage === `https://${host}/`;
}

function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.min(1, Math.max(0, part / whole));
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
  const view = statusView(status);
  const text = (id: string) => escapeHtml(view.text[id]!);
  const bar = (id: string, label = 'aria-hidden="true"') =>
    `<progress id="${id}" max="1" value="${view.bars[id]}" ${label}></progress>`;
  const table = (id: string, caption: string, columns: readonly string[]) => `
<section class="card">
<table class="${id}">
<caption>${caption} <span class="note" id="${id}-note">${text(`${id}-note`)}</span></caption>
<thead><tr>${columns.map((name) => `<th scope="col">${name}</th>`).join("")}</tr></thead>
<tbody id="${id}">${view.rows[id]!.map(rowHtml).join("")}</tbody>
</table>
</section>`;
  const figures = Object.entries(FIGURES).map(([id, name]) =>
    `<div><dt>${name}</dt><dd id="${id}">${text(id)}</dd></div>`
  );
  const verdicts = Object.entries(VERDICTS).map(([id, name]) =>
    `<tr><th scope="row">${name}</th><td class="number" id="${id}-sites">${
      text(`${id}-sites`)
    }</td>` +
    `<td class="number" id="${id}-share">${text(`${id}-share`)}</td><td class="bar">${
      bar(`${id}-bar`)
    }</td></tr>`
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(view.title)}</title>
<noscript><meta http-equiv="refresh" content="10"></noscript>
<style>${STYLE}</style>
</head>
<body>
<header>
<p class="brand">sitetree fleet</p>
<h1 id="run">${text("run")}</h1>
<p class="state"><span class="mark" data-state="${
    text("state")
  }" id="mark" aria-hidden="true"></span>
<span id="state">${text("state")}</span></p>
</header>
<main>
<p class="notice" id="problem" role="status"${view.text["problem"] === "" ? " hidden" : ""}>${
    text("problem")
  }</p>
<p class="notice" id="connection" role="status" hidden></p>
<section class="card" aria-labelledby="overall">
<h2 id="overall">Progress</h2>
<p class="total"><strong id="share">${text("share")}</strong> <span id="sites">${
    text("sites")
  }</span></p>
${bar("bar", 'class="large" aria-labelledby="overall"')}
<dl>${figures.join("\n")}</dl>
</section>
<section class="card">
<table class="verdicts">
<caption>Verdicts</caption>
<thead><tr><th scope="col">Verdict</th><th scope="col" class="number">Sites</th>
<th scope="col" class="number">Share</th><td class="bar"></td></tr></thead>
<tbody>${verdicts.join("\n")}</tbody>
</table>
</section>${table("hosts", "Slowest hosts", ["Host and worker", "Duration"])}${
    table("dead", "Sites given up", ["Site", "Reason"])
  }
<p class="hidden" id="summary" role="status" aria-live="polite"></p>
</main>
<footer>
<p>As of <span id="time">${text("time")}</span> · <a href="status.json">JSON</a></p>
<noscript><p>This page reloads every 10 seconds; with JavaScript it updates itself.</p></noscript>
</footer>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

function rowHtml(cells: readonly Cell[]): string {
  const [first, ...others] = cells.map(([text, note]) =>
    `<span class="text">${escapeHtml(text)}</span> <span class="note">${escapeHtml(note)}</span>`
  );
  return `<tr><th scope="row">${first}</th>${
    others.map((cell) => `<td>${cell}</td>`).join("")
  }</tr>`;
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

/** Returns the Content-Security-Policy: only the style and script of the page, and its events. */
export function contentPolicy(): string {
  return [
    "default-src 'none'",
    `style-src '${sourceHash(STYLE)}'`,
    `script-src '${sourceHash(SCRIPT)}'`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
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
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 .75rem; margin: .25rem 0 1rem; }
h1, h2, p, dl, dd { margin: 0; }
h1 { flex: 1 1 auto; min-width: 0; font-size: 1.5rem; line-height: 1.25; }
h1, .text, .note, .notice { overflow-wrap: anywhere; unicode-bidi: isolate; }
.brand { flex: 1 0 100%; color: var(--muted); font-size: .875rem; }
.state { font-weight: 600; }
.mark { display: inline-block; width: 1.1em; text-align: center; }
.mark::before { content: "?"; }
.mark[data-state="Running"]::before { content: "●"; color: var(--bar); }
.mark[data-state="Paused"]::before { content: "■"; }
.mark[data-state="Finished"]::before { content: "✓"; }
.card {
  margin: 0 0 1rem; padding: 1rem; overflow: hidden;
  background: var(--card); border: 1px solid var(--line); border-radius: .5rem;
}
.notice {
  margin: 0 0 1rem; padding: .6rem 1rem; background: var(--notice); font-weight: 600;
  border: 1px solid var(--notice-line); border-left-width: .4rem; border-radius: .5rem;
}
h2, caption { font-size: 1rem; font-weight: 600; text-align: start; }
.total { margin: .25rem 0 .5rem; color: var(--muted); }
.total span { display: inline-block; }
.total strong { margin-inline-end: .5rem; font-size: 2rem; line-height: 1.2; color: var(--text); }
progress {
  display: block; width: 100%; height: .6rem; appearance: none; overflow: hidden; color: var(--bar);
  background: var(--track); border: 1px solid var(--line); border-radius: .3rem;
}
progress.large { height: 1rem; border-radius: .5rem; }
progress::-webkit-progress-bar { background: var(--track); }
progress::-webkit-progress-value { background: var(--bar); }
progress::-moz-progress-bar { background: var(--bar); }
dl {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr));
  gap: .75rem 1rem; margin-top: 1rem;
}
dt, .note, footer { color: var(--muted); font-size: .875rem; font-weight: 400; }
dd { font-size: 1.25rem; font-weight: 600; }
table { width: 100%; table-layout: fixed; border-collapse: collapse; }
caption { padding-bottom: .5rem; }
th, td { padding: .4rem .75rem .4rem 0; text-align: start; vertical-align: top; }
tbody tr { border-top: 1px solid var(--line); }
thead th { color: var(--muted); font-size: .875rem; font-weight: 400; }
tbody th { font-weight: 600; }
table:has(> tbody:empty) thead { display: none; }
table:has(> tbody:empty) caption { padding: 0; }
tbody .text, tbody .note {
  display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 6; overflow: hidden;
  line-height: 1.35;
}
tbody .note:empty { display: none; }
.number { text-align: end; }
.verdicts th:first-child { width: 7.5rem; white-space: nowrap; }
.verdicts .number { width: 7.5rem; }
.verdicts .bar { padding-inline-end: 0; vertical-align: middle; }
.hosts th:last-child { width: 30%; }
.dead th:last-child { width: 60%; }
a { color: inherit; }
.hidden {
  position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden;
  clip-path: inset(50%); white-space: nowrap;
}
@media (max-width: 40rem) {
  body { padding: .75rem; }
  .card { padding: .75rem; }
  dl { grid-template-columns: 1fr 1fr; }
  .verdicts .number { width: 5.25rem; }
  .verdicts th:first-child { width: 6rem; }
  th, td { padding-inline-end: .5rem; }
  .dead th:last-child { width: 55%; }
}
`;

/** Replaces texts and rows as events arrive; connects again after silence or an error. */
const SCRIPT = `
"use strict";
const SILENCE = 40000, RETRY = 3000, SUMMARY_INTERVAL = 30000;
const byId = (id) => document.getElementById(id);
let source, heard = Date.now(), summarized = 0, state = "";

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function newCell(name) {
  const cell = document.createElement(name);
  if (name === "th") cell.scope = "row";
  for (const part of ["text", "note"]) {
    if (part === "note") cell.append(" ");
    const span = document.createElement("span");
    span.className = part;
    cell.append(span);
  }
  return cell;
}

function showRows(body, rows) {
  while (body.rows.length > rows.length) body.deleteRow(-1);
  rows.forEach((cells, at) => {
    const row = body.rows[at] ?? body.insertRow();
    cells.forEach((parts, column) => {
      const cell = row.cells[column] ?? row.appendChild(newCell(column === 0 ? "th" : "td"));
      const spans = cell.querySelectorAll("span");
      parts.forEach((text, part) => setText(spans[part], text));
    });
  });
}

function show(view) {
  document.title = view.title;
  for (const [id, text] of Object.entries(view.text)) setText(byId(id), text);
  for (const [id, value] of Object.entries(view.bars)) byId(id).value = value;
  for (const [id, rows] of Object.entries(view.rows)) showRows(byId(id), rows);
  byId("problem").hidden = view.text.problem === "";
  byId("mark").dataset.state = view.text.state;
  if (view.text.state === state && Date.now() - summarized < SUMMARY_INTERVAL) return;
  state = view.text.state;
  summarized = Date.now();
  setText(byId("summary"), view.summary);
}

function setConnected(isConnected) {
  setText(byId("connection"), isConnected ? "" : "Connection lost; trying to reconnect");
  byId("connection").hidden = isConnected;
}

function listen() {
  heard = Date.now();
  source?.close();
  source = new EventSource("events");
  const hear = () => {
    heard = Date.now();
    setConnected(true);
  };
  source.onopen = hear;
  source.addEventListener("ping", hear);
  source.onmessage = (event) => {
    hear();
    show(JSON.parse(event.data));
  };
  source.onerror = () => setConnected(false);
}

setInterval(() => {
  const isSilent = Date.now() - heard > SILENCE;
  if (isSilent) setConnected(false);
  if (isSilent || source.readyState === EventSource.CLOSED) listen();
}, RETRY);
listen();
`;
