import type { InvalidCode, RequestCode } from "../data/codes.ts";
import type { InvalidEvent } from "../data/events.ts";
import type { RequestReport } from "../http/request_report.ts";
import { SourceError } from "./source_error.ts";

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

/** Request that failed, as advice about it needs it. */
type FailedRequest = Pick<RequestReport, "url" | "status"> & {
  readonly code: RequestCode | InvalidCode;
};

export class UnreachableError extends SourceError {
  readonly request: FailedRequest;
  /** Whether http may work if this was https. */
  readonly canTryHttp: boolean;

  constructor(url: string, { code = "network", status, reason }: RequestReport | InvalidEvent) {
    const message = code === "host-not-found"
      ? `Cannot find host "${new URL(url).hostname}"`
      : `Cannot connect to "${url}": ${reason}`;
    super("unreachable", message);
    this.request = { url, code, ...(status !== undefined && { status }) };
    this.canTryHttp = REMEDIES[code] !== "none";
  }
}

/** Whether a site was connected to, by the reports of its requests. */
export class FirstContact {
  isConnected = false;
  #first: string | undefined;
  #refusals = 0;

  /**
   * Throws if the failure of the first request ends the walk: at once if the host is unknown, if the
   * certificate is invalid or if http can be tried instead, otherwise when it is refused twice.
   */
  add(report: RequestReport, canTryHttp: boolean): void {
    const { phase, sitemap, url, code = "network" } = report;
    this.#first ??= sitemap;
    if (phase === "redirect" || phase === "response") this.isConnected = true;
    if (phase !== "failure" || sitemap !== this.#first || this.isConnected) return;
    if (code === "connection-refused") this.#refusals++;
    const remedy = REMEDIES[code];
    const isFinal = remedy === "none" || remedy === "http" && canTryHttp;
    if (isFinal || this.#refusals >= MAX_REFUSALS) throw new UnreachableError(url, report);
  }
}
