/**
 * Recognises a site that answers all paths alike, perhaps with its homepage: where a known path has
 * something that is not a sitemap, the answer is compared with that to a path that cannot exist.
 *
 * @module
 */

import { InvalidSitemapError } from "../data/errors.ts";
import type { Discovery } from "./discovery.ts";
import { Prefetch } from "./prefetch.ts";
import { ProbeAnswer } from "./probe_answer.ts";
import { isOtherContent, isSilent, type SitemapFailure, withStatus } from "./verdict.ts";
import type { VisitedSitemap } from "./visitor.ts";

/** Makes one request at most. */
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
}
