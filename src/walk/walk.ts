import type { EventStream } from "../data/batches.ts";
import { BlockedError } from "../data/errors.ts";
import type { TreeEvent } from "../data/events.ts";
import type { SitemapPage } from "../data/page.ts";
import { withoutUserInfo } from "../data/url.ts";
import { hostCheck, requireNet } from "../http/hosts.ts";
import { EventQueue, type Producer } from "./event_stream.ts";
import { parseHomepage, resolveWalkOptions, type WalkOptions } from "./options.ts";
import type { PreparedWalk, WalkSetting } from "./walk_context.ts";
import { runWalk } from "./walker.ts";

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
