/**
 * The commands below `fleet`, but `work` and `status`, and what all of them have in common: their
 * database, Ctrl-C, messages and errors.
 *
 * @module
 */

import { inChunks, MAX_BATCH_ITEMS } from "../../../data/batches.ts";
import { count, grouped } from "../../../data/text.ts";
import { duration } from "../../../data/words.ts";
import { withScheme } from "../../../data/url.ts";
import { FleetError } from "../../../fleet/errors.ts";
import type { Fleet, RetryOptions, SiteEntry } from "../../../fleet/mod.ts";
import { progressNow, SITE_ROWS } from "../../../fleet/run_status.ts";
import { environmentVariable } from "../../../platform/environment.ts";
import { standardInput } from "../../../platform/host.ts";
import { isTerminal } from "../../../platform/process.ts";
import { escapeControls } from "../../../write/escape.ts";
import { fittingLine } from "../../../write/layout.ts";
import type { Arguments } from "../../arguments.ts";
import { Interrupted, UsageError } from "../../failure.ts";
import { openSession, type Session } from "../../run/session.ts";
import { openInput } from "../../../source/file.ts";
import { SiteList } from "../../../source/list.ts";
import { parseDatabase } from "../../values.ts";
import { openFleetAt, requireRun } from "./open.ts";

/** Long enough to hand sites back. */
const GRACE_PERIOD = 5000;
const DATABASE_VARIABLE = "SITETREE_DATABASE";

export async function openFleetSession(args: Arguments): Promise<Session> {
  return await openSession(args, GRACE_PERIOD);
}

/** Shows a progress line until the returned function is called. */
export function showProgress(
  { messages }: Session,
  parts: () => readonly string[],
): () => void {
  return messages.follow((elapsed, width) =>
    fittingLine([duration(elapsed), ...parts().map(escapeControls)], width)
  );
}

export async function withFleet(
  args: Arguments,
  use: (fleet: Fleet, session: Session) => Promise<void>,
): Promise<number> {
  using session = await openFleetSession(args);
  await using fleet = await openFleetAt(requiredDatabase(args), args);
  await use(fleet, session);
  return session.exitCode;
}

export function requiredDatabase(args: Arguments): string {
  const given = args.value("database");
  if (given !== undefined) return given;
  const named = environmentVariable(DATABASE_VARIABLE);
  if (named) return parseDatabase(named, DATABASE_VARIABLE);
  throw new UsageError(
    "Missing database",
    `expected --database URL, or the environment variable ${DATABASE_VARIABLE}`,
  );
}

// ---------------------------------------------------------------------------------------- commands

export async function enqueue(args: Arguments): Promise<number> {
  const [run, path] = args.operands as [string, string];
  const input = await openInput(path);
  return await withFleet(args, async (fleet, session) => {
    const { signal } = session;
    const list = new SiteList(input.pipeThrough(new TransformStream(), { signal }), path);
    const stopLine = showProgress(
      session,
      () => [`reading "${path}": ${count(list.count, "site")}`],
    );
    try {
      const added = await fleet.enqueue(run, withSchemes(list), args.given("every"));
      const known = list.count - added;
      stopLine();
      session.note(
        `${count(added, "site")} enqueued in run "${run}"` +
          (known === 0 ? "" : `, ${grouped(known)} known already`),
      );
    } catch (error) {
      if (error instanceof Interrupted) {
        session.note(`interrupted after ${count(list.count, "site")} of "${path}"`);
      }
      const isLine = error instanceof FleetError && list.count > 0;
      throw isLine ? list.fault(error.message) : error;
    } finally {
      stopLine();
    }
  });
}

async function* withSchemes(list: SiteList): AsyncGenerator<SiteEntry, void, void> {
  for await (const entry of list) yield { ...entry, url: withScheme(entry.url) };
}

export async function sites(args: Arguments): Promise<number> {
  const [run] = args.operands as [string];
  return await withFleet(args, async (fleet, session) => {
    await requireRun(fleet, run);
    const found = fleet.sites(run, args.given("verdict", "code"));
    const format = session.rowFormat(args, SITE_ROWS);
    await session.writeRows(inChunks(found, MAX_BATCH_ITEMS, (site) => site), format);
  });
}

export async function retry(args: Arguments): Promise<number> {
  const site = args.value("site");
  const { verdict } = args.given<RetryOptions>("verdict");
  return await changeRun(args, async (fleet, run) => {
    const options = site === undefined ? args.given("verdict") : { site: new URL("/", site) };
    const sites = await fleet.retry(run, options);
    if (sites > 0) return `${count(sites, "site")} of run "${run}" enqueued again`;
    return site === undefined
      ? `no site of run "${run}" is ${verdict ?? "failed"}`
      : `run "${run}" has no site "${site}" with a verdict`;
  });
}

export async function pause(args: Arguments): Promise<number> {
  return await changeRun(args, async (fleet, run) => {
    await fleet.pause(run);
    return `run "${run}" paused; sites in progress are finished`;
  });
}

export async function resume(args: Arguments): Promise<number> {
  return await changeRun(args, async (fleet, run) => {
    await fleet.resume(run);
    return `run "${run}" resumed`;
  });
}

export async function drop(args: Arguments): Promise<number> {
  return await changeRun(args, async (fleet, run, session) => {
    if (!args.has("yes") && !await isConfirmed(fleet, run, session)) return "nothing was deleted";
    await fleet.drop(run);
    return `run "${run}" deleted; the snapshot keeps its sites`;
  });
}

async function changeRun(
  args: Arguments,
  change: (fleet: Fleet, run: string, session: Session) => Promise<string>,
): Promise<number> {
  const [run] = args.operands as [string];
  return await withFleet(args, async (fleet, session) => {
    await requireRun(fleet, run);
    session.note(await change(fleet, run, session));
  });
}

async function isConfirmed(fleet: Fleet, run: string, session: Session): Promise<boolean> {
  const { signal } = session;
  if (!isTerminal("stdin") || !session.messages.isTerminal) {
    throw new UsageError(
      `Cannot ask whether to delete run "${run}": not a terminal`,
      "add --yes to delete it",
    );
  }
  const { total } = await progressNow(fleet, run);
  const question = escapeControls(`Delete run "${run}" with ${count(total, "site")}?`);
  session.messages.showLine(`${question} [y/N] `);
  const input = standardInput().pipeThrough(new TransformStream(), { signal });
  for await (const bytes of input) return /^\s*y(?:es)?\s*$/i.test(new TextDecoder().decode(bytes));
  return false;
}
