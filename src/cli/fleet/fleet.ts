import type { Arguments } from "../arguments.ts";
import type { FleetCommandName } from "../commands.ts";
import { drop, enqueue, pause, resume, retry } from "./runs.ts";
import { sites } from "./sites.ts";
import { status } from "./status.ts";
import { work } from "./work.ts";

const RUNNERS: Readonly<Record<FleetCommandName, (args: Arguments) => Promise<number>>> = {
  "fleet enqueue": enqueue,
  "fleet work": work,
  "fleet status": status,
  "fleet sites": sites,
  "fleet retry": retry,
  "fleet pause": pause,
  "fleet resume": resume,
  "fleet drop": drop,
};

export async function fleet(args: Arguments): Promise<number> {
  return await RUNNERS[args.command as FleetCommandName](args);
}
