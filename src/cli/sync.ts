/**
 * `sitetree sync`: updates a snapshot of sites, and reports what changed.
 *
 * @module
 */

import { HOUR } from "../data/calendar.ts";
import { isHttp, withoutPassword, withoutUserInfo, withScheme } from "../data/url.ts";
import { stat } from "../platform/host.ts";
import { type Snapshot, sync as syncSite, type SyncEvent } from "../sync/mod.ts";
import { resolveOptions } from "../walk/options.ts";
import { type Arguments, missingOperand } from "./arguments.ts";
import { changeSettings, changeWriter } from "./changes.ts";
import type { EventWriter, SourceEvent } from "./event_writer.ts";
import { OutputClosed, UsageError } from "./failure.ts";
import type { Reading } from "./reading.ts";
import { PageFilter } from "./selection.ts";
import { openSession } from "./session.ts";
import { requireProxies, Site, type StartSite, walkSettings } from "./site.ts";
import { openSnapshotFile } from "./snapshots.ts";
import { operandsOf } from "./sources.ts";
import { syncLine } from "./summary.ts";
import { duration } from "./terminal.ts";

/** Runs the command. Returns the exit code. */
export async function sync(args: Arguments): Promise<number> {
  const path = await snapshotPath(args);
  const homepages = (await operandsOf(args, args.operands.slice(0, -1))).map(homepageOf);
  const hasOutput = args.has("format") || args.has("output");
  const format = changeSettings(args);
  const settings = walkSettings(args);
  await requireProxies(settings);
  using session = await openSession(args);
  const isDryRun = args.has("dry-run");
  // a file that does not exist is not created
  const isVirtual = isDryRun && !await exists(path);
  using snapshot = await openSnapshotFile(isVirtual ? ":memory:" : path);
  // the options of this command are not all of a walk
  const { concurrency, retries } = { ...resolveOptions({}), ...settings.options };
  return await session.run({
    sources: homepages.map((url) => new Site([url], settings, startSync(snapshot))),
    filter: new PageFilter(),
    concurrency,
    retries,
    limits: settings.options,
    makeWriter: () => hasOutput ? untilClosed(changeWriter(session, format)) : NO_OUTPUT,
    isWriterPerSource: false,
    summary: syncLine,
    alwaysSummarizes: true,
    moreAdvice: (reading) =>
      isDryRun ? ["nothing was written (--dry-run)"] : resumeAdvice(reading, args),
  });
}

/** A writer that ignores all events. */
const NO_OUTPUT: EventWriter = {
  write: () => undefined,
  close: () => Promise.resolve(),
};

/** Returns a writer that ends without an error when its reader has closed the output. */
function untilClosed(writer: EventWriter): EventWriter {
  let isClosed = false;
  function ignoreClosed(error: unknown): void {
    if (!(error instanceof OutputClosed)) throw error;
    isClosed = true;
  }
  return {
    write: (event) => isClosed ? undefined : writer.write(event)?.catch(ignoreClosed),
    close: async () => isClosed ? undefined : await writer.close().catch(ignoreClosed),
    takeRest: () => writer.takeRest?.() ?? new Uint8Array(),
  };
}

const FILE_REGEXP = /\.(?:db|sqlite3?)$/i;

/** Returns the last operand, the path of the snapshot. A new file must not look like a host. */
async function snapshotPath({ command, operands }: Arguments): Promise<string> {
  const hint = 'try "sitetree sync https://example.com/ site.db"';
  const path = operands.at(-1);
  if (path === undefined) throw missingOperand(command);
  const shown = withoutPassword(path);
  const isUrl = path === "-" || /^https?:\/\//i.test(path);
  const isHost = !FILE_REGEXP.test(path) && /^[^/\\]+\.[^/\\]+$/.test(path);
  if (isUrl || isHost && !await exists(path)) {
    throw new UsageError(
      `Missing snapshot after "${shown}": expected a file as the last operand`,
      isUrl ? hint : `${hint}, or for a new file write "./${shown}"`,
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

/** Returns the homepage of an operand. A host is always read by https: it identifies the site. */
function homepageOf(word: string): URL {
  const url = URL.parse(withScheme(word));
  const shown = withoutPassword(word);
  if (url === null || !isHttp(url)) {
    throw new UsageError(`Invalid site "${shown}": expected a homepage or a host`);
  }
  if (url.pathname === "/" && url.search === "") return url;
  throw new UsageError(
    `Invalid site "${shown}": expected a homepage without path`,
    `try ${url.origin}/`,
  );
}

/** Returns a function that synchronises a site with a snapshot. */
function startSync(snapshot: Snapshot): StartSite {
  return (homepage, options) => ({
    async *batches() {
      const site = withoutUserInfo(homepage).href;
      for await (const batch of syncSite(homepage, { ...options, snapshot }).batches()) {
        yield batch.map((event) => toSourceEvent(event, site));
      }
    },
  });
}

function toSourceEvent(event: SyncEvent, site: string): SourceEvent {
  return "page" in event ? { ...event, sitemap: event.sitemap.url, site } : event;
}

/** Time within which an interrupted run is continued, unless the user sets another. */
const RESUME_WITHIN = 24 * HOUR;

function resumeAdvice({ ending }: Reading, args: Arguments): string[] {
  const within = args.value<number>("resume-within") ?? RESUME_WITHIN;
  if (ending !== "interrupted" || within === 0) return [];
  const time = within % HOUR === 0 ? `${within / HOUR} h` : duration(within);
  return [`run the same command within ${time} to continue`];
}
