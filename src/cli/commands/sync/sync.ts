import type { RequestReport } from "../../../../mod.ts";
import { quotedWord } from "../../../data/text.ts";
import { withoutPassword } from "../../../data/url.ts";
import { stat } from "../../../platform/host.ts";
import { type Arguments, missingOperand } from "../../arguments.ts";
import { changeRows } from "../../change_formats.ts";
import { changesOf } from "../changes.ts";
import { isDatabase } from "../../database.ts";
import { Failure, OutputClosed, UsageError } from "../../run/failure.ts";
import { Monitor } from "../../run/monitor.ts";
import { rowFormat } from "../../row_formats.ts";
import { openSession } from "../../run/session.ts";
import { requireProxies, type WalkSettings, walkSettings } from "../../site.ts";
import { openSnapshotAt } from "../../snapshots.ts";
import { allSites, namedSites, siteOperands } from "./sites.ts";
import { SitesWalk } from "./walk.ts";

export async function sync(args: Arguments): Promise<number> {
  const path = await snapshotPath(args);
  const words = args.operands.slice(0, -1);
  const isNew = !isDatabase(path) && !await exists(path);
  const isNamed = words.length + args.all("from").length > 0;
  if (isNew && !isNamed) throw missingOperand(args.command);
  const operands = await siteOperands(words, args.all("from"));
  const given = walkSettings(args);
  await requireProxies(given);
  using session = await openSession(args);
  using monitor = new Monitor(args, session.log);
  const settings = monitored(given, monitor);
  const format = rowFormat(args, changeRows(session.color), session.output.isTerminal);
  const hasOutput = args.has("format") || args.has("output");
  const isDryRun = args.has("dry-run");
  await monitor.serve(args.value("serve"));
  // a file that does not exist is not created
  await using snapshot = await openSnapshotAt(isDryRun && isNew ? ":memory:" : path, args);
  const sites = isNamed
    ? await namedSites(operands, snapshot, settings)
    : await allSites(snapshot, path);
  const context = { snapshot, settings, session, args, monitor };
  const head = await snapshot.head();
  const reread = `sitetree changes ${quotedWord(withoutPassword(path))} --after ${head}`;
  const walk = new SitesWalk(sites, context, (isInterrupted) => {
    if (isDryRun) return ["nothing was written (--dry-run)"];
    return isInterrupted ? [`what was found is kept; its changes: ${reread}`] : [];
  });
  monitor.samples = () => [["repeated_commits_total", snapshot.repeats]];
  if (args.has("from") || args.has("log")) {
    monitor.start(withoutPassword(path), () => walk.progress());
  }
  if (hasOutput && isDryRun) {
    await session.follow(() => session.writeRows(walk.changes(), format));
    return session.exitCode;
  }
  await session.follow(async () => {
    for await (const _ of walk.changes());
  });
  if (session.signal.aborted || isDryRun) return session.exitCode;
  if (hasOutput) {
    try {
      await session.writeRows(changesOf(snapshot, walk.runs, head), format);
    } catch (error) {
      throw outputFailure(error, reread);
    }
  }
  if (args.has("keep-runs")) await snapshot.prune(args.given("keep-runs"));
  return session.exitCode;
}

function monitored(settings: WalkSettings, { metrics }: Monitor): WalkSettings {
  const onRequest = (report: RequestReport) => metrics.addRequest(report);
  return { ...settings, options: { ...settings.options, onRequest } };
}

function outputFailure(error: unknown, reread: string): unknown {
  if (!(error instanceof OutputClosed || error instanceof Failure)) return error;
  return new Failure(error.message, `the run is saved; its changes: ${reread}`, { cause: error });
}

const FILE_REGEXP = /\.(?:db|sqlite3?)$/i;

/** A new file must not look like a host. */
async function snapshotPath({ operands }: Arguments): Promise<string> {
  const hint = 'try "sitetree sync https://example.com/ site.db"';
  const path = operands.at(-1)!;
  if (isDatabase(path)) return path;
  const shown = withoutPassword(path);
  const isUrl = path === "-" || /^https?:\/\//i.test(path);
  const isHost = !FILE_REGEXP.test(path) && /^[^/\\][^/\\.]*\.[^/\\]+$/.test(path);
  if (isUrl || isHost && !await exists(path)) {
    const orFile = isUrl ? "" : `, or for a new file write "./${shown}"`;
    throw new UsageError(
      `Missing snapshot after "${shown}": expected a file or a database as the last operand`,
      path === "-" ? 'for a list of sites: "sitetree sync --from - site.db"' : hint + orFile,
    );
  }
  return path;
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch {
    return false;
  }
}
