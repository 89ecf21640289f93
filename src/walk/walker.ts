/**
 * One walk: robots.txt, what it declares, then the known paths, under one root.
 *
 * @module
 */

import type { InvalidCode } from "../codes.ts";
import { InvalidSitemapError } from "../errors.ts";
import type { SitemapRef, TreeEvent } from "../events.ts";
import { randomSeed } from "../formats/address_set.ts";
import type { DocumentOutcome } from "../formats/reader.ts";
import { type Clock, SYSTEM_CLOCK } from "../http/clock.ts";
import { Fetcher, statusOf } from "../http/fetcher.ts";
import { addressKey, isRobotsUrl } from "../url.ts";
import { type DocumentSource, DocumentVisit, type ReadingContext } from "./document_visit.ts";
import type { BatchSource } from "./event_stream.ts";
import { HeldDocument } from "./held_document.ts";
import { withoutUserInfo } from "./homepage.ts";
import { knownUrls } from "./known_paths.ts";
import { merged } from "./merge.ts";
import type { ResolvedOptions } from "./options.ts";
import { Probes } from "./probes.ts";
import { type RobotsGate, robotsGate } from "./robots_gate.ts";
import { type Sibling, Siblings, type SiblingSource } from "./siblings.ts";
import { SitemapNode } from "./sitemap_node.ts";
import { AheadSlots, ReadingSlots } from "./slots.ts";
import { isRefusal, Tally } from "./tally.ts";

/** A sitemap that has been entered, with what is above it. */
interface Listing {
  readonly ref: SitemapRef;
  /** Addresses of the sitemaps above its children, itself included, outermost first. */
  readonly path: readonly string[];
  /** The same as they are compared. */
  readonly keys: ReadonlySet<string>;
  /** Whether it stands below a known path. */
  readonly belowKnown: boolean;
}

/** A document that could not be used. */
interface Failure {
  readonly code: InvalidCode;
  readonly reason: string;
  readonly status: number | undefined;
}

/** The most that a guess is worth. */
const PROBE_ATTEMPTS = 2;

/** Walks one site. */
export class Walker implements BatchSource<TreeEvent> {
  readonly #homepage: URL;
  readonly #options: ResolvedOptions;
  readonly #clock: Clock;
  readonly #fetcher: Fetcher;
  readonly #tally = new Tally();
  readonly #ahead: AheadSlots;
  readonly #reading: ReadingSlots;
  readonly #context: ReadingContext;
  readonly #robots: RobotsGate;
  /** Every sitemap address in the tree, as asked for and as it ended. */
  readonly #inTree = new Set<string>();
  /** Those of the tree of robots.txt. */
  readonly #inRobotsTree = new Set<string>();
  #probes: Probes | undefined;
  #lastId = -1;
  #asked = 0;
  #cancelDeadline: (() => void) | undefined;

  constructor(homepage: URL, options: ResolvedOptions, clock: Clock = SYSTEM_CLOCK) {
    this.#homepage = withoutUserInfo(homepage);
    this.#options = options;
    this.#clock = clock;
    this.#fetcher = new Fetcher(homepage, {
      ...options,
      fetch: options.fetch ?? ((input, init) => fetch(input, init)),
      resolveHosts: options.fetch === undefined,
    }, clock);
    this.#ahead = new AheadSlots(options.order === "document" ? options.concurrency : 1);
    this.#reading = new ReadingSlots(options.concurrency);
    this.#robots = robotsGate(options.respectRobots, options.userAgent);
    this.#context = {
      limits: options,
      seed: randomSeed(),
      tally: this.#tally,
      maxPages: options.maxPages,
      isEnded: () => this.#isEnded(),
    };
  }

  stop(reason: unknown): void {
    this.#cancelDeadline?.();
    this.#fetcher.stop(reason);
  }

  async *batches(): AsyncGenerator<TreeEvent[], void, void> {
    const started = this.#clock.now();
    const { deadline, useRobots, useKnownPaths } = this.#options;
    if (deadline !== Infinity) {
      this.#cancelDeadline = this.#clock.after(deadline, () => this.#end("deadline"));
    }
    try {
      const root = new SitemapNode(
        { id: this.#newId(), level: -1, parent: null, index: 0 },
        this.#homepage.href,
        () => "IndexWebsiteSitemap",
        new Tally(),
        Infinity,
      );
      root.enter("IndexWebsiteSitemap");
      yield root.take();
      let index = 0;
      if (useRobots) index = yield* this.#visitRobots(root);
      if (useKnownPaths) yield* this.#visitKnownPaths(root, index);
      if (this.#isEnded()) this.#tellEnd(root);
      this.#tally.warnings += root.warnings;
      root.leave(!this.#isEnded());
      yield [...root.take(), this.#finished(started)];
    } finally {
      this.stop(undefined);
    }
  }

  // ---------------------------------------------------------------------------------- discovery

  /** robots.txt and all that it declares: how many children the root has then. */
  async *#visitRobots(root: SitemapNode): AsyncGenerator<TreeEvent[], number, void> {
    const url = new URL("robots.txt", this.#homepage);
    const listing = this.#rootListing(root.ref!, false);
    const document = new HeldDocument(this.#fetcher, {
      url,
      maxAttempts: this.#options.retries + 1,
      onRedirect: () => {},
      followsAhead: true,
    });
    const failure = yield* this.#visit(listing, { url: url.href, index: 0, document });
    for (const key of this.#inTree) this.#inRobotsTree.add(key);
    if (failure === undefined) return 1;
    this.#tally.robotsFailed(failure.code, failure.status);
    if (!isMissing(failure)) {
      root.warning("robots-unreadable", `robots.txt cannot be read: ${failure.reason}`);
      yield root.take();
    }
    return 0;
  }

  /** The known paths, one after the other, probed ahead. */
  async *#visitKnownPaths(
    root: SitemapNode,
    firstIndex: number,
  ): AsyncGenerator<TreeEvent[], void, void> {
    const listing = this.#rootListing(root.ref!, true);
    let index = firstIndex;
    const probes = new Probes(
      knownUrls(this.#homepage, this.#options.extraKnownPaths),
      (url) => this.#probe(url),
      this.#inTree,
      this.#ahead,
      this.#options.concurrency * 2,
    );
    this.#probes = probes;
    this.#ahead.enter(probes);
    try {
      for (let probe = probes.next(); probe !== undefined; probe = probes.next()) {
        if (this.#isEnded()) return;
        probes.fill();
        this.#tally.probes++;
        const failure = yield* this.#visit(listing, { ...probe, index });
        if (failure === undefined) index++;
        else if (failure !== IN_TREE && !this.#isEnded()) {
          this.#tally.probeFailed(failure.code, failure.status);
          if (!isMissing(failure)) {
            root.warning("probe-failed", `"${probe.url}" cannot be read: ${failure.reason}`);
            yield root.take();
          }
        }
      }
    } finally {
      probes.cancel();
      this.#ahead.leave(probes);
    }
  }

  #probe(url: URL): HeldDocument {
    return new HeldDocument(this.#fetcher, {
      url,
      maxAttempts: Math.min(PROBE_ATTEMPTS, this.#options.retries + 1),
      // what it redirects to may come to stand in the tree before its turn comes
      followsAhead: false,
      onRedirect: (target) => {
        if (this.#inTree.has(addressKey(target.href))) throw IN_TREE;
      },
    });
  }

  // ----------------------------------------------------------------------------------- one visit

  /**
   * Visits a sitemap and all below it. A failure is returned, and told as an event only where the
   * sitemap was declared.
   */
  async *#visit(
    listing: Listing,
    sibling: Sibling,
  ): AsyncGenerator<TreeEvent[], Failure | undefined, void> {
    const { ref: parent } = listing;
    const declared = parent.level >= 0;
    const place = {
      id: this.#newId(),
      level: parent.level + 1,
      parent: parent.id,
      index: sibling.index,
    };
    const refusal = sibling.document === undefined
      ? this.#refusal(listing, sibling.url)
      : undefined;
    let delivery: DocumentSource | undefined;
    let failure = refusal;
    await this.#takeReadingSlot();
    try {
      if (sibling.document !== undefined) delivery = await sibling.document.take();
    } catch (error) {
      failure = failureOf(error);
    }
    if (delivery === undefined) {
      this.#releaseReadingSlot();
      if (!declared || this.#isEnded()) return failure;
      yield this.#invalid(place, sibling.url, failure!);
      return failure;
    }
    const isRobots = isRobotsUrl(sibling.url);
    const visit = new DocumentVisit(
      place,
      delivery,
      isRobots,
      this.#context,
      isRobots && !declared ? this.#robots.onBytes : undefined,
    );
    let outcome: DocumentOutcome;
    try {
      outcome = yield* visit.read();
    } finally {
      this.#releaseReadingSlot();
    }
    const { node } = visit;
    if ("code" in outcome) {
      failure = { ...outcome, status: undefined };
      if (!declared || this.#isEnded()) return failure;
      this.#tally.declaredInvalid(failure.code, undefined);
      this.#note(sibling.url, delivery.url);
      node.invalidate(failure.code, failure.reason);
      yield node.take();
      return failure;
    }
    this.#note(sibling.url, delivery.url);
    const ref = node.enter(outcome.type);
    this.#tally.read(outcome.type === "IndexRobotsTxtSitemap", outcome.complete);
    if (outcome.type === "IndexRobotsTxtSitemap" && !declared) {
      this.#robots.finish(new URL(delivery.url), this.#fetcher.pace);
    }
    if (node.children.length > 0) {
      const events = node.take();
      if (events.length > 0) yield events;
      yield* this.#visitChildren(this.#below(listing, ref, sibling.url), node.children);
    }
    node.leave(outcome.complete && !this.#isEnded());
    yield node.take();
    return undefined;
  }

  #invalid(place: SitemapPlace, url: string, failure: Failure): TreeEvent[] {
    this.#tally.declaredInvalid(failure.code, failure.status);
    this.#note(url);
    const node = new SitemapNode(place, url, () => undefined, this.#tally, Infinity);
    node.invalidate(failure.code, failure.reason);
    return node.take();
  }

  /** Why a sitemap is not asked for at all. */
  #refusal(listing: Listing, url: string): Failure | undefined {
    const key = addressKey(url);
    if (listing.keys.has(key)) {
      return refused("recursion", "It is one of the sitemaps above it");
    }
    if (listing.belowKnown && this.#inRobotsTree.has(key)) {
      return refused("already-visited", "The tree of robots.txt has it already");
    }
    if (listing.ref.level + 1 > this.#options.maxDepth) {
      return refused("too-deep", `Deeper than level ${this.#options.maxDepth}`);
    }
    if (!this.#robots.allows(new URL(url))) {
      return refused("blocked", "Disallowed by robots.txt");
    }
    return undefined;
  }

  #checkRedirect(listing: Listing, target: URL): void {
    const key = addressKey(target.href);
    if (listing.keys.has(key)) {
      throw new InvalidSitemapError("recursion", `It redirects to "${target.href}" above it`);
    }
    if (listing.belowKnown && this.#inRobotsTree.has(key)) {
      const reason = `It redirects to "${target.href}", which the tree of robots.txt has already`;
      throw new InvalidSitemapError("already-visited", reason);
    }
  }

  // ------------------------------------------------------------------------------------ children

  async *#visitChildren(
    listing: Listing,
    urls: readonly string[],
  ): AsyncGenerator<TreeEvent[], void, void> {
    const { level } = listing.ref;
    const { recurseListCallback, concurrency, order } = this.#options;
    const wanted = recurseListCallback === undefined
      ? urls
      : [...await recurseListCallback([...urls], level, [...listing.path])];
    const siblings = new Siblings(wanted, this.#source(listing), this.#ahead, concurrency * 2);
    if (order === "arrival") {
      yield* merged(this.#visits(listing, siblings), concurrency);
      return;
    }
    this.#ahead.enter(siblings);
    try {
      for await (const visit of this.#visits(listing, siblings)) {
        siblings.fill();
        yield* visit;
      }
    } finally {
      siblings.cancel();
      this.#ahead.leave(siblings);
    }
  }

  /** The visits of an index, none of them begun. */
  async *#visits(
    listing: Listing,
    siblings: Siblings,
  ): AsyncGenerator<AsyncGenerator<TreeEvent[], unknown, void>, void, void> {
    while (!this.#isEnded()) {
      const sibling = await siblings.next();
      if (sibling === undefined) return;
      if (sibling.document !== undefined && ++this.#asked > this.#options.maxSitemaps) {
        this.#end("max-sitemaps");
        return;
      }
      yield this.#visit(listing, sibling);
    }
  }

  #source(listing: Listing): SiblingSource {
    const { recurseCallback, retries } = this.#options;
    return {
      accept: (url) => recurseCallback?.(url, listing.ref.level, [...listing.path]) ?? true,
      make: async (url, index) => {
        if (this.#refusal(listing, url) !== undefined) return { url, index };
        const request = {
          url: bareUrl(url),
          maxAttempts: retries + 1,
          onRedirect: (target: URL) => this.#checkRedirect(listing, target),
          followsAhead: true,
        };
        const probe = this.#probes?.claim(request.url);
        await probe?.adopt(request);
        return { url, index, document: probe ?? new HeldDocument(this.#fetcher, request) };
      },
    };
  }

  #rootListing(ref: SitemapRef, belowKnown: boolean): Listing {
    return { ref, path: [], keys: new Set(), belowKnown };
  }

  #below(listing: Listing, ref: SitemapRef, askedFor: string): Listing {
    return {
      ref,
      path: [...listing.path, ref.url],
      keys: new Set([...listing.keys, addressKey(ref.url), addressKey(askedFor)]),
      belowKnown: listing.belowKnown,
    };
  }

  // --------------------------------------------------------------------------------- bookkeeping

  #newId(): number {
    return ++this.#lastId;
  }

  #note(...urls: string[]): void {
    for (const url of urls) this.#inTree.add(addressKey(url));
  }

  async #takeReadingSlot(): Promise<void> {
    if (this.#options.order === "arrival") await this.#reading.take();
  }

  #releaseReadingSlot(): void {
    if (this.#options.order === "arrival") this.#reading.release();
  }

  #isEnded(): boolean {
    if (this.#tally.pages >= this.#options.maxPages) this.#end("max-pages");
    return this.#tally.endedBy !== undefined;
  }

  /** A ceiling ends the walk: what is under way is stopped, what is open is left. */
  #end(by: "deadline" | "max-pages" | "max-sitemaps"): void {
    if (this.#tally.endedBy !== undefined) return;
    this.#tally.endedBy = by;
    this.stop(new InvalidSitemapError("network", `Stopped by ${by}`));
  }

  #tellEnd(root: SitemapNode): void {
    const { deadline, maxPages, maxSitemaps } = this.#options;
    const by = this.#tally.endedBy!;
    const messages: Readonly<Record<string, string>> = {
      "deadline": `Walk ended after ${deadline} ms`,
      "max-pages": `Walk ended after ${maxPages} pages`,
      "max-sitemaps": `Walk ended after ${maxSitemaps} sitemaps`,
    };
    root.warning(by, messages[by] ?? by);
  }

  #finished(started: number): TreeEvent {
    const { sitemaps, pages, invalid, warnings, bytes, probes, verdict } = this.#tally;
    const { requests, retries } = this.#fetcher;
    const durationMs = this.#clock.now() - started;
    return {
      type: "finished",
      verdict,
      stats: {
        sitemaps,
        pages,
        invalid,
        warnings,
        bytes,
        requests,
        retries,
        probes,
        durationMs,
      },
    };
  }
}

type SitemapPlace = ConstructorParameters<typeof SitemapNode>[0];

/** A known path that stands in the tree already: no failure, and nothing to tell. */
const IN_TREE: Failure & Error = Object.assign(
  new InvalidSitemapError("already-visited", "It stands in the tree already"),
  { reason: "", status: undefined },
);

function refused(code: InvalidCode, reason: string): Failure {
  return { code, reason, status: undefined };
}

function failureOf(error: unknown): Failure {
  if (error === IN_TREE) return IN_TREE;
  if (error instanceof InvalidSitemapError) {
    return { code: error.code, reason: error.message, status: statusOf(error) };
  }
  return { code: "network", reason: String(error), status: undefined };
}

/** Whether there is simply nothing where a sitemap was guessed. */
function isMissing({ code, status }: Failure): boolean {
  if (code === "not-a-sitemap" || code === "empty") return true;
  return status !== undefined && status < 500 && status !== 400 && !isRefusal(code, status) &&
    status >= 400;
}

function bareUrl(url: string): URL {
  const bare = withoutUserInfo(new URL(url));
  bare.hash = "";
  return bare;
}
