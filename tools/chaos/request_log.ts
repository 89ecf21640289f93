/**
 * What the server of the chaos test has seen, and what must never be seen: too many workers on one
 * host, requests to a host that has asked for a pause, and requests without the time between them.
 *
 * @module
 */

import { type Document, isPaced, ROBOTS, WAIT } from "./sites.ts";

/** A request. Times are milliseconds of the system clock, which all processes share. */
export interface LoggedRequest {
  /** Process that has sent it. */
  readonly pid: number;
  /** Authority of the site whose walk has sent it. */
  readonly site: string;
  /** Host name of the URL. */
  readonly host: string;
  readonly url: string;
  /** Time at which the process has sent it. */
  readonly issued: number;
  /** Time at which the server has received it. */
  readonly arrived: number;
  /**
   * Time at which the server has begun to send the last bytes of the response, before which no process
   * knows of its end, or at which the process has closed the connection.
   */
  ended: number;
  /** Whether the response was sent to its end. */
  isServed: boolean;
  /** Status of the response. */
  status: number;
  /** Content of the response. */
  readonly document: Document;
}

/** Something that was done to a process, or to the database. */
export interface Disturbance {
  readonly type: "kill" | "terminate" | "stop" | "stall" | "cut" | "crash" | "disconnect";
  /** Process; absent for the database. */
  readonly pid?: number;
  readonly from: number;
  /** Time at which a process was continued, or the database could be reached again. */
  to: number;
}

/**
 * Milliseconds between the moment at which a worker closes a connection, or dies, and the moment at
 * which the server notices.
 */
const CLOSE_TOLERANCE = 500;
/** Milliseconds by which clocks and timers are rounded. */
const CLOCK_TOLERANCE = 20;
/**
 * Milliseconds after a response that asks for a pause in which other requests may still be sent: by its
 * worker until it has read it, and by others until they know.
 */
const PAUSE_TOLERANCE = 1000;
/** Requests to a host that must take as long as the times between them, ... */
const SPACED_REQUESTS = 5;
/** ...but for so many milliseconds: a worker may be slow to send one that it may send. */
const SPACING_TOLERANCE = 700;
/** Milliseconds in which a worker reports that a host has asked for a pause. */
const REPORT_TIME = 2000;

/** Whether a request was on its way while its process was stopped: it had been sent before. */
export function isGhost(
  { pid, issued, arrived }: LoggedRequest,
  disturbances: readonly Disturbance[],
): boolean {
  return disturbances.some((disturbance) =>
    disturbance.type === "stop" && disturbance.pid === pid && disturbance.from >= issued &&
    disturbance.from <= arrived
  );
}

/**
 * Returns the requests with which more walks than allowed were at a host at the same time. A request that
 * was on its way while its process was stopped counts at the time at which it was sent.
 */
export function findOverlaps(
  log: readonly LoggedRequest[],
  disturbances: readonly Disturbance[],
  perHost: number,
): string[] {
  const faults: string[] = [];
  for (const requests of byHost(log)) {
    /** Of the requests so far, the one of each walk that ended last. */
    const last = new Map<string, { readonly request: LoggedRequest; readonly end: number }>();
    for (const request of requests) {
      const walk = walkOf(request);
      const others = [...last].filter(([other, { end }]) => other !== walk && end > request.issued);
      if (others.length >= perHost) {
        const [, { request: earlier }] = others[0]!;
        faults.push(`${shown(request)} was sent before the end of ${shown(earlier)}`);
      }
      const ended = isGhost(request, disturbances)
        ? request.issued
        : request.isServed
        ? request.ended
        : request.ended - CLOSE_TOLERANCE;
      if (ended > (last.get(walk)?.end ?? -Infinity)) last.set(walk, { request, end: ended });
    }
  }
  return faults;
}

/**
 * Returns the requests of walks that went on at the host of their site after another walk had been there:
 * A, B, A. Other hosts may be left and asked again.
 */
export function findInterleavings(log: readonly LoggedRequest[]): string[] {
  const faults: string[] = [];
  const attempts = numberAttempts(log);
  for (const requests of byHost(log)) {
    const left = new Map<string, LoggedRequest>();
    let current: { readonly attempt: string; readonly request: LoggedRequest } | undefined;
    for (const request of requests) {
      const attempt = attempts.get(request)!;
      if (attempt !== current?.attempt) {
        if (current !== undefined) left.set(current.attempt, request);
        const between = left.get(attempt);
        if (between !== undefined && isAtHome(request)) {
          faults.push(`${shown(request)} went on after ${shown(between)}`);
        }
      }
      current = { attempt, request };
    }
  }
  return faults;
}

/** Returns the requests to hosts that had asked for a pause that was not over. */
export function findEarlyRequests(
  log: readonly LoggedRequest[],
  disturbances: readonly Disturbance[],
): string[] {
  const faults: string[] = [];
  for (const requests of byHost(log)) {
    for (const busy of requests) {
      const { document, ended, isServed } = busy;
      if (document.type !== "busy" || !isServed || isUnheard(busy, disturbances)) continue;
      const until = ended + document.seconds * 1000;
      for (const request of requests) {
        if (request.issued <= ended + PAUSE_TOLERANCE || request.issued >= until) continue;
        const early = until - request.issued;
        if (early <= CLOCK_TOLERANCE) continue;
        const pause = `the pause of ${document.seconds} s that ${shown(busy)} was answered with`;
        faults.push(`${shown(request)} was sent ${early} ms before the end of ${pause}`);
      }
    }
  }
  return faults;
}

/** Returns the requests to hosts that ask for a time between requests which follow too early. */
export function findUnspacedRequests(log: readonly LoggedRequest[]): string[] {
  const faults: string[] = [];
  const least = (SPACED_REQUESTS - 1) * WAIT - SPACING_TOLERANCE;
  for (const requests of byHost(log)) {
    if (!isPaced(requests[0]!.host)) continue;
    for (const [at, { issued }] of requests.entries()) {
      const later = requests[at + SPACED_REQUESTS - 1];
      if (later === undefined || later.issued - issued >= least) continue;
      faults.push(`${shown(later)} is one of ${SPACED_REQUESTS} in ${later.issued - issued} ms`);
    }
  }
  return faults;
}

/**
 * Returns how many of the last walks of a site, in a row, were disturbed: the process, or the database,
 * was so between their first request and that of the next walk.
 */
export function countDisturbedWalks(
  site: string,
  log: readonly LoggedRequest[],
  disturbances: readonly Disturbance[],
): number {
  const attempts = numberAttempts(log.filter((request) => request.site === site));
  /** First requests of its walks, in the order in which they were sent. */
  const starts = [...new Map([...attempts].reverse().map(([first, attempt]) => [attempt, first]))
    .values()].sort((a, b) => a.issued - b.issued);
  const isDisturbed = ({ pid, issued }: LoggedRequest, at: number) =>
    disturbances.some((disturbance) =>
      (disturbance.pid ?? pid) === pid && disturbance.to >= issued - CLOCK_TOLERANCE &&
      disturbance.from <= (starts[at + 1]?.issued ?? Infinity)
    );
  return starts.length - 1 - starts.findLastIndex((start, at) => !isDisturbed(start, at));
}

/** Whether a process was disturbed before it could report the response to a request. */
function isUnheard({ pid, ended }: LoggedRequest, disturbances: readonly Disturbance[]): boolean {
  return disturbances.some(({ pid: other, type, from, to }) =>
    (other === undefined || other === pid) && from < ended + REPORT_TIME &&
    (type === "kill" || type === "terminate" || to > ended)
  );
}

/** Returns the requests of each host in the order in which they were sent. */
function byHost(log: readonly LoggedRequest[]): LoggedRequest[][] {
  const hosts = Map.groupBy(log, ({ host }) => host);
  return [...hosts.values()].map((requests) => requests.sort((a, b) => a.issued - b.issued));
}

/** Returns the attempt of each request. The walk of a site begins with its robots.txt. */
function numberAttempts(log: readonly LoggedRequest[]): Map<LoggedRequest, string> {
  const attempts = new Map<LoggedRequest, string>();
  const counts = new Map<string, number>();
  for (const request of log.toSorted((a, b) => a.issued - b.issued)) {
    const walk = walkOf(request);
    const isStart = request.url === `http://${request.site}${ROBOTS}`;
    const count = (counts.get(walk) ?? 0) + Number(isStart);
    counts.set(walk, count);
    attempts.set(request, `${walk} ${count}`);
  }
  return attempts;
}

/** Walk that a request belongs to, as far as one process does not repeat it. */
function walkOf({ pid, site }: LoggedRequest): string {
  return `${pid} ${site}`;
}

/** Whether a request is to the host of its site. */
function isAtHome({ site, host }: LoggedRequest): boolean {
  return site.replace(/:\d+$/, "") === host;
}

/** Returns the requests of a site, to explain a fault. */
export function historyOf(site: string, log: readonly LoggedRequest[]): string[] {
  return log.filter((request) => request.site === site).map((request) =>
    `${shown(request)}: ${request.status}${request.isServed ? "" : ", closed"}`
  );
}

function shown({ pid, site, url, issued }: LoggedRequest): string {
  const time = new Date(issued).toISOString().slice(11, -1);
  return `"${url}" (process ${pid}, walk of ${site}, ${time})`;
}
