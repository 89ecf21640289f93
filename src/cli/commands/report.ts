/**
 * `sitetree report`: a report on one or several sites, as text, as one HTML file or as JSON.
 *
 * @module
 */

import { count, quotedWord } from "../../data/text.ts";
import { size } from "../../data/words.ts";
import { Aggregate, renderReport, type Report, type ReportOptions } from "../../report/mod.ts";
import type { ReportRun } from "../../report/report.ts";
import { reportRuns } from "../../sync/report_runs.ts";
import { documentJson } from "../../write/json_text.ts";
import type { Arguments } from "../arguments.ts";
import { checkSettings } from "../run/check_settings.ts";
import { type EventWriter, foldWriter } from "../run/event_writer.ts";
import { withoutSecrets } from "../failure.ts";
import type { FormatName } from "../format_names.ts";
import { optionsOf } from "../options.ts";
import type { Operand } from "../../source/reader.ts";
import { readingPlan } from "../run/operands.ts";
import type { Reading } from "../run/reading.ts";
import { reportText } from "../../report/report_text.ts";
import { openSession, type Session } from "../run/session.ts";
import { summaryLine } from "../run/summary.ts";
import { terminalColumns } from "../run/terminal.ts";

/** Columns of text, at most on a terminal and always elsewhere. */
const MAX_WIDTH = 100;
const FILE_WIDTH = 80;

export async function report(args: Arguments): Promise<number> {
  const format = args.format<FormatName<"report">>();
  const path = args.value("output");
  const plan = await readingPlan(args);
  const aggregate = new Aggregate(await reportOptions(args, plan.operands));
  using session = await openSession(args);
  const { output, signal } = session;
  let line: string | undefined;
  const exitCode = await session.run({
    ...plan,
    writer: walkWriter(aggregate),
    async finish(only) {
      const report = aggregate.result();
      const bytes = new TextEncoder().encode(formatted(report, format, session, only));
      await output.write(bytes);
      const { pages, sitemaps } = report.totals;
      line = `${path ?? "report"}: ${count(pages, "page")} in ` +
        `${count(sitemaps, "sitemap")}, ${size(bytes.length)}`;
    },
    isParallel: true,
    isReport: true,
    namesLosses: true,
  });
  if (output.isFile && !signal.aborted && line !== undefined) session.say(line);
  return exitCode;
}

/** Returns a report in a format; `only` is the reading of the only operand. */
function formatted(
  report: Report,
  format: FormatName<"report">,
  { output, color }: Session,
  only: Reading | undefined,
): string {
  if (format === "html") return renderReport(report);
  if (format === "json") return documentJson(report);
  const width = output.isTerminal ? Math.min(terminalColumns(), MAX_WIDTH) : FILE_WIDTH;
  return reportText(report, { width, color, name: only?.name, summary: only && summaryLine(only) });
}

/** Returns a writer that folds the events of operands, which may have several walks each. */
function walkWriter(aggregate: Aggregate): EventWriter {
  const walks = new WeakMap<object, ReturnType<Aggregate["walk"]>>();
  return foldWriter((event, _site, operand = aggregate) => {
    let walk = walks.get(operand);
    if (walk === undefined) walks.set(operand, walk = aggregate.walk());
    walk.add(event);
    if (event.type === "finished") walks.delete(operand);
  }, async () => {});
}

async function reportOptions(
  args: Arguments,
  operands: readonly Operand[],
): Promise<ReportOptions> {
  const runs = await runsOf(operands);
  const options = {
    now: new Date(),
    command: listingCommand(args),
    ...(runs.length > 0 && { runs }),
  };
  if (args.has("no-check")) return { ...options, check: false };
  const { codes, severities } = await checkSettings(args);
  return {
    ...options,
    check: { only: codes, severities, ...args.given<{ agent: string }>("agent") },
  };
}

/** Groups of options that have no effect on which pages are listed. */
const OTHER_GROUPS = ["Output", "Messages"];

/** Returns the command that lists the pages of a report, without passwords. */
function listingCommand({ operands, optionWords }: Arguments): string {
  const kept = optionsOf("ls").filter(({ group }) => !OTHER_GROUPS.includes(group))
    .map(({ name }) => `--${name}`);
  const options = optionWords.filter((word) => kept.includes(word.replace(/=.*/s, "")));
  const words = withoutSecrets([...operands, ...options]).map(quotedWord);
  return ["sitetree ls", ...words, "-f pages"].join(" ");
}

/** Returns the runs of snapshots among the operands, the oldest first. */
async function runsOf(operands: readonly Operand[]): Promise<ReportRun[]> {
  const runs: ReportRun[] = [];
  for (const operand of operands) {
    try {
      runs.push(...operand.runs === undefined ? [] : await reportRuns(operand.runs()));
    } catch (error) {
      // of several operands, reading this one reports it
      if (operands.length === 1) throw error;
    }
  }
  return runs.sort((one, other) => one.started < other.started ? -1 : 1);
}
