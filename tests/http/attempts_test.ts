import { assertEquals, assertRejects } from "@std/assert";
import { RetryBudget } from "../../src/http/attempts.ts";
import { Fetcher } from "../../src/http/fetcher.ts";
import type { SharedPace } from "../../src/http/pace.ts";
import { FakeClock } from "./fake_clock.ts";

const URL_A = new URL("https://a.test/s.xml");

/** A response, and how long its host then gets no request. */
interface PauseCase {
  readonly status: number;
  readonly retryAfter?: string;
  /** Default: 4. */
  readonly retries?: number;
  readonly isShared?: true;
  readonly pause: number;
}

const PAUSES: readonly PauseCase[] = [
  { status: 429, retryAfter: "5", pause: 5000 },
  { status: 503, retryAfter: "5", pause: 5000 },
  { status: 503, retryAfter: "60", pause: 60_000 },
  // longer than maxRetryDelay
  { status: 503, retryAfter: "61", pause: 0 },
  { status: 503, retryAfter: "61", isShared: true, pause: 0 },
  { status: 503, pause: 0 },
  { status: 503, retryAfter: "5", retries: 0, pause: 0 },
  { status: 503, retryAfter: "5", retries: 0, isShared: true, pause: 5000 },
  // not about the host
  { status: 200, retryAfter: "5", pause: 0 },
  { status: 301, retryAfter: "5", pause: 0 },
  { status: 500, retryAfter: "5", pause: 0 },
];

const SHARED: SharedPace = { turn: () => undefined, pause() {}, enter() {}, leave() {} };

for (const { status, retryAfter, retries = 4, isShared, pause } of PAUSES) {
  const name = [
    ...[status, retryAfter ? `Retry-After ${retryAfter}` : "no Retry-After", `${retries} retries`],
    ...isShared ? ["shared pace"] : [],
  ].join(", ");
  Deno.test(`Fetcher pauses a host for ${pause} ms by the headers of a response: ${name}`, async () => {
    const headers = {
      // which may be a browser challenge: its body is awaited before the turn ends
      "content-type": "text/html",
      ...(retryAfter !== undefined && { "retry-after": retryAfter }),
    };
    const clock = new FakeClock();
    const options = {
      ...{ retries, retryDelay: 1000, maxRetryDelay: 60_000, maxWait: 600_000 },
      ...{ wait: 0, randomWait: false, concurrency: 4, timeout: 30_000, maxRequestTime: 600_000 },
      ...{ headers: undefined, userAgent: "sitetree/0", maxRedirects: 20 },
      ...{ isHostAllowed: () => true, allowPrivateNetwork: undefined, isRuntimeFetch: false },
      fetch: () => Promise.resolve(new Response(new ReadableStream(), { status, headers })),
    };
    const fetcher = new Fetcher(URL_A, options, clock, isShared && SHARED);
    const budget = new RetryBudget(URL_A.href, retries, fetcher.signal);
    const request = fetcher.request(URL_A, budget);
    request.catch(() => {});
    await clock.settle();
    assertEquals(fetcher.pace.host(URL_A).pauseLeft, pause);
    fetcher.stop(new Error("stopped"));
    await assertRejects(() => request);
  });
}
