/**
 * A walk: robots.txt and the sitemaps it declares, then the known paths, below one root.
 *
 * @module
 */

import type { TreeEvent } from "../events.ts";
import { excerpt } from "../excerpt.ts";
import { type Clock, SYSTEM_CLOCK } from "../http/clock.ts";
import type { BatchSource, Send } from "./event_stream.ts";
import { type Failure, IN_TREE, IN_TREE_FAILURE, isMissing, isOutOfReach } from "./failure.ts";
import { HeldDocument } from "./held_document.ts";
import { withoutUserInfo } from "./homepage.ts";
import { knownUrls } from "./known_paths.ts";
import { rootListing } from "./listing.ts";
import type { ResolvedOptions } from "./options.ts";
import { Probes } from "./probes.ts";
import type { Sibling } from "./siblings.ts";
import { SitemapNode } from "./sitemap_node.ts";
import { Tally, type WalkCeiling } from "./tally.ts";
import { Visitor } from "./visitor.ts";
import { WalkContext } from "./walk_context.ts";

/** Retries of a known path. */
const PROBE_RETRIES = 1;

/** Walks a site. */
export class Walker implements BatchSource<TreeEvent> {
  readonly #homepage: URL;
  readonly #clock: Clock;
  readonly #started: number;
  readonly #context: WalkContext;

  /** Starts the clock, but no request. User info in `homepage` is sent as a header. */
  constructor(homepage: URL, options: ResolvedOptions, clock: Clock = SYSTEM_CLOCK) {
    this.#homepage = withoutUserInfo(homepage);
    this.#clock = clock;
    this.#started = clock.elapsed();
    this.#context = new WalkContext(homepage, options, clock);
  }

  stop(reason: unknown): void {
    this.#context.stop(reason);
  }

  async run(send: Send<TreeEvent>): Promise<void> {
    const context = this.#context;
    const { useRobots, useKnownPaths } = context.options;
    const visitor = new Visitor(context, send);
    try {
      const place = { id: context.newId(), level: -1, parent: null, index: 0 };
      const typeOf = () => "IndexWebsiteSitemap" as const;
      // a tally of its own: the website does not count as a sitemap
      const root = new SitemapNode(place, this.#homepage.href, typeOf, new Tally(), Infinity);
      root.enter(typeOf());
      await send(root.take());
      await context.prepare();
      const index = useRobots ? await this.#visitRobots(root, visitor) : 0;
      if (useKnownPaths) await this.#visitKnownPaths(root, visitor, index, send);
      const by = context.tally.endedBy;
      if (by !== undefined) root.warning(by, this.#endedBy(by));
      context.tally.warnings += root.warnings;
      root.leave(by === undefined);
      await send([...root.take(), this.#finished()]);
    } finally {
      this.stop(undefined);
    }
  }

  /** Visits robots.txt and all that it declares. Returns the number of children of the root. */
  async #visitRobots(root: SitemapNode, visitor: Visitor): Promise<number> {
    const { addresses, fetcher, options, robots, tally } = this.#context;
    const url = new URL("robots.txt", this.#homepage);
    const document = new HeldDocument(fetcher, {
      url,
      retries: options.retries,
      redirects: { check: () => {} },
      followsAhead: true,
    });
    const { href } = url;
    const sibling: Sibling = { url: href, key: href, index: 0, source: { document } };
    const failure = await visitor.visit(rootListing(root.ref!, false), sibling);
    addresses.endRobotsTree();
    if (failure === undefined) return 1;
    if (this.#context.isEnded()) return 0;
    tally.robotsFailed(failure.code, failure.status);
    if (isOutOfReach(failure)) robots.lose(url);
    if (!isMissing(failure)) {
      root.warning("robots-unreadable", `Cannot read robots.txt: ${failure.reason}`);
    }
    return 0;
  }

  /** Visits the known paths in order, requesting some ahead. */
  async #visitKnownPaths(
    root: SitemapNode,
    visitor: Visitor,
    firstIndex: number,
    send: Send<TreeEvent>,
  ): Promise<void> {
    const context = this.#context;
    const { slots, tally } = context;
    const probes = this.#allowedProbes(root, visitor);
    const listing = rootListing(root.ref!, true);
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
        else if (failure !== IN_TREE_FAILURE && !context.isEnded()) {
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
  #allowedProbes(root: SitemapNode, visitor: Visitor): Probes {
    const { addresses, options, robots, slots, tally } = this.#context;
    const known = knownUrls(this.#homepage, options.extraKnownPaths);
    const allowed = known.filter((url) => robots.allows(url.href));
    if (allowed.length < known.length) {
      tally.probeFailed("blocked", undefined);
      const count = known.length - allowed.length;
      root.warning("probe-failed", `${count} known paths are disallowed by robots.txt`);
    }
    const probes = allowed.map((url) => ({ url: url.href, document: this.#probe(url, visitor) }));
    return new Probes(probes, addresses, slots, options.concurrency * 2);
  }

  #probe(url: URL, visitor: Visitor): HeldDocument {
    const { addresses, fetcher, options } = this.#context;
    return new HeldDocument(fetcher, {
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
