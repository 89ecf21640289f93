/**
 * What the server of the chaos test has seen, and what must never be seen: two workers on one host,
 * and requests to a host that has asked for a pause.
 *
 * @module
 */

import { type Document, ROBOTS } from "./sites.ts";

/** A request. Times are milliseconds of the system clock, which all processes share. */
export interface LoggedRequest {
  /** Process that has sent it. */
  readonly pid: number;
  /** Authority of the site whose walk has sent it. */
  readonly site: string;
  /** Sitemap of the unit of a split site; empty for the site itself. */
  readonly unit: string;
  /** Host name of the URL. */
  readonly host: string;
  readonly url: string;
  /** Time at which the process has sent it. */
  readonly issued: number;
  /** Time at which the server has received it. */
  readonly arrived: number;
  /** Time at which the response was sent, or at which the process has closed the connection. */
  ended: number;
  /** Whether the response was sent to its end. */
  isServed: boolean;
  /** Content of the response. */
  readonly document: Document;
}

/** Something that was done to a process, or to the database. */
export interface Disturbance {
  readonly type: "kill" | "terminate" | "stop" | "stall" | "crash";
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
/** Milliseconds between the moment at which a worker reads a response and its end. */
const RESPONSE_TOLERANCE = 100;
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
 * Returns the pairs of requests that two walks had at one host at the same time. A request that was
 * on its way while its process was stopped counts at the time at which it was sent.
 */
export function findOverlaps(
  log: readonly LoggedRequest[],
  disturbances: readonly Disturbance[],
): string[] {
  const faults: string[] = [];
  for (const requests of byHost(log)) {
    /** Of the requests so far, the one of each walk that ended last. */
    const last = new Map<string, { readonly request: LoggedRequest; readonly end: number }>();
    for (const request of requests) {
      const walk = walkOf(request);
      for (const [other, { request: earlier, end }] of last) {
        if (other === walk || end <= request.issued) continue;
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
 * Returns the requests of walks that went on at a host after another walk had been there: A, B, A.
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
        if (between !== undefined) {
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
        if (request.issued <= ended || request.issued >= until) continue;
        const early = until - request.issued;
        if (early <= RESPONSE_TOLERANCE) continue;
        faults.push(`${shown(request)} was sent ${early} ms before the end of the pause`);
      }
    }
  }
  return faults;
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

/**
 * Returns the attempt of each request. The walk of a site begins with its robots.txt, that of
 * a unit with its sitemap.
 */
function numberAttempts(log: readonly LoggedRequest[]): Map<LoggedRequest, string> {
  const attempts = new Map<LoggedRequest, string>();
  const counts = new Map<string, number>();
  for (const request of log.toSorted((a, b) => a.issued - b.issued)) {
    const walk = walkOf(request);
    const count = (counts.get(walk) ?? 0) + (isStart(request) ? 1 : 0);
    counts.set(walk, count);
    attempts.set(request, `${walk} ${count}`);
  }
  return attempts;
}

/** Walk that a request belongs to, as far as one process does not repeat it. */
function walkOf({ pid, site, unit }: LoggedRequest): string {
  return `${pid} ${site} ${unit}`;
}

function isStart({ url, unit, site }: LoggedRequest): boolean {
  return url === (unit === "" ? `http://${site}${ROBOTS}` : unit);
}

function shown({ pid, site, url, issued }: LoggedRequest): string {
  const time = new Date(issued).toISOString().slice(11, -1);
  return `"${url}" (process ${pid}, walk of ${site}, ${time})`;
}
