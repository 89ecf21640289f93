import { Checker } from "../../../check/checker.ts";
import type { SiteCheck } from "../../../check/formats/finding_text.ts";
import { formatCheck } from "../../../check/formats/format_check.ts";
import { isAtLeast, SEVERITIES } from "../../../check/severity.ts";
import type { TreeEvent } from "../../../data/events.ts";
import { basename, dirname, pathToFileURL, resolve } from "../../../platform/host.ts";
import type { Arguments } from "../../arguments.ts";
import type { FormatName } from "../../format_names.ts";
import { type EventWriter, foldWriter } from "../../run/event_writer.ts";
import { EXIT_CODES, worstExitCode } from "../../run/failure.ts";
import { readingPlan } from "../../run/operands.ts";
import type { Reading } from "../../run/reading.ts";
import { openSession } from "../../run/session.ts";
import { terminalColumns } from "../../run/terminal.ts";
import type { Operand } from "../../../source/reader.ts";
import { checkSettings } from "./config.ts";
import { PageRequests, pageSettings } from "./page_requests.ts";

/** Formats that have the summary of pages. */
const SUMMARIES: readonly FormatName<"check">[] = ["text", "markdown", "github"];

export async function check(args: Arguments): Promise<number> {
  const format = args.format<FormatName<"check">>();
  const settings = await checkSettings(args);
  const pageRequests = await pageSettings(args);
  const plan = await readingPlan(args);
  using session = await openSession(args);
  const { output, color } = session;
  const write = async (text: string) => await output.write(new TextEncoder().encode(text));
  const formatOptions = {
    codes: settings.codes,
    failOn: settings.failOn,
    width: output.isTerminal ? terminalColumns() : Infinity,
    color,
    verbose: args.has("verbose"),
  };
  const isList = plan.operands.length > 1 || args.operands.includes("-") || args.has("from");
  const checks: SiteCheck[] = [];
  const readings: Reading[] = [];

  function makeWriter(operand: Operand, reading: Reading): EventWriter {
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
      const pages = await requests?.run(checker, operand, reading);
      const check = siteCheck(checker, operand, reading, session.signal.aborted);
      if (pages !== undefined && !SUMMARIES.includes(format)) session.note(pages);
      const noted = pages === undefined ? check : { ...check, note: pages };
      const isFurther = checks.push(noted) > 1;
      if (format !== "text") return;
      await write((isFurther ? "\n" : "") + formatCheck(noted, "text", formatOptions));
    });
  }

  async function finish(): Promise<void> {
    if (format === "text") return;
    await write(formatCheck(isList ? checks : checks[0]!, format, formatOptions));
  }

  const exitCode = await session.run({
    ...plan,
    writer: makeWriter,
    finish,
    isReport: true,
    namesLosses: true,
  });
  const isFailed = checks.some(({ counts }) =>
    SEVERITIES.some((severity) => counts[severity] > 0 && isAtLeast(severity, settings.failOn))
  );
  return checkExitCode(exitCode, readings, isFailed);
}

function siteCheck(
  checker: Checker,
  operand: Operand,
  { name }: Reading,
  isInterrupted: boolean,
): SiteCheck {
  const result = checker.result();
  const folder = folderOf(operand, result.site);
  return {
    ...result,
    site: result.site || name,
    verdict: isInterrupted ? "interrupted" : result.verdict,
    ...(folder !== undefined && { folder }),
  };
}

/** Returns the folder of an operand on disk: the operand itself, or that of a sitemap in a file. */
function folderOf({ name, kind, fileOf }: Operand, site: string): SiteCheck["folder"] {
  if (fileOf === undefined) return undefined;
  if (kind === "folder") return { path: name, url: folderUrl(name), fileOf };
  if (fileOf(site) === undefined) return undefined;
  const path = dirname(name);
  return { path, url: folderUrl(path), fileOf: (url) => fileOf(url) && basename(name) };
}

function folderUrl(path: string): string {
  return `${pathToFileURL(resolve(path))}/`;
}

/** Returns the exit code of findings where a walk has ended, whether or not it read everything. */
function checkExitCode(exitCode: number, readings: readonly Reading[], isFailed: boolean): number {
  const { complete, partial, none, findings } = EXIT_CODES;
  if (![complete, partial, none].includes(exitCode)) return exitCode;
  return readings
    .map((reading) => reading.exitCode === partial ? complete : reading.exitCode)
    .reduce(worstExitCode, isFailed ? findings : complete);
}
