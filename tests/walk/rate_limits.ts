/** Servers that limit the rate of requests, in the time of a fake clock. @module */

import type { Fetch } from "../../src/http/exchange.ts";
import type { FakeClock } from "../http/fake_clock.ts";
import { Random } from "../support/random.ts";
import { index, numbered, robots, urlset } from "./site.ts";

/** Decides about a request; returns the refusal, or `undefined` for an answer. */
export type Limiter = (time: number, url: URL) => Refusal | undefined;

export interface Refusal {
  readonly status: number;
  /** Seconds in `Retry-After`. */
  readonly retryAfter?: number | undefined;
}

/** Returns a bucket of `burst` tokens that gets `rate` tokens a second. */
export function tokenBucket(rate: number, burst: number, hasRetryAfter: boolean): Limiter {
  let tokens = burst, last = -Infinity;
  return (time) => {
    tokens = Math.min(burst, tokens + Math.max(0, time - last) / 1000 * rate);
    last = time;
    if (tokens >= 1 - 1e-9) {
      tokens--;
      return undefined;
    }
    return {
      status: 429,
      retryAfter: hasRetryAfter ? Math.ceil((1 - tokens) / rate) : undefined,
    };
  };
}

/** Returns a limit of one request per `gap` milliseconds; refused ones may count as well. */
export function minimumGap(gap: number, countsRefused: boolean): Limiter {
  let last = -Infinity;
  return (time) => {
    const isEarly = time - last < gap;
    if (!isEarly || countsRefused) last = time;
    return isEarly ? { status: 429 } : undefined;
  };
}

/** Returns a limit of requests in each window of so many milliseconds. */
export function fixedWindow(count: number, length: number, hasRetryAfter: boolean): Limiter {
  let window = -1, used = 0;
  return (time) => {
    const current = Math.floor(time / length);
    if (current !== window) used = 0;
    window = current;
    if (++used <= count) return undefined;
    const left = (current + 1) * length - time;
    return { status: 429, retryAfter: hasRetryAfter ? Math.ceil(left / 1000) : undefined };
  };
}

/** Returns a limit on requests at the same time. */
export function maximumWidth(width: number, latency: number): Limiter {
  const ends: number[] = [];
  return (time) => {
    while (ends.length > 0 && ends[0]! <= time) ends.shift();
    if (ends.length >= width) return { status: 429 };
    ends.push(time + latency);
    return undefined;
  };
}

/** Returns random refusals, the same ones for the same seed. */
export function randomRefusals(share: number, seed: number, hasRetryAfter = false): Limiter {
  const random = new Random(seed);
  return () =>
    random.fraction() < share
      ? { status: 429, retryAfter: hasRetryAfter ? 1 : undefined }
      : undefined;
}

/** Returns refusals of everything during an outage, which begins after some requests. */
export function outage(after: number, duration: number, refusal: Refusal): Limiter {
  let requests = 0, start: number | undefined;
  return (time) => {
    if (++requests <= after) return undefined;
    start ??= time;
    return time - start < duration ? refusal : undefined;
  };
}

export interface SiteLog {
  requests: number;
  refused: number;
  /** Requests and refusals after the first refusal and those under way at that time. */
  later: number;
  laterRefused: number;
  /** Requests that were sent during a `Retry-After`. */
  early: number;
  /** Most requests at the same time after the first refusal was received. */
  widest: number;
}

export interface LimitedSite {
  readonly fetch: Fetch;
  readonly log: SiteLog;
}

/** Returns a site of one index with `sitemaps` sitemaps, each with one page. */
export function limitedSite(
  clock: FakeClock,
  sitemaps: number,
  limiter: Limiter,
  latency: number,
): LimitedSite {
  const started = clock.time;
  const log: SiteLog = { requests: 0, refused: 0, later: 0, laterRefused: 0, early: 0, widest: 0 };
  let firstRefusal: number | undefined;
  let pausedUntil = -Infinity, underWay = 0;
  const respond = (url: URL, refusal: Refusal | undefined): Response => {
    if (refusal !== undefined) {
      const { status, retryAfter } = refusal;
      const headers = retryAfter === undefined ? {} : { "retry-after": String(retryAfter) };
      return new Response("slow down", { status, headers });
    }
    const { pathname, origin } = url;
    if (pathname === "/robots.txt") return new Response(robots(`${origin}/index.xml`));
    if (pathname === "/index.xml") {
      return new Response(index(...numbered(sitemaps, (at) => `${origin}/${at}.xml`)));
    }
    const [, number] = /^\/(\d+)\.xml$/.exec(pathname) ?? [];
    if (number === undefined) return new Response("", { status: 404 });
    return new Response(urlset(`${origin}/p${number}`));
  };
  const fetch: Fetch = (input, { signal }) => {
    const url = new URL(input);
    const sentAt = clock.time - started;
    log.requests++;
    if (sentAt < pausedUntil) log.early++;
    const isLater = firstRefusal !== undefined && sentAt > firstRefusal;
    if (isLater) {
      log.later++;
      log.widest = Math.max(log.widest, underWay + 1);
    }
    underWay++;
    const refusal = limiter(sentAt, url);
    return new Promise((resolve, reject) => {
      let isUnderWay = true;
      const end = () => {
        if (isUnderWay) underWay--;
        isUnderWay = false;
      };
      const timer = clock.startTimer(latency, () => {
        end();
        if (refusal !== undefined) {
          const now = clock.time - started;
          log.refused++;
          if (isLater) log.laterRefused++;
          firstRefusal ??= now;
          pausedUntil = Math.max(pausedUntil, now + (refusal.retryAfter ?? 0) * 1000);
        }
        resolve(respond(url, refusal));
      });
      signal?.addEventListener("abort", () => {
        timer.clear();
        end();
        reject(signal.reason);
      }, { once: true });
    });
  };
  return { fetch, log };
}
