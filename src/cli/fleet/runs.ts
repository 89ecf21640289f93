/**
 * `sitetree fleet enqueue`, `pages`, `dead`, `redrive`, `pause`, `resume` and `drop`.
 *
 * @module
 */

import { count, grouped } from "../../data/text.ts";
import { FleetError } from "../../fleet/errors.ts";
import type { Fleet } from "../../fleet/mod.ts";
import { isTerminal, standardInput } from "../../platform/host.ts";
import { escapeControls } from "../../write/escape.ts";
import { type Arguments, fixedOperands } from "../arguments.ts";
import { EXIT_CODES, UsageError } from "../failure.ts";
import { deadFormat, pageFormat, writeItems } from "./formats.ts";
import { requiredDatabase, requiredRun } from "./open.ts";
import { isDone, progressNow, showProgress } from "./progress.ts";
import type { FleetSession } from "./session.ts";
import { SiteList } from "./sites.ts";
import { openOutput } from "../output.ts";
import { openInput } from "../sources.ts";

/** `fleet enqueue`. */
export async function enqueue(args: Arguments, session: FleetSession): Promise<number> {
  const [run, path] = fixedOperands(args) as [string, string];
  const url = requiredDatabase(args);
  const list = await openList(path, session);
  const stopLine = showProgress(session, () => [readingText(path, list)]);
  return await session.withFleet(url, {}, async (fleet) => {
    const added = await enqueueList(fleet, run, list);
    stopLine();
    session.note(enqueuedLine(run, list.count, added));
    return EXIT_CODES.complete;
  });
}

/** Opens a list of sites, which Ctrl-C ends. */
async function openList(path: string, { signal }: FleetSession): Promise<SiteList> {
  const input = await openInput(path);
  return new SiteList(input.pipeThrough(new TransformStream(), { signal }), path);
}

/** Adds the sites of a list to a run. Returns the number of those that it did not have. */
async function enqueueList(fleet: Fleet, run: string, list: SiteList): Promise<number> {
  try {
    return await fleet.enqueue(run, list);
  } catch (error) {
    const isLine = error instanceof FleetError && error.code === "invalid-input" && list.count > 0;
    throw isLine ? list.fault(error.message) : error;
  }
}

/** Returns a text such as `reading "sites.txt": 1,000 sites`. */
function readingText(path: string, list: SiteList): string {
  return `reading "${path}": ${count(list.count, "site")}`;
}

/** Returns a line such as `1,000 sites enqueued in run "nov", 3 known already`. */
function enqueuedLine(run: string, read: number, added: number): string {
  const known = read === added ? "" : `, ${grouped(read - added)} known already`;
  return `${count(added, "site")} enqueued in run "${run}"${known}`;
}

/** `fleet pages`. */
export async function pages(args: Arguments, session: FleetSession): Promise<number> {
  const [run] = fixedOperands(args) as [string];
  const format = pageFormat(args);
  return await session.withFleet(requiredDatabase(args), {}, async (fleet) => {
    await requiredRun(fleet, run);
    const progress = await progressNow(fleet, run);
    await exportItems(fleet.pages(run), format, args, session);
    const left = progress.total - progress.done - progress.dead;
    if (!isDone(progress)) session.note(`run "${run}" is not done: ${count(left, "site")} left`);
    return EXIT_CODES.complete;
  });
}

/** `fleet dead`. */
export async function dead(args: Arguments, session: FleetSession): Promise<number> {
  const [run] = fixedOperands(args) as [string];
  const format = deadFormat(args);
  return await session.withFleet(requiredDatabase(args), {}, async (fleet) => {
    await requiredRun(fleet, run);
    await exportItems(fleet.dead(run), format, args, session);
    return EXIT_CODES.complete;
  });
}

/** Writes items to the output of the command. */
async function exportItems<T>(
  items: AsyncIterable<T>,
  format: Parameters<typeof writeItems<T>>[1],
  args: Arguments,
  session: FleetSession,
): Promise<void> {
  const output = await openOutput(args.value("output"), session);
  session.onEnd(() => output.discard());
  await writeItems(items, format, output, session.signal);
  await output.commit();
}

/** `fleet redrive`. */
export async function redrive(args: Arguments, session: FleetSession): Promise<number> {
  return await changeRun(args, session, async (fleet, run) => {
    const sites = await fleet.redrive(run);
    return sites === 0
      ? `no site of run "${run}" was given up`
      : `${count(sites, "site")} of run "${run}" enqueued again`;
  });
}

/** `fleet pause`. */
export async function pause(args: Arguments, session: FleetSession): Promise<number> {
  return await changeRun(args, session, async (fleet, run) => {
    await fleet.pause(run);
    return `run "${run}" paused; sites in progress are finished`;
  });
}

/** `fleet resume`. */
export async function resume(args: Arguments, session: FleetSession): Promise<number> {
  return await changeRun(args, session, async (fleet, run) => {
    await fleet.resume(run);
    return `run "${run}" resumed`;
  });
}

/** `fleet drop`. */
export async function drop(args: Arguments, session: FleetSession): Promise<number> {
  return await changeRun(args, session, async (fleet, run) => {
    if (!args.has("yes") && !await isConfirmed(fleet, run, session)) return "nothing was deleted";
    await fleet.drop(run);
    return `run "${run}" deleted`;
  });
}

/** Calls a function with a run that exists, and prints the line that it returns. */
async function changeRun(
  args: Arguments,
  session: FleetSession,
  change: (fleet: Fleet, run: string) => Promise<string>,
): Promise<number> {
  const [run] = fixedOperands(args) as [string];
  return await session.withFleet(requiredDatabase(args), {}, async (fleet) => {
    await requiredRun(fleet, run);
    session.note(await change(fleet, run));
    return EXIT_CODES.complete;
  });
}

/** Asks on a terminal whether to delete a run. */
async function isConfirmed(fleet: Fleet, run: string, session: FleetSession): Promise<boolean> {
  const { screen, signal } = session;
  if (!isTerminal("stdin") || !screen.isTerminal) {
    throw new UsageError(
      `Cannot ask whether to delete run "${run}": not a terminal`,
      "add --yes to delete it",
    );
  }
  const { total, pages } = await progressNow(fleet, run);
  const question = `Delete run "${run}" with ${count(total, "site")}, ${count(pages, "page")}?`;
  screen.showProgress(`${escapeControls(question)} [y/N] `);
  const input = standardInput().pipeThrough(new TransformStream(), { signal });
  for await (const bytes of input) return /^\s*y(?:es)?\s*$/i.test(new TextDecoder().decode(bytes));
  return false;
}
