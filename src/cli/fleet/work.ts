/**
 * `sitetree fleet work`: walking the sites of runs.
 *
 * @module
 */

import { excerpt } from "../../data/text.ts";
import type { FleetOptions } from "../../fleet/mod.ts";
import { type Arguments, fixedOperands } from "../arguments.ts";
import { EXIT_CODES } from "../failure.ts";
import { requiredDatabase } from "./open.ts";
import {
  endingOf,
  figureParts,
  isDone,
  OpenRuns,
  progressNow,
  showProgress,
  summaryOf,
} from "./progress.ts";
import { servedRun, serveStatusPage } from "./serve.ts";
import type { FleetSession } from "./session.ts";
import { type Log, logRequest, openLog } from "../log.ts";
import { requireProxies, walkSettings } from "../site.ts";

/** Returns the options of a fleet that walks sites. */
async function workOptions(args: Arguments, log: Log): Promise<FleetOptions> {
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
  const url = requiredDatabase(args);
  const log = openLog(args, session.screen);
  const options = await workOptions(args, log);
  return await session.withFleet(url, options, async (fleet) => {
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
