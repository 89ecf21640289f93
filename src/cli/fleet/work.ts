import { count, excerpt } from "../../data/text.ts";
import type { Fleet, FleetOptions, FleetProgress } from "../../fleet/mod.ts";
import { isDone, Rates } from "../../fleet/rates.ts";
import { sleep, SYSTEM_CLOCK } from "../../http/clock.ts";
import { type Arguments, fixedOperands } from "../arguments.ts";
import { type Log, logRequest, openLog } from "../log.ts";
import { requireProxies, walkSettings } from "../site.ts";
import { progressNow, progressParts, showProgress, summaryOf } from "./progress.ts";
import { FleetSession, withFleet } from "./session.ts";

/** Milliseconds between two looks at the runs. */
const INTERVAL = 3000;

async function workOptions(args: Arguments, log: Log): Promise<FleetOptions> {
  const settings = walkSettings(args);
  await requireProxies(settings);
  const perHost = args.value<number>("per-host");
  const lease = args.value<number>("lease");
  return {
    ...(perHost !== undefined && { perHost }),
    ...(lease !== undefined && { leaseSeconds: lease / 1000 }),
    walk: {
      ...settings.options,
      ...(log.level >= 2 && { onRequest: (report) => logRequest(log, report) }),
    },
    onWarning: (message) => log.write(1, `WARN ${excerpt(message)}`),
  };
}

export async function work(args: Arguments): Promise<number> {
  fixedOperands(args);
  const session = new FleetSession(args);
  const log = openLog(args, session.screen);
  const options = await workOptions(args, log);
  const slots = args.value<number>("slots");
  return await withFleet(args, options, async (fleet) => {
    const started = performance.now();
    const runs = new OpenRuns(fleet);
    const ended = new AbortController();
    const stopLine = showProgress(session, () => runs.parts);
    await runs.look();
    const following = runs.follow(ended.signal, (error) => log.write(1, `WARN ${String(error)}`));
    try {
      const drain = args.has("drain");
      await fleet.work({ signal: session.signal, drain, ...(slots !== undefined && { slots }) });
    } finally {
      ended.abort();
      stopLine();
      await following;
    }
    await runs.look();
    for (const progress of runs.latest.values()) {
      session.note(summaryOf(progress, performance.now() - started));
    }
    return session.exitCode;
  });
}

/** The progress of all runs that are not done when they are first seen. */
class OpenRuns {
  readonly latest: Map<string, FleetProgress> = new Map();
  readonly #fleet: Fleet;
  readonly #rates = new Map<string, Rates>();

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
  }

  /** Parts of the progress line: those of the oldest run that is not done. */
  get parts(): readonly string[] {
    const [first, ...others] = [...this.latest.values()].filter((progress) => !isDone(progress));
    if (first === undefined) return ["waiting for sites"];
    const more = others.length === 0 ? [] : [`and ${count(others.length, "run")} more`];
    return [...progressParts(first), ...more];
  }

  async look(): Promise<void> {
    const runs = (await this.#fleet.runs()).map(({ id }) => id);
    for (const id of this.latest.keys()) if (!runs.includes(id)) this.latest.delete(id);
    for (const id of runs) {
      const progress = await progressNow(this.#fleet, id);
      if (isDone(progress) && !this.latest.has(id)) continue;
      const rates = this.#rates.get(id) ?? new Rates();
      this.#rates.set(id, rates);
      this.latest.set(id, rates.add(progress, performance.now()));
    }
  }

  async follow(signal: AbortSignal, onFault: (error: unknown) => void): Promise<void> {
    while (!signal.aborted) {
      await sleep(INTERVAL, SYSTEM_CLOCK, [signal]).catch(() => {});
      if (!signal.aborted) await this.look().catch(onFault);
    }
  }
}
