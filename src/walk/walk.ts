/**
 * A walk: robots.txt and the sitemaps it declares, given sitemaps, known paths, then what the homepage
 * leads to, below one root.
 *
 * @module
 */

import type { EventStream } from "../data/batches.ts";
import { BlockedError, CallerError } from "../data/errors.ts";
import type { FinishedEvent, TreeEvent } from "../data/events.ts";
import type { SitemapPage } from "../data/page.ts";
import { withoutUserInfo } from "../data/url.ts";
import { hostCheck, requireNet } from "../http/hosts.ts";
import { rootListing } from "./addresses.ts";
import { Discovery } from "./discovery.ts";
import { EventQueue, type Producer, type Send } from "./event_stream.ts";
import { HomepageVisit } from "./homepage_visit.ts";
import { parseHomepage, resolveWalkOptions, type WalkOptions } from "./options.ts";
import { OriginSearch } from "./origin_search.ts";
import { selecting } from "./page_selection.ts";
import type { WalkLimit } from "./verdict.ts";
import { type PreparedWalk, WalkContext, type WalkSetting } from "./walk_context.ts";

/**
 * Walks every sitemap of a website and yields events as they arrive: robots.txt, the sitemaps it
 * declares, recursively, then the known paths, then what the homepage names if nothing was found.
 *
 * Nothing that a server sends makes it throw: an unreadable sitemap is an `invalid` event, a repair a
 * `warning`, and the last event is `finished`. Leaving the loop stops everything immediately. Large
 * walks are faster with `batches()`.
 *
 * @param homepageUrl any http(s) URL of the site
 * @param options how to walk
 * @throws {TypeError} at the first `next()`, if the homepage is not an http(s) URL, or an option is
 * unknown or invalid
 * @throws {RangeError} at the first `next()`, if an option is out of range
 * @throws {Deno.errors.NotCapable} at the first `next()`, without permission to contact the host
 *
 * @example
 * ```ts ignore
 * import { walk } from "@sitetree/sitetree";
 *
 * for await (const event of walk("https://example.com/")) {
 *   if (event.type === "page") console.log(event.page.url);
 * }
 * ```
 */
export function walk(
  homepageUrl: string | URL,
  options: WalkOptions = {},
): EventStream<TreeEvent> {
  return walkWith(homepageUrl, options);
}

/**
 * Walks every sitemap of a website and yields only the pages.
 *
 * A site without sitemaps has no pages. If nothing could be read because requests were refused or
 * failed, the loop throws a {@linkcode BlockedError}. If something was lost, `finished` has the verdict
 * `partial` after the loop; `walk()` reports what.
 *
 * @param homepageUrl any http(s) URL of the site
 * @param options how to walk
 * @throws {TypeError} at the first `next()`, if the homepage is not an http(s) URL, or an option is
 * unknown or invalid
 * @throws {RangeError} at the first `next()`, if an option is out of range
 * @throws {Deno.errors.NotCapable} at the first `next()`, without permission to contact the host
 * @throws {BlockedError} if the verdict is `blocked`
 *
 * @example
 * ```ts ignore
 * import { pages } from "@sitetree/sitetree";
 *
 * for await (const page of pages("https://example.com/")) console.log(page.url);
 * ```
 */
export function pages(
  homepageUrl: string | URL,
  options: WalkOptions = {},
): EventStream<SitemapPage> {
  const produce = walkProducer(homepageUrl, options);
  return new EventQueue<SitemapPage>(
    (send, signal) =>
      produce((events) => {
        const pages: SitemapPage[] = [];
        for (const event of events) if (event.type === "page") pages.push(event.page);
        return send(pages);
      }, signal),
    options.signal,
    ({ stats, blockedBy }) => {
      if (blockedBy === undefined) return undefined;
      const { normalizeHomepageUrl = true } = options;
      const homepage = withoutUserInfo(parseHomepage(homepageUrl, normalizeHomepageUrl).url);
      return new BlockedError(homepage.href, { stats, blockedBy });
    },
  );
}

/** Does what {@linkcode walk} does, with a clock or a limit on requests that several walks share. */
export function walkWith(
  homepageUrl: string | URL,
  options: WalkOptions,
  setting: WalkSetting = {},
): EventStream<TreeEvent> {
  return new EventQueue(walkProducer(homepageUrl, options, setting), options.signal);
}

function walkProducer(
  homepageUrl: string | URL,
  options: WalkOptions,
  setting: WalkSetting = {},
): Producer<TreeEvent> {
  return async (send, signal) => {
    const walk = await prepareWalk(homepageUrl, options);
    return await runWalk(walk, setting, send, signal);
  };
}

export async function prepareWalk(
  homepageUrl: string | URL,
  walkOptions: WalkOptions,
): Promise<PreparedWalk> {
  const options = resolveWalkOptions(walkOptions);
  const homepage = parseHomepage(homepageUrl, options.normalizeHomepageUrl);
  const { useRobots, respectRobots, useKnownPaths, useHomepage, extraKnownPaths } = options;
  // given sitemaps may be on other hosts
  const isContacted = useRobots || respectRobots || useKnownPaths || useHomepage ||
    extraKnownPaths.length > 0;
  if (options.fetch === undefined && isContacted) await requireNet(homepage.url, options.mapOrigin);
  const isHostAllowed = await hostCheck(options.hosts, homepage.url);
  return { homepage, options, isHostAllowed, given: walkOptions };
}

export async function runWalk(
  walk: PreparedWalk,
  setting: WalkSetting,
  send: Send<TreeEvent>,
  signal: AbortSignal,
): Promise<FinishedEvent> {
  signal.throwIfAborted();
  const context = new WalkContext(walk, setting);
  const stop = () => context.stop(signal.reason);
  signal.addEventListener("abort", stop);
  try {
    return await visitSite(walk, context, selecting(send, context.pages, context.tally));
  } catch (error) {
    throw error instanceof CallerError ? error.cause : error;
  } finally {
    context.stop(undefined);
    // many walks may share the signal
    signal.removeEventListener("abort", stop);
  }
}

async function visitSite(
  { homepage: { url, folder }, options }: PreparedWalk,
  context: WalkContext,
  send: Send<TreeEvent>,
): Promise<FinishedEvent> {
  const { fetcher, tally } = context;
  // user info is sent as a header
  const homepage = withoutUserInfo(url);
  const discovery = new Discovery(context, homepage, send);
  const { root } = discovery;
  root.enter("IndexWebsiteSitemap");
  await discovery.flush();
  // without a request, rather than with one that a timer of 0 ms may or may not precede
  if (!context.isEnded()) await visitParts(discovery, homepage, folder);
  if (fetcher.callbackError !== undefined) throw fetcher.callbackError;
  const { endedBy } = tally;
  const { deadline, maxPages, maxSitemaps } = options;
  const ends: Readonly<Record<WalkLimit, string>> = {
    "deadline": `${deadline} ms`,
    "max-pages": `${maxPages} pages`,
    "max-sitemaps": `${maxSitemaps} sitemaps`,
  };
  if (endedBy !== undefined) root.warning(endedBy, `Walk ended after ${ends[endedBy]}`);
  root.leave(endedBy === undefined);
  const { requests, retries } = fetcher;
  const stats = { durationMs: context.elapsed(), requests, retries };
  const { source = "walk" } = context.setting;
  const finished = tally.finished(source, context.clock.now(), stats);
  await send([...root.take(), finished]);
  return finished;
}

async function visitParts(
  discovery: Discovery,
  homepageUrl: URL,
  folder: URL | undefined,
): Promise<void> {
  const { context } = discovery;
  const homepage = new HomepageVisit(discovery, homepageUrl);
  const origin = new OriginSearch(discovery, homepageUrl, homepage);
  await origin.visitRobots();
  await visitGiven(discovery, context.options.sitemaps ?? []);
  await origin.visitKnownPaths(folder);
  await homepage.visit();
  const target = homepage.folder();
  if (target !== undefined) await origin.visitFolder(target);
  const url = context.isStopped() ? undefined : await homepage.variant();
  if (url !== undefined && !discovery.isGivenUp(url)) {
    const variant = new OriginSearch(discovery, url, homepage, true);
    await variant.visitRobots();
    await variant.visitKnownPaths();
  }
  await homepage.visitFeeds();
  const { loginPage } = discovery;
  if (loginPage !== undefined) context.tally.requireLogin(loginPage);
  const { remembered = [] } = context.setting;
  await visitGiven(discovery, remembered.filter((url) => !discovery.wasAsked(url)));
}

async function visitGiven(discovery: Discovery, urls: readonly string[]): Promise<void> {
  const { context, visitor, root } = discovery;
  context.addresses.beginPart("the given sitemaps");
  const listing = rootListing(root.ref!, "the given sitemaps");
  const given = urls.filter((url) => context.addresses.earlierPartWith(url) === undefined)
    .map((url) => ({ url }));
  await visitor.visitAll(listing, given, discovery.children);
  discovery.children += given.length;
}
