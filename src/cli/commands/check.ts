import type { PageAnswer } from "../../check/answer_rules.ts";
import { Checker } from "../../check/checker.ts";
import type { SiteCheck } from "../../check/formats/finding_text.ts";
import { formatCheck } from "../../check/formats/format_check.ts";
import {
  answerFault,
  answersText,
  type ListedPage,
  ListedPages,
} from "../../check/pages/listed_pages.ts";
import type { ProbeOptions } from "../../check/pages/options.ts";
import { isAtLeast, SEVERITIES } from "../../check/severity.ts";
import type { TreeEvent } from "../../data/events.ts";
import { isHttp } from "../../data/url.ts";
import { basename, dirname, pathToFileURL, resolve } from "../../platform/host.ts";
import type { Operand } from "../../source/reader.ts";
import { REQUEST_OPTIONS } from "../../walk/options.ts";
import type { Arguments } from "../arguments.ts";
import type { FormatName } from "../format_names.ts";
import { type EventWriter, foldWriter } from "../run/event_writer.ts";
import { EXIT_CODES, worstExitCode } from "../failure.ts";
import { type Log, logRequest } from "../run/log.ts";
import { readingPlan } from "../run/operands.ts";
import { pagesLine } from "../run/progress.ts";
import type { Reading } from "../run/reading.ts";
import { Sampling } from "../run/sampling.ts";
import { openSession, type Session } from "../run/session.ts";
import { requireProxies } from "../run/walk_settings.ts";
import { checkSettings } from "../run/check_settings.ts";

/** Formats that have the summary of pages. */
const SUMMARIES: readonly FormatName<"check">[] = ["text", "markdown", "github"];

export async function check(args: Arguments): Promise<number> {
  const format = args.format<FormatName<"check">>();
  const settings = await checkSettings(args);
  const plan = await readingPlan(args);
  if (args.has("pages")) await requireProxies(plan.settings);
  using session = await openSession(args);
  const formatOptions = {
    codes: settings.codes,
    failOn: settings.failOn,
    width: session.width,
    color: session.color,
    verbose: args.has("verbose"),
    verboseHint: "-v",
  };
  const agent = args.given<{ agent: string }>("agent");
  const isList = plan.operands.length > 1 || args.operands.includes("-") || args.has("from");
  const checks: SiteCheck[] = [];
  const readings: Reading[] = [];

  function makeWriter(operand: Operand, reading: Reading): EventWriter {
    const checker = new Checker({
      now: new Date(),
      only: settings.codes,
      severities: settings.severities,
      ...agent,
    });
    readings.push(reading);
    const sampling = Sampling.of<ListedPage>(args);
    const listed = args.has("pages") ? new ListedPages(sampling) : undefined;
    const add = (event: TreeEvent) => {
      checker.add(event);
      listed?.add(event);
    };
    return foldWriter(add, async () => {
      using pages = listed;
      const answers = pages &&
        await requestPages(pages, agent, { checker, operand, reading, session });
      const note = answers && [answers, ...(sampling ? [sampling.summary] : [])].join("; ");
      if (note !== undefined && !SUMMARIES.includes(format)) session.note(note);
      const check = {
        ...siteCheck(checker, operand, reading, session.signal.aborted),
        ...(note !== undefined && { note }),
      };
      const isFurther = checks.push(check) > 1;
      if (format !== "text") return;
      await session.print((isFurther ? "\n" : "") + formatCheck(check, "text", formatOptions));
    });
  }

  async function finish(): Promise<void> {
    if (format === "text") return;
    await session.print(formatCheck(isList ? checks : checks[0]!, format, formatOptions));
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

interface PageContext {
  readonly checker: Checker;
  readonly operand: Operand;
  readonly reading: Reading;
  readonly session: Session;
}

/** Returns a clause about the pages. */
async function requestPages(
  pages: ListedPages,
  agent: Pick<ProbeOptions, "agent">,
  { checker, operand, reading, session }: PageContext,
): Promise<string> {
  const { watch, settings, context: { log } } = reading;
  const { signal } = session;
  const { total } = pages;
  const named = [operand.home, operand.site, URL.parse(checker.result().site)].find(isWeb);
  const homepage = named ?? [URL.parse(pages.first ?? "")].find(isWeb);
  let done = 0, arrived = 0;
  if (homepage && !signal.aborted) {
    await reading.connect(homepage);
    const options = {
      ...Object.fromEntries(
        Object.entries(settings.options).filter(([name]) => REQUEST_OPTIONS.includes(name)),
      ),
      ...agent,
      ...await reading.reach(homepage, settings.options),
      // a file must not lead to a private host that the user did not name
      ...(named === undefined && { allowPrivateNetwork: false }),
      onRequest(report) {
        logRequest(log, report);
        watch.slowDowns.add(report);
      },
      signal,
    } satisfies ProbeOptions;
    const started = performance.now();
    const stopStage = session.showStage((width) => {
      const waiting = watch.slowDowns.now();
      return pagesLine({ done: arrived, total, waiting }, performance.now() - started, width);
    });
    try {
      done = await pages.judge(checker, homepage, options, {
        onArrival: () => arrived++,
        onAnswer: (answer) => logAnswer(log, answer),
      });
    } finally {
      stopStage();
    }
  }
  const ending = signal.aborted ? "interrupted" : "--deadline reached";
  return answersText(checker.result().answers, { done, total, ending });
}

function isWeb(url: URL | null | undefined): boolean {
  return url ? isHttp(url) : false;
}

function logAnswer(log: Log, answer: PageAnswer): void {
  const message = answerFault(answer);
  if (message === undefined) return;
  const level = answer.code === undefined || answer.code === "blocked" ? "warn" : "error";
  log.write(1, { level, event: "page-answer", message });
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
