/**
 * Visits sitemaps: fetches one, reads it, and visits the sitemaps that it lists.
 *
 * @module
 */

import type { HeldBytes } from "../bytes/window.ts";
import type { InvalidCode } from "../data/codes.ts";
import { InvalidSitemapError, type TruncatedError } from "../data/errors.ts";
import type { SitemapType, TreeEvent } from "../data/events.ts";
import { excerpt } from "../data/text.ts";
import { addressKey, isRobotsUrl, withoutUserInfo, withoutUserInfoIn } from "../data/url.ts";
import type { DocumentOutcome } from "../formats/document.ts";
import { abortable } from "../http/clock.ts";
import { describeResponse } from "../http/failure.ts";
import type { FetchedDocument } from "../http/fetched_document.ts";
import type { Fetcher, RedirectHandler } from "../http/fetcher.ts";
import {
  foundBy,
  isDeclared,
  isSiteRobots,
  type ListedAddress,
  type Listing,
  listingBelow,
} from "./addresses.ts";
import { DocumentVisit } from "./document_visit.ts";
import type { Send } from "./event_stream.ts";
import type { Recalled, RecalledBy, SettledSitemap } from "./known_sitemaps.ts";
import {
  failureOf,
  isOtherContent,
  SAME_BYTES,
  type SitemapFailure,
  Tally,
  truncated,
  UNWANTED,
} from "./verdict.ts";
import {
  type DocumentRequest,
  Prefetch,
  type Sibling,
  Siblings,
  type SiblingSource,
} from "./prefetch.ts";
import type { DocumentSource } from "./resumable_body.ts";
import { refOf, SitemapNode, type SitemapPlace } from "./sitemap_node.ts";
import type { WalkContext } from "./walk_context.ts";

interface VisitOutcome extends Pick<SettledSitemap, "read" | "recalled"> {
  readonly outcome: DocumentOutcome | SitemapFailure;
  /** Absent if there was nothing to read. */
  readonly node?: SitemapNode;
  readonly finalUrl?: URL;
  readonly robots?: HeldBytes;
  /** Kind of a sitemap that is not wanted. */
  readonly type?: SitemapType | undefined;
}

export interface VisitedSitemap {
  readonly type: SitemapType;
  readonly children: number;
  /** Whether it was not read, since it is not wanted. */
  readonly isUnwanted?: true;
}

interface Target {
  readonly listing: Listing;
  readonly sibling: Sibling;
  readonly place: SitemapPlace;
  /** Whether it is read only if it is an index. */
  readonly onlyIndex: boolean;
}

type Found = Pick<Sibling, "document" | "recalled">;

export class Visitor {
  readonly #context: WalkContext;
  readonly #send: Send<TreeEvent>;

  constructor(context: WalkContext, send: Send<TreeEvent>) {
    this.#context = context;
    this.#send = send;
  }

  async visit(listing: Listing, sibling: Sibling): Promise<VisitedSitemap | SitemapFailure> {
    const { document, recalled, refusal } = sibling;
    if (document !== undefined) await this.#context.slots.take();
    const target = this.#targetOf(listing, sibling);
    if (refusal !== undefined) return await this.#refuse(target, refusal);
    const reading = document === undefined
      ? this.#recall(target, { known: recalled!, by: recalled!.skippedBy! })
      : await this.#read(target, document);
    const { outcome } = reading;
    if (outcome === UNWANTED) return this.#leaveOut(target, reading.type);
    if ("code" in outcome) return await this.#fail(target, outcome, reading);
    return await this.#enter(target, outcome, reading);
  }

  #targetOf(listing: Listing, sibling: Sibling): Target {
    const { index, lastModified } = sibling;
    const { level, id: parent } = listing.ref;
    const id = this.#context.newId();
    const place = { id, level: level + 1, parent, index, lastModified, foundBy: foundBy(listing) };
    return { listing, sibling, place, onlyIndex: !this.#isWanted(listing, sibling) };
  }

  // -------------------------------------------------------------------------------------- outcomes

  #refuse(
    target: Target,
    refusal: SitemapFailure,
  ): SitemapFailure | Promise<SitemapFailure> {
    const { code, reason } = refusal;
    if (target.onlyIndex && code === "already-visited") return UNWANTED;
    if (code === "blocked") {
      this.#context.fetcher.reportRefusal(withoutUserInfo(new URL(target.sibling.key)), reason);
    }
    return this.#fail(target, refusal);
  }

  #leaveOut(
    { sibling }: Target,
    type: SitemapType | undefined,
  ): VisitedSitemap | SitemapFailure {
    const { addresses, tally, setting } = this.#context;
    // not requested again as a known path
    addresses.addKey(sibling.key);
    if (type === undefined) return UNWANTED;
    if (setting.onlyKinds) tally.read(false, true);
    else tally.unwanted++;
    return { type, children: 0, isUnwanted: true };
  }

  /** A failure is an event only if the sitemap is declared. */
  async #fail(
    { listing, sibling: { url, key }, place }: Target,
    failure: SitemapFailure,
    reading?: VisitOutcome,
  ): Promise<SitemapFailure> {
    const context = this.#context;
    if (context.isEnded()) return failure;
    const { tally, addresses } = context;
    const { node = new SitemapNode(place, url, { tally }), finalUrl } = reading ?? {};
    if (isDeclared(listing)) {
      tally.declaredInvalid(key, failure);
      addresses.addKey(key);
      if (finalUrl !== undefined) addresses.add(finalUrl.href);
      if (failure.requestCode === "content-encoding") {
        node.warning("content-encoding", failure.reason);
      }
      node.invalidate(failure);
      await this.#send(node.take());
    }
    const ref = node.ref ?? refOf(place, "InvalidSitemap", url);
    context.knownSitemaps?.fail(withoutUserInfoIn(key), failure, ref);
    return failure;
  }

  /** Visits what a sitemap lists that was read or is recalled. */
  async #enter(
    { listing, sibling: { url, key } }: Target,
    { type, complete }: Exclude<DocumentOutcome, SitemapFailure>,
    reading: VisitOutcome,
  ): Promise<VisitedSitemap> {
    const context = this.#context;
    const { addresses, tally } = context;
    const { read, recalled, robots } = reading;
    const { node, finalUrl } = reading as Required<VisitOutcome>;
    addresses.addKey(key);
    if (finalUrl.href !== key) addresses.add(finalUrl.href);
    const ref = node.enter(type);
    const isRobots = isSiteRobots(listing) && type === "IndexRobotsTxtSitemap";
    const isWhole = complete && !node.hasDroppedChild;
    tally.read(isRobots, isWhole, context.isEnded() && !node.hasDroppedChild);
    if (isRobots && robots !== undefined) {
      context.robots.add(robots.bytes, [new URL(url), finalUrl], context.fetcher.pace);
    }
    const { children } = node;
    const settled = { key: withoutUserInfoIn(key), ref, children, read, recalled };
    const settling = context.knownSitemaps?.settle(settled, async () => {
      await this.#send(node.take());
      return isWhole && !context.isEnded();
    });
    if (settling !== undefined) await settling;
    const hasChildren = children.length > 0;
    if (hasChildren) {
      await this.#send(node.take());
      const below = listingBelow(listing, ref, url);
      await this.visitAll(below, await this.filterList(below, children));
      context.reading.budget.release(children);
    }
    // a limit that ends the walk leaves open sitemaps incomplete
    const isCut = hasChildren ? context.isStopped() : context.isEnded();
    node.leave(complete && !isCut);
    await this.#send(node.take());
    return { type, children: children.length };
  }

  // --------------------------------------------------------------------------------------- reading

  #recall({ place, sibling, onlyIndex }: Target, recalled: Recalled): VisitOutcome {
    const { tally, reading } = this.#context;
    const { type, pages, url } = recalled.known;
    if (onlyIndex && !type.startsWith("Index")) return { outcome: UNWANTED, type };
    const ownPlace = placeAt(place, withoutUserInfoIn(sibling.key), url);
    const node = new SitemapNode(ownPlace, url, { tally, addresses: reading.budget });
    node.enter(type);
    node.recall(pages, recalled.known.children());
    this.#context.limit?.count(pages);
    return { outcome: { type, complete: true }, node, finalUrl: new URL(url), recalled };
  }

  /** Releases the slot of the document. */
  async #read(target: Target, document: Prefetch): Promise<VisitOutcome> {
    const { listing, place, onlyIndex } = target;
    const context = this.#context;
    try {
      const taken = document.take();
      // prefetches come after the request of this document
      context.slots.refill();
      const fetched = await taken;
      let last = fetched;
      const { url, known } = document.request;
      const recall = (by: RecalledBy) =>
        this.#recall(target, { known: known!, by, document: fetched });
      if (fetched.isNotModified) return recall("not-modified");
      const check = onlyIndex ? undefined : context.knownSitemaps?.check(fetched, known);
      const visit = new DocumentVisit(
        fetched.url === url ? place : placeAt(place, url.href, fetched.url.href),
        documentSource(fetched, document, context.fetcher, (whole) => last = whole),
        {
          isRobots: isRobotsUrl(url),
          only: context.setting.onlyKinds ? "kind" : onlyIndex ? "index" : undefined,
          check,
        },
        context.reading,
      );
      const outcome = await visit.read(this.#send);
      if (outcome === SAME_BYTES) return recall("same-bytes");
      if (outcome === UNWANTED) return { outcome, type: visit.type };
      if ("code" in outcome && !isDeclared(listing) && visit.cut !== undefined) {
        return { outcome: truncated(visit.cut, outcome) };
      }
      // after any other failure, the kind of document is unknown
      const isOther = "code" in outcome && visit.cut === undefined && isOtherContent(outcome);
      if (onlyIndex && isOther && isDeclared(listing)) return { outcome: UNWANTED };
      const { node, robots } = visit;
      return {
        outcome,
        node,
        robots,
        finalUrl: fetched.url,
        read: check && { document: last, check },
      };
    } catch (error) {
      return { outcome: failureOf(error) };
    } finally {
      context.slots.release();
    }
  }

  /** Has no events. Returns why not all of robots.txt could be read. */
  readRules(document: Prefetch): Promise<SitemapFailure | TruncatedError | undefined> {
    const { robots, fetcher, slots, reading, tally } = this.#context;
    return slots.read(document, async (fetched) => {
      const ownTally = new Tally();
      const visit = new DocumentVisit(
        { id: 0, level: 0, parent: null, index: 0 },
        documentSource(fetched, document, fetcher),
        { isRobots: true },
        { ...reading, tally: ownTally },
      );
      const outcome = await visit.read(() => undefined);
      tally.bytes += ownTally.bytes;
      reading.budget.release(visit.node.children);
      if ("code" in outcome) return visit.cut ? truncated(visit.cut, outcome) : outcome;
      if (outcome.type !== "IndexRobotsTxtSitemap") return undefined;
      robots.add(visit.robots.bytes, [document.request.url, fetched.url], fetcher.pace);
      return visit.cut;
    });
  }

  #isWanted(listing: Listing, { key, document }: Sibling): boolean {
    const { includeCallback } = this.#context.options;
    if (includeCallback === undefined) return true;
    const isExempt = isSiteRobots(listing) || foundBy(listing) === "given";
    return isExempt || Boolean(includeCallback(document?.request.url.href ?? key));
  }

  // ------------------------------------------------------------------------------------ children

  async visitAll(
    listing: Listing,
    listed: readonly ListedAddress[],
    firstIndex = 0,
  ): Promise<void> {
    const context = this.#context;
    const source = this.#siblingSource(listing, firstIndex);
    const siblings = new Siblings(listed, source, context.slots);
    try {
      while (!context.isStopped()) {
        const next = siblings.next();
        const sibling = next instanceof Promise ? await this.#untilStopped(next) : next;
        if (sibling === undefined || !context.admitSitemap()) return;
        await this.visit(listing, sibling);
      }
    } finally {
      siblings.end();
    }
  }

  async filterList(
    { ref, path }: Listing,
    listed: readonly ListedAddress[],
  ): Promise<readonly ListedAddress[]> {
    const { recurseListCallback } = this.#context.options;
    if (recurseListCallback === undefined) return listed;
    // the callback may change its arguments, so the times are kept apart
    const byUrl = new Map(listed.map((address) => [address.url, address]));
    const shown = new Map(listed.map(({ url, lastModified }) => [url, toListed(lastModified)]));
    const answer = recurseListCallback([...shown.keys()], ref.level, [...path], shown);
    const wanted = await this.#untilStopped(answer) ?? [];
    return [...wanted].map((url) => byUrl.get(url) ?? { url });
  }

  /** Waits for a callback, but not beyond the end of the walk. */
  async #untilStopped<T>(answer: T | Promise<T>): Promise<T | undefined> {
    const context = this.#context;
    try {
      return await abortable(Promise.resolve(answer), [context.fetcher.signal]);
    } catch (error) {
      if (context.isEnded()) return undefined;
      throw error;
    }
  }

  #siblingSource(listing: Listing, firstIndex: number): SiblingSource {
    const context = this.#context;
    const redirects = this.redirects((target) => this.#checkRedirect(listing, target));
    return {
      // given sitemaps are wanted
      accept: (address) => listing.ref.level < 0 || this.accepts(listing, address),
      make: ({ url, lastModified }, index) => {
        // parsed once, since a walk of small sitemaps does little else
        const parsed = new URL(url);
        if (url.includes("#")) parsed.hash = "";
        const key = parsed.href;
        const refusal = this.#refusal(listing, url, key);
        const found = refusal === undefined
          ? this.#declared(parsed, redirects, lastModified)
          : { refusal };
        return { url, index: firstIndex + index, lastModified, key, ...found };
      },
      window: () => Math.min(context.slots.size * 2, context.sitemapsLeft),
    };
  }

  accepts(
    { ref, path }: Listing,
    { url, lastModified }: ListedAddress,
  ): boolean | Promise<boolean> {
    const { recurseCallback } = this.#context.options;
    return recurseCallback?.(url, ref.level, [...path], toListed(lastModified)) ?? true;
  }

  #declared(address: URL, redirects: RedirectHandler, lastModified?: string): Found {
    const { options, probes } = this.#context;
    const url = withoutUserInfo(address);
    const request = { url, retries: options.retries, redirects, followsAhead: true };
    const found = this.requestOrRecall(request, lastModified);
    const probed = probes?.claim(url.href);
    if (found.document !== undefined) probed?.adopt(found.document.request);
    else probed?.cancel();
    return probed === undefined || found.document === undefined ? found : { document: probed };
  }

  requestOrRecall(request: DocumentRequest, lastModified?: string): Found {
    const { fetcher, knownSitemaps } = this.#context;
    const known = knownSitemaps?.recall(request.url.href, lastModified);
    return known?.skippedBy === undefined
      ? { document: new Prefetch(fetcher, { ...request, known }) }
      : { recalled: known };
  }

  redirects(check: (target: URL) => void): RedirectHandler {
    const context = this.#context;
    return {
      check,
      answer: (target) => context.probes?.claim(addressKey(target.href))?.handOver(),
    };
  }

  // ------------------------------------------------------------------------------------- refusals

  #refusal({ keys, ref }: Listing, url: string, key: string): SitemapFailure | undefined {
    const { addresses, robots, options: { maxDepth } } = this.#context;
    const refused = (code: InvalidCode, reason: string) => ({ code, reason });
    if (keys.includes(key)) return refused("recursion", "Sitemap lists its own ancestor");
    const part = addresses.earlierPartWith(url);
    if (part !== undefined) return refused("already-visited", `Already in the tree of ${part}`);
    if (ref.level + 1 > maxDepth) return refused("too-deep", `Deeper than level ${maxDepth}`);
    return robots.allows(url) ? undefined : refused("blocked", "Disallowed by robots.txt");
  }

  #checkRedirect(listing: Listing, target: URL): void {
    const { href } = target;
    if (listing.keys.includes(addressKey(href))) {
      const reason = `Redirects to its own ancestor "${excerpt(href)}"`;
      throw new InvalidSitemapError("recursion", reason);
    }
    const part = this.#context.addresses.earlierPartWith(href);
    if (part !== undefined) {
      const reason = `Redirects to "${excerpt(href)}", already in the tree of ${part}`;
      throw new InvalidSitemapError("already-visited", reason);
    }
    this.checkRobots(target);
  }

  checkRobots({ href }: URL): void {
    if (this.#context.robots.allows(href)) return;
    const reason = `Redirects to "${excerpt(href)}", disallowed by robots.txt`;
    throw new InvalidSitemapError("blocked", reason);
  }
}

/** `onWhole` is called with each further response that has all of the document. */
function documentSource(
  fetched: FetchedDocument,
  document: Prefetch,
  fetcher: Fetcher,
  onWhole?: (fetched: FetchedDocument) => void,
): DocumentSource {
  return {
    ...fetched,
    url: fetched.url.href,
    response: describeResponse(fetched, fetched.redirects),
    async reopen(received, error) {
      const again = await fetcher.reopen(fetched, received, document.budget!, error);
      if (again?.offset === 0) onWhole?.(again);
      return again && documentSource(again, document, fetcher, onWhole);
    },
  };
}

/** Returns the place of a sitemap whose final URL may be another one than the one requested. */
function placeAt(place: SitemapPlace, requestedUrl: string, finalUrl: string): SitemapPlace {
  return addressKey(finalUrl) === requestedUrl ? place : { ...place, requestedUrl };
}

function toListed(lastModified: string | undefined): { readonly lastModified?: string } {
  return lastModified === undefined ? {} : { lastModified };
}
