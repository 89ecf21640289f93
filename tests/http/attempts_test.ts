import { assertEquals } from "@std/assert";
import { Attempts, RetryBudget } from "../../src/http/attempts.ts";
import type { SharedPace } from "../../src/http/pace.ts";
import { RequestReporter } from "../../src/http/request_report.ts";
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
  Deno.test(`Attempts pauses a host for ${pause} ms by the headers of a response: ${name}`, () => {
    const clock = new FakeClock();
    const options = {
      ...{ retries, retryDelay: 1000, maxRetryDelay: 60_000, maxWait: 600_000 },
      ...{ wait: 0, randomWait: false, concurrency: 4 },
    };
    const attempts = new Attempts(options, clock, new RequestReporter(undefined), {
      check: () => Promise.resolve(),
      sharedPace: isShared && SHARED,
    });
    const budget = new RetryBudget(URL_A.href, retries, new AbortController().signal);
    attempts.takeTurn(URL_A, budget);
    const headers = new Headers(retryAfter === undefined ? {} : { "retry-after": retryAfter });
    // the body was not read, and the turn has not ended
    attempts.receive(new Response(null, { status, headers }), budget);
    assertEquals(attempts.pace.host(URL_A).pauseLeft, pause);
  });
}
