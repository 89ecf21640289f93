/**
 * `walk()` and `pages()`: the core of the library.
 *
 * @module
 */

import type { EventStream } from "../data/batches.ts";
import type { TreeEvent } from "../data/events.ts";
import type { SitemapPage } from "../data/page.ts";
import { type BatchSource, EventQueue, type Send } from "./event_stream.ts";
import { ignoredPath, parseHomepage } from "./options.ts";
import { resolveOptions, type WalkOptions } from "./options.ts";
import { Walker } from "./walker.ts";

/**
 * Walks every sitemap of a web site and yields what it finds while it finds it: robots.txt, the
 * sitemaps it declares, recursed into, then the known paths.
 *
 * Nothing that a server sends makes it throw; what cannot be read is an `invalid` event, what was
 * repaired a `warning`, and the last event is `finished`. Leaving the loop stops everything at once.
 * Large walks are faster by `batches()`.
 *
 * @param homepageUrl any http(s) URL of the site
 * @param options how to walk
 * @throws {TypeError} at the first `next()`, where the homepage is not an http(s) URL
 * @throws {RangeError} at the first `next()`, where an option is out of range
 *
 * @example
 * ```ts
 * import { walk } from "@sitetree/sitetree";
 * import { assertEquals } from "@std/assert";
 *
 * const site: Record<string, string> = {
 *   "https://example.com/robots.txt": "Sitemap: https://example.com/s.xml",
 *   "https://example.com/s.xml": "<urlset><url><loc>https://example.com/a</loc></url></urlset>",
 * };
 * const fetch = (url: string) =>
 *   Promise.resolve(new Response(site[url] ?? null, { status: url in site ? 200 : 404 }));
 *
 * const pages: string[] = [];
 * for await (const event of walk("https://example.com/", { fetch })) {
 *   if (event.type === "page") pages.push(event.page.url);
 *   if (event.type === "finished") assertEquals(event.verdict, "complete");
 * }
 * assertEquals(pages, ["https://example.com/a"]);
 * ```
 */
export function walk(
  homepageUrl: string | URL,
  options: WalkOptions = {},
): EventStream<TreeEvent> {
  return new EventQueue(new LazyWalk(homepageUrl, options), options.signal);
}

/**
 * Walks every sitemap of a web site and yields only the pages.
 *
 * @param homepageUrl any http(s) URL of the site
 * @param options how to walk
 * @throws {TypeError} at the first `next()`, where the homepage is not an http(s) URL
 * @throws {RangeError} at the first `next()`, where an option is out of range
 *
 * @example
 * ```ts
 * import { pages } from "@sitetree/sitetree";
 * import { assertEquals } from "@std/assert";
 *
 * const fetch = (url: string) =>
 *   Promise.resolve(
 *     url.endsWith("/sitemap.txt")
 *       ? new Response("https://example.com/a\nhttps://example.com/b\n")
 *       : new Response(null, { status: 404 }),
 *   );
 *
 * const found = await Array.fromAsync(pages("https://example.com/", { fetch }));
 * assertEquals(found.map((page) => page.url), ["https://example.com/a", "https://example.com/b"]);
 * ```
 */
export function pages(
  homepageUrl: string | URL,
  options: WalkOptions = {},
): EventStream<SitemapPage> {
  return new EventQueue(pagesOf(new LazyWalk(homepageUrl, options)), options.signal);
}

/**
 * Walks a web site with a share of a limit on requests that several walks have in common: `share`
 * takes the place of `options.concurrency`, and may return more or less as other walks end or begin.
 */
export function walkSharing(
  homepageUrl: string | URL,
  options: WalkOptions,
  share: () => number,
): EventStream<TreeEvent> {
  return new EventQueue(new LazyWalk(homepageUrl, options, share), options.signal);
}

/** A walk that starts, and checks its options, with the first `next()`. */
class LazyWalk implements BatchSource<TreeEvent> {
  readonly #homepageUrl: string | URL;
  readonly #options: WalkOptions;
  readonly #share: (() => number) | undefined;
  #walker: Walker | undefined;

  constructor(homepageUrl: string | URL, options: WalkOptions, share?: () => number) {
    this.#homepageUrl = homepageUrl;
    this.#options = options;
    this.#share = share;
  }

  async run(send: Send<TreeEvent>): Promise<void> {
    const options = resolveOptions(this.#options);
    const homepage = parseHomepage(this.#homepageUrl, options.normalizeHomepageUrl);
    this.#walker = new Walker(homepage, options, {
      share: this.#share ?? (() => options.concurrency),
      ignoredPath: ignoredPath(this.#homepageUrl, homepage),
    });
    await this.#walker.run(send);
  }

  stop(reason: unknown): void {
    this.#walker?.stop(reason);
  }
}

function pagesOf(source: BatchSource<TreeEvent>): BatchSource<SitemapPage> {
  return {
    run: (send) =>
      source.run((events) => {
        const pages: SitemapPage[] = [];
        for (const event of events) if (event.type === "page") pages.push(event.page);
        return send(pages);
      }),
    stop: (reason) => source.stop(reason),
  };
}
