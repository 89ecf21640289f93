/**
 * A walk: robots.txt and the sitemaps it declares, given sitemaps, then known paths, below one root.
 *
 * @module
 */

import { CallerError, InvalidSitemapError, TruncatedError } from "../data/errors.ts";
import type { FinishedEvent, TreeEvent } from "../data/events.ts";
import { excerpt } from "../data/text.ts";
import { withoutUserInfo } from "../data/url.ts";
import { type ListedAddress, rootListing } from "./addresses.ts";
import type { Send } from "./event_stream.ts";
import {
  failureOf,
  isDisallowAll,
  isMissing,
  isOutage,
  isSilent,
  type SitemapFailure,
  type WalkLimit,
} from "./verdict.ts";
import { KNOWN_PATHS, knownUrls } from "./known_paths.ts";
import type { Homepage } from "./options.ts";
import { type DocumentRequest, Prefetch, type Sibling, Siblings } from "./prefetch.ts";
import { SitemapNode } from "./sitemap_node.ts";
import { Visitor } from "./visitor.ts";
import type { WalkContext } from "./walk_context.ts";

/** Retries of a known path. */
const PROBE_RETRIES = 1;
/** End of the known path that shows whether a site is down. */
const TEST_PATH = "/sitemap.xml";

/** Known paths that failed for the same reason. */
interface FailedProbes {
  /** URL of the first one. */
  readonly url: string;
  readonly failure: SitemapFailure;
  count: number;
}

function addProbe(failed: Map<string, FailedProbes>, url: string, failure: SitemapFailure): void {
  const same = failed.get(failure.reason);
  if (same === undefined) failed.set(failure.reason, { url, failure, count: 1 });
  else same.count++;
}

export class Walker {
  readonly #homepage: URL;
  readonly #ignoredPath: string;
  readonly #context: WalkContext;
  readonly #send: Send<TreeEvent>;
  readonly #visitor: Visitor;
  readonly #root: SitemapNode;
  /** Whether robots.txt shows that the site may be down. */
  #mayBeDown = false;

  /** User info of the homepage is sent as a header and removed from its URL. */
  constructor({ url, ignoredPath }: Homepage, context: WalkContext, send: Send<TreeEvent>) {
    this.#homepage = withoutUserInfo(url);
    this.#ignoredPath = ignoredPath;
    this.#context = context;
    this.#send = send;
    this.#visitor = new Visitor(context, send);
    const place = { id: context.newId(), level: -1, parent: null, index: 0 };
    this.#root = new SitemapNode(place, this.#homepage.href, { tally: context.tally });
  }

  async run(): Promise<FinishedEvent> {
    const context = this.#context;
    const { fetcher, tally } = context;
    const root = this.#root;
    try {
      root.enter("IndexWebsiteSitemap");
      if (this.#ignoredPath !== "") {
        root.warning("path-ignored", `Ignored "${excerpt(this.#ignoredPath)}" of the homepage`);
      }
      await this.#send(root.take());
      await context.prepare(this.#homepage);
      await this.#visitParts();
      if (fetcher.reporter.failure !== undefined) throw fetcher.reporter.failure;
      if (tally.endedBy !== undefined) root.warning(tally.endedBy, this.#endMessage(tally.endedBy));
      root.leave(tally.endedBy === undefined);
      const finished = tally.finished(context.elapsed(), fetcher.requests, fetcher.retries);
      await this.#send([...root.take(), finished]);
      return finished;
    } catch (error) {
      throw error instanceof CallerError ? error.cause : error;
    } finally {
      context.stop(undefined);
    }
  }

  /** Visits robots.txt, the given sitemaps and the known paths, as the options say. */
  async #visitParts(): Promise<void> {
    const { addresses, options } = this.#context;
    const { useRobots, respectRobots, sitemaps, useKnownPaths, extraKnownPaths } = options;
    let children = 0;
    // without a request, rather than with one that a timer of 0 ms may or may not precede
    if (this.#context.isEnded()) return;
    if (useRobots) children = await this.#visitRobots();
    else if (respectRobots) await this.#readRules();
    addresses.endPart();
    if (sitemaps !== undefined) {
      const listing = rootListing(this.#root.ref!, "the given sitemaps");
      children = await this.#visitor.visitGiven(listing, sitemaps, children);
    }
    addresses.endPart();
    const hasExtra = useKnownPaths || sitemaps !== undefined;
    const paths = [
      ...(useKnownPaths ? KNOWN_PATHS : []),
      ...(hasExtra ? extraKnownPaths : []),
    ];
    if (paths.length > 0) await this.#visitKnownPaths(paths, children);
  }

  // ------------------------------------------------------------------------------------ robots.txt

  /** Visits robots.txt and everything below it. Returns the number of children of the root. */
  async #visitRobots(): Promise<number> {
    const request = this.#robotsRequest();
    const { url } = request;
    const { options: { respectRobots }, fetcher } = this.#context;
    // the rules are needed even if they are unchanged
    const found = respectRobots
      ? { document: new Prefetch(fetcher, request) }
      : this.#visitor.requestOrRecall(request);
    const sibling = { url: url.href, key: url.href, index: 0, ...found };
    const listing = rootListing(this.#root.ref!, "robots.txt");
    const failure = await this.#visitor.visit(listing, sibling);
    if (failure === undefined) return 1;
    if (this.#context.isEnded()) return 0;
    this.#context.tally.robotsFailed(url.href, failure);
    this.#reportUnreadable(url, failure);
    return 0;
  }

  /** Reads the rules of a robots.txt that is not part of the tree. */
  async #readRules(): Promise<void> {
    const document = new Prefetch(this.#context.fetcher, this.#robotsRequest());
    const failure = await this.#visitor.readRules(document);
    if (failure === undefined || this.#context.isEnded()) return;
    if (failure instanceof TruncatedError) {
      this.#root.warning(failure.code, `Cannot read all of robots.txt: ${failure.message}`);
    } else this.#reportUnreadable(document.request.url, failure);
  }

  #robotsRequest(): DocumentRequest {
    return {
      url: new URL("robots.txt", this.#homepage),
      retries: this.#context.options.retries,
      followsAhead: true,
    };
  }

  #reportUnreadable(url: URL, failure: SitemapFailure): void {
    this.#mayBeDown = isOutage(failure);
    if (isDisallowAll(failure)) this.#context.robots.disallowAll(url);
    if (isMissing(failure)) return;
    const { reason, status } = failure;
    this.#context.tally.robots = failure;
    this.#root.warning("robots-unreadable", `Cannot read robots.txt: ${reason}`, undefined, status);
  }

  // ----------------------------------------------------------------------------------- known paths

  /** Visits the known paths in order, except those that the tree contains by then. */
  async #visitKnownPaths(paths: readonly string[], firstIndex: number): Promise<void> {
    const context = this.#context;
    const { addresses, slots, tally } = context;
    const allowed = this.#allowedUrls(paths);
    const test = this.#mayBeDown ? await this.#testSite(allowed) : undefined;
    if (test === "down" || this.#isRefusing(allowed)) return;
    const probes = new Siblings(allowed, {
      make: ({ url }, index) => {
        const found = url === test?.url ? test : this.#probe(new URL(url), PROBE_RETRIES);
        return { url, key: url, index, ...found };
      },
      window: () => slots.size * 2,
      isObsolete: ({ key }) => addresses.has(key),
    }, slots);
    const listing = rootListing(this.#root.ref!, "the known paths");
    await this.#send(this.#root.take());
    context.probes = probes;
    slots.enter(probes);
    let index = firstIndex;
    const failed = new Map<string, FailedProbes>();
    try {
      for (let probe = await probes.next(); probe !== undefined; probe = await probes.next()) {
        if (context.isStopped()) return;
        tally.probes++;
        const failure = await this.#visitor.visit(listing, { ...probe, index });
        if (failure === undefined) index++;
        else if (!isSilent(failure) && !context.isEnded()) {
          tally.probeFailed(probe.url, failure);
          if (!isMissing(failure)) addProbe(failed, probe.url, failure);
        }
      }
    } finally {
      for (const group of failed.values()) this.#reportFailedProbes(group);
      probes.cancel();
      slots.leave(probes);
    }
  }

  /**
   * Requests one of the known paths, once: robots.txt failed, and if this one does too, the others are
   * not requested. Returns its document otherwise.
   */
  async #testSite(
    allowed: readonly ListedAddress[],
  ): Promise<"down" | undefined | { readonly url: string; readonly document?: Prefetch }> {
    const { slots, tally } = this.#context;
    const { url } = allowed.find(({ url }) => url.endsWith(TEST_PATH)) ?? allowed[0] ?? {};
    if (url === undefined) return undefined;
    const { document } = this.#probe(new URL(url), 0);
    if (document === undefined) return undefined;
    await slots.take();
    document.start(() => slots.release());
    try {
      await document.ready();
      if (document.isHeldBack) document.cancel();
    } catch (error) {
      const failure = failureOf(error);
      if (isOutage(failure)) {
        tally.probes++;
        tally.probeFailed(url, failure);
        const others = allowed.length - 1;
        this.#reportFailedProbes({ url, failure, count: 1 }, others);
        return "down";
      }
    }
    return { url, document };
  }

  /** Whether the host has refused a declared sitemap for good, so that known paths are not requested. */
  #isRefusing(allowed: readonly ListedAddress[]): boolean {
    const { fetcher } = this.#context;
    if (this.#mayBeDown || !fetcher.pace.host(this.#homepage).isRefusing) return false;
    const message = `${allowed.length} known paths were not requested: the host refuses requests`;
    this.#root.warning("probe-failed", message);
    return true;
  }

  /** Returns the URLs of known paths without those that robots.txt disallows. */
  #allowedUrls(paths: readonly string[]): ListedAddress[] {
    const { fetcher, robots, tally } = this.#context;
    const allowed: ListedAddress[] = [];
    const reason = "Disallowed by robots.txt";
    let disallowed = 0;
    for (const url of knownUrls(this.#homepage, paths)) {
      if (robots.allows(url)) allowed.push({ url });
      else {
        disallowed++;
        tally.probeFailed(url, { code: "blocked", reason });
        fetcher.reportRefusal(new URL(url), reason);
      }
    }
    if (disallowed > 0) {
      this.#root.warning("probe-failed", `${disallowed} known paths are disallowed by robots.txt`);
    }
    return allowed;
  }

  #probe(url: URL, retries: number): Pick<Sibling, "document" | "recalled"> {
    const { addresses, options } = this.#context;
    return this.#visitor.requestOrRecall({
      url,
      retries: Math.min(retries, options.retries),
      // its target may be added to the tree before its turn
      followsAhead: false,
      redirects: this.#visitor.redirects((target) => {
        if (addresses.has(target.href)) {
          throw new InvalidSitemapError("already-visited", "Sitemap is already in the tree");
        }
        this.#visitor.checkRobots(target);
      }),
    });
  }

  #reportFailedProbes(failed: FailedProbes, omitted = 0): void {
    const { url, count, failure: { reason, status } } = failed;
    const first = `"${excerpt(url)}"`;
    const paths = count === 1 ? first : `${count} known paths, such as ${first}`;
    const more = omitted > 0 ? `; ${omitted} other known paths were not requested` : "";
    const message = `Cannot read ${paths}: ${reason}${more}`;
    this.#root.warning("probe-failed", message, undefined, status);
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
