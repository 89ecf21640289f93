import { count, quotedWord } from "../../../data/text.ts";
import { withoutPassword, withoutUserInfo } from "../../../data/url.ts";
import type { WorkProgress } from "../../../fleet/open_runs.ts";
import type { RequestReport } from "../../../http/request_report.ts";
import { type SiteEvent, type Snapshot, syncAll } from "../../../sync/mod.ts";
import { SYNC_RULES } from "../../../sync/options.ts";
import type { WalkOptions } from "../../../walk/options.ts";
import { type Arguments, missingOperand } from "../../arguments.ts";
import { type ChangeEvent, changeRows } from "../../../sync/change_rows.ts";
import { isDatabase } from "../../../source/snapshot.ts";
import { ONLY_GIVEN, Site } from "../../../source/site.ts";
import { statOf } from "../../../disk/files.ts";
import { Failure, OutputClosed, UsageError } from "../../failure.ts";
import { Monitor } from "../../run/monitor.ts";
import { failureOf } from "../../run/failures.ts";
import { openSnapshotOf } from "../../run/operands.ts";
import type { Reading } from "../../run/reading.ts";
import { PageFilter } from "../../run/selection.ts";
import { openSession, type ReadingOptions, type Session } from "../../run/session.ts";
import { adviceLines, syncLine } from "../../run/summary.ts";
import {
  fieldsOf,
  requireProxies,
  type WalkSettings,
  walkSettings,
} from "../../run/walk_settings.ts";
import { allSites, namedSites, settingsOf, siteOperands, type SyncSite } from "./sites.ts";

const MAX_LOOKUPS = 50;

export async function sync(args: Arguments): Promise<number> {
  const path = snapshotPath(args);
  const words = args.operands.slice(0, -1);
  const isNew = !isDatabase(path) && statOf(path) === undefined;
  const isNamed = words.length + args.all("from").length > 0;
  if (isNew && !isNamed) throw missingOperand(args.command);
  const operands = await siteOperands(words, args.all("from"));
  const given = walkSettings(args);
  await requireProxies(given);
  using session = await openSession(args);
  using monitor = new Monitor(session.log, args.value("slots"));
  const onRequest = (report: RequestReport) => monitor.metrics.addRequest(report);
  const settings = { ...given, options: { ...given.options, onRequest } };
  const format = session.rowFormat(args, changeRows(session.color));
  const hasOutput = args.has("format") || args.has("output");
  const isDryRun = args.has("dry-run");
  await monitor.serve(args.value("serve"));
  // a file that does not exist is not created
  await using snapshot = await openSnapshotOf(args, isDryRun && isNew ? ":memory:" : path);
  const sites = isNamed
    ? await namedSites(operands, snapshot, settings)
    : await allSites(snapshot, path);
  const head = await snapshot.head();
  const reread = `sitetree changes ${quotedWord(withoutPassword(path))} --after ${head}`;
  const walk = new SitesWalk(sites, { args, settings, session, monitor, snapshot }, () => {
    if (isDryRun) return ["nothing was written (--dry-run)"];
    return session.signal.aborted ? [`what was found is kept; its changes: ${reread}`] : [];
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
      await session.writeRows(snapshot.changesOf(walk.runs, head).batches(), format);
    } catch (error) {
      if (!(error instanceof OutputClosed || error instanceof Failure)) throw error;
      const hint = `the run is saved; its changes: ${reread}`;
      throw new Failure(error.message, hint, { cause: error });
    }
  }
  if (args.has("keep-runs")) await snapshot.prune(args.given("keep-runs"));
  return session.exitCode;
}

const FILE_REGEXP = /\.(?:db|sqlite3?)$/i;

/** A new file must not look like a host. */
function snapshotPath({ operands }: Arguments): string {
  const hint = 'try "sitetree sync https://example.com/ site.db"';
  const path = operands.at(-1)!;
  if (isDatabase(path)) return path;
  const shown = withoutPassword(path);
  const isUrl = path === "-" || /^https?:\/\//i.test(path);
  const isHost = !FILE_REGEXP.test(path) && /^[^/\\][^/\\.]*\.[^/\\]+$/.test(path);
  if (isUrl || isHost && statOf(path) === undefined) {
    const orFile = isUrl ? "" : `, or for a new file write "./${shown}"`;
    throw new UsageError(
      `Missing snapshot after "${shown}": expected a file or a database as the last operand`,
      path === "-" ? 'for a list of sites: "sitetree sync --from - site.db"' : hint + orFile,
    );
  }
  return path;
}

interface SitesWalkContext {
  readonly args: Arguments;
  readonly settings: WalkSettings;
  readonly session: Session;
  readonly monitor: Monitor;
  readonly snapshot: Snapshot;
}

interface WalkedSite {
  readonly site: SyncSite;
  readonly reading: Reading;
  /** Whether it failed for a reason that may pass, and is walked once more. */
  isRepeated: boolean;
}

class SitesWalk {
  /** Numbers of the runs that have ended. */
  readonly runs: Set<number> = new Set();
  readonly #sites: readonly SyncSite[];
  readonly #context: SitesWalkContext;
  readonly #advice: () => readonly string[];
  readonly #options: ReadingOptions;
  readonly #isAlone: boolean;
  /** Sites by homepage, until they have ended. */
  readonly #walked = new Map<string, WalkedSite>();
  /** Pages that had been read when the rate was asked for last, and when that was. */
  #last = { pages: 0, at: performance.now() };

  constructor(sites: readonly SyncSite[], context: SitesWalkContext, advice: () => string[]) {
    this.#sites = sites;
    this.#context = context;
    this.#advice = advice;
    this.#isAlone = sites.length === 1;
    this.#options = {
      filter: new PageFilter(),
      settings: context.settings,
      summary: syncLine,
      isUnattended: true,
      moreAdvice: () => this.#isAlone ? advice() : [],
    };
  }

  /** Returns how far it is, with the rate since this was asked for last. */
  progress(): WorkProgress {
    const { ended, pages } = this.#context.session.figures;
    const last = this.#last;
    this.#last = { pages, at: performance.now() };
    return {
      sites: ended,
      total: this.#sites.length,
      pages,
      // a walk that is repeated begins to count again
      pagesPerSecond: Math.max(0, pages - last.pages) / (this.#last.at - last.at) * 1000,
      waiting: [...this.#walked.values()].filter(({ isRepeated }) => isRepeated).length,
    };
  }

  /** Walks all sites, prints their summaries, and yields the changes as they are found. */
  async *changes(): AsyncGenerator<readonly ChangeEvent[], void, void> {
    const { snapshot, session, args } = this.#context;
    const { signal } = session;
    const events = syncAll(this.#homepages(), {
      ...fieldsOf(args, SYNC_RULES),
      snapshot,
      signal,
      optionsOf: (homepage) => this.#optionsOf(homepage),
    });
    try {
      for await (const batch of events.batches()) {
        const changes = batch.flatMap((event) => this.#take(event));
        if (changes.length > 0) yield changes;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    for (const [homepage, { reading }] of this.#walked) {
      reading.ending = "interrupted";
      this.#end(homepage);
    }
    if (this.#isAlone) return;
    session.concludeAll(count(this.#sites.length, "site"), this.#options, this.#advice());
  }

  /** Yields the homepages of the sites as they are known, some looked for at the same time. */
  async *#homepages(): AsyncGenerator<URL, void, void> {
    const lookups = new Map<SyncSite, Promise<readonly [SyncSite, URL | undefined]>>();
    for (let next = 0; next < this.#sites.length || lookups.size > 0;) {
      while (next < this.#sites.length && lookups.size < MAX_LOOKUPS) {
        const site = this.#sites[next++]!;
        lookups.set(site, this.#lookUp(site).then((homepage) => [site, homepage]));
      }
      const [site, homepage] = await Promise.race(lookups.values());
      lookups.delete(site);
      if (homepage !== undefined) yield homepage;
    }
  }

  /** Returns the homepage of a site, the first that responds. */
  async #lookUp(site: SyncSite): Promise<URL | undefined> {
    const { session, monitor } = this.#context;
    const settings = settingsOf(this.#context.settings, site);
    const [first, ...others] = site.homepages as [URL, ...URL[]];
    const reading = session.begin(withoutUserInfo(first).href, { ...this.#options, settings });
    let homepage = first;
    try {
      await reading.connect(first);
      if (others.length > 0) {
        const options: WalkOptions = { ...settings.options, ...ONLY_GIVEN, useRobots: true };
        const tried = new Site(site.homepages, options);
        for await (const _ of tried.read(reading)) break;
        homepage = site.homepages.find(({ origin }) => origin === tried.site.origin)!;
      }
      this.#walked.set(withoutUserInfo(homepage).href, { site, reading, isRepeated: false });
      return homepage;
    } catch (cause) {
      const error = failureOf(cause);
      if (!(error instanceof Failure) || this.#isAlone) throw error;
      reading.failure = error;
      monitor.add({
        ...{ type: "walked", site: reading.name, verdict: "blocked", pages: 0, bytes: 0 },
        ...{ reason: error.message, isGivenUp: false },
      });
      session.end(reading, this.#options, false);
      return undefined;
    }
  }

  async #optionsOf(homepage: URL): Promise<WalkOptions> {
    const { monitor, settings } = this.#context;
    const { reading, site } = this.#walked.get(withoutUserInfo(homepage).href)!;
    const { paths, isWhole, options: { deadline, sitemaps: given = [] } } = site;
    // without the figures of a walk before
    reading.restart(reading.name);
    monitor.metrics.activeWalks++;
    const sitemaps = [...given, ...paths.map((path) => new URL(path, homepage))];
    return {
      ...await reading.optionsOf(homepage, settingsOf(settings, site).options),
      // that of a line is for its site alone
      ...(deadline !== undefined && { deadline }),
      ...(sitemaps.length > 0 && { sitemaps }),
      ...(!isWhole && ONLY_GIVEN),
    };
  }

  #take(event: SiteEvent): ChangeEvent[] {
    const { session } = this.#context;
    const { reading } = this.#walked.get(event.site)!;
    reading.watch.progress();
    if ("page" in event) {
      const change = { ...event, sitemap: event.sitemap.url };
      session.add(change, reading);
      return [change];
    }
    session.add(event, reading);
    if (event.type === "finished") this.#finish(event);
    return [];
  }

  #finish(
    { site, run, passing, verdict, stats, blockedBy }: SiteEvent & { readonly type: "finished" },
  ): void {
    const { monitor } = this.#context;
    const walked = this.#walked.get(site)!;
    const { reading, isRepeated } = walked;
    this.runs.add(run);
    monitor.metrics.activeWalks--;
    const reason = blockedBy?.reason ?? adviceLines(verdict, reading)[0];
    monitor.add({
      ...{ type: "walked", site, verdict, pages: stats.pages, bytes: stats.bytes },
      ...(blockedBy !== undefined && { code: blockedBy.code }),
      ...(reason !== undefined && { reason }),
      // at the end
      ...(passing && !isRepeated && { retryAfter: 0 }),
      isGivenUp: passing === true && isRepeated,
    });
    walked.isRepeated = true;
    reading.ending = verdict;
    // the second walk has the last word
    if (!passing || isRepeated) this.#end(site);
  }

  #end(homepage: string): void {
    const { reading } = this.#walked.get(homepage)!;
    this.#walked.delete(homepage);
    this.#context.session.end(reading, this.#options, this.#isAlone);
  }
}
