/**
 * `sitetree report`: a report on one or several sites, as one HTML file or as JSON.
 *
 * @module
 */

import { format as formatBytes } from "@std/fmt/bytes";
import type { TreeEvent } from "../data/events.ts";
import { count, quotedWord } from "../data/text.ts";
import { isTerminal } from "../platform/host.ts";
import { REPORT_LIMITS } from "../report/limits.ts";
import {
  Aggregate,
  parseReport,
  renderReport,
  type Report,
  type ReportOptions,
  type ReportRun,
} from "../report/mod.ts";
import type { RecordedRun } from "../sync/mod.ts";
import { escapeControlsInJson } from "../write/escape.ts";
import type { Arguments } from "./arguments.ts";
import { checkSettings, printsRules } from "./check/config.ts";
import type { EventWriter } from "./event_writer.ts";
import { EXIT_CODES, Failure, UsageError, withoutSecrets } from "./failure.ts";
import type { FormatName } from "./format_names.ts";
import { optionsOf } from "./options.ts";
import type { Source } from "./reading.ts";
import { openSession, type Session } from "./session.ts";
import { readingPlan, savedReport } from "./sources.ts";

export async function report(args: Arguments): Promise<number> {
  if (await printsRules(args)) return EXIT_CODES.complete;
  const format = args.format<FormatName<"page">>();
  if (format === "html" && !args.has("output") && isTerminal("stdout")) {
    throw new UsageError("Cannot write HTML to a terminal", "add -o report.html, or -f json");
  }
  const plan = await readingPlan(args);
  const saved = await onlyReport(plan.sources);
  const options = saved === undefined ? await reportOptions(args, plan.sources) : {};
  using session = await openSession(args);
  const output = new ReportOutput(session, format, args.value("output"));
  if (saved !== undefined) {
    await session.writeRows(output.rows(saved), { write: String });
    output.note();
    return session.exitCode;
  }
  const aggregate = new Aggregate(options);
  const exitCode = await session.run({
    ...plan,
    makeWriter: () => walkWriter(aggregate),
    finish: () => output.write(aggregate.result()),
    isWriterPerSource: false,
    isParallel: true,
    isReport: true,
    namesLosses: true,
  });
  output.note();
  return exitCode;
}

/** Writes a report, and a line about it when it is complete. */
class ReportOutput {
  readonly #session: Session;
  readonly #format: FormatName<"page">;
  readonly #path: string | undefined;
  #line: string | undefined;

  constructor(session: Session, format: FormatName<"page">, path: string | undefined) {
    this.#session = session;
    this.#format = format;
    this.#path = path;
  }

  async *rows(report: Report): AsyncGenerator<readonly string[], void, void> {
    const text = this.#text(report);
    await Promise.resolve();
    yield [text];
  }

  async write(report: Report): Promise<void> {
    await this.#session.output.write(new TextEncoder().encode(this.#text(report)));
  }

  /** Prints the name, content and size of the file. */
  note(): void {
    const { output, signal } = this.#session;
    if (output.isFile && !signal.aborted && this.#line !== undefined) this.#session.say(this.#line);
  }

  #text(report: Report): string {
    const text = this.#format === "html" ? renderReport(report) : jsonText(report);
    const { pages, sitemaps } = report.totals;
    const bytes = new TextEncoder().encode(text).length;
    this.#line = `${this.#path ?? "report"}: ${count(pages, "page")} in ` +
      `${count(sitemaps, "sitemap")}, ${formatBytes(bytes)}`;
    return text;
  }
}

function jsonText(report: Report): string {
  return `${escapeControlsInJson(JSON.stringify(report, null, 2))}\n`;
}

/** Returns a writer that folds the events of operands, which may have several walks each. */
function walkWriter(aggregate: Aggregate): EventWriter {
  const walks = new WeakMap<object, ReturnType<Aggregate["walk"]>>();
  return {
    writeAll(events: readonly TreeEvent[], _site?: string, operand: object = aggregate) {
      for (const event of events) {
        let walk = walks.get(operand);
        if (walk === undefined) walks.set(operand, walk = aggregate.walk());
        walk.add(event);
        if (event.type === "finished") walks.delete(operand);
      }
    },
    async close() {},
  };
}

/** Returns the saved report that the only operand is; `undefined` if there is none. */
async function onlyReport(sources: readonly Source[]): Promise<Report | undefined> {
  for (const { name } of sources) {
    const json = await savedReport(name);
    if (json === undefined) continue;
    if (sources.length > 1) {
      throw new UsageError(`Cannot combine "${name}" with other operands: it is a report`);
    }
    try {
      return parseReport(json);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      const reason = error.message.replace(/^(?:Cannot read|Invalid report:) /, "");
      throw new Failure(`Cannot read "${name}": ${reason}`, undefined, { cause: error });
    }
  }
  return undefined;
}

async function reportOptions(
  args: Arguments,
  sources: readonly Source[],
): Promise<ReportOptions> {
  const runs = await runsOf(sources);
  const options = {
    now: new Date(),
    command: listingCommand(args),
    ...(runs.length > 0 && { runs }),
  };
  if (args.has("no-check")) return { ...options, check: false };
  const { codes, severities } = await checkSettings(args);
  const agent = args.value("agent");
  return {
    ...options,
    check: { only: codes, severities, ...(agent !== undefined && { agent }) },
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

/** Returns the last runs of snapshots among the sources, the oldest first. */
async function runsOf(sources: readonly Source[]): Promise<ReportRun[]> {
  const runs: ReportRun[] = [];
  for (const source of sources) {
    const pages = new Map<string, number>();
    try {
      for await (const run of source.runs?.() ?? []) {
        const after = pagesAfter(run, pages.get(run.site) ?? 0);
        pages.set(run.site, after);
        runs.push(reportRun(run, after));
        if (runs.length >= 2 * REPORT_LIMITS.runs) runs.splice(0, REPORT_LIMITS.runs);
      }
    } catch (error) {
      // of several operands, reading this one reports it
      if (sources.length === 1) throw error;
    }
  }
  return runs.sort((one, other) => one.started < other.started ? -1 : 1)
    .slice(-REPORT_LIMITS.runs);
}

/** Returns the number of pages after a run; one that has not ended knows only what it changed. */
function pagesAfter(run: RecordedRun, before: number): number {
  const { verdict, added, changed, removed, unchanged, unconfirmed } = run;
  return verdict === undefined || verdict === "forgotten"
    ? Math.max(0, before + added - removed)
    : added + changed + unchanged + unconfirmed;
}

function reportRun(run: RecordedRun, pages: number): ReportRun {
  const { site, started, verdict, added, changed, removed } = run;
  return {
    site,
    started: started.toISOString(),
    ...(verdict !== undefined && { verdict }),
    ...{ pages, added, changed, removed },
  };
}
