/**
 * A walk: robots.txt and the sitemaps it declares, given sitemaps, then known paths, below one root.
 *
 * @module
 */

import { CallerError, CutError } from "../data/errors.ts";
import type { TreeEvent } from "../data/events.ts";
import { excerpt } from "../data/text.ts";
import { type Clock, SYSTEM_CLOCK } from "../http/clock.ts";
import type { BatchSource, Send } from "./event_stream.ts";
import { type Failure, IN_TREE, isMissing, isOutOfReach, isSilent } from "./failure.ts";
import { Prefetch } from "./prefetch.ts";
import { withoutUserInfo } from "./options.ts";
import { KNOWN_PATHS, knownUrls } from "./known_paths.ts";
import { rootListing } from "./listing.ts";
import type { ResolvedOptions } from "./options.ts";
import { Probes } from "./known_paths.ts";
import type { Sibling } from "./prefetch.ts";
import { SitemapNode } from "./sitemap_node.ts";
import { Tally, type WalkCeiling } from "./tally.ts";
import { Visitor } from "./visitor.ts";
import { WalkContext } from "./walk_context.ts";

/** Retries of a known path. */
const PROBE_RETRIES = 1;

/** Settings of a walk besides its options. */
export interface WalkerSetting {
  /** Default: the system's. */
  readonly clock?: Clock;
  /** Returns the number of requests that may be under way. Default: `concurrency`. */
  readonly share?: () => number;
  /** Path and query that the homepage was given with and that are ignored. Default: none. */
  readonly ignoredPath?: string;
}

/** Walks a site. */
export class Walker implements BatchSource<TreeEvent> {
  readonly #homepage: URL;
  readonly #clock: Clock;
  readonly #started: number;
  readonly #context: WalkContext;
  readonly #ignoredPath: string;

  /** Starts the clock, but no request. User info in `homepage` is sent as a header. */
  constructor(homepage: URL, options: ResolvedOptions, setting: WalkerSetting = {}) {
    const { clock = SYSTEM_CLOCK, share = () => options.concurrency, ignoredPath = "" } = setting;
    this.#ignoredPath = ignoredPath;
    this.#homepage = withoutUserInfo(homepage);
    this.#clock = clock;
    this.#started = clock.elapsed();
    this.#context = new WalkContext(homepage, options, clock, share);
  }

  stop(reason: unknown): void {
    this.#context.stop(reason);
  }

  async run(send: Send<TreeEvent>): Promise<void> {
    const context = this.#context;
    const visitor = new Visitor(context, send);
    try {
      const place = { id: context.newId(), level: -1, parent: null, index: 0 };
      const typeOf = () => "IndexWebsiteSitemap" as const;
      // a tally of its own: the website does not count as a sitemap
      const root = new SitemapNode(place, this.#homepage.href, typeOf, new Tally(), Infinity);
      root.enter(typeOf());
      if (this.#ignoredPath !== "") {
        root.warning("path-ignored", `"${excerpt(this.#ignoredPath)}" of the homepage is ignored`);
      }
      await send(root.take());
      await context.prepare();
      await this.#visitParts(root, visitor, send);
      if (context.fetcher.callerFailure !== undefined) throw context.fetcher.callerFailure;
      const by = context.tally.endedBy;
      if (by !== undefined) root.warning(by, this.#endedBy(by));
      context.tally.warnings += root.warnings;
      root.leave(by === undefined);
      await send([...root.take(), this.#finished()]);
    } catch (error) {
      throw error instanceof CallerError ? error.cause : error;
    } finally {
      this.stop(undefined);
    }
  }

  /** Visits robots.txt, the given sitemaps and the known paths, as far as they are wanted. */
  async #visitParts(root: SitemapNode, visitor: Visitor, send: Send<TreeEvent>): Promise<void> {
    const { addresses, options } = this.#context;
    const { useRobots, respectRobots, sitemaps, useKnownPaths, extraKnownPaths } = options;
    let index = 0;
    if (useRobots) index = await this.#visitRobots(root, visitor);
    else if (respectRobots) await this.#readRules(root, visitor);
    addresses.endPart();
    if (sitemaps !== undefined) {
      const listing = rootListing(root.ref!, "the given sitemaps");
      index = await visitor.visitGiven(listing, sitemaps, index);
    }
    addresses.endPart();
    const hasExtra = useKnownPaths || sitemaps !== undefined;
    const paths = [
      ...(useKnownPaths ? KNOWN_PATHS : []),
      ...(hasExtra ? extraKnownPaths : []),
    ];
    if (paths.length > 0) await this.#visitKnownPaths(root, visitor, paths, index, send);
  }

  /** Visits robots.txt and all that it declares. Returns the number of children of the root. */
  async #visitRobots(root: SitemapNode, visitor: Visitor): Promise<number> {
    const document = this.#robotsDocument();
    const { href } = document.url;
    const sibling: Sibling = { url: href, key: href, index: 0, source: { document } };
    const failure = await visitor.visit(rootListing(root.ref!, "robots.txt"), sibling);
    if (failure === undefined) return 1;
    if (this.#context.isEnded()) return 0;
    this.#context.tally.robotsFailed(failure.code, failure.status);
    this.#reportLostRobots(root, document.url, failure);
    return 0;
  }

  /** Reads the rules of robots.txt, which is not part of the tree. */
  async #readRules(root: SitemapNode, visitor: Visitor): Promise<void> {
    const document = this.#robotsDocument();
    const failure = await visitor.readRules(document);
    if (failure === undefined || this.#context.isEnded()) return;
    if (failure instanceof CutError) {
      root.warning(failure.code, `robots.txt not read to its end: ${failure.message}`);
    } else this.#reportLostRobots(root, document.url, failure);
  }

  #robotsDocument(): Prefetch {
    const { fetcher, options } = this.#context;
    return new Prefetch(fetcher, {
      url: new URL("robots.txt", this.#homepage),
      retries: options.retries,
      redirects: { check: () => {} },
      followsAhead: true,
    });
  }

  #reportLostRobots(root: SitemapNode, url: URL, failure: Failure): void {
    if (isOutOfReach(failure)) this.#context.robots.lose(url);
    if (isMissing(failure)) return;
    root.warning("robots-unreadable", `Cannot read robots.txt: ${failure.reason}`);
  }

  /** Visits the known paths in order, requesting some ahead. */
  async #visitKnownPaths(
    root: SitemapNode,
    visitor: Visitor,
    paths: readonly string[],
    firstIndex: number,
    send: Send<TreeEvent>,
  ): Promise<void> {
    const context = this.#context;
    const { slots, tally } = context;
    const probes = this.#allowedProbes(root, visitor, paths);
    const listing = rootListing(root.ref!, "the known paths");
    await send(root.take());
    context.probes = probes;
    slots.enter(probes);
    let index = firstIndex;
    try {
      for (let probe = probes.next(); probe !== undefined; probe = probes.next()) {
        if (context.isStopped()) return;
        const { url, document } = probe;
        tally.probes++;
        const sibling: Sibling = { url, key: url, index, source: { document } };
        const failure = await visitor.visit(listing, sibling);
        if (failure === undefined) index++;
        else if (!isSilent(failure) && !context.isEnded()) {
          this.#reportFailedProbe(root, url, failure);
          await send(root.take());
        }
      }
    } finally {
      probes.cancel();
      slots.leave(probes);
    }
  }

  /** Known paths, without those that robots.txt disallows if it is respected. */
  #allowedProbes(root: SitemapNode, visitor: Visitor, paths: readonly string[]): Probes {
    const { addresses, fetcher, robots, slots, tally } = this.#context;
    const known = knownUrls(this.#homepage, paths);
    const allowed = known.filter((url) => {
      const isAllowed = robots.allows(url.href);
      if (!isAllowed) fetcher.reportRefusal(url, "Disallowed by robots.txt");
      return isAllowed;
    });
    if (allowed.length < known.length) {
      tally.probeFailed("blocked", undefined);
      const count = known.length - allowed.length;
      root.warning("probe-failed", `${count} known paths are disallowed by robots.txt`);
    }
    const probes = allowed.map((url) => ({ url: url.href, document: this.#probe(url, visitor) }));
    return new Probes(probes, addresses, slots);
  }

  #probe(url: URL, visitor: Visitor): Prefetch {
    const { addresses, fetcher, options } = this.#context;
    return new Prefetch(fetcher, {
      url,
      retries: Math.min(PROBE_RETRIES, options.retries),
      // its target may be added to the tree before its turn
      followsAhead: false,
      redirects: visitor.redirects((target) => {
        if (addresses.has(target.href)) throw IN_TREE;
        visitor.checkRobots(target);
      }),
    });
  }

  #reportFailedProbe(root: SitemapNode, url: string, failure: Failure): void {
    this.#context.tally.probeFailed(failure.code, failure.status);
    if (isMissing(failure)) return;
    root.warning("probe-failed", `Cannot read "${excerpt(url)}": ${failure.reason}`);
  }

  /** Message for a walk that a limit ended. */
  #endedBy(ceiling: WalkCeiling): string {
    const { deadline, maxPages, maxSitemaps } = this.#context.options;
    const messages: Readonly<Record<WalkCeiling, string>> = {
      "deadline": `Walk ended after ${deadline} ms`,
      "max-pages": `Walk ended after ${maxPages} pages`,
      "max-sitemaps": `Walk ended after ${maxSitemaps} sitemaps`,
    };
    return messages[ceiling];
  }

  #finished(): TreeEvent {
    const { sitemaps, pages, invalid, warnings, bytes, probes, verdict } = this.#context.tally;
    const { requests, retries } = this.#context.fetcher;
    const durationMs = Math.round(this.#clock.elapsed() - this.#started);
    const counts = { sitemaps, pages, invalid, warnings, bytes, requests, retries, probes };
    return { type: "finished", verdict, stats: { ...counts, durationMs } };
  }
}
