/**
 * Visits sitemaps: fetches one, reads it, and visits what it lists.
 *
 * @module
 */

import { InvalidSitemapError } from "../errors.ts";
import type { TreeEvent } from "../events.ts";
import type { DocumentOutcome } from "../formats/reader.ts";
import type { RedirectHandler } from "../http/fetcher.ts";
import { addressKey, isRobotsUrl } from "../url.ts";
import type { AddressList, AddressRow } from "./address_list.ts";
import { DocumentVisit } from "./document_visit.ts";
import { brokenOff, type Failure, failureOf } from "./failure.ts";
import { HeldDocument } from "./held_document.ts";
import { withoutUserInfo } from "./homepage.ts";
import { type Listing, listingBelow } from "./listing.ts";
import { merged } from "./merge.ts";
import { type Sibling, Siblings, type SiblingSource } from "./siblings.ts";
import { type Place, SitemapNode } from "./sitemap_node.ts";
import type { WalkContext } from "./walk_context.ts";

/** A visit: batches of events, then the failure if there is no readable sitemap. */
export type Visit = AsyncGenerator<TreeEvent[], Failure | undefined, void>;

/** A document that was read, for better or worse. */
interface Reading {
  readonly node: SitemapNode;
  /** Where it came from in the end. */
  readonly url: URL;
  readonly outcome: DocumentOutcome;
}

/** Visits sitemaps, and all below them. */
export class Visitor {
  readonly #context: WalkContext;

  constructor(context: WalkContext) {
    this.#context = context;
  }

  /**
   * A visit to a sitemap and all below it, as soon as there is a slot for it. A failure is returned,
   * and told as an event only where the sitemap was declared.
   */
  async begin(listing: Listing, sibling: Sibling): Promise<Visit> {
    const { document, refusal } = sibling.source;
    if (document === undefined) return this.#refuse(listing, sibling, refusal);
    const slot = this.#context.slots.take();
    if (slot !== undefined) await slot;
    return this.#visit(listing, sibling, document);
  }

  async *#refuse(listing: Listing, sibling: Sibling, refusal: Failure): Visit {
    yield this.#invalid(this.#placeOf(listing, sibling), sibling.url, refusal);
    return refusal;
  }

  async *#visit(listing: Listing, sibling: Sibling, document: HeldDocument): Visit {
    const context = this.#context;
    const declared = listing.ref.level >= 0;
    const place = this.#placeOf(listing, sibling);
    const reading = yield* this.#read(place, sibling, document, declared);
    if ("code" in reading) {
      if (declared && !context.isEnded()) yield this.#invalid(place, sibling.url, reading);
      return reading;
    }
    const { node, url, outcome } = reading;
    if ("code" in outcome) {
      if (declared && !context.isEnded()) {
        context.addresses.add(url.href);
        yield this.#invalid(place, sibling.url, outcome, node);
      }
      return outcome;
    }
    context.addresses.add(sibling.url, url.href);
    const ref = node.enter(outcome.type);
    const isRobots = outcome.type === "IndexRobotsTxtSitemap";
    context.tally.read(isRobots, outcome.complete);
    if (isRobots && !declared) {
      context.robots.finish([new URL(sibling.url), url], context.fetcher.pace);
    }
    if (node.children.length > 0) {
      yield node.take();
      yield* this.#visitChildren(listingBelow(listing, ref, sibling.url), node.children);
      context.childBudget.give(node.children);
    }
    // a ceiling that ends the walk cuts whatever is still open
    const cut = node.children.length > 0 ? context.isStopped() : context.isEnded();
    node.leave(outcome.complete && !cut);
    yield node.take();
    return undefined;
  }

  /** Fetches and reads one document. Its slot is free again when it has been read. */
  async *#read(
    place: Place,
    sibling: Sibling,
    document: HeldDocument,
    declared: boolean,
  ): AsyncGenerator<TreeEvent[], Reading | Failure, void> {
    const context = this.#context;
    try {
      const taken = document.take();
      // it was asked for first: now for those that come after it
      context.slots.refill();
      const arrival = await taken;
      const isRobots = isRobotsUrl(sibling.url);
      const visit = new DocumentVisit(
        place,
        { ...arrival, url: arrival.url.href },
        isRobots,
        context,
        isRobots && !declared ? context.robots.onBytes : undefined,
      );
      const outcome = yield* visit.read();
      if ("code" in outcome && visit.cut !== undefined && !declared) {
        return brokenOff(visit.cut, outcome);
      }
      return { node: visit.node, url: arrival.url, outcome };
    } catch (error) {
      return failureOf(error);
    } finally {
      context.slots.release();
    }
  }

  #placeOf({ ref }: Listing, { index }: Sibling): Place {
    return { id: this.#context.newId(), level: ref.level + 1, parent: ref.id, index };
  }

  #invalid(place: Place, url: string, failure: Failure, read?: SitemapNode): TreeEvent[] {
    const { tally, addresses } = this.#context;
    tally.declaredInvalid(failure.code, failure.status);
    addresses.add(url);
    const node = read ?? new SitemapNode(place, url, () => undefined, tally, Infinity);
    node.invalidate(failure.code, failure.reason);
    return node.take();
  }

  // ------------------------------------------------------------------------------------ children

  async *#visitChildren(
    listing: Listing,
    urls: AddressList,
  ): AsyncGenerator<TreeEvent[], void, void> {
    const { slots, options } = this.#context;
    const wanted = await this.#wanted(listing, urls);
    const siblings = new Siblings(wanted, this.#source(listing), slots);
    const visits = this.#visits(listing, siblings);
    if (options.order === "arrival") {
      return yield* merged(visits, (error) => this.#context.stop(error));
    }
    slots.enter(siblings);
    try {
      for await (const visit of visits) yield* visit;
    } finally {
      siblings.cancel();
      slots.leave(siblings);
    }
  }

  /** The sub-sitemaps that the caller wants to be considered. */
  async #wanted(listing: Listing, urls: AddressList): Promise<AddressRow> {
    const { recurseListCallback } = this.#context.options;
    if (recurseListCallback === undefined) return urls;
    const { ref, path } = listing;
    return [...await this.#consult(recurseListCallback([...urls], ref.level, [...path])) ?? []];
  }

  /** The visits of an index, each handed out when there is a slot for it. */
  async *#visits(listing: Listing, siblings: Siblings): AsyncGenerator<Visit, void, void> {
    const context = this.#context;
    while (!context.isStopped()) {
      const sibling = await this.#consult(siblings.next());
      if (sibling === undefined || !context.admitSitemap()) return;
      yield await this.begin(listing, sibling);
    }
  }

  /** Waits for a function of the caller, but not beyond the end of the walk. */
  async #consult<T>(answer: T | Promise<T>): Promise<T | undefined> {
    const context = this.#context;
    try {
      return await context.fetcher.cancellation.race(Promise.resolve(answer));
    } catch (error) {
      if (context.isEnded()) return undefined;
      throw error;
    }
  }

  #source(listing: Listing): SiblingSource {
    const context = this.#context;
    const { recurseCallback, concurrency } = context.options;
    const { ref, path } = listing;
    return {
      accept: (url) => recurseCallback?.(url, ref.level, [...path]) ?? true,
      make: (url, index) => {
        const refusal = this.#refusal(listing, url);
        if (refusal !== undefined) return { url, index, source: { refusal } };
        return { url, index, source: { document: this.#documentOf(listing, url) } };
      },
      window: () => Math.min(concurrency * 2, context.sitemapsLeft),
    };
  }

  #documentOf(listing: Listing, address: string): HeldDocument {
    const { fetcher, options, probes } = this.#context;
    const url = withoutUserInfo(new URL(address));
    // setting it parses anew
    if (url.hash !== "") url.hash = "";
    const redirects = this.redirects((target) => this.#checkRedirect(listing, target));
    const request = { url, retries: options.retries, redirects, followsAhead: true };
    const guessed = probes?.claim(url);
    guessed?.adopt(request);
    return guessed ?? new HeldDocument(fetcher, request);
  }

  /** Checks redirects. A known path that one leads to is not asked for twice. */
  redirects(check: (target: URL) => void): RedirectHandler {
    const context = this.#context;
    return { check, answer: (target) => context.probes?.claim(target)?.handOver() };
  }

  // ------------------------------------------------------------------------------------- refusals

  /** Why a sitemap is not asked for at all. */
  #refusal(listing: Listing, url: string): Failure | undefined {
    const { addresses, options, robots } = this.#context;
    if (listing.keys.has(addressKey(url))) {
      return { code: "recursion", reason: "It is one of the sitemaps above it" };
    }
    if (listing.belowKnown && addresses.inRobotsTree(url)) {
      return { code: "already-visited", reason: "The tree of robots.txt has it already" };
    }
    if (listing.ref.level + 1 > options.maxDepth) {
      return { code: "too-deep", reason: `Deeper than level ${options.maxDepth}` };
    }
    if (!robots.allows(url)) {
      return { code: "blocked", reason: "Disallowed by robots.txt" };
    }
    return undefined;
  }

  #checkRedirect(listing: Listing, target: URL): void {
    const { href } = target;
    if (listing.keys.has(addressKey(href))) {
      throw new InvalidSitemapError("recursion", `It redirects to "${href}" above it`);
    }
    if (listing.belowKnown && this.#context.addresses.inRobotsTree(href)) {
      const reason = `It redirects to "${href}", which the tree of robots.txt has already`;
      throw new InvalidSitemapError("already-visited", reason);
    }
    this.checkRobots(target);
  }

  /** Throws for a redirect to where robots.txt forbids to go. */
  checkRobots(target: URL): void {
    if (this.#context.robots.allows(target.href)) return;
    const reason = `It redirects to "${target.href}", which robots.txt disallows`;
    throw new InvalidSitemapError("blocked", reason);
  }
}
