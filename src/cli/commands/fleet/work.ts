import { messageOf } from "../../../data/errors.ts";
import { withoutPassword } from "../../../data/url.ts";
import type { Fleet } from "../../../fleet/mod.ts";
import { Health } from "../../../fleet/health.ts";
import { runSamples } from "../../../fleet/metrics.ts";
import { OpenRuns } from "../../../fleet/open_runs.ts";
import { summaryOf } from "../../../fleet/run_status.ts";
import { isDisconnected } from "../../../sync/postgres_errors.ts";
import type { Arguments } from "../../arguments.ts";
import { logRequest } from "../../run/log.ts";
import { Monitor } from "../../run/monitor.ts";
import type { Session } from "../../run/session.ts";
import { requireProxies, walkSettings } from "../../run/walk_settings.ts";
import { openFleetSession, requiredDatabase, showProgress } from "./fleet.ts";
import { openFleetAt, requireRun } from "./open.ts";

export async function work(args: Arguments): Promise<number> {
  const database = requiredDatabase(args);
  const settings = walkSettings(args);
  await requireProxies(settings);
  using session = await openFleetSession(args);
  const health = new Health();
  using monitor = new Monitor(session.log, args.value("slots"), health);
  await monitor.serve(args.value("serve"));
  const lease = args.value<number>("lease");
  const { metrics } = monitor;
  await using fleet = await openFleetAt(database, args, {
    ...args.given("per-host", "keep-quiet-runs"),
    ...(lease !== undefined && { leaseSeconds: lease / 1000 }),
    walk: {
      ...settings.options,
      onRequest(report) {
        logRequest(session.log, report);
        metrics.addRequest(report);
      },
    },
    onEvent: (event) => monitor.add(event),
  });
  const run = args.value("run");
  if (run !== undefined) await requireRun(fleet, run);
  const runs = new OpenRuns(fleet, run);
  await runs.look();
  metrics.count("lease_losses_total", 0);
  monitor.samples = () => [
    ["repeated_commits_total", fleet.snapshot.repeats],
    ["database_up", Number(health.isDatabaseUp)],
    ["last_claim_age_seconds", (performance.now() - metrics.lastClaim) / 1000],
    ...runSamples(runs.open),
  ];
  monitor.start(withoutPassword(database), () => runs.progress);
  await walkAll(fleet, args, runs, session, monitor);
  return session.exitCode;
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
