/**
 * Requests the homepage, for the sitemaps and feeds that it names and the origin that it redirects to.
 *
 * @module
 */

import { charsetOf, mediaTypeOf } from "../bytes/detect_encoding.ts";
import { decompress } from "../bytes/gunzip.ts";
import { CallerError, TruncatedError } from "../data/errors.ts";
import { count } from "../data/text.ts";
import { bodyFailure } from "../http/failure.ts";
import type { FetchedDocument } from "../http/fetched_document.ts";
import { hostCheck } from "../http/hosts.ts";
import type { Discovery, StepDetails } from "./discovery.ts";
import { type HomepageLinks, homepageLinks, scanHead } from "./homepage_links.ts";
import { namesLogin } from "./login_wall.ts";
import { folderOf } from "./options.ts";
import { Prefetch } from "./prefetch.ts";
import { ProbeAnswer } from "./probe_answer.ts";
import { Probes } from "./probes.ts";
import { isDenied, isMissing, type SitemapFailure, truncated } from "./verdict.ts";

const RETRIES = 1;
const MAX_BYTES = 256 * 1024;
const HTML_TYPES = ["text/html", "application/xhtml+xml"];

export class HomepageVisit {
  readonly #discovery: Discovery;
  readonly #answer: ProbeAnswer;
  #links: HomepageLinks = { sitemaps: [], feeds: [] };
  #isAsked = false;
  #failure: SitemapFailure | undefined;

  /** `url` has no user info. */
  constructor(discovery: Discovery, url: URL) {
    this.#discovery = discovery;
    this.#answer = new ProbeAnswer(url);
  }

  async visit(): Promise<void> {
    const { context, root } = this.#discovery;
    context.addresses.beginPart("the homepage");
    if (context.isStopped() || !this.#isAsked && !this.#mayAsk()) return;
    await this.#ask();
    if (context.isEnded()) return;
    if (this.#failure === undefined && !this.#isUnneeded) {
      await this.#visitAll(this.#links.sitemaps, "sitemaps that the homepage names");
    } else if (this.#failure !== undefined && !isMissing(this.#failure)) {
      const { reason, status } = this.#failure;
      root.warning("probe-failed", `Cannot read the homepage: ${reason}`, undefined, status);
    }
  }

  /**
   * Requests the homepage before its turn, as robots.txt and known paths are refused. If it is too,
   * its host is given up, and that which it redirects to.
   */
  async isDenied(): Promise<boolean> {
    if (this.#discovery.context.options.useHomepage === false || this.#isUnneeded) return false;
    await this.#ask();
    if (this.#failure === undefined || !isDenied(this.#failure)) return false;
    const { url, redirect = url } = this.#answer;
    this.#discovery.giveUp(url);
    this.#discovery.giveUp(redirect);
    return true;
  }

  get #isUnneeded(): boolean {
    const { hasFound, context: { options } } = this.#discovery;
    return options.useHomepage === "fallback" && hasFound;
  }

  /** Whether the homepage may be requested; reports why it is not. */
  #mayAsk(): boolean {
    const { url } = this.#answer;
    const step = "homepage";
    if (this.#discovery.context.options.useHomepage === false) return false;
    if (this.#isUnneeded) {
      this.#discovery.passOver(step, url.href, "sitemaps were found before");
    } else if (this.#discovery.isGivenUp(url)) {
      this.#discovery.passOver(step, url.href, "the host was given up");
    } else if (this.#discovery.checkRobots(url.href, step)) {
      return true;
    } else {
      const message = "The homepage is disallowed by robots.txt";
      this.#discovery.root.warning("probe-failed", message);
    }
    return false;
  }

  async #ask(): Promise<void> {
    if (this.#isAsked) return;
    this.#isAsked = true;
    await this.#discovery.flush();
    const { context, visitor } = this.#discovery;
    const { fetcher, slots, options, tally } = context;
    const answer = this.#answer;
    const request = answer.request(Math.min(RETRIES, options.retries), (target) => {
      this.#discovery.ask(target);
      visitor.checkRobots(target);
    });
    const document = new Prefetch(fetcher, request);
    const failure = await slots.read(document, (fetched) => this.#read(fetched));
    this.#failure = failure;
    if (failure === undefined || context.isEnded()) return;
    answer.status ??= failure.status;
    this.#discovery.addStep("homepage", answer, failure);
    tally.failed(answer.url.href, failure);
  }

  async visitFeeds(): Promise<void> {
    const { context, hasFound } = this.#discovery;
    if (!context.options.useFeeds || hasFound || context.isStopped()) return;
    context.addresses.beginPart("the homepage");
    await this.#visitAll(this.#links.feeds, "feeds that the homepage names");
  }

  /** Returns the folder of the same origin that the homepage redirects to, such as `/en/`. */
  folder(): URL | undefined {
    const { url } = this.#answer;
    const target = this.#target();
    const isSame = target?.origin === url.origin;
    if (target === undefined || !isSame || namesLogin(target)) return undefined;
    const path = folderOf(target.pathname);
    return path === "/" || path === url.pathname ? undefined : new URL(path, url);
  }

  /** Returns another origin of the same site that the homepage redirects to, as its homepage. */
  async variant(): Promise<URL | undefined> {
    const { url } = this.#answer;
    const target = this.#target();
    if (target === undefined || target.origin === url.origin) return undefined;
    const isSameSite = await hostCheck("same-site", url);
    return isSameSite(target) ? new URL("/", target) : undefined;
  }

  #target(): URL | undefined {
    const { redirect, status } = this.#answer;
    // without a response, the redirect may have been refused by a policy
    return status === undefined ? undefined : redirect;
  }

  /** Returns a failure if the body ends before it names a sitemap or feed. */
  async #read(document: FetchedDocument): Promise<SitemapFailure | undefined> {
    const { headers, url, contentType, body } = document;
    if (!HTML_TYPES.includes(mediaTypeOf(contentType))) {
      body.cancel();
      this.#addStep({ sitemaps: 0, reason: "Not an HTML document" });
      return undefined;
    }
    const { html, error } = await readHead(document);
    const links = this.#links = homepageLinks(url, headers.get("link"), scanHead(html));
    const { sitemaps, feeds } = links;
    if (error !== undefined && sitemaps.length + feeds.length === 0) {
      const cut = new TruncatedError("body-cut", bodyFailure(error).reason, { cause: error });
      return truncated(cut, { code: "network", reason: cut.message });
    }
    const named = feeds.length > 0 ? `, and ${count(feeds.length, "feed")}` : "";
    const reason = `Names ${count(sitemaps.length, "sitemap")}${named}`;
    this.#addStep({ sitemaps: sitemaps.length, reason, isHtml: true });
    return undefined;
  }

  #addStep(details: StepDetails): void {
    const homepage = { type: "IndexWebsiteSitemap" } as const;
    this.#discovery.addStep("homepage", this.#answer, homepage, details);
  }

  async #visitAll(urls: readonly string[], nouns: string): Promise<void> {
    const { context, visitor } = this.#discovery;
    if (urls.length === 0) return;
    const { retries } = context.options;
    const probes = new Probes(this.#discovery, { part: "the homepage", nouns, retries });
    const { listing } = probes;
    const listed = await visitor.filterList(listing, urls.map((url) => ({ url })));
    await probes.visit(probes.allowed(listed), {
      window: () => Math.min(context.slots.size * 2, context.sitemapsLeft),
      admit: () => context.admitSitemap(),
      accept: (address) => visitor.accepts(listing, address),
    });
    probes.report();
  }
}

async function readHead(
  { body, contentType, contentEncoding }: FetchedDocument,
): Promise<{ readonly html: string; readonly error?: unknown }> {
  const { source } = await decompress(body, { warn: () => {}, contentEncoding });
  const decoder = decoderOf(charsetOf(contentType));
  let html = "", bytes = 0, scanned = 0;
  try {
    while (bytes < MAX_BYTES) {
      const chunk = await source.read();
      if (chunk === undefined) break;
      html += decoder.decode(chunk.subarray(0, MAX_BYTES - bytes), { stream: true });
      bytes += chunk.length;
      // scanned again only once it has doubled, so that the time is linear
      if (html.length < 2 * scanned) continue;
      scanned = html.length;
      if (scanHead(html).isEnded) break;
    }
  } catch (error) {
    if (error instanceof CallerError) throw error;
    return { html, error };
  } finally {
    source.cancel();
  }
  return { html };
}

function decoderOf(charset: string | undefined): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    // an unknown label
    return new TextDecoder();
  }
}
