/**
 * Visits sitemaps that nothing declares: known paths, and those that the homepage names. One that
 * cannot be read has no event.
 *
 * @module
 */

import { InvalidSitemapError } from "../data/errors.ts";
import { excerpt } from "../data/text.ts";
import { addressKey } from "../data/url.ts";
import { type ListedAddress, type Listing, rootListing, type TreePart } from "./addresses.ts";
import type { Discovery } from "./discovery.ts";
import { type Sibling, Siblings, type SiblingSource } from "./prefetch.ts";
import { ProbeAnswer } from "./probe_answer.ts";
import { isMissing, isOtherContent, isSilent, type SitemapFailure } from "./verdict.ts";
import type { VisitedSitemap } from "./visitor.ts";

interface FailedProbes {
  readonly url: string;
  readonly failure: SitemapFailure;
  count: number;
}

interface PathsOptions {
  readonly part: TreePart;
  /** What several of them are called. */
  readonly nouns: string;
  /** Step of the discovery that each of them is. Default: none, as for sitemaps that are named. */
  readonly step?: "known-path" | "variant";
  readonly retries: number;
}

interface ListOptions extends Pick<SiblingSource, "accept" | "window"> {
  readonly requested?: ReadonlyMap<string, Pick<Sibling, "document" | "recalled">>;
  /** Whether a URL is not requested after all. Default: none. */
  readonly isSkipped?: (url: string) => boolean;
  /** Called before each; returns whether it may be visited. Default: all. */
  readonly admit?: () => boolean;
  readonly judge?: (answer: ProbeAnswer, result: VisitedSitemap | SitemapFailure) => Promise<void>;
}

export class Probes {
  readonly listing: Listing;
  readonly #discovery: Discovery;
  readonly #options: PathsOptions;
  readonly #answers = new Map<string, ProbeAnswer>();
  readonly #failed = new Map<string, FailedProbes>();

  constructor(discovery: Discovery, options: PathsOptions) {
    this.#discovery = discovery;
    this.#options = options;
    this.listing = rootListing(discovery.root.ref!, options.part);
  }

  /** Returns the addresses that robots.txt allows, and reports the others. */
  allowed(listed: readonly ListedAddress[]): ListedAddress[] {
    const { nouns, step } = this.#options;
    const allowed = listed.filter(({ url }) => this.#discovery.checkRobots(url, step));
    const disallowed = listed.length - allowed.length;
    if (disallowed > 0) {
      const message = `${disallowed} ${nouns} are disallowed by robots.txt`;
      this.#discovery.root.warning("probe-failed", message);
    }
    return allowed;
  }

  /** Visits a list in order, except what the tree contains by then. */
  async visit(listed: readonly ListedAddress[], list: ListOptions): Promise<void> {
    const { context } = this.#discovery;
    const { addresses, slots } = context;
    const siblings = new Siblings(listed, {
      ...list,
      make: ({ url }, index) => {
        const found = list.requested?.get(url) ??
          this.request(new URL(url), this.#options.retries);
        return { url, key: url, index, ...found };
      },
      isObsolete: ({ key }) => addresses.has(key) || list.isSkipped?.(key) === true,
    }, slots);
    const urls = listed.map(({ url }) => url);
    context.probes = siblings;
    try {
      for (;;) {
        const probe = await siblings.next();
        if (context.isStopped()) return;
        this.#passOver(urls.splice(0, probe === undefined ? urls.length : urls.indexOf(probe.url)));
        if (probe === undefined || list.admit?.() === false) return;
        urls.shift();
        await this.#visitOne(probe, list);
      }
    } finally {
      siblings.end();
    }
  }

  async #visitOne(probe: Sibling, { judge }: ListOptions): Promise<void> {
    const { step } = this.#options;
    const { context, visitor, deadEnds } = this.#discovery;
    if (step !== undefined) context.tally.probes++;
    const index = this.#discovery.children;
    const result = await visitor.visit(this.listing, { ...probe, index });
    if (context.isEnded()) return;
    const answer = this.#answers.get(probe.key)!;
    if (!("code" in result)) {
      if (!result.isUnwanted) this.#discovery.children++;
    } else if (!isSilent(result)) {
      this.fail(probe.url, result);
      if (isOtherContent(result) && answer.redirect) deadEnds.add(addressKey(answer.redirect.href));
    }
    if (step !== undefined) this.#discovery.addStep(step, answer, result);
    await judge?.(answer, result);
  }

  /** Reports URLs that were not requested because the tree contains them. */
  #passOver(urls: readonly string[]): void {
    const { step } = this.#options;
    if (step === undefined) return;
    for (const url of urls) {
      if (!this.#discovery.context.addresses.has(url)) continue;
      this.#discovery.passOver(step, url, "already in the tree");
    }
  }

  request(url: URL, retries: number): Pick<Sibling, "document" | "recalled"> {
    const { context: { addresses, options }, visitor, deadEnds } = this.#discovery;
    const answer = new ProbeAnswer(url);
    this.#answers.set(url.href, answer);
    this.#discovery.ask(url);
    const request = answer.request(Math.min(retries, options.retries), (target) => {
      this.#discovery.ask(target);
      if (addresses.has(target.href)) {
        throw new InvalidSitemapError("already-visited", "Sitemap is already in the tree");
      }
      if (deadEnds.has(addressKey(target.href))) {
        const reason = `Redirects to "${excerpt(target.href)}", which is not a sitemap`;
        throw new InvalidSitemapError("not-a-sitemap", reason);
      }
      visitor.checkRobots(target);
    });
    const redirects = visitor.redirects(request.redirects!.check);
    // its target may be added to the tree before its turn
    return visitor.requestOrRecall({ ...request, redirects, followsAhead: false });
  }

  /** Counts a failure, and keeps it for {@linkcode report} unless a sitemap is only missing. */
  fail(url: string, failure: SitemapFailure): void {
    this.#discovery.context.tally.failed(url, failure);
    if (isMissing(failure)) return;
    const same = this.#failed.get(failure.reason);
    if (same === undefined) this.#failed.set(failure.reason, { url, failure, count: 1 });
    else same.count++;
  }

  /** Reports failures, once for each reason; `omitted` is the number that was not requested. */
  report(omitted = 0): void {
    const { nouns } = this.#options;
    let more = omitted > 0 ? `; ${omitted} other ${nouns} were not requested` : "";
    for (const { url, count, failure: { reason, status } } of this.#failed.values()) {
      const first = `"${excerpt(url)}"`;
      const which = count === 1 ? first : `${count} ${nouns}, such as ${first}`;
      const message = `Cannot read ${which}: ${reason}${more}`;
      this.#discovery.root.warning("probe-failed", message, undefined, status);
      more = "";
    }
    this.#failed.clear();
  }
}
