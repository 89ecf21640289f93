/**
 * The requests of a walk: the pending ones for the progress line, and why others failed.
 *
 * @module
 */

import type { RequestReport } from "../../../mod.ts";
import type { Cause } from "./advice.ts";
import { wholeDuration } from "../../data/words.ts";
import { MISSING_STATUSES } from "../../walk/verdict.ts";
import { SlowDowns } from "./slow_downs.ts";
import type { WalkSettings } from "./walk_settings.ts";

/** Milliseconds after which a wait is shown. */
const MIN_WAIT = 1000;
/** Maximum number of pending and of failed requests that are remembered. */
const MAX_PENDING = 1000;

function isHomepage(url: string): boolean {
  return URL.parse(url)?.pathname === "/";
}

/** Some challenges have the status 202. */
function isError({ status = 0, code }: RequestReport): boolean {
  return status >= 400 || code !== undefined;
}

export class RequestWatch {
  /** Known paths, from when they are about to be requested. */
  readonly knownPaths: Set<string> = new Set();
  /** Whether known paths are being asked, or one that cannot exist; not the homepage after them. */
  isProbing = false;
  readonly slowDowns: SlowDowns = new SlowDowns();
  /** The latest report of each sitemap, and when it came. */
  readonly #pending = new Map<string, { readonly report: RequestReport; readonly since: number }>();
  /** Why the last request of each sitemap failed. */
  readonly #failures = new Map<string, Cause>();
  /** Whether a response had another status than 404 and 410, or there was none. */
  #hasOther = false;
  readonly #retries: number;
  readonly #onlyKinds: boolean;
  #lastProgress: number = performance.now();

  /** `onlyKinds` says whether bodies are read only until their kind is known. */
  constructor({ retries, onlyKinds }: Pick<WalkSettings, "retries" | "onlyKinds">) {
    this.#retries = retries;
    this.#onlyKinds = onlyKinds;
  }

  add(report: RequestReport): void {
    const { phase, sitemap } = report;
    if (phase === "request") {
      this.isProbing = this.knownPaths.has(sitemap) || this.isProbing && !isHomepage(sitemap);
    }
    if (phase === "slow-down") return this.slowDowns.add(report);
    const isFailure = phase === "failure" || phase === "response" && isError(report);
    if (isFailure || phase === "response") this.#addOutcome(report, isFailure);
    if (isFailure) {
      this.#pending.delete(sitemap);
    } else if (this.#pending.size < MAX_PENDING) {
      this.#pending.set(sitemap, { report, since: performance.now() });
    }
  }

  #addOutcome(report: RequestReport, isFailure: boolean): void {
    const { sitemap, status = 0 } = report;
    if (!isFailure || !MISSING_STATUSES.has(status)) this.#hasOther = true;
    if (!isFailure) this.#failures.delete(sitemap);
    else if (this.#failures.size < MAX_PENDING) this.#failures.set(sitemap, report);
  }

  get isAllMissing(): boolean {
    return this.#failures.size > 0 && !this.#hasOther;
  }

  /** Returns each cause once, the most frequent first. */
  causes(): Cause[] {
    const counted = new Map<string, { readonly cause: Cause; count: number }>();
    for (const cause of this.#failures.values()) {
      const { code = "http-status", status = 0 } = cause;
      const same = counted.get(`${code} ${status}`);
      if (same === undefined) counted.set(`${code} ${status}`, { cause, count: 1 });
      else same.count++;
    }
    return [...counted.values()].sort((one, other) => other.count - one.count)
      .map(({ cause }) => cause);
  }

  /** Notes that events arrived. */
  progress(): void {
    this.#lastProgress = performance.now();
    for (const [url, { report }] of this.#pending) {
      if (report.phase === "response") this.#pending.delete(url);
    }
  }

  /** Returns the rate of a server that slows the walk down, or the request that takes long. */
  waiting(site: string): string | undefined {
    const rate = this.slowDowns.now();
    if (rate !== undefined || performance.now() - this.#lastProgress < MIN_WAIT) return rate;
    const phases = [...this.#pending.values()].map(({ report }) => report.phase);
    let at = phases.indexOf("retry");
    // a body without events, such as HTML at a known path, seems to be read
    const isBrief = this.isProbing || this.#onlyKinds;
    if (at < 0 && isBrief) at = phases.findIndex((phase) => phase !== "response");
    return this.pending(site)[Math.max(0, at)];
  }

  /** Returns descriptions of the pending requests, in the order in which they began. */
  pending(site: string): string[] {
    const now = performance.now();
    const { origin } = URL.parse(site) ?? { origin: "null" };
    return [...this.#pending.values()].map(({ report, since }) => {
      const { phase, sitemap, attempt, delayMs = 0, status, reason } = report;
      const url = sitemap.startsWith(`${origin}/`) ? sitemap.slice(origin.length) : sitemap;
      const waited = now - since;
      if (phase === "retry") {
        const seconds = Math.max(0, Math.ceil((delayMs - waited) / 1000));
        const cause = status ?? reason;
        // refusals may be retried more often
        const counted = attempt <= this.#retries ? `${attempt} of ${this.#retries}, ` : "";
        return `retrying ${url} in ${seconds} s (${counted}${cause})`;
      }
      const verb = phase === "response" ? "reading" : "waiting for";
      return waited < MIN_WAIT ? `${verb} ${url}` : `${verb} ${url}, ${wholeDuration(waited)}`;
    });
  }
}
