/**
 * `sitetree fleet work` and `fleet run`: walking the sites of runs.
 *
 * @module
 */

import { count, excerpt, grouped } from "../../data/text.ts";
import type { Fleet, FleetLocation, FleetProgress } from "../../fleet/mod.ts";
import { makeTemporaryDirectory, removeDirectory } from "../../platform/host.ts";
import { type Arguments, fixedOperands } from "../arguments.ts";
import { EXIT_CODES, Failure } from "../failure.ts";
import { pageFormat, writeItems } from "./formats.ts";
import { locationOf, type OpenOptions, requiredLocation } from "./open.ts";
import {
  deadLines,
  endingOf,
  figureParts,
  isDone,
  OpenRuns,
  progressNow,
  showProgress,
  summaryOf,
} from "./progress.ts";
import { enqueuedLine, enqueueList, openList, readingText } from "./runs.ts";
import { servedRun, serveStatusPage } from "./serve.ts";
import type { FleetSession } from "./session.ts";
import { type Log, logRequest, openLog } from "../log.ts";
import { openOutput, type Output } from "../output.ts";
import { requireProxies, walkSettings } from "../site.ts";
import { paintEnding } from "../summary.ts";

/** Returns the options of a fleet that walks sites. */
async function workOptions(args: Arguments, log: Log): Promise<OpenOptions> {
  const settings = walkSettings(args);
  await requireProxies(settings);
  const slots = args.value<number>("slots");
  const perHost = args.value<number>("per-host");
  const lease = args.value<number>("lease");
  const retryWait = args.value<number>("retry-wait");
  return {
    ...(slots === undefined ? {} : { slots }),
    ...(perHost === undefined ? {} : { perHost }),
    ...(lease === undefined ? {} : { leaseSeconds: lease / 1000 }),
    ...(retryWait === undefined ? {} : { retrySeconds: retryWait / 1000 }),
    walk: {
      ...settings.options,
      ...(log.level >= 2 ? { onRequest: (report) => logRequest(log, report) } : {}),
    },
    onWarning: (message) => log.write(1, `WARN ${excerpt(message)}`),
  };
}

/** `fleet work`. */
export async function work(args: Arguments, session: FleetSession): Promise<number> {
  fixedOperands(args);
  const location = requiredLocation(args);
  const log = openLog(args, session.screen);
  const options = await workOptions(args, log);
  return await session.withFleet(location, options, async (fleet) => {
    const started = performance.now();
    const runs = new OpenRuns(fleet, (error) => log.write(1, `WARN ${String(error)}`));
    const ended = new AbortController();
    const page = args.has("serve")
      ? await serveStatusPage(
        fleet,
        await servedRun(fleet, args.value("run")),
        args,
        session,
        ended.signal,
      )
      : undefined;
    const stopLine = showProgress(session, () => {
      const { figures } = runs;
      return figures.total === 0 ? ["waiting for sites"] : figureParts(figures);
    });
    await runs.load();
    const following = runs.follow(ended.signal);
    try {
      await fleet.work({ signal: session.signal, drain: args.has("drain") });
    } finally {
      ended.abort();
      stopLine();
      await Promise.all([following, page?.closed]);
    }
    for (const run of runs.names) {
      const progress = await progressNow(fleet, run);
      const open = progress.paused ? "paused" : "interrupted";
      const ending = isDone(progress) ? endingOf(progress) : open;
      session.note(`${run}: ${summaryOf(ending, progress, performance.now() - started)}`);
    }
    return session.interruption ?? EXIT_CODES.complete;
  });
}

/** `fleet run`. */
export async function run(args: Arguments, session: FleetSession): Promise<number> {
  const [path] = fixedOperands(args) as [string];
  const makeFormat = pageFormat(args);
  const given = locationOf(args);
  const log = openLog(args, session.screen);
  const options = await workOptions(args, log);
  const list = await openList(path, session);
  const output = await openOutput(args.value("output"), session);
  session.onEnd(() => output.discard());
  const name = args.value("run") ?? runNameOf(path);
  let parts = () => ["opening the database"];
  const stopLine = showProgress(session, () => parts());
  const started = performance.now();
  const location = given ?? temporaryLocation(session);
  return await session.withFleet(location, { ...options, creates: true }, async (fleet) => {
    parts = () => [readingText(path, list)];
    await refusePaused(fleet, name);
    const added = await enqueueList(fleet, name, list);
    let latest = await progressNow(fleet, name);
    const walked = latest.done + latest.dead;
    if (added === 0 || walked > 0) {
      const sites = `${grouped(walked)} of ${count(latest.total, "site")}`;
      session.note(`continuing run "${name}": ${sites} done`);
    } else if (added < list.count) {
      session.note(enqueuedLine(name, list.count, added));
    }
    parts = () => figureParts(latest);
    await walkRun(fleet, name, args, session, (progress) => latest = progress);
    latest = await progressNow(fleet, name);
    const isInterrupted = session.interruption !== undefined;
    // a directory that is removed leaves nothing but the output
    const isKept = !isInterrupted || given === undefined && !args.has("discard-partial");
    const { complete, partial } = latest.verdicts;
    if (isKept && complete + partial > 0) {
      parts = () => [`writing ${grouped(latest.pages)} pages`];
      await writePages(fleet, name, makeFormat, output, session);
    }
    stopLine();
    await conclude(fleet, latest, session, performance.now() - started, given);
    return session.interruption ?? EXIT_CODES[endingOf(latest)];
  });
}

/** Checks that a run is not paused, which would never end. */
async function refusePaused(fleet: Fleet, name: string): Promise<void> {
  const isPaused = (await fleet.runs()).some(({ id, paused }) => id === name && paused);
  if (!isPaused) return;
  throw new Failure(
    `Cannot walk run "${name}": it is paused`,
    `use "sitetree fleet resume ${name}"`,
  );
}

/** Returns the name of a run by that of a file: `sites` for `lists/sites.txt`. */
function runNameOf(path: string): string {
  if (path === "-") return "stdin";
  return path.replace(/^.*[/\\](?=.)/s, "").replace(/(?<=.)\.[^.]*$/, "");
}

/** Returns a directory that is removed when the command ends. */
function temporaryLocation(session: FleetSession): FleetLocation {
  const directory = makeTemporaryDirectory();
  session.onEnd(() => removeDirectory(directory));
  return { directory };
}

/** Walks sites until a run is done or the session is interrupted. */
async function walkRun(
  fleet: Fleet,
  run: string,
  args: Arguments,
  session: FleetSession,
  onProgress: (progress: FleetProgress) => void,
): Promise<void> {
  const ended = new AbortController();
  const stop = () => ended.abort();
  session.signal.addEventListener("abort", stop);
  const page = await serveStatusPage(fleet, run, args, session, ended.signal);
  try {
    session.signal.throwIfAborted();
    const working = fleet.work({ signal: ended.signal });
    // other runs of the same database may never end
    const following = follow(fleet, run, ended.signal, onProgress).finally(stop);
    // the fleet must not be closed before both have ended
    const results = await Promise.allSettled([working, following]);
    for (const result of results) if (result.status === "rejected") throw result.reason;
  } finally {
    stop();
    session.signal.removeEventListener("abort", stop);
    await page?.closed;
  }
}

async function follow(
  fleet: Fleet,
  run: string,
  signal: AbortSignal,
  onProgress: (progress: FleetProgress) => void,
): Promise<void> {
  for await (const progress of fleet.progress(run, { signal })) onProgress(progress);
}

/** Writes the pages of a run. What an interrupted run has found is kept as `FILE.part`. */
async function writePages(
  fleet: Fleet,
  run: string,
  makeFormat: ReturnType<typeof pageFormat>,
  output: Output,
  session: FleetSession,
): Promise<void> {
  const wasInterrupted = session.interruption !== undefined;
  const signal = wasInterrupted ? new AbortController().signal : session.signal;
  await writeItems(fleet.pages(run), makeFormat, output, signal);
  if (!wasInterrupted && session.interruption === undefined) return await output.commit();
  const path = await output.keepPartial();
  if (path !== undefined) session.note(`Interrupted: partial output kept in "${path}"`);
}

/** Prints the summary of a run. */
async function conclude(
  fleet: Fleet,
  progress: FleetProgress,
  session: FleetSession,
  elapsed: number,
  location: FleetLocation | undefined,
): Promise<void> {
  const ending = session.interruption === undefined ? endingOf(progress) : "interrupted";
  session.paragraph(summaryOf(ending, progress, elapsed), {
    paint: (line) => paintEnding(ending, line),
  });
  const isStored = location !== undefined;
  const more = isStored ? '; "sitetree fleet dead" lists them all' : "; use --data to keep them";
  const indent = "  ";
  for (const text of await deadLines(fleet, progress, more)) session.paragraph(text, { indent });
  if (ending !== "interrupted") return;
  session.paragraph(
    isStored ? "run the same command to continue" : "use --data to continue such a run later",
    { indent },
  );
}
