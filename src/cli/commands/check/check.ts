import { Checker } from "../../../check/checker.ts";
import type { TreeEvent } from "../../../data/events.ts";
import { basename, dirname } from "../../../platform/host.ts";
import { documentJson } from "../../../write/json_text.ts";
import type { Arguments } from "../../arguments.ts";
import { type EventWriter, foldWriter } from "../../run/event_writer.ts";
import { EXIT_CODES, worstExitCode } from "../../run/failure.ts";
import type { FormatName } from "../../format_names.ts";
import type { Reading, Source } from "../../run/reading.ts";
import { openSession } from "../../run/session.ts";
import { isFolder, readingPlan } from "../../sources.ts";
import { terminalColumns } from "../../run/terminal.ts";
import { PageRequests, pageSettings } from "./page_requests.ts";
import { checkSettings } from "./config.ts";
import { githubText } from "./github.ts";
import { junitText } from "./junit.ts";
import { markdownText } from "./markdown.ts";
import { hasFailed, type ReportContext, type SiteCheck } from "./finding_text.ts";
import { sarifText } from "./sarif.ts";
import { checkText } from "./text.ts";

/** Formats that are written once all sites are checked. */
const DOCUMENTS: Readonly<
  Record<
    Exclude<FormatName<"check">, "text" | "json">,
    (checks: readonly SiteCheck[], context: ReportContext) => string
  >
> = { markdown: markdownText, github: githubText, junit: junitText, sarif: sarifText };

const SUMMARIES: readonly FormatName<"check">[] = ["text", "markdown", "github"];

export async function check(args: Arguments): Promise<number> {
  const format = args.format<FormatName<"check">>();
  const settings = await checkSettings(args);
  const pageRequests = await pageSettings(args);
  const plan = await readingPlan(args);
  using session = await openSession(args);
  const { output, color } = session;
  const write = async (text: string) => await output.write(new TextEncoder().encode(text));
  const textOptions = {
    width: output.isTerminal ? terminalColumns() : Infinity,
    color,
    verbose: args.has("verbose"),
  };
  const isList = plan.sources.length > 1 || args.operands.includes("-") || args.has("from");
  const checks: SiteCheck[] = [];
  const readings: Reading[] = [];

  function makeWriter(source: Source, reading: Reading): EventWriter {
    const checker = new Checker({
      now: new Date(),
      only: settings.codes,
      severities: settings.severities,
      ...args.given<{ agent: string }>("agent"),
    });
    readings.push(reading);
    const requests = pageRequests && new PageRequests(args, pageRequests, session);
    const add = (event: TreeEvent) => {
      checker.add(event);
      requests?.add(event);
    };
    return foldWriter(add, async () => {
      using _requests = requests;
      const pages = await requests?.run(checker, source, reading);
      const check = siteCheck(checker, source, reading, session.signal.aborted);
      if (pages !== undefined && !SUMMARIES.includes(format)) session.note(pages);
      const isFurther = checks.push(pages === undefined ? check : { ...check, pages }) > 1;
      if (format !== "text") return;
      await write((isFurther ? "\n" : "") + checkText(checks.at(-1)!, textOptions));
    });
  }

  async function finish(): Promise<void> {
    if (format === "text") return;
    const results = checks.map(({ result }) => result);
    await write(
      format === "json"
        ? documentJson(isList ? results : results[0])
        : DOCUMENTS[format](checks, settings),
    );
  }

  const exitCode = await session.run({
    ...plan,
    makeWriter,
    finish,
    isWriterPerSource: true,
    isReport: true,
    namesLosses: true,
  });
  const isFailed = checks.some(({ result }) => hasFailed(result, settings.failOn));
  return checkExitCode(exitCode, readings, isFailed);
}

function siteCheck(
  checker: Checker,
  source: Source,
  { name }: Reading,
  isInterrupted: boolean,
): SiteCheck {
  const result = checker.result();
  const verdict = isInterrupted ? "interrupted" : result.verdict;
  return {
    result: { ...result, site: result.site || name, verdict },
    ...placeOf(source, result.site),
  };
}

/** Returns the folder of an operand on disk: the operand itself, or that of a sitemap in a file. */
function placeOf({ name, fileOf }: Source, site: string): Omit<SiteCheck, "result"> {
  if (fileOf === undefined) return {};
  if (isFolder(name)) return { folder: name, fileOf };
  if (fileOf(site) === undefined) return {};
  return { folder: dirname(name), fileOf: (url) => fileOf(url) && basename(name) };
}

/** Returns the exit code of findings where a walk has ended, whether or not it read everything. */
function checkExitCode(exitCode: number, readings: readonly Reading[], isFailed: boolean): number {
  const { complete, partial, none, findings } = EXIT_CODES;
  if (![complete, partial, none].includes(exitCode)) return exitCode;
  return readings
    .map((reading) => reading.exitCode === partial ? complete : reading.exitCode)
    .reduce(worstExitCode, isFailed ? findings : complete);
}
