import type { DiscoveryStep, FinishedEvent, TreeEvent } from "../../data/events.ts";
import { count, excerpt } from "../../data/text.ts";
import { painter } from "../../write/ansi.ts";
import { escapeControls } from "../../write/escape.ts";
import { documentJson } from "../../write/json_text.ts";
import { padEnd, padStart, widthOf } from "../../write/layout.ts";
import { stripPrefix } from "../../write/text.ts";
import type { Arguments } from "../arguments.ts";
import { type EventWriter, foldWriter } from "../run/event_writer.ts";
import type { FormatName } from "../format_names.ts";
import type { Reading } from "../run/reading.ts";
import { openSession, type Session } from "../run/session.ts";
import { readingPlan } from "../run/operands.ts";
import { hanging } from "../../write/layout.ts";

/** Columns of URLs beside what was answered; below a longer one. */
const MAX_URL_WIDTH = 44;
/** Columns before a URL: step and status. */
const URL_COLUMN = 17;

const STEPS: Readonly<Record<DiscoveryStep["step"], string>> = {
  "robots": "robots.txt",
  "known-path": "known path",
  "control": "control",
  "homepage": "homepage",
  "variant": "variant",
};

export async function explain(args: Arguments): Promise<number> {
  const format = args.format<FormatName<"explain">>();
  const plan = await readingPlan(args);
  using session = await openSession(args);
  let reports = 0;
  return await session.run({
    ...plan,
    writer: (_operand, reading) => explanationWriter(session, reading, format, reports++ > 0),
    isReport: true,
  });
}

function explanationWriter(
  session: Session,
  reading: Reading,
  format: FormatName<"explain">,
  isFurther: boolean,
): EventWriter {
  let root = "";
  let finished: FinishedEvent | undefined;
  const add = (event: TreeEvent) => {
    if (event.type === "sitemap-entered" && event.sitemap.parent === null) root = event.sitemap.url;
    if (event.type === "finished") finished = event;
  };
  return foldWriter(add, async () => {
    const url = root || reading.name;
    const text = format === "json"
      ? explanationJson(url, finished)
      : (isFurther ? "\n" : "") + explanationText(url, finished, session);
    await session.print(text);
  });
}

function explanationJson(url: string, finished: FinishedEvent | undefined): string {
  const { verdict = "interrupted", stats, discovery = [] } = finished ?? {};
  const { sitemaps, requests } = stats ?? {};
  const report = { url, verdict, sitemaps, requests, discovery };
  return documentJson(report);
}

/** URLs that were answered alike one after the other share a row. */
function explanationText(
  root: string,
  finished: FinishedEvent | undefined,
  { color, width }: { readonly color: boolean; readonly width: number },
): string {
  const title = `${painter(color)("bold", escapeControls(root))}\n`;
  if (finished === undefined) return `${title}interrupted before the walk ended\n`;
  const { verdict, stats: { sitemaps, requests }, discovery } = finished;
  const { origin } = new URL(root);
  const shorten = stripPrefix(origin);
  const rows: { readonly head: string; readonly why: string }[] = [];
  let last: DiscoveryStep | undefined, alike = 0;
  for (const row of discovery) {
    alike = last !== undefined && isAlike(last, row) ? alike + 1 : 0;
    if (alike === 0) last = row;
    else rows.pop();
    const { step, url, status = "-", reason } = last!;
    const more = alike === 0 ? "" : ` and ${alike} more`;
    const shown = escapeControls(excerpt(shorten(url)));
    const why = escapeControls(reason.replaceAll(`"${origin}/`, '"/'));
    const head = `${padEnd(STEPS[step], 10)}  ${padStart(String(status), 3)}  ${shown}`;
    const isNarrow = alike > 0 && widthOf(head + more) > width;
    rows.push(isNarrow ? { head, why: `${more.trim()}: ${why}` } : { head: head + more, why });
  }
  const heads = rows.map(({ head }) => widthOf(head));
  const at = 2 + Math.max(...heads.filter((head) => head <= URL_COLUMN + MAX_URL_WIDTH), 0);
  return [
    title,
    ...rows.flatMap(({ head, why }) => hanging(head, why, at, width)).map((line) => `${line}\n`),
    `${verdict}: ${count(sitemaps, "sitemap")} found, ${count(requests, "request")}\n`,
  ].join("");
}

function isAlike(one: DiscoveryStep, other: DiscoveryStep): boolean {
  return one.step === other.step && one.status === other.status && one.reason === other.reason &&
    one.sitemaps === 0 && other.sitemaps === 0;
}
