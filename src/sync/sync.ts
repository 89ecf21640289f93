/**
 * `sync()`: walks a site again and yields what has changed.
 *
 * @module
 */

import type { EventStream } from "../data/batches.ts";
import { HOUR } from "../data/calendar.ts";
import {
  applyRules,
  checkNames,
  flag,
  number,
  type OptionRule,
  wholeNumber,
} from "../data/option_rules.ts";
import { withoutUserInfo } from "../data/url.ts";
import { EventQueue } from "../walk/event_stream.ts";
import { WALK_RULES, type WalkOptions } from "../walk/options.ts";
import { prepareWalk, runWalk } from "../walk/walk.ts";
import type { SyncEvent, SyncFinishedEvent } from "./events.ts";
import { SiteSync } from "./site_sync.ts";
import type { Snapshot } from "./snapshot.ts";

/** Options of {@linkcode sync}. */
export interface SyncOptions extends Omit<WalkOptions, "order" | "includePage"> {
  /** What is known of the site, from {@linkcode openSnapshot}. */
  readonly snapshot: Snapshot;
  /**
   * Whether a sitemap is not requested if its index declares the same `lastmod` as last time.
   * Default: false, since many sites forget to update it.
   */
  readonly trustLastmod?: boolean;
  /** Whether more than half of the pages may be removed in one run. Default: false. */
  readonly allowMassRemoval?: boolean;
  /** Milliseconds in which an interrupted run is continued rather than begun anew. Default: 24 h. */
  readonly resumeWithin?: number;
  /** Number of runs that are kept, with their changes. Default: that of the snapshot, all. */
  readonly keepRuns?: number;
  /** Whether everything is read, even if the server says that it is unchanged. Default: false. */
  readonly full?: boolean;
  /** Whether nothing is written to the snapshot. Default: false. */
  readonly dryRun?: boolean;
}

type SyncRules = Required<Omit<SyncOptions, keyof WalkOptions>>;

const OPTIONS: { readonly [K in keyof SyncRules]: OptionRule<SyncRules[K]> } = {
  snapshot: {
    expected: "a snapshot, as openSnapshot() returns it",
    accepts: (value) => typeof (value as Partial<Snapshot> | null)?.begin === "function",
  },
  trustLastmod: flag(false),
  allowMassRemoval: flag(false),
  resumeWithin: number(0, 24 * HOUR),
  keepRuns: wholeNumber(1, Infinity),
  full: flag(false),
  dryRun: flag(false),
};

/** Options of a walk that do not apply, and why. */
const REFUSED: Readonly<Partial<Record<keyof WalkOptions, string>>> = {
  includePage: "a snapshot holds whole sitemaps",
  order: "changes are in document order",
};

/** Settings of a synchronisation besides its options. */
export interface SyncSetting {
  /** Returns the time in milliseconds since 1970. Default: that of the system. */
  readonly now?: () => number;
}

/**
 * Walks a site as {@linkcode walk} does, compares it with a snapshot, and yields what has changed: pages
 * that were added, changed or removed, in place of all pages. The snapshot is then that of this run.
 *
 * Sitemaps are requested conditionally, and those that are unchanged are not read again. Pages are
 * removed only if the sitemaps that listed them were read to their end without them, or are gone in two
 * runs; everything else that fails keeps its pages as unconfirmed.
 *
 * The changes of a sitemap are yielded once it is read, and committed once they were taken. A process
 * that is killed therefore continues with the sitemap that it was at, and yields its changes again.
 *
 * @param homepageUrl any http(s) URL of the site
 * @param options the snapshot, and how to walk
 * @throws {TypeError} at the first `next()`, if the homepage is not an http(s) URL, or an option is
 * unknown or invalid
 * @throws {RangeError} at the first `next()`, if an option is out of range
 * @throws {Deno.errors.NotCapable} at the first `next()`, without permission to contact the host
 * @throws {Error} if the snapshot cannot be written
 *
 * @example
 * ```ts
 * import { openSnapshot, sync } from "@sitetree/sitetree/sync";
 * import { assertEquals } from "@std/assert";
 *
 * let body = "https://example.com/a\nhttps://example.com/b\n";
 * const fetch = (url: string) =>
 *   Promise.resolve(
 *     url.endsWith("/sitemap.txt") ? new Response(body) : new Response(null, { status: 404 }),
 *   );
 *
 * const snapshot = openSnapshot(":memory:"); // In real life: a file
 * await Array.fromAsync(sync("https://example.com/", { snapshot, fetch }));
 *
 * body = "https://example.com/b\nhttps://example.com/c\n";
 * const changes: string[] = [];
 * for await (const event of sync("https://example.com/", { snapshot, fetch })) {
 *   if (event.type === "added" || event.type === "removed") {
 *     changes.push(`${event.type} ${event.page.url}`);
 *   }
 * }
 * assertEquals(changes, ["added https://example.com/c", "removed https://example.com/a"]);
 * snapshot.close();
 * ```
 */
export function sync(
  homepageUrl: string | URL,
  options: SyncOptions,
): EventStream<SyncEvent, SyncFinishedEvent> {
  return syncWith(homepageUrl, options);
}

/** Does what {@linkcode sync} does, with another clock. */
export function syncWith(
  homepageUrl: string | URL,
  options: SyncOptions,
  { now = Date.now }: SyncSetting = {},
): EventStream<SyncEvent, SyncFinishedEvent> {
  return new EventQueue<SyncEvent, SyncFinishedEvent>(async (send, signal) => {
    const { own, walkOptions } = resolveOwn(options);
    // before the run begins: what is refused here has not been one
    const walk = await prepareWalk(homepageUrl, walkOptions);
    const { resumeWithin, dryRun } = own;
    const site = withoutUserInfo(walk.homepage.url).href;
    const run = own.snapshot.begin(site, { resumeWithin, dryRun, now: now() });
    const siteSync = new SiteSync(run, { ...own, maxBytes: walk.options.maxBytes, now }, send);
    try {
      await runWalk(walk, { knownSitemaps: siteSync })(siteSync.take, signal);
      return siteSync.finished!;
    } finally {
      siteSync[Symbol.dispose]();
      run.close();
    }
  }, options.signal);
}

/** Returns the options of the synchronisation itself, and those of its walk. */
function resolveOwn(options: SyncOptions): { own: SyncRules; walkOptions: WalkOptions } {
  checkNames({ ...OPTIONS, ...WALK_RULES }, options);
  for (const [name, reason] of Object.entries(REFUSED)) {
    if ((options as WalkOptions)[name as keyof WalkOptions] === undefined) continue;
    throw new TypeError(`Cannot use option "${name}": ${reason}`);
  }
  const { snapshot, trustLastmod, allowMassRemoval, resumeWithin, full, dryRun, ...rest } = options;
  const { keepRuns = snapshot?.keepRuns, ...walkOptions } = rest;
  const given = { snapshot, trustLastmod, allowMassRemoval, resumeWithin, keepRuns, full, dryRun };
  const own = applyRules(OPTIONS, given) as unknown as SyncRules;
  if (snapshot === undefined) throw new TypeError('Cannot use option "snapshot": it is required');
  // changes are emitted sitemap by sitemap
  return { own, walkOptions: { ...walkOptions, order: "document" } };
}
