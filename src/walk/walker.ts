/**
 * A walk: robots.txt and the sitemaps it declares, given sitemaps, known paths, then what the homepage
 * leads to, below one root.
 *
 * @module
 */

import { CallerError } from "../data/errors.ts";
import type { FinishedEvent, TreeEvent } from "../data/events.ts";
import { withoutUserInfo } from "../data/url.ts";
import { rootListing } from "./addresses.ts";
import { Discovery } from "./discovery.ts";
import type { Send } from "./event_stream.ts";
import { HomepageVisit } from "./homepage_visit.ts";
import type { ResolvedWalkOptions } from "./options.ts";
import { OriginSearch } from "./origin_search.ts";
import { selecting } from "./page_selection.ts";
import type { WalkLimit } from "./verdict.ts";
import { type PreparedWalk, WalkContext, type WalkSetting } from "./walk_context.ts";

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
  if (fetcher.reporter.failure !== undefined) throw fetcher.reporter.failure;
  const { endedBy } = tally;
  if (endedBy !== undefined) root.warning(endedBy, endMessage(endedBy, options));
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
  const { page } = discovery.loginWall;
  if (page !== undefined) context.tally.requireLogin(page);
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

function endMessage(
  limit: WalkLimit,
  { deadline, maxPages, maxSitemaps }: ResolvedWalkOptions,
): string {
  const messages: Readonly<Record<WalkLimit, string>> = {
    "deadline": `Walk ended after ${deadline} ms`,
    "max-pages": `Walk ended after ${maxPages} pages`,
    "max-sitemaps": `Walk ended after ${maxSitemaps} sitemaps`,
  };
  return messages[limit];
}
