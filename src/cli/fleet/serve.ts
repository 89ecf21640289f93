/**
 * `--serve`: the status page of a run.
 *
 * @module
 */

import type { Fleet } from "../../fleet/mod.ts";
import type { Arguments } from "../arguments.ts";
import { Failure } from "../failure.ts";
import { requiredRun } from "./open.ts";
import { isDone, progressNow } from "./progress.ts";
import type { FleetSession } from "./session.ts";
import type { ListenAddress } from "../values.ts";

/** Serves the status page of a run until the signal aborts, if `--serve` asks for it. */
export async function serveStatusPage(
  fleet: Fleet,
  run: string,
  args: Arguments,
  session: FleetSession,
  signal: AbortSignal,
): Promise<{ readonly closed: Promise<void> } | undefined> {
  const address = args.value<ListenAddress>("serve");
  if (address === undefined) return undefined;
  const { serveStatus } = await import("./status_page.ts");
  const { url, closed } = await serveStatus(fleet, run, { ...address, signal });
  session.note(`status of run "${run}" at ${url}`);
  return { closed };
}

/** Returns the run that `--run` names, or else the last one that is not done, or the last one. */
export async function servedRun(fleet: Fleet, name: string | undefined): Promise<string> {
  if (name !== undefined) return (await requiredRun(fleet, name)).id;
  const runs = (await fleet.runs()).reverse();
  for (const { id } of runs) if (!isDone(await progressNow(fleet, id))) return id;
  const [last] = runs;
  if (last !== undefined) return last.id;
  throw new Failure("Cannot serve a status page: there are no runs", "enqueue sites first");
}
