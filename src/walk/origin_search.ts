/**
 * The search for sitemaps on one origin, that of the homepage or of its variant: robots.txt and the
 * known paths, of which fewer are requested on a site that answers all paths alike.
 *
 * @module
 */

import { InvalidSitemapError, TruncatedError } from "../data/errors.ts";
import { count } from "../data/text.ts";
import { type ListedAddress, rootListing } from "./addresses.ts";
import type { Discovery } from "./discovery.ts";
import type { HomepageVisit } from "./homepage_visit.ts";
import { COMMON_PATHS, firstPaths, FOLDER_PATHS, FURTHER_PATHS, knownUrls } from "./known_paths.ts";
import { type DocumentRequest, Prefetch } from "./prefetch.ts";
import { ProbeAnswer } from "./probe_answer.ts";
import { Probes } from "./probes.ts";
import {
  failureOf,
  isDenied,
  isDisallowAll,
  isMissing,
  isOtherContent,
  isOutage,
  isSilent,
  type SitemapFailure,
  withStatus,
} from "./verdict.ts";
import type { VisitedSitemap } from "./visitor.ts";

/** Requests after which the homepage shows whether a site denies all: robots.txt and known paths. */
const MAX_DENIED = 4;
const PROBE_RETRIES = 1;
/** End of the known path that shows whether a site is down. */
const TEST_PATH = "/sitemap.xml";

/** Parts of the tree and steps of the discovery, on the origin of the homepage and on its variant. */
const OWN = {
  robots: "robots.txt",
  robotsStep: "robots",
  paths: "the known paths",
  pathsStep: "known-path",
} as const;
const VARIANT = {
  robots: "robots.txt of the variant",
  robotsStep: "variant",
  paths: "the known paths of the variant",
  pathsStep: "variant",
} as const;

/** Documents by URL that were requested already. */
type Requested = ReadonlyMap<string, { readonly document: Prefetch }>;

export class OriginSearch {
  readonly #discovery: Discovery;
  readonly #homepage: URL;
  readonly #visit: HomepageVisit;
  readonly #names: typeof OWN | typeof VARIANT;
  readonly #probes: Probes;
  /** Whether the site has shown how it answers a path that does not exist. */
  #isSettled = false;
  #wasCompared = false;
  /** Whether it answers all paths alike. */
  #isSame = false;
  /** Whether robots.txt shows that the site may be down. */
  #mayBeDown = false;
  /** Number of known paths that are not requested because it is. */
  #omitted = 0;
  /** Requests that were denied one after the other, from robots.txt on; 0 once one was not. */
  #denied = 0;

  /** `homepage` has no user info and ends in a slash; `visit` is that of the site. */
  constructor(discovery: Discovery, homepage: URL, visit: HomepageVisit, isVariant = false) {
    this.#discovery = discovery;
    this.#homepage = homepage;
    this.#visit = visit;
    const { paths: part, pathsStep: step } = this.#names = isVariant ? VARIANT : OWN;
    const nouns = "known paths";
    this.#probes = new Probes(discovery, { part, nouns, step, retries: PROBE_RETRIES });
  }

  // ------------------------------------------------------------------------------------ robots.txt

  async visitRobots(): Promise<void> {
    const { context } = this.#discovery;
    const { useRobots, respectRobots, retries } = context.options;
    context.addresses.beginPart(this.#names.robots);
    const url = new URL("robots.txt", this.#homepage);
    if (!useRobots && !respectRobots || this.#discovery.wasAsked(url.href)) return;
    const answer = new ProbeAnswer(url);
    this.#discovery.ask(url);
    const request = answer.request(retries, (target) => this.#discovery.ask(target));
    if (useRobots) await this.#visitRobots(request, answer);
    else await this.#readRules(request, answer);
  }

  async #visitRobots(request: DocumentRequest, answer: ProbeAnswer): Promise<void> {
    const { context, visitor, root } = this.#discovery;
    const { href } = request.url;
    // the rules are needed even if they are unchanged
    const found = context.options.respectRobots
      ? { document: new Prefetch(context.fetcher, request) }
      : visitor.requestOrRecall(request);
    const index = this.#discovery.children;
    const listing = rootListing(root.ref!, this.#names.robots);
    const result = await visitor.visit(listing, { url: href, key: href, index, ...found });
    if ("code" in result) {
      if (context.isEnded()) return;
      if (this.#names === OWN) context.tally.robotsFailed(href, result);
      return this.#failRobots(answer, result);
    }
    if (!result.isUnwanted) this.#discovery.children++;
    const sitemaps = result.children;
    const reason = `Declares ${count(sitemaps, "sitemap")}`;
    const isRobots = result.type === "IndexRobotsTxtSitemap";
    const details = isRobots ? { sitemaps, reason } : {};
    this.#discovery.addStep(this.#names.robotsStep, answer, result, details);
  }

  /** Reads the rules of a robots.txt that is not part of the tree. */
  async #readRules(request: DocumentRequest, answer: ProbeAnswer): Promise<void> {
    const { context, visitor, root } = this.#discovery;
    const document = new Prefetch(context.fetcher, request);
    const failure = await visitor.readRules(document);
    if (context.isEnded()) return;
    if (failure !== undefined && !(failure instanceof TruncatedError)) {
      return this.#failRobots(answer, failure);
    }
    if (failure !== undefined) {
      root.warning(failure.code, `Cannot read all of robots.txt: ${failure.message}`);
    }
    const result = { type: "IndexRobotsTxtSitemap" } as const;
    const details = { sitemaps: 0, reason: "Read for its rules only" };
    this.#discovery.addStep(this.#names.robotsStep, answer, result, details);
  }

  #failRobots(answer: ProbeAnswer, failure: SitemapFailure): void {
    const { context: { robots, tally }, root } = this.#discovery;
    this.#discovery.addStep(this.#names.robotsStep, answer, failure);
    this.#mayBeDown = isOutage(failure);
    if (isDenied(failure)) this.#denied = 1;
    if (isDisallowAll(failure)) robots.disallowAll(answer.url);
    if (this.#names === VARIANT) return this.#probes.fail(answer.url.href, failure);
    if (isMissing(failure)) return;
    const { reason, status } = failure;
    tally.robots = failure;
    root.warning("robots-unreadable", `Cannot read robots.txt: ${reason}`, undefined, status);
  }

  // ----------------------------------------------------------------------------------- known paths

  /** Those in `folder` come last. */
  async visitKnownPaths(folder?: URL): Promise<void> {
    const { context } = this.#discovery;
    context.addresses.beginPart(this.#names.paths);
    const isUsed = context.options.useKnownPaths !== false;
    const paths = firstPaths(context.options);
    if (paths.length === 0) return this.#probes.report();
    try {
      await this.#visitFirst(paths, isUsed);
      if (!isUsed) return;
      const { hasFound } = this.#discovery;
      if (!hasFound && !this.#isSame) await this.#visitMore(this.#homepage, FURTHER_PATHS);
      if (folder !== undefined) await this.#visitMore(folder, FOLDER_PATHS);
    } finally {
      this.#probes.report(this.#omitted);
    }
  }

  /** Visits the paths of a folder that the homepage redirects to, where nothing was found. */
  async visitFolder(folder: URL): Promise<void> {
    const { context, hasFound, loginPage } = this.#discovery;
    const isUsed = context.options.useKnownPaths !== false;
    if (!isUsed || hasFound || loginPage !== undefined) return;
    context.addresses.beginPart("the known paths");
    await this.#visitMore(folder, FOLDER_PATHS);
    this.#probes.report();
  }

  async #visitFirst(paths: readonly string[], isControlled: boolean): Promise<void> {
    const allowed = this.#allowedUrls(this.#homepage, paths);
    const requested = this.#mayBeDown ? await this.#testSite(allowed) : undefined;
    if (requested === "down" || this.#isRefusing(allowed)) {
      return this.#discovery.giveUp(this.#homepage);
    }
    await this.#discovery.flush();
    await this.#visitAll(allowed, isControlled, requested);
  }

  async #visitMore(base: URL, paths: readonly string[]): Promise<void> {
    const { context } = this.#discovery;
    if (context.isStopped() || this.#discovery.isGivenUp(base)) return;
    await this.#visitAll(this.#allowedUrls(base, paths), base === this.#homepage);
  }

  /** With `isControlled`, uncommon paths are left out if all are answered alike. */
  async #visitAll(
    allowed: readonly ListedAddress[],
    isControlled: boolean,
    requested?: Requested,
  ): Promise<void> {
    const { extraKnownPaths } = this.#discovery.context.options;
    const common = knownUrls(this.#homepage, [...COMMON_PATHS, ...extraKnownPaths]);
    const judge = async (answer: ProbeAnswer, result: VisitedSitemap | SitemapFailure) => {
      await this.#compare(answer, result);
      if (this.#denied === 0) return;
      this.#denied = "code" in result && isDenied(result) ? this.#denied + 1 : 0;
      if (!this.#isDenied) return;
      if (await this.#visit.isDenied()) this.#omitAfter(answer.url, allowed);
      else this.#denied = 0;
    };
    const isSkipped = (url: string) => this.#isDenied || this.#isSame && !common.has(url);
    await this.#probes.visit(allowed, {
      ...(requested && { requested }),
      window: () => this.#window(isControlled),
      ...(isControlled && { isSkipped, judge }),
    });
  }

  /**
   * Takes the answer of a known path. If that is not a sitemap, it is compared with that to a path that
   * cannot exist, once: the site may answer all paths alike, perhaps with its homepage.
   */
  async #compare(answer: ProbeAnswer, result: VisitedSitemap | SitemapFailure): Promise<void> {
    if (this.#wasCompared || !("code" in result) || isSilent(result)) return;
    answer.status ??= result.status;
    const { redirect } = answer;
    const isHomepage = redirect?.pathname === "/" || redirect?.href === this.#homepage.href;
    const isOther = isOtherContent(result) && answer.status !== undefined;
    if (isHomepage || isOther) {
      this.#wasCompared = true;
      this.#isSame = await this.#ask(answer);
    }
    this.#isSettled = true;
  }

  /** Requests a path that cannot exist. Returns whether it is answered like another one. */
  async #ask(answer: ProbeAnswer): Promise<boolean> {
    const { context, visitor } = this.#discovery;
    const { slots, fetcher, tally } = context;
    const digits = Math.floor(context.clock.random() * 2 ** 52).toString(16).padStart(13, "0");
    const url = new URL(`${digits}.xml`, this.#homepage);
    if (!context.robots.allows(url.href)) return false;
    const control = new ProbeAnswer(url);
    const request = control.request(0, (target) => {
      // not requested again
      if (control.isRedirectedLike(answer)) throw new InvalidSitemapError("already-visited", "");
      visitor.checkRobots(target);
    });
    const failure = await slots.read(new Prefetch(fetcher, request), async ({ body }) => {
      await body.cancel();
    });
    if (failure !== undefined) control.status = failure.status;
    const isSame = await control.isLike(answer);
    tally.addStep({
      ...{ step: "control", url: url.href, sitemaps: 0 },
      ...withStatus(control),
      reason: isSame
        ? "Answered like a known path: only the most common known paths are requested"
        : "Answered in another way than a known path",
    });
    return isSame;
  }

  #window(isControlled: boolean): number {
    // one at a time while the next answer may end them: that of a path that does not exist is not
    // known yet, or all were denied so far
    const isUnsettled = !this.#isSettled || this.#denied > 0;
    return isControlled && isUnsettled ? 0 : this.#discovery.context.slots.size * 2;
  }

  /** Whether robots.txt, the first known paths and the homepage were all denied. */
  get #isDenied(): boolean {
    return this.#denied === MAX_DENIED;
  }

  #omitAfter({ href }: URL, allowed: readonly ListedAddress[]): void {
    const { context: { addresses } } = this.#discovery;
    const left = allowed.slice(allowed.findIndex(({ url }) => url === href) + 1)
      .filter(({ url }) => !addresses.has(url));
    this.#omitted = left.length;
    for (const { url } of left) {
      this.#discovery.passOver(this.#names.pathsStep, url, "the site denies all requests");
    }
  }

  /** Called when robots.txt failed: if this path does too, the others are not requested. */
  async #testSite(allowed: readonly ListedAddress[]): Promise<"down" | undefined | Requested> {
    const { slots, tally } = this.#discovery.context;
    const { url } = allowed.find(({ url }) => url.endsWith(TEST_PATH)) ?? allowed[0] ?? {};
    if (url === undefined) return undefined;
    const { document } = this.#probes.request(new URL(url), 0);
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
        const answer = new ProbeAnswer(new URL(url));
        this.#discovery.addStep(this.#names.pathsStep, answer, failure);
        this.#probes.fail(url, failure);
        this.#omitted = allowed.length - 1;
        return "down";
      }
    }
    return new Map([[url, { document }]]);
  }

  /** Whether the host has refused a declared sitemap for good, so that known paths are not requested. */
  #isRefusing(allowed: readonly ListedAddress[]): boolean {
    const { context: { fetcher }, root } = this.#discovery;
    if (this.#mayBeDown || !fetcher.pace.host(this.#homepage).isRefusing) return false;
    const message = `${allowed.length} known paths were not requested: the host refuses requests`;
    root.warning("probe-failed", message);
    return true;
  }

  #allowedUrls(base: URL, paths: readonly string[]): ListedAddress[] {
    const { useKnownPaths } = this.#discovery.context.options;
    const isWanted = typeof useKnownPaths === "function" ? useKnownPaths : () => true;
    const urls = [...knownUrls(base, paths)]
      .filter((url) => !this.#discovery.wasAsked(url) && isWanted(url));
    return this.#probes.allowed(urls.map((url) => ({ url })));
  }
}
