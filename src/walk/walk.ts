/**
 * `walk()` and `pages()`: the core of the library.
 *
 * @module
 */

import type { EventStream } from "../data/batches.ts";
import type { TreeEvent } from "../data/events.ts";
import type { SitemapPage } from "../data/page.ts";
import { EventQueue, type Producer } from "./event_stream.ts";
import { parseHomepage, resolveOptions, type WalkOptions } from "./options.ts";
import { WalkContext, type WalkSetting } from "./walk_context.ts";
import { Walker } from "./walker.ts";

/**
 * Walks every sitemap of a website and yields events as they arrive: robots.txt, the sitemaps it
 * declares, recursively, then the known paths.
 *
 * Nothing that a server sends makes it throw: an unreadable sitemap is an `invalid` event, a repair a
 * `warning`, and the last event is `finished`. Leaving the loop stops everything immediately. Large
 * walks are faster with `batches()`.
 *
 * @param homepageUrl any http(s) URL of the site
 * @param options how to walk
 * @throws {TypeError} at the first `next()`, if the homepage is not an http(s) URL
 * @throws {RangeError} at the first `next()`, if an option is out of range
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
 * @param homepageUrl any http(s) URL of the site
 * @param options how to walk
 * @throws {TypeError} at the first `next()`, if the homepage is not an http(s) URL
 * @throws {RangeError} at the first `next()`, if an option is out of range
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

/** Returns the producer of the events of a walk. */
export function walkProducer(
  homepageUrl: string | URL,
  options: WalkOptions,
  setting: WalkSetting = {},
): Producer<TreeEvent> {
  return async (send, signal) => {
    const resolved = resolveOptions(options);
    const homepage = parseHomepage(homepageUrl, resolved.normalizeHomepageUrl);
    const context = new WalkContext(homepage.url, resolved, setting);
    signal.addEventListener("abort", () => context.stop(signal.reason), { once: true });
    await new Walker(homepage, context, send).run();
  };
}
