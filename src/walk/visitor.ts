/**
 * Visits sitemaps: fetches one, reads it, and visits what it lists.
 *
 * @module
 */

import { InvalidSitemapError } from "../errors.ts";
import type { TreeEvent } from "../events.ts";
import { excerpt } from "../excerpt.ts";
import type { DocumentOutcome } from "../formats/xml_document.ts";
import { MAX_ROBOTS_RULES } from "../formats/robots_rules.ts";
import { TimeoutError } from "../http/exchange.ts";
import type { Arrival, RedirectHandler } from "../http/fetcher.ts";
import { addressKey, isRobotsUrl } from "../url.ts";
import type { AddressList, AddressRow } from "./address_list.ts";
import { DocumentVisit } from "./document_visit.ts";
import type { Send } from "./event_stream.ts";
import { brokenOff, type Failure, failureOf } from "./failure.ts";
import { HeldDocument } from "./held_document.ts";
import { withoutUserInfo } from "./homepage.ts";
import { isSiteRobots, type Listing, listingBelow } from "./listing.ts";
import type { DocumentSource } from "./resumable_body.ts";
import { type Sibling, Siblings, type SiblingSource } from "./siblings.ts";
import { type Place, SitemapNode } from "./sitemap_node.ts";
import { Tasks } from "./tasks.ts";
import type { WalkContext } from "./walk_context.ts";

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
  readonly #out: Send<TreeEvent>;
  /** What a function of the caller threw: nothing is handed over after that. */
  #failure: { readonly error: unknown } | undefined;

  /** Hands what it finds over by `send`. */
  constructor(context: WalkContext, send: Send<TreeEvent>) {
    this.#context = context;
    this.#out = send;
  }

  /**
   * Visits a sitemap and all below it, as soon as there is a slot for it. A failure is returned, and
   * told as an event only where the sitemap was declared.
   */
  visit(listing: Listing, sibling: Sibling): Promise<Failure | undefined> {
    const visit = () => this.#visit(listing, sibling);
    return this.#slotFor(sibling)?.then(visit) ?? visit();
  }

  /** Takes a slot for what is to be fetched; a promise where there is none yet. */
  #slotFor({ source }: Sibling): Promise<void> | undefined {
    return source.document === undefined ? undefined : this.#context.slots.take();
  }

  async #visit(listing: Listing, sibling: Sibling): Promise<Failure | undefined> {
    const context = this.#context;
    const { document, refusal } = sibling.source;
    const declared = listing.ref.level >= 0;
    const place = this.#placeOf(listing, sibling);
    if (document === undefined) {
      await this.#send(this.#invalid(place, sibling, refusal));
      return refusal;
    }
    const reading = await this.#read(place, document, listing);
    if ("code" in reading) {
      if (declared && !context.isEnded()) await this.#send(this.#invalid(place, sibling, reading));
      return reading;
    }
    const { node, url, outcome } = reading;
    if ("code" in outcome) {
      if (declared && !context.isEnded()) {
        context.addresses.add(url.href);
        await this.#send(this.#invalid(place, sibling, outcome, node));
      }
      return outcome;
    }
    context.addresses.addKey(sibling.key);
    if (url.href !== sibling.key) context.addresses.add(url.href);
    const ref = node.enter(outcome.type);
    const isRobots = isSiteRobots(listing) && outcome.type === "IndexRobotsTxtSitemap";
    context.tally.read(isRobots, outcome.complete);
    if (isRobots) {
      const isWhole = context.robots.finish([new URL(sibling.url), url], context.fetcher.pace);
      if (!isWhole) {
        node.warning("robots-too-large", `Only the first ${MAX_ROBOTS_RULES} rules are obeyed`);
      }
    }
    if (node.children.length > 0) {
      await this.#send(node.take());
      await this.#visitChildren(listingBelow(listing, ref, sibling.url), node.children);
      context.childBudget.give(node.children);
    }
    // a ceiling that ends the walk cuts whatever is still open
    const cut = node.children.length > 0 ? context.isStopped() : context.isEnded();
    node.leave(outcome.complete && !cut);
    await this.#send(node.take());
    return undefined;
  }

  /** Fetches and reads one document. Its slot is free again when it has been read. */
  async #read(
    place: Place,
    document: HeldDocument,
    listing: Listing,
  ): Promise<Reading | Failure> {
    const context = this.#context;
    try {
      const taken = document.take();
      // it was asked for first: now for those that come after it
      context.slots.refill();
      const arrival = taken instanceof Promise ? await taken : taken;
      const isRobots = isRobotsUrl(document.url);
      const visit = new DocumentVisit(
        place,
        sourceOf(document, arrival),
        isRobots,
        context,
        isSiteRobots(listing) ? context.robots.reader : undefined,
      );
      const outcome = await visit.read(this.#send);
      if ("code" in outcome && visit.cut !== undefined && listing.ref.level < 0) {
        return brokenOff(visit.cut, outcome);
      }
      return { node: visit.node, url: arrival.url, outcome };
    } catch (error) {
      return failureOf(error);
    } finally {
      context.slots.release();
    }
  }

  readonly #send: Send<TreeEvent> = (events) =>
    this.#failure === undefined ? this.#out(events) : Promise.reject(this.#failure.error);

  #placeOf({ ref }: Listing, { index }: Sibling): Place {
    return { id: this.#context.newId(), level: ref.level + 1, parent: ref.id, index };
  }

  #invalid(place: Place, sibling: Sibling, failure: Failure, read?: SitemapNode): TreeEvent[] {
    const { tally, addresses } = this.#context;
    const { url, key } = sibling;
    tally.declaredInvalid(failure.code, failure.status);
    addresses.addKey(key);
    const node = read ?? new SitemapNode(place, url, () => undefined, tally, Infinity);
    node.invalidate(failure.code, failure.reason);
    return node.take();
  }

  // ------------------------------------------------------------------------------------ children

  async #visitChildren(listing: Listing, urls: AddressList): Promise<void> {
    const { slots, options } = this.#context;
    const wanted = await this.#wanted(listing, urls);
    const siblings = new Siblings(wanted, this.#source(listing), slots);
    if (options.order === "arrival") return await this.#visitAtOnce(listing, siblings);
    slots.enter(siblings);
    try {
      for (;;) {
        const next = this.#nextOf(siblings);
        const sibling = next instanceof Promise ? await next : next;
        if (sibling === undefined) return;
        await this.visit(listing, sibling);
      }
    } finally {
      siblings.cancel();
      slots.leave(siblings);
    }
  }

  /** Visits siblings as they arrive, each as soon as there is a slot for it. */
  async #visitAtOnce(listing: Listing, siblings: Siblings): Promise<void> {
    const visits = new Tasks((error) => this.#fail(error));
    try {
      for (;;) {
        const sibling = await this.#nextOf(siblings);
        if (sibling === undefined) break;
        await this.#slotFor(sibling);
        visits.add(this.#visit(listing, sibling));
      }
    } catch (error) {
      visits.fail(error);
    }
    await visits.settled();
  }

  /** One of those that are visited at once has failed: the others are of no use any more. */
  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#context.stop(error);
  }

  /** The sub-sitemaps that the caller wants to be considered. */
  async #wanted(listing: Listing, urls: AddressList): Promise<AddressRow> {
    const { recurseListCallback } = this.#context.options;
    if (recurseListCallback === undefined) return urls;
    const { ref, path } = listing;
    return [...await this.#consult(recurseListCallback([...urls], ref.level, [...path])) ?? []];
  }

  /** The sibling to be visited next; `undefined` after the last, or where the walk ends. */
  #nextOf(siblings: Siblings): Sibling | undefined | Promise<Sibling | undefined> {
    if (this.#context.isStopped()) return undefined;
    const next = siblings.next();
    return next instanceof Promise
      ? this.#consult(next).then((sibling) => this.#admitted(sibling))
      : this.#admitted(next);
  }

  #admitted(sibling: Sibling | undefined): Sibling | undefined {
    return sibling !== undefined && this.#context.admitSitemap() ? sibling : undefined;
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
    const redirects = this.redirects((target) => this.#checkRedirect(listing, target));
    return {
      accept: (url) => recurseCallback?.(url, ref.level, [...path]) ?? true,
      make: (url, index) => this.#sibling(listing, url, index, redirects),
      window: () => Math.min(concurrency * 2, context.sitemapsLeft),
    };
  }

  #sibling(listing: Listing, url: string, index: number, redirects: RedirectHandler): Sibling {
    // parsed once for all: a walk of small sitemaps does little else
    const parsed = URL.parse(url);
    // setting it parses anew
    if (parsed !== null && url.includes("#")) parsed.hash = "";
    const key = parsed?.href ?? url;
    const refusal = this.#refusal(listing, url, key);
    if (refusal !== undefined) return { url, key, index, source: { refusal } };
    const document = this.#documentOf(parsed ?? new URL(url), redirects);
    return { url, key, index, source: { document } };
  }

  #documentOf(address: URL, redirects: RedirectHandler): HeldDocument {
    const { fetcher, options, probes } = this.#context;
    const url = withoutUserInfo(address);
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
  #refusal(listing: Listing, url: string, key: string): Failure | undefined {
    const { addresses, options, robots } = this.#context;
    if (listing.keys.includes(key)) {
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
    if (listing.keys.includes(addressKey(href))) {
      throw new InvalidSitemapError("recursion", `It redirects to "${excerpt(href)}" above it`);
    }
    if (listing.belowKnown && this.#context.addresses.inRobotsTree(href)) {
      const reason = `It redirects to "${excerpt(href)}", which the tree of robots.txt has already`;
      throw new InvalidSitemapError("already-visited", reason);
    }
    this.checkRobots(target);
  }

  /** Throws for a redirect to where robots.txt forbids to go. */
  checkRobots(target: URL): void {
    if (this.#context.robots.allows(target.href)) return;
    const reason = `It redirects to "${excerpt(target.href)}", which robots.txt disallows`;
    throw new InvalidSitemapError("blocked", reason);
  }
}

function sourceOf(document: HeldDocument, arrival: Arrival): DocumentSource {
  return {
    ...arrival,
    url: arrival.url.href,
    async reopen(received, error) {
      // it would take as long again
      if (error instanceof TimeoutError && error.isTotal) return undefined;
      const again = await document.reopen(arrival, received);
      return again && sourceOf(document, again);
    },
  };
}
