import type { RequestCode } from "../data/codes.ts";
import type { AnswerCounts } from "./finding.ts";
import { type FindingPlace, type Findings, SITE } from "./findings.ts";
import type { Origins } from "./origins.ts";

/** How a page was answered. */
export interface PageAnswer {
  /** URL of the page, as it was given. */
  readonly url: string;
  /** Status of the last response; absent without one, and if redirects were not followed to an end. */
  readonly status?: number;
  /** Method of the last request; absent if none was made. */
  readonly method?: "HEAD" | "GET";
  /** URLs that it redirects to, one after the other. */
  readonly redirects: readonly string[];
  /** Whether the last response has an `X-Robots-Tag` that keeps it out of the index of `agent`. */
  readonly noindex?: true;
  /** Whether robots.txt of its host disallows the page for `agent`. */
  readonly disallowed?: true;
  /** Why it failed; `blocked` if it was not requested because of an option. Absent for a 2xx. */
  readonly code?: RequestCode;
  /** The same as a sentence, for people. */
  readonly reason?: string;
  /** Number of attempts, redirects not counted. */
  readonly attempts: number;
}

export class AnswerRules {
  readonly #findings: Findings;
  readonly #origins: Origins;
  /** Numbers of the sitemaps by their URL. */
  readonly #orders: ReadonlyMap<string, number>;
  readonly #counts = {
    requested: 0,
    unrequested: 0,
    failed: 0,
    redirected: 0,
    disallowed: 0,
    noindex: 0,
  };
  /** Sitemap of the last finding: most follow one of the same. */
  #place: FindingPlace = SITE;

  constructor(findings: Findings, origins: Origins, orders: ReadonlyMap<string, number>) {
    this.#findings = findings;
    this.#origins = origins;
    this.#orders = orders;
  }

  /** `undefined` before the first page. */
  get counts(): AnswerCounts | undefined {
    const { requested, unrequested } = this.#counts;
    return requested + unrequested === 0 ? undefined : { ...this.#counts };
  }

  judge(answer: PageAnswer, sitemap: string | undefined): void {
    const { url, code, redirects } = answer;
    // an option kept it from being requested
    const isUnrequested = code === "blocked" && redirects.length === 0;
    this.#counts[isUnrequested ? "unrequested" : "requested"]++;
    const aspect = this.#aspectOf(answer);
    if (aspect === undefined) return;
    this.#counts[aspect]++;
    const value = detailOf(answer);
    const example = { url, ...(value !== undefined && { value }) };
    this.#findings.report(this.#placeOf(sitemap), "page-status", aspect, example);
  }

  /** Returns the first way in which a page breaks the rule. */
  #aspectOf({ url, code, redirects, disallowed, noindex }: PageAnswer) {
    if (code !== undefined && code !== "blocked") return "failed" as const;
    if (redirects.length > 0) return "redirected" as const;
    const origin = disallowed && this.#origins.of(url);
    // what robots.txt of the walk disallows has a rule of its own
    if (origin && this.#origins.robotsOf(origin) === undefined) return "disallowed" as const;
    return noindex && "noindex" as const;
  }

  #placeOf(url: string | undefined): FindingPlace {
    if (this.#place.url !== url) {
      this.#place = { url, order: this.#orders.get(url ?? "") ?? 0 };
    }
    return this.#place;
  }
}

function detailOf({ redirects, reason }: PageAnswer): string | undefined {
  const target = redirects.at(-1);
  if (target === undefined) return reason;
  const more = redirects.length === 1 ? "" : `, after ${redirects.length} redirects`;
  return `to ${target}${more}${reason === undefined ? "" : `: ${reason}`}`;
}
