/**
 * `sitetree fleet sites` and `fleet pages`: what a run has found.
 *
 * @module
 */

import { count } from "../../data/text.ts";
import type { Fleet, FleetPage, FleetSite, FleetVerdict } from "../../fleet/mod.ts";
import { isDone } from "../../fleet/rates.ts";
import { COLUMNS } from "../../write/csv.ts";
import { escapeControlsInJson } from "../../write/escape.ts";
import type { TextFormat } from "../../write/text_stream.ts";
import { type Arguments, fixedOperands } from "../arguments.ts";
import { csvTable } from "../change_formats.ts";
import { type RowColumn, rowFormat } from "../row_formats.ts";
import { openSession, type Session } from "../session.ts";
import { progressNow } from "./progress.ts";
import { requiredRun, withFleet } from "./session.ts";

/** Rows written at once. */
const BATCH = 1000;

const SITE_COLUMNS: readonly RowColumn<FleetSite>[] = [
  ["site", ({ homepage }) => homepage],
  ["verdict", ({ verdict }) => verdict],
  ["pages", ({ pages }) => pages, "count"],
  ["tries", ({ tries }) => tries, "count"],
  ["code", ({ code }) => code],
  ["finished", ({ finished }) => finished?.toISOString()],
  ["reason", ({ reason }) => reason],
];

/** Columns of a page in CSV: those of `ls`, its sitemap and its site. */
const PAGE_COLUMNS = [
  ...["url", "priority", "lastModified", "changeFrequency"].map((name) => {
    const { read } = COLUMNS.find((column) => column.name === name)!;
    return [name, (page: FleetPage) => read(page, undefined)] as const;
  }),
  ["sitemap", ({ sitemap }: FleetPage) => sitemap],
  ["site", ({ site }: FleetPage) => site],
] as const;

/** `fleet sites`. */
export async function sites(args: Arguments): Promise<number> {
  const verdict = args.value<FleetVerdict>("verdict");
  return await writeItems(
    args,
    ({ output }) => rowFormat(args, SITE_COLUMNS, output.isTerminal),
    (fleet, run) => fleet.sites(run, verdict === undefined ? {} : { verdict }),
  );
}

/** `fleet pages`. */
export async function pages(args: Arguments): Promise<number> {
  return await writeItems(args, (session) => pageFormat(args, session), async function* (
    fleet,
    run,
    session,
  ) {
    const progress = await progressNow(fleet, run);
    yield* fleet.pages(run);
    const left = count(progress.total - progress.done, "site");
    if (!isDone(progress)) session.note(`run "${run}" is not done: ${left} left`);
  });
}

function pageFormat(args: Arguments, { output }: Session): TextFormat<FleetPage> {
  const head = args.byteOrderMark();
  if (args.format() === "ndjson") return { write: pageLine };
  const format = csvTable(PAGE_COLUMNS, output.isTerminal);
  return { ...format, head: head + format.head };
}

/** Returns a page as `ls` writes it, with its site. */
function pageLine({ site, sitemap, ...page }: FleetPage): string {
  return `${escapeControlsInJson(JSON.stringify({ ...page, sitemap, site }))}\n`;
}

/** Writes items of a run to the output of the command. */
async function writeItems<T>(
  args: Arguments,
  formatOf: (session: Session) => TextFormat<T>,
  read: (fleet: Fleet, run: string, session: Session) => AsyncIterable<T>,
): Promise<number> {
  const [run] = fixedOperands(args) as [string];
  args.format();
  return await withFleet(args, {}, async (fleet) => {
    await requiredRun(fleet, run);
    using session = await openSession(args);
    await session.writeRows(inBatches(read(fleet, run, session)), formatOf(session));
    return session.exitCode;
  });
}

async function* inBatches<T>(items: AsyncIterable<T>): AsyncGenerator<readonly T[], void, void> {
  let batch: T[] = [];
  for await (const item of items) {
    if (batch.push(item) < BATCH) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}
