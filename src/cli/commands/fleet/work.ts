import { messageOf } from "../../../data/errors.ts";
import { withoutPassword } from "../../../data/url.ts";
import type { Fleet, FleetOptions } from "../../../fleet/mod.ts";
import { isDisconnected } from "../../../sync/postgres_errors.ts";
import type { WalkOptions } from "../../../walk/options.ts";
import { type Arguments, fixedOperands } from "../../arguments.ts";
import { type Log, logRequest, openLog } from "../../run/log.ts";
import { type MetricSample, runSamples } from "../../run/metrics.ts";
import { Monitor } from "../../run/monitor.ts";
import { Health } from "../../run/serve.ts";
import { requireProxies, walkSettings } from "../../site.ts";
import { requiredRun } from "./open.ts";
import { OpenRuns } from "./open_runs.ts";
import { showProgress, summaryOf } from "./progress.ts";
import { FleetSession, requiredDatabase, withFleet } from "./session.ts";

export async function work(args: Arguments): Promise<number> {
  fixedOperands(args);
  const database = withoutPassword(requiredDatabase(args));
  const settings = walkSettings(args);
  await requireProxies(settings);
  const session = new FleetSession(args);
  const log = openLog(args, session);
  const health = new Health();
  using monitor = new Monitor(args, log, health);
  await monitor.serve(args.value("serve"));
  const options = fleetOptions(args, settings.options, log, monitor);
  return await withFleet(args, session, async (fleet) => {
    const run = args.value("run");
    if (run !== undefined) await requiredRun(fleet, run);
    const runs = new OpenRuns(fleet, run);
    await runs.look();
    monitor.metrics.count("lease_losses_total", 0);
    monitor.samples = () => samplesOf(fleet, runs, health, monitor);
    monitor.start(database, () => runs.progress);
    await walkAll(fleet, args, runs, session, monitor);
  }, options);
}

function fleetOptions(
  args: Arguments,
  walk: WalkOptions,
  log: Log,
  monitor: Monitor,
): FleetOptions {
  const lease = args.value<number>("lease");
  return {
    ...args.given<FleetOptions>("per-host", "keep-quiet-runs"),
    ...(lease !== undefined && { leaseSeconds: lease / 1000 }),
    walk: {
      ...walk,
      onRequest(report) {
        logRequest(log, report);
        monitor.metrics.addRequest(report);
      },
    },
    onEvent: (event) => monitor.add(event),
  };
}

function samplesOf(
  { snapshot }: Fleet,
  runs: OpenRuns,
  health: Health,
  { metrics }: Monitor,
): MetricSample[] {
  return [
    ["repeated_commits_total", snapshot.repeats],
    ["database_up", Number(health.isDatabaseUp)],
    ["last_claim_age_seconds", (performance.now() - metrics.lastClaim) / 1000],
    ...runSamples(runs.open),
  ];
}

/** Elsewhere than on a terminal, the log takes the place of the progress line. */
async function walkAll(
  fleet: Fleet,
  args: Arguments,
  runs: OpenRuns,
  session: FleetSession,
  monitor: Monitor,
): Promise<void> {
  const started = performance.now();
  const ended = new AbortController();
  const stopLine = session.screen.isTerminal ? showProgress(session, () => runs.parts) : () => {};
  const following = runs.follow(ended.signal, (error) => {
    // an event says so
    if (isDisconnected(error)) return;
    const reason = messageOf(error);
    monitor.add({ type: "fault", reason: `Cannot read the progress: ${reason}` });
  });
  try {
    await fleet.work({
      ...{ signal: session.signal, drain: args.has("drain"), slots: monitor.slots },
      ...args.given<{ run: string }>("run"),
    });
  } finally {
    ended.abort();
    stopLine();
    await following;
  }
  await runs.look();
  for (const progress of runs.latest.values()) {
    session.note(summaryOf(progress, performance.now() - started));
  }
}
