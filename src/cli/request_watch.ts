/**
 * The requests of a walk: the pending ones for the progress line, and failures to connect.
 *
 * @module
 */

import type { InvalidCode, InvalidEvent, RequestCode, RequestReport } from "../../mod.ts";
import { EXIT_CODES, Failure } from "./failure.ts";
import { duration } from "./terminal.ts";

/** Milliseconds after which a wait is shown. */
const MIN_WAIT = 1000;
/** Maximum number of pending requests that are remembered. */
const MAX_PENDING = 1000;
/** Refused connections after which a walk ends at its first request. */
const MAX_REFUSALS = 2;

/** Failures that a second attempt does not change, and those of https that http may not have. */
const REMEDIES: Readonly<Partial<Record<RequestCode | InvalidCode, "none" | "http">>> = {
  "host-not-found": "none",
  "tls-certificate": "none",
  "connection-refused": "http",
  "connection-reset": "http",
  "host-unreachable": "http",
  "tls-handshake": "http",
  "invalid-response": "http",
  "timeout": "http",
};

/** Host names that look like names of files. */
const FILE_REGEXP = /\.(?:xml|txt|gz|rss|atom|json|ndjson|db|sqlite)$/;

export class UnreachableError extends Failure {
  /** Whether http may work if this was https. */
  readonly canTryHttp: boolean;

  constructor(url: string, { code = "network", reason }: RequestReport | InvalidEvent) {
    const { hostname } = new URL(url);
    const message = code === "host-not-found"
      ? `Cannot find host "${hostname}"`
      : `Cannot connect to "${url}": ${reason}`;
    super(message, hintFor(hostname, code), { exitCode: EXIT_CODES.blocked });
    this.name = "UnreachableError";
    this.canTryHttp = REMEDIES[code] !== "none";
  }
}

function hintFor(hostname: string, code: RequestCode | InvalidCode): string | undefined {
  if (code === "tls-certificate") return "--insecure accepts any certificate";
  if (code !== "host-not-found") return undefined;
  return FILE_REGEXP.test(hostname)
    ? `for a file, write "./${hostname}"`
    : "check its spelling and the network";
}

export class RequestWatch {
  isConnected = false;
  /** The latest report of each pending sitemap, and when it came. */
  readonly #pending = new Map<string, { readonly report: RequestReport; readonly since: number }>();
  readonly #retries: number;
  #lastProgress: number = performance.now();
  #first: string | undefined;
  #refusals = 0;

  constructor(retries: number) {
    this.#retries = retries;
  }

  /**
   * Adds a report. Throws if the failure of the first request ends the walk: at once if the host is
   * unknown, if the certificate is invalid or if http can be tried instead, otherwise when it is
   * refused twice.
   */
  add(report: RequestReport, canTryHttp = false): void {
    const { phase, sitemap, url, status = 0, code = "network" } = report;
    this.#first ??= sitemap;
    if (phase === "redirect" || phase === "response") this.isConnected = true;
    if (phase === "failure" || phase === "response" && status >= 400) {
      this.#pending.delete(sitemap);
    } else if (this.#pending.size < MAX_PENDING) {
      this.#pending.set(sitemap, { report, since: performance.now() });
    }
    if (phase !== "failure" || sitemap !== this.#first || this.isConnected) return;
    if (code === "connection-refused") this.#refusals++;
    const remedy = REMEDIES[code];
    const isFinal = remedy === "none" || remedy === "http" && canTryHttp;
    if (isFinal || this.#refusals >= MAX_REFUSALS) throw new UnreachableError(url, report);
  }

  /** Notes that events arrived. */
  progress(): void {
    this.#lastProgress = performance.now();
    for (const [url, { report }] of this.#pending) {
      if (report.phase === "response") this.#pending.delete(url);
    }
  }

  /** Returns a description of the request that the walk waits for, once it takes long. */
  waiting(site: string): string | undefined {
    if (performance.now() - this.#lastProgress < MIN_WAIT) return undefined;
    const reports = [...this.#pending.values()].map(({ report }) => report);
    const at = Math.max(0, reports.findIndex(({ phase }) => phase === "retry"));
    return this.pending(site)[at];
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
        return `retrying ${url} in ${seconds} s (${attempt} of ${this.#retries}, ${cause})`;
      }
      const verb = phase === "response" ? "reading" : "waiting for";
      return waited < MIN_WAIT ? `${verb} ${url}` : `${verb} ${url} (${duration(waited)})`;
    });
  }
}
