import { messageOf } from "../../../data/errors.ts";
import { count } from "../../../data/text.ts";
import { withoutPassword } from "../../../data/url.ts";
import type { Fleet, FleetProgress } from "../../../fleet/mod.ts";
import { isDone, Rates } from "../../../fleet/progress.ts";
import { progressNow, progressParts, summaryOf } from "../../../fleet/run_status.ts";
import { sleep, SYSTEM_CLOCK } from "../../../http/clock.ts";
import { isDisconnected } from "../../../sync/postgres_errors.ts";
import type { Arguments } from "../../arguments.ts";
import { logRequest } from "../../run/log.ts";
import { runSamples } from "../../run/metrics.ts";
import { Monitor, type WorkProgress } from "../../run/monitor.ts";
import { Health } from "../../run/serve.ts";
import type { Session } from "../../run/session.ts";
import { requireProxies, walkSettings } from "../../run/walk_settings.ts";
import { openFleetSession, requiredDatabase, showProgress, withFleet } from "./fleet.ts";
import { requiredRun } from "./open.ts";

/** Milliseconds between two looks at the runs. */
const INTERVAL = 3000;

export async function work(args: Arguments): Promise<number> {
  const database = withoutPassword(requiredDatabase(args));
  const settings = walkSettings(args);
  await requireProxies(settings);
  using session = await openFleetSession(args);
  const health = new Health();
  using monitor = new Monitor(session.log, args.value("slots"), health);
  await monitor.serve(args.value("serve"));
  const lease = args.value<number>("lease");
  return await withFleet(args, session, async (fleet) => {
    const run = args.value("run");
    if (run !== undefined) await requiredRun(fleet, run);
    const runs = new OpenRuns(fleet, run);
    await runs.look();
    const { metrics } = monitor;
    metrics.count("lease_losses_total", 0);
    monitor.samples = () => [
      ["repeated_commits_total", fleet.snapshot.repeats],
      ["database_up", Number(health.isDatabaseUp)],
      ["last_claim_age_seconds", (performance.now() - metrics.lastClaim) / 1000],
      ...runSamples(runs.open),
    ];
    monitor.start(database, () => runs.progress);
    await walkAll(fleet, args, runs, session, monitor);
  }, {
    ...args.given("per-host", "keep-quiet-runs"),
    ...(lease !== undefined && { leaseSeconds: lease / 1000 }),
    walk: {
      ...settings.options,
      onRequest(report) {
        logRequest(session.log, report);
        monitor.metrics.addRequest(report);
      },
    },
    onEvent: (event) => monitor.add(event),
  });
}

/** Elsewhere than on a terminal, the log takes the place of the progress line. */
async function walkAll(
  fleet: Fleet,
  args: Arguments,
  runs: OpenRuns,
  session: Session,
  monitor: Monitor,
): Promise<void> {
  const started = performance.now();
  const ended = new AbortController();
  const stopLine = session.messages.isTerminal ? showProgress(session, () => runs.parts) : () => {};
  const following = runs.follow(ended.signal, (error) => {
    // an event says so
    if (isDisconnected(error)) return;
    const reason = messageOf(error);
    monitor.add({ type: "fault", reason: `Cannot read the progress: ${reason}` });
  });
  try {
    await fleet.work({
      ...{ signal: session.signal, drain: args.has("drain"), slots: monitor.slots },
      ...args.given("run"),
    });
  } finally {
    ended.abort();
    stopLine();
    await following;
  }
  await runs.look();
  for (const progress of runs.all) {
    session.note(summaryOf(progress, performance.now() - started));
  }
}

/** The progress of all runs that are not done when they are first seen, or of one run. */
class OpenRuns {
  readonly #fleet: Fleet;
  readonly #only: string | undefined;
  readonly #seen = new Map<string, { readonly rates: Rates; readonly progress: FleetProgress }>();

  constructor(fleet: Fleet, only: string | undefined) {
    this.#fleet = fleet;
    this.#only = only;
  }

  get all(): FleetProgress[] {
    return [...this.#seen.values()].map(({ progress }) => progress);
  }

  /** Those that are not done, the oldest first. */
  get open(): FleetProgress[] {
    return this.all.filter((progress) => !isDone(progress));
  }

  /** Parts of the progress line: those of the oldest run that is not done. */
  get parts(): readonly string[] {
    const [first, ...others] = this.open;
    if (first === undefined) return ["waiting for sites"];
    const more = others.length === 0 ? [] : [`and ${count(others.length, "run")} more`];
    return [...progressParts(first), ...more];
  }

  /** The sum of all that are not done. */
  get progress(): WorkProgress {
    const { open } = this;
    const [{ run, round } = {}] = open.length === 1 ? open : [];
    const sum = (read: (progress: FleetProgress) => number) =>
      open.reduce((sum, progress) => sum + read(progress), 0);
    return {
      ...{ run, round, runs: open.length },
      sites: sum(({ done }) => done),
      total: sum(({ total }) => total),
      pages: sum(({ pages }) => pages),
      pagesPerSecond: sum(({ pagesPerSecond }) => pagesPerSecond),
      waiting: sum(({ waiting }) => waiting),
      suspects: sum(({ suspects }) => suspects),
    };
  }

  async look(): Promise<void> {
    const all = (await this.#fleet.runs()).map(({ id }) => id);
    const runs = all.filter((id) => this.#only === undefined || id === this.#only);
    for (const id of this.#seen.keys()) if (!runs.includes(id)) this.#seen.delete(id);
    for (const id of runs) {
      const progress = await progressNow(this.#fleet, id);
      const known = this.#seen.get(id);
      if (known === undefined && isDone(progress)) continue;
      const { rates } = known ?? { rates: new Rates() };
      this.#seen.set(id, { rates, progress: rates.add(progress, performance.now()) });
    }
  }

  async follow(signal: AbortSignal, onFault: (error: unknown) => void): Promise<void> {
    while (!signal.aborted) {
      await sleep(INTERVAL, SYSTEM_CLOCK, [signal]).catch(() => {});
      if (!signal.aborted) await this.look().catch(onFault);
    }
  }
}
