/**
 * Visits sitemaps: fetches one, reads it, and visits what it lists.
 *
 * @module
 */

import { CallerError, CutError, InvalidSitemapError } from "../data/errors.ts";
import type { TreeEvent } from "../data/events.ts";
import { excerpt } from "../data/text.ts";
import type { DocumentOutcome } from "../formats/document.ts";
import { MAX_ROBOTS_RULES } from "../formats/robots_rules.ts";
import { TimeoutError } from "../http/exchange.ts";
import type { FetchedDocument, RedirectHandler } from "../http/fetcher.ts";
import { addressKey, isRobotsUrl } from "../data/url.ts";
import { type AddressList, type AddressRow, addressRow } from "./addresses.ts";
import { ChildBudget } from "./tally.ts";
import { DocumentVisit } from "./document_visit.ts";
import type { Send } from "./event_stream.ts";
import { brokenOff, type Failure, failureOf, UNWANTED_FAILURE } from "./failure.ts";
import { Prefetch } from "./prefetch.ts";
import { withoutUserInfo } from "./options.ts";
import { isDeclared, isSiteRobots, type Listing, listingBelow } from "./listing.ts";
import type { ListedSitemap } from "./options.ts";
import type { DocumentSource } from "./resumable_body.ts";
import { type Sibling, Siblings, type SiblingSource } from "./prefetch.ts";
import { type Place, SitemapNode } from "./sitemap_node.ts";
import { Tally } from "./tally.ts";
import { Tasks } from "./event_stream.ts";
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
    const declared = isDeclared(listing);
    const place = this.#placeOf(listing, sibling);
    const isWanted = this.#isWanted(listing, sibling);
    if (document === undefined) {
      if (!isWanted && refusal.code === "already-visited") return UNWANTED_FAILURE;
      if (refusal.code === "blocked") {
        context.fetcher.reportRefusal(withoutUserInfo(new URL(sibling.key)), refusal.reason);
      }
      await this.#send(this.#invalid(place, sibling, refusal));
      return refusal;
    }
    const reading = await this.#read(place, document, listing, !isWanted);
    if (reading === UNWANTED_FAILURE) {
      // it is not requested again as a known path
      context.addresses.addKey(sibling.key);
      return reading;
    }
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
        const { code, message } = tooManyRules();
        node.warning(code, message);
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
    document: Prefetch,
    listing: Listing,
    onlyIndex: boolean,
  ): Promise<Reading | Failure> {
    const context = this.#context;
    try {
      const taken = document.take();
      // it was asked for first: now for those that come after it
      context.slots.refill();
      const arrival = taken instanceof Promise ? await taken : taken;
      const isRobots = isRobotsUrl(document.url);
      const robots = isSiteRobots(listing) ? context.robots.reader : undefined;
      const requestedUrl = requestedUrlOf(document, arrival);
      const visit = new DocumentVisit(
        requestedUrl === undefined ? place : { ...place, requestedUrl },
        sourceOf(document, arrival),
        { isRobots, robots, onlyIndex },
        context,
      );
      const outcome = await visit.read(this.#send);
      if (visit.isDropped(outcome)) {
        context.tally.bytes -= visit.node.bytes;
        return UNWANTED_FAILURE;
      }
      if ("code" in outcome && visit.cut !== undefined && !isDeclared(listing)) {
        return brokenOff(visit.cut, outcome);
      }
      return { node: visit.node, url: arrival.url, outcome };
    } catch (error) {
      return failureOf(error);
    } finally {
      context.slots.release();
    }
  }

  /**
   * Reads robots.txt for its rules alone: it gives no events. Returns why not all of it could be
   * read, if so.
   */
  async readRules(document: Prefetch): Promise<Failure | CutError | undefined> {
    const context = this.#context;
    const { robots, fetcher, limits, readers } = context;
    const tally = new Tally();
    await context.slots.take();
    try {
      const arrival = await document.take();
      const visit = new DocumentVisit(
        { id: 0, level: 0, parent: null, index: 0 },
        sourceOf(document, arrival),
        { isRobots: true, robots: robots.reader },
        {
          limits,
          readers,
          tally,
          childBudget: new ChildBudget(1),
          maxPages: Infinity,
          isEnded: () => context.isEnded(),
          turn: () => context.turn(),
        },
      );
      const outcome = await visit.read(() => undefined);
      if ("code" in outcome) return visit.cut ? brokenOff(visit.cut, outcome) : outcome;
      if (outcome.type !== "IndexRobotsTxtSitemap") return undefined;
      const isWhole = robots.finish([document.url, arrival.url], fetcher.pace);
      return isWhole ? visit.cut : tooManyRules();
    } catch (error) {
      return failureOf(error);
    } finally {
      context.tally.bytes += tally.bytes;
      context.slots.release();
    }
  }

  /** Whether the pages of a sitemap are wanted, should it have any. */
  #isWanted(listing: Listing, { key, source }: Sibling): boolean {
    const { includeCallback } = this.#context.options;
    if (includeCallback === undefined) return true;
    const isExempt = listing.ref.level < 0 && listing.part !== "the known paths";
    return isExempt || Boolean(includeCallback(source.document?.url.href ?? key));
  }

  readonly #send: Send<TreeEvent> = (events) =>
    this.#failure === undefined ? this.#out(events) : Promise.reject(this.#failure.error);

  #placeOf({ ref }: Listing, { index, lastModified }: Sibling): Place {
    return { id: this.#context.newId(), level: ref.level + 1, parent: ref.id, index, lastModified };
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

  /**
   * Visits the sitemaps that the caller gave, without asking the callbacks. Those of the tree of
   * robots.txt are skipped. Returns the number of children of the root, of which there were `index`.
   */
  async visitGiven(listing: Listing, urls: readonly URL[], index: number): Promise<number> {
    const { addresses } = this.#context;
    const given = urls.map(({ href }) => href)
      .filter((url) => addresses.earlierPartWith(url) === undefined);
    const { make, window } = this.#source(listing);
    await this.#visitAll(listing, addressRow(given), {
      accept: () => true,
      make: (url, at, lastModified) => make(url, index + at, lastModified),
      window,
    });
    return index + given.length;
  }

  async #visitChildren(listing: Listing, urls: AddressList): Promise<void> {
    const wanted = await this.#wanted(listing, urls);
    await this.#visitAll(listing, wanted, this.#source(listing));
  }

  async #visitAll(listing: Listing, urls: AddressRow, source: SiblingSource): Promise<void> {
    const { slots, options } = this.#context;
    const siblings = new Siblings(urls, source, slots);
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
    const listed = new Map<string, ListedSitemap>();
    // what the callback gets is its own to change
    const times = new Map<string, number>();
    for (let at = 0; at < urls.length; at++) {
      const url = urls.at(at)!, time = urls.timeAt(at);
      listed.set(url, listedAt(time));
      if (time === time) times.set(url, time);
    }
    const answer = recurseListCallback([...listed.keys()], ref.level, [...path], listed);
    return addressRow([...await this.#consult(answer) ?? []], times);
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
    const { recurseCallback } = context.options;
    const { ref, path } = listing;
    const redirects = this.redirects((target) => this.#checkRedirect(listing, target));
    return {
      accept: (url, lastModified) =>
        recurseCallback?.(url, ref.level, [...path], listedAt(lastModified)) ?? true,
      make: (url, index, lastModified) => {
        const source = this.#sourceOf(listing, url, redirects);
        return { url, index, lastModified, ...source };
      },
      window: () => Math.min(context.slots.size * 2, context.sitemapsLeft),
    };
  }

  #sourceOf(
    listing: Listing,
    url: string,
    redirects: RedirectHandler,
  ): Pick<Sibling, "key" | "source"> {
    // parsed once for all: a walk of small sitemaps does little else
    const parsed = URL.parse(url);
    // setting it parses anew
    if (parsed !== null && url.includes("#")) parsed.hash = "";
    const key = parsed?.href ?? url;
    const refusal = this.#refusal(listing, url, key);
    if (refusal !== undefined) return { key, source: { refusal } };
    return { key, source: { document: this.#documentOf(parsed ?? new URL(url), redirects) } };
  }

  #documentOf(address: URL, redirects: RedirectHandler): Prefetch {
    const { fetcher, options, probes } = this.#context;
    const url = withoutUserInfo(address);
    const request = { url, retries: options.retries, redirects, followsAhead: true };
    const guessed = probes?.claim(url);
    guessed?.adopt(request);
    return guessed ?? new Prefetch(fetcher, request);
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
    const part = addresses.earlierPartWith(url);
    if (part !== undefined) {
      return { code: "already-visited", reason: `The tree of ${part} has it already` };
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
    const part = this.#context.addresses.earlierPartWith(href);
    if (part !== undefined) {
      const reason = `It redirects to "${excerpt(href)}", which the tree of ${part} has already`;
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

function sourceOf(document: Prefetch, arrival: FetchedDocument): DocumentSource {
  return {
    ...arrival,
    url: arrival.url.href,
    async reopen(received, error) {
      // it would take as long again
      if (error instanceof TimeoutError && error.isTotal) return undefined;
      if (error instanceof CallerError) return undefined;
      const again = await document.reopen(arrival, received, error);
      return again && sourceOf(document, again);
    },
  };
}

/** Returns the URL that a document was requested at, if it came from elsewhere. */
function requestedUrlOf({ url }: Prefetch, arrival: FetchedDocument): string | undefined {
  if (arrival.url === url || addressKey(arrival.url.href) === url.href) return undefined;
  return url.href;
}

/** Returns what an index says about a sitemap. */
function listedAt(time: number): ListedSitemap {
  return time === time ? { lastModified: new Date(time) } : {};
}

/** Returns the reason why not all rules of robots.txt are obeyed. */
function tooManyRules(): CutError {
  return new CutError("robots-too-large", `Only the first ${MAX_ROBOTS_RULES} rules are obeyed`);
}
