import type { WalkOptions } from "../../../../mod.ts";
import { count } from "../../../data/text.ts";
import { withoutUserInfo } from "../../../data/url.ts";
import { SYNC_RULES } from "../../../sync/options.ts";
import { type SiteEvent, type Snapshot, syncAll } from "../../../sync/mod.ts";
import { resolveWalkOptions } from "../../../walk/options.ts";
import type { Arguments } from "../../arguments.ts";
import type { ChangeEvent } from "../../change_formats.ts";
import { Failure } from "../../run/failure.ts";
import { requireNet } from "../../run/permissions.ts";
import type { Monitor } from "../../run/monitor.ts";
import type { Reading } from "../../run/reading.ts";
import { PageFilter } from "../../run/selection.ts";
import type { OperandOptions, Session } from "../../run/session.ts";
import { fieldsOf, ONLY_GIVEN, siteOptions, type WalkSettings } from "../../site.ts";
import { adviceLines, syncLine } from "../../run/summary.ts";
import { answeringHomepage, settingsOf, type SyncSite } from "./sites.ts";
import type { WorkProgress } from "../../run/work_log.ts";

const MAX_LOOKUPS = 50;

interface SitesWalkContext {
  readonly snapshot: Snapshot;
  readonly settings: WalkSettings;
  readonly session: Session;
  readonly args: Arguments;
  readonly monitor: Monitor;
}

interface WalkedSite {
  readonly site: SyncSite;
  readonly reading: Reading;
  /** Whether it failed for a reason that may pass, and is walked once more. */
  isRepeated: boolean;
}

export class SitesWalk {
  /** Numbers of the runs that have ended. */
  readonly runs: Set<number> = new Set();
  readonly #sites: readonly SyncSite[];
  readonly #context: SitesWalkContext;
  readonly #advice: (isInterrupted: boolean) => readonly string[];
  readonly #options: OperandOptions;
  /** Sites by homepage, until they have ended. */
  readonly #walked = new Map<string, WalkedSite>();
  /** Pages that had been read when the rate was asked for last, and when that was. */
  #last = { pages: 0, at: performance.now() };

  constructor(
    sites: readonly SyncSite[],
    context: SitesWalkContext,
    advice: (isInterrupted: boolean) => readonly string[],
  ) {
    this.#sites = sites;
    this.#context = context;
    this.#advice = advice;
    const { options } = context.settings;
    this.#options = {
      filter: new PageFilter(),
      limits: options,
      retries: options.retries ?? resolveWalkOptions({}).retries,
      summary: syncLine,
      isUnattended: true,
      moreAdvice: ({ ending }) => this.#isAlone ? advice(ending === "interrupted") : [],
    };
  }

  get #isAlone(): boolean {
    return this.#sites.length === 1;
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
    if (!this.#isAlone) {
      const sites = count(this.#sites.length, "site");
      session.concludeAll(sites, this.#options, this.#advice(signal.aborted));
    }
  }

  /** Yields the homepages of the sites as they are known, some looked for at the same time. */
  async *#homepages(): AsyncGenerator<URL, void, void> {
    const found: (() => URL[])[] = [];
    const lookups = new Set<Promise<unknown>>();
    for (const [at, site] of this.#sites.entries()) {
      const lookup: Promise<unknown> = this.#lookUp(site)
        .then((urls) => found.push(() => urls), (error) =>
          found.push(() => {
            throw error;
          }))
        .finally(() => lookups.delete(lookup));
      lookups.add(lookup);
      const isLast = at === this.#sites.length - 1;
      while (found.length > 0 || lookups.size >= (isLast ? 1 : MAX_LOOKUPS)) {
        if (found.length === 0) await Promise.race(lookups);
        for (const result of found.splice(0)) yield* result();
      }
    }
  }

  async #lookUp(site: SyncSite): Promise<URL[]> {
    const { session } = this.#context;
    const settings = settingsOf(this.#context.settings, site);
    const [first] = site.homepages as [URL];
    const reading = session.begin(withoutUserInfo(first).href, this.#options);
    try {
      await requireNet(settings.proxy ?? first, settings.options.mapOrigin);
      const homepage = await answeringHomepage(site, settings, reading);
      this.#walked.set(withoutUserInfo(homepage).href, { site, reading, isRepeated: false });
      return [homepage];
    } catch (error) {
      if (!(error instanceof Failure) || this.#isAlone) throw error;
      reading.failure = error;
      this.#context.monitor.add({
        ...{ type: "walked", site: reading.name, verdict: "blocked", pages: 0, bytes: 0 },
        ...{ reason: error.message, isGivenUp: false },
      });
      session.end(reading, this.#options, false);
      return [];
    }
  }

  async #optionsOf(homepage: URL): Promise<WalkOptions> {
    const { reading, site } = this.#walked.get(withoutUserInfo(homepage).href)!;
    const { paths, isWhole, options: { deadline, sitemaps: given = [] } } = site;
    const settings = settingsOf(this.#context.settings, site);
    // without the figures of a walk before
    reading.reset(reading.name);
    this.#context.monitor.metrics.activeWalks++;
    const options = {
      ...await siteOptions(homepage, settings, reading),
      // that of a line is for its site alone
      ...(deadline !== undefined && { deadline }),
    };
    const sitemaps = [...given, ...paths.map((path) => new URL(path, homepage))];
    if (!isWhole) return { ...options, sitemaps, ...ONLY_GIVEN };
    return { ...options, ...(sitemaps.length > 0 && { sitemaps }) };
  }

  #take(event: SiteEvent): ChangeEvent[] {
    const { session } = this.#context;
    const { site } = event;
    const { reading } = this.#walked.get(site)!;
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
    const walked = this.#walked.get(site)!;
    const { reading, isRepeated } = walked;
    this.runs.add(run);
    this.#context.monitor.metrics.activeWalks--;
    const reason = blockedBy?.reason ?? adviceLines(verdict, reading)[0];
    this.#context.monitor.add({
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
