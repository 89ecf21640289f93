/**
 * `sitetree fleet`: many sites, on PostgreSQL.
 *
 * @module
 */

import type { Arguments } from "../arguments.ts";
import type { FleetCommandName } from "../commands.ts";
import { dead, drop, enqueue, pages, pause, redrive, resume } from "./runs.ts";
import { type FleetSession, inFleetSession } from "./session.ts";
import { status } from "./status.ts";
import { work } from "./work.ts";

const RUNNERS: Readonly<
  Record<FleetCommandName, (args: Arguments, session: FleetSession) => Promise<number>>
> = {
  "fleet enqueue": enqueue,
  "fleet work": work,
  "fleet status": status,
  "fleet pages": pages,
  "fleet dead": dead,
  "fleet redrive": redrive,
  "fleet pause": pause,
  "fleet resume": resume,
  "fleet drop": drop,
};

/** Runs a command below `fleet`. Returns the exit code. */
export async function fleet(args: Arguments): Promise<number> {
  const command = args.command as FleetCommandName;
  return await inFleetSession(args, (session) => RUNNERS[command](args, session));
}
