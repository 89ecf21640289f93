/**
 * The requests of a walk as they are shown: what is waited for, and whether the site can be reached.
 *
 * @module
 */

import { duration } from "./terminal.ts";
import type { RequestReport } from "../../mod.ts";
import { EXIT_CODES, Failure } from "./failure.ts";

/** Milliseconds after which a wait is worth showing. */
const PATIENCE = 1000;
/** Requests that are waited for and remembered. */
const MAX_PENDING = 1000;
/** Failures to connect after which the first request of a walk is given up. */
const MAX_REFUSALS = 2;

/** A request without a response, or one whose response has given nothing yet. */
interface Pending {
  readonly report: RequestReport;
  readonly since: number;
}

/** The site of an operand cannot be connected to. */
export class UnreachableError extends Failure {
  /** Whether http is worth trying if https failed. */
  readonly isOfHttps: boolean;

  /** Takes the URL that was requested, and the reason of the failure. */
  constructor(url: string, reason: string) {
    const { hostname } = new URL(url);
    super(
      reason === NOT_FOUND
        ? `Cannot find the host "${hostname}"`
        : `Cannot connect to "${url}": ${reason}`,
      hintFor(hostname, reason),
      { exitCode: EXIT_CODES.blocked },
    );
    this.name = "UnreachableError";
    this.isOfHttps = !FINAL.includes(reason);
  }
}

const NOT_FOUND = "Host name not found";
const REFUSED = "Connection refused";
const BAD_CERTIFICATE = "Invalid TLS certificate";
/** Failures that another attempt would not change. */
const FINAL: readonly string[] = [NOT_FOUND, BAD_CERTIFICATE];

function hintFor(hostname: string, reason: string): string | undefined {
  if (reason === BAD_CERTIFICATE) return "--insecure accepts any certificate";
  if (reason !== NOT_FOUND) return undefined;
  return FILE_REGEXP.test(hostname)
    ? `if it is a file, write "./${hostname}"`
    : "check its spelling and the network";
}

/** Hosts that are more likely the names of files. */
const FILE_REGEXP = /\.(?:xml|txt|gz|rss|atom|json|ndjson)$/;

/** Failures of https that http need not share; a wrong certificate is not among them. */
const HTTPS_FAILURES: readonly string[] = [
  REFUSED,
  "Connection reset",
  "Host unreachable",
  "TLS handshake failed",
  "Invalid HTTP response",
];

/** Observes the requests of one walk. */
export class RequestWatch {
  /** Whether there was a response. */
  isConnected = false;
  readonly #pending = new Map<string, Pending>();
  readonly #retries: number;
  #lastNews: number = performance.now();
  #first: string | undefined;
  #refusals = 0;

  /** `retries` is how often a sitemap is requested again. */
  constructor(retries: number) {
    this.#retries = retries;
  }

  /** Takes a report. */
  see(report: RequestReport): void {
    const { phase, sitemap } = report;
    this.#first ??= sitemap;
    if (phase === "redirect" || phase === "response") this.isConnected = true;
    // in the order in which they began
    if (phase === "failure" || phase === "response" && (report.status ?? 0) >= 400) {
      this.#pending.delete(sitemap);
    } else if (this.#pending.size < MAX_PENDING) {
      this.#pending.set(sitemap, { report, since: performance.now() });
    }
  }

  /** Notes that events arrived. */
  progress(): void {
    this.#lastNews = performance.now();
    for (const [url, { report }] of this.#pending) {
      if (report.phase === "response") this.#pending.delete(url);
    }
  }

  /**
   * Throws if the first request of a walk cannot connect: at once if its host is unknown, if its
   * certificate is invalid or if http can be tried instead, else if it is refused twice.
   */
  requireConnection(report: RequestReport, canTryHttp: boolean): void {
    const { phase, sitemap, url, reason = "" } = report;
    if (this.isConnected || sitemap !== this.#first) return;
    if (phase !== "failure") return;
    if (reason === REFUSED) this.#refusals++;
    const isLost = FINAL.includes(reason) || this.#refusals >= MAX_REFUSALS ||
      canTryHttp && (HTTPS_FAILURES.includes(reason) || reason.startsWith("Timed out"));
    if (isLost) throw new UnreachableError(url, reason);
  }

  /** Returns what the walk has been waiting for, if it has for long enough to be worth showing. */
  waiting(site: string): string | undefined {
    const now = performance.now();
    if (now - this.#lastNews < PATIENCE) return undefined;
    const all = [...this.#pending.values()];
    const pending = all.find(({ report }) => report.phase === "retry") ?? all[0];
    return pending === undefined ? undefined : this.#describe(pending, site, now);
  }

  /** Returns what is waited for, each in a few words. */
  pending(site: string): string[] {
    const now = performance.now();
    return [...this.#pending.values()].map((pending) => this.#describe(pending, site, now));
  }

  #describe({ report, since }: Pending, site: string, now: number): string {
    const { phase, sitemap, attempt, delayMs = 0, reason = "" } = report;
    const url = shortUrl(sitemap, site);
    const waited = now - since;
    if (phase !== "retry") {
      const verb = phase === "response" ? "reading" : "waiting for";
      return waited < PATIENCE ? `${verb} ${url}` : `${verb} ${url} (${duration(waited)})`;
    }
    const seconds = Math.max(0, Math.ceil((delayMs - waited) / 1000));
    const status = /^\d{3}\b/.exec(reason)?.[0] ?? reason;
    return `retrying ${url} in ${seconds} s (${attempt} of ${this.#retries}, ${status})`;
  }
}

/** Returns a URL without the origin of a site. */
function shortUrl(url: string, site: string): string {
  const { origin } = URL.parse(site) ?? { origin: "null" };
  return url.startsWith(`${origin}/`) ? url.slice(origin.length) : url;
}
