import type { EventStream } from "../data/batches.ts";
import { checkThat } from "../data/checks.ts";
import type { TreeEvent } from "../data/events.ts";
import { CALLBACK, checkOption } from "../data/option_rules.ts";
import { withoutUserInfo } from "../data/url.ts";
import type { SharedPace } from "../http/pace.ts";
import { EventQueue, type Send } from "../walk/event_stream.ts";
import { firstPaths, knownUrls } from "../walk/known_paths.ts";
import { parseHomepage, type ResolvedWalkOptions } from "../walk/options.ts";
import { prepareWalk, runWalk } from "../walk/walk.ts";
import type { SiteEvent, SyncEvent, SyncFinishedEvent } from "./events.ts";
import { resolveSyncOptions, SLOTS, type SyncAllOptions, type SyncOptions } from "./options.ts";
import type { HeldSite, SiteRun } from "./site_run.ts";
import { SiteSync } from "./site_sync.ts";
import { Snapshot } from "./snapshot.ts";

const SNAPSHOT = {
  check: checkThat(
    "a snapshot, as openSnapshot() returns it",
    (value) => value instanceof Snapshot,
  ),
};

/**
 * Walks a site as {@linkcode walk} does, compares it with what a snapshot knows, and yields what has
 * changed: pages that were added, changed or removed, in place of all pages.
 *
 * Sitemaps are requested conditionally, and those that are unchanged are not read again. A page is
 * removed only if it is certain that no sitemap lists it any more: at once after a walk in which
 * everything could be read, later otherwise.
 *
 * Changes are committed before they are yielded. If the process is killed, those that were not taken
 * are in `snapshot.changes()`, and the next call walks the site again.
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
 * const snapshot = await openSnapshot(":memory:"); // In real life: a file
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
 * await snapshot.close();
 * ```
 */
export function sync(
  homepageUrl: string | URL,
  options: SyncOptions,
): EventStream<SyncEvent, SyncFinishedEvent> {
  return new EventQueue<SyncEvent, SyncFinishedEvent>(
    (send, signal) => syncSite(homepageUrl, options, send, signal),
    options?.signal,
  );
}

/**
 * Walks many sites side by side, one at a time of each host, as {@linkcode sync} does. Sites that failed
 * for a reason that may pass are walked once more at the end; these have two `finished` events.
 *
 * @param homepageUrls any http(s) URL of each site
 * @param options the snapshot, and how to walk
 * @throws {TypeError} if a homepage is not an http(s) URL, or an option is unknown or invalid
 * @throws {RangeError} if an option is out of range
 * @throws {Error} if the snapshot cannot be written
 *
 * @example
 * ```ts ignore
 * import { openSnapshot, syncAll } from "@sitetree/sitetree/sync";
 *
 * await using snapshot = await openSnapshot("sites.db");
 * const homepages = ["https://example.com/", "https://example.org/"];
 * for await (const event of syncAll(homepages, { snapshot, slots: 50 })) {
 *   if (event.type === "finished") console.log(event.site, event.verdict);
 * }
 * ```
 */
export function syncAll(
  homepageUrls: Iterable<string | URL> | AsyncIterable<string | URL>,
  options: SyncAllOptions,
): EventStream<SiteEvent, SyncFinishedEvent> {
  const { slots = SLOTS.default, optionsOf, ...rest } = options ?? {};
  return new EventQueue<SiteEvent, SyncFinishedEvent>(async (send, signal) => {
    checkOption("slots", slots, SLOTS);
    if (optionsOf !== undefined) checkOption("optionsOf", optionsOf, CALLBACK);
    let last: SyncFinishedEvent | undefined;
    const again: URL[] = [];
    const syncOne = async (site: URL, isLast: boolean) => {
      const options = { ...rest, ...await optionsOf?.(site) };
      const { url } = parseHomepage(site, options.normalizeHomepageUrl ?? true);
      const { href } = withoutUserInfo(url);
      last = await syncSite(
        site,
        options,
        (events) => send(events.map((event) => ({ ...event, site: href }))),
        signal,
      );
      if (last.passing && !isLast) again.push(site);
    };
    await eachHost(homepageUrls, slots, (site) => syncOne(site, false));
    await eachHost(again.splice(0), slots, (site) => syncOne(site, true));
    return last!;
  }, options?.signal);
}

/** One site of each host at a time. The first error is thrown. */
async function eachHost(
  homepageUrls: Iterable<string | URL> | AsyncIterable<string | URL>,
  slots: number,
  action: (site: URL) => Promise<void>,
): Promise<void> {
  /** Sites that wait for another one of their host. */
  const waiting = new Map<string, URL[]>();
  const running = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  const start = (site: URL) => {
    const task: Promise<void> = action(site)
      .catch((error) => void (failure ??= { error }))
      .then(() => {
        running.delete(task);
        const next = waiting.get(site.host)!.shift();
        if (next === undefined) waiting.delete(site.host);
        else if (failure === undefined) start(next);
      });
    running.add(task);
  };
  for await (const homepageUrl of homepageUrls) {
    const site = homepageOf(homepageUrl);
    const others = waiting.get(site.host);
    if (others !== undefined) {
      others.push(site);
      continue;
    }
    while (running.size >= slots && failure === undefined) await Promise.race(running);
    if (failure !== undefined) break;
    waiting.set(site.host, []);
    start(site);
  }
  while (running.size > 0) await Promise.race(running);
  if (failure !== undefined) throw failure.error;
}

function homepageOf(homepageUrl: string | URL): URL {
  const url = URL.parse(String(homepageUrl));
  if (url === null) throw new TypeError(`Invalid homepage "${homepageUrl}"`);
  return url;
}

interface SyncSetting {
  readonly held?: HeldSite;
  readonly pace?: SharedPace;
}

export async function syncSite(
  homepageUrl: string | URL,
  { snapshot, ...options }: SyncOptions,
  send: Send<SyncEvent>,
  signal: AbortSignal,
  { held, pace }: SyncSetting = {},
): Promise<SyncFinishedEvent> {
  const { own, walkOptions } = resolveSyncOptions(options);
  if (snapshot === undefined) throw new TypeError('Cannot use option "snapshot": it is required');
  checkOption("snapshot", snapshot, SNAPSHOT);
  // before the run begins: what is refused here has not been one
  const walk = await prepareWalk(homepageUrl, walkOptions);
  const homepage = withoutUserInfo(walk.homepage.url);
  const robotsUrl = new URL("robots.txt", homepage).href;
  const { maxBytes, sitemaps: given = [] } = walk.options;
  const known = knownUrls(homepage, firstPaths(walk.options));
  const starts = [robotsUrl, ...given, ...known];
  const { dryRun } = own;
  await using run = await snapshot.begin(homepage.href, { dryRun, starts, held, out: send });
  for (const url of known) Object.assign(run.graph.find(url) ?? {}, { is_root: true });
  const remembered = givenBefore(run, walk.options, starts);
  const siteSync = new SiteSync(run, { ...own, maxBytes, robotsUrl, given });
  const setting = { knownSitemaps: siteSync, remembered, ...(pace && { pace }) };
  const take: Send<TreeEvent> = async (events) => {
    // a walk that is stopped ends as if there were nothing more
    signal.throwIfAborted();
    await siteSync.take(events);
  };
  await runWalk(walk, setting, take, signal);
  return siteSync.finished!;
}

/**
 * Returns the sitemaps that a walk of the whole site requests because an earlier one was given them, or
 * has found them otherwise than at a known path that is always probed.
 */
function givenBefore(
  { graph }: SiteRun,
  { sitemaps, useRobots, useKnownPaths }: ResolvedWalkOptions,
  starts: readonly string[],
): readonly string[] {
  if (sitemaps !== undefined || !(useRobots && useKnownPaths)) return [];
  const roots = [...graph.all].filter(({ is_root, url }) => is_root && !starts.includes(url));
  return roots.map(({ url }) => url);
}
