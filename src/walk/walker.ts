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
import type { Homepage } from "./options.ts";
import { OriginSearch } from "./origin_search.ts";
import { SitemapNode } from "./sitemap_node.ts";
import type { WalkLimit } from "./verdict.ts";
import { Visitor } from "./visitor.ts";
import type { WalkContext } from "./walk_context.ts";

export class Walker {
  readonly #homepage: URL;
  readonly #folder: URL | undefined;
  readonly #context: WalkContext;
  readonly #send: Send<TreeEvent>;
  readonly #visitor: Visitor;
  readonly #root: SitemapNode;

  /** User info of the homepage is sent as a header and removed from its URL. */
  constructor({ url, folder }: Homepage, context: WalkContext, send: Send<TreeEvent>) {
    this.#homepage = withoutUserInfo(url);
    this.#folder = folder;
    this.#context = context;
    this.#send = send;
    this.#visitor = new Visitor(context, send);
    const place = { id: context.newId(), level: -1, parent: null, index: 0 };
    this.#root = new SitemapNode(place, this.#homepage.href, {
      tally: context.tally,
      notes: context.options.notes,
    });
  }

  async run(): Promise<FinishedEvent> {
    const context = this.#context;
    const { fetcher, tally } = context;
    const root = this.#root;
    try {
      root.enter("IndexWebsiteSitemap");
      await this.#send(root.take());
      // without a request, rather than with one that a timer of 0 ms may or may not precede
      if (!context.isEnded()) await this.#visitParts();
      if (fetcher.reporter.failure !== undefined) throw fetcher.reporter.failure;
      if (tally.endedBy !== undefined) root.warning(tally.endedBy, this.#endMessage(tally.endedBy));
      root.leave(tally.endedBy === undefined);
      const { requests, retries } = fetcher;
      const durationMs = context.elapsed();
      const finished = tally.finished(context.source, context.now(), {
        durationMs,
        requests,
        retries,
      });
      await this.#send([...root.take(), finished]);
      return finished;
    } catch (error) {
      throw error instanceof CallerError ? error.cause : error;
    } finally {
      context.stop(undefined);
    }
  }

  async #visitParts(): Promise<void> {
    const context = this.#context;
    const discovery = new Discovery({
      context,
      visitor: this.#visitor,
      root: this.#root,
      send: this.#send,
      homepage: this.#homepage,
    });
    const homepage = new HomepageVisit(discovery, this.#homepage);
    const origin = new OriginSearch(discovery, this.#homepage, homepage);
    await origin.visitRobots();
    await this.#visitGiven(discovery, context.options.sitemaps ?? []);
    await origin.visitKnownPaths(this.#folder);
    await homepage.visit();
    const folder = homepage.folder();
    if (folder !== undefined) await origin.visitFolder(folder);
    const url = context.isStopped() ? undefined : await homepage.variant();
    if (url !== undefined && !discovery.isGivenUp(url)) {
      context.newRobots();
      const variant = new OriginSearch(discovery, url, homepage, true);
      await variant.visitRobots();
      await variant.visitKnownPaths();
    }
    await homepage.visitFeeds();
    const { page } = discovery.loginWall;
    if (page !== undefined) context.tally.requireLogin(page);
    const remembered = context.remembered.filter((url) => !discovery.wasAsked(url));
    await this.#visitGiven(discovery, remembered);
  }

  async #visitGiven(discovery: Discovery, urls: readonly string[]): Promise<void> {
    this.#context.addresses.beginPart("the given sitemaps");
    const listing = rootListing(this.#root.ref!, "the given sitemaps");
    discovery.children = await this.#visitor.visitGiven(listing, urls, discovery.children);
  }

  #endMessage(limit: WalkLimit): string {
    const { deadline, maxPages, maxSitemaps } = this.#context.options;
    const messages: Readonly<Record<WalkLimit, string>> = {
      "deadline": `Walk ended after ${deadline} ms`,
      "max-pages": `Walk ended after ${maxPages} pages`,
      "max-sitemaps": `Walk ended after ${maxSitemaps} sitemaps`,
    };
    return messages[limit];
  }
}
