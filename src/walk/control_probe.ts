/**
 * Recognises a site that answers all paths alike, perhaps with its homepage: where a known path has
 * something that is not a sitemap, the answer is compared with that to a path that cannot exist.
 *
 * @module
 */

import { chunkSource, peek } from "../bytes/byte_source.ts";
import { mediaTypeOf } from "../bytes/detect_encoding.ts";
import { decompress } from "../bytes/gunzip.ts";
import { InvalidSitemapError } from "../data/errors.ts";
import { addressKey } from "../data/url.ts";
import type { FetchedDocument } from "../http/fetcher.ts";
import type { Discovery } from "./discovery.ts";
import { Prefetch } from "./prefetch.ts";
import { failureOf, isOtherContent, isSilent, type SitemapFailure } from "./verdict.ts";
import type { VisitedSitemap } from "./visitor.ts";

/** Number of first bytes that are compared. */
const COMPARED_BYTES = 1024;

/** How a request was answered. */
export class ProbeAnswer {
  readonly url: URL;
  /** Last target of redirects, if there were any. */
  redirect: URL | undefined;
  status: number | undefined;
  #contentType: string | null = null;
  #contentEncoding: string | null = null;
  #head = new Uint8Array(0);

  constructor(url: URL) {
    this.url = url;
  }

  /** Records a response, and returns the same. */
  readonly observe = async (document: FetchedDocument): Promise<FetchedDocument> => {
    const { head, source } = await peek(document.body, COMPARED_BYTES);
    this.status = document.status;
    this.#contentType = document.contentType;
    this.#contentEncoding = document.contentEncoding;
    this.#head = head.slice(0, COMPARED_BYTES);
    return { ...document, body: source };
  };

  /** Whether it was redirected to the same URL as another one. */
  isRedirectedLike({ redirect }: ProbeAnswer): boolean {
    return redirect !== undefined && this.redirect !== undefined &&
      addressKey(redirect.href) === addressKey(this.redirect.href);
  }

  /** Whether it is the same as another one, apart from the name that was requested. */
  async isLike(other: ProbeAnswer): Promise<boolean> {
    if (this.isRedirectedLike(other)) return true;
    if (this.status !== other.status || this.#place !== other.#place) return false;
    if (mediaTypeOf(this.#contentType) !== mediaTypeOf(other.#contentType)) return false;
    const [text, otherText] = [await this.#text(), await other.#text()];
    const [short, long] = text.length < otherText.length ? [text, otherText] : [otherText, text];
    // the name may be longer in one of them, so that less of the rest was received
    const isCut = (short === text ? this : other).#head.length === COMPARED_BYTES;
    return long.startsWith(short) && (isCut || short.length === long.length);
  }

  /** URL that it was redirected to without the name requested; empty if it was not redirected. */
  get #place(): string {
    return this.#withoutName(this.redirect?.href ?? "");
  }

  /** Returns the first characters of the content without the name requested. */
  async #text(): Promise<string> {
    const contentEncoding = this.#contentEncoding;
    const body = chunkSource([this.#head]);
    const { source } = await decompress(body, { warn: () => {}, contentEncoding });
    const { head } = await peek(source, COMPARED_BYTES);
    return this.#withoutName(new TextDecoder("latin1").decode(head.subarray(0, COMPARED_BYTES)));
  }

  #withoutName(text: string): string {
    return text.replaceAll(this.url.pathname.slice(1), "");
  }
}

/** Decides whether a site answers all paths alike, by one request at most. */
export class ControlProbe {
  readonly #discovery: Discovery;
  readonly #homepage: URL;
  #isAsked = false;
  /** Whether the site has shown how it answers a path that does not exist. */
  isSettled = false;
  /** Whether it answers all paths alike. */
  isSame = false;

  constructor(discovery: Discovery, homepage: URL) {
    this.#discovery = discovery;
    this.#homepage = homepage;
  }

  /** Takes the answer of a known path; asks for one that cannot exist if that is not a sitemap. */
  async judge(answer: ProbeAnswer, result: VisitedSitemap | SitemapFailure): Promise<void> {
    if (this.#isAsked || !("code" in result) || isSilent(result)) return;
    answer.status ??= result.status;
    const { redirect } = answer;
    const isHomepage = redirect?.pathname === "/" || redirect?.href === this.#homepage.href;
    const isOther = isOtherContent(result) && answer.status !== undefined;
    if (isHomepage || isOther) {
      this.#isAsked = true;
      this.isSame = await this.#ask(answer);
    }
    this.isSettled = true;
  }

  /** Requests a path that cannot exist. Returns whether it is answered like another one. */
  async #ask(answer: ProbeAnswer): Promise<boolean> {
    const { context, visitor } = this.#discovery;
    const { slots, fetcher, tally } = context;
    const digits = Math.floor(context.random() * 2 ** 52).toString(16).padStart(13, "0");
    const url = new URL(`${digits}.xml`, this.#homepage);
    const step = { step: "control", url: url.href, sitemaps: 0 } as const;
    if (!context.allows(url.href)) return false;
    const control = new ProbeAnswer(url);
    const check = (target: URL) => {
      control.redirect = target;
      // not requested again
      if (control.isRedirectedLike(answer)) throw new InvalidSitemapError("already-visited", "");
      visitor.checkRobots(target);
    };
    const { observe } = control;
    const request = { url, retries: 0, followsAhead: true, redirects: { check }, observe };
    await slots.take();
    try {
      (await new Prefetch(fetcher, request).take()).body.cancel();
    } catch (error) {
      control.status = failureOf(error).status;
    } finally {
      slots.release();
    }
    const isSame = await control.isLike(answer);
    tally.addStep({
      ...step,
      ...(control.status !== undefined && { status: control.status }),
      reason: isSame
        ? "Answered like a known path: only the most common known paths are requested"
        : "Answered in another way than a known path",
    });
    return isSame;
  }
}
