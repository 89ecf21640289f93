import { assert, assertEquals } from "@std/assert";
import type { RequestReport } from "../../src/http/request_report.ts";
import type { WalkOptions } from "../../src/walk/options.ts";
import { FakeClock } from "../http/fake_clock.ts";
import { Random } from "../support/random.ts";
import {
  fixedWindow,
  type LimitedSite,
  limitedSite,
  type Limiter,
  maximumWidth,
  minimumGap,
  outage,
  randomRefusals,
  tokenBucket,
} from "./rate_limits.ts";
import { at } from "./site.ts";
import { searched } from "./walked.ts";

/** Requests of a walk besides those for the sitemaps of the index. */
const OTHER_REQUESTS = 20;

interface Walked extends LimitedSite {
  readonly verdict: string;
  readonly pages: number;
  readonly milliseconds: number;
}

async function walked(
  limiter: Limiter,
  { count = 30, latency = 20, seed = 1, ...options }: WalkOptions & {
    /** Sitemaps of the index. */
    readonly count?: number;
    readonly latency?: number;
    readonly seed?: number;
  } = {},
): Promise<Walked> {
  const clock = new FakeClock();
  const random = new Random(seed);
  clock.random = () => random.fraction();
  const started = clock.time;
  const site = limitedSite(clock, count, limiter, latency);
  const { verdict, stats } = await searched({}, { fetch: site.fetch, ...options }, { clock });
  assertEquals(clock.pending, 0, "no timer is left");
  return { ...site, verdict, pages: stats.pages, milliseconds: clock.time - started };
}

interface LimitedServer {
  readonly name: string;
  readonly limiter: () => Limiter;
  /** Requests a second. */
  readonly rate: number;
}

const BUCKETS: readonly LimitedServer[] = [1, 2, 10].flatMap((rate) =>
  [1, 5, 10].flatMap((burst) =>
    [false, true].map((hasRetryAfter) => ({
      name: `${rate}/s, bursts of ${burst}${hasRetryAfter ? ", with Retry-After" : ""}`,
      limiter: () => tokenBucket(rate, burst, hasRetryAfter),
      rate,
    }))
  )
);

const SERVERS: readonly LimitedServer[] = [
  ...BUCKETS,
  { name: "one per 0.7 s", limiter: () => minimumGap(700, false), rate: 1 / 0.7 },
  { name: "one per 0.7 s, refused or not", limiter: () => minimumGap(700, true), rate: 1 / 0.7 },
];

for (const { name, limiter, rate } of SERVERS) {
  Deno.test(`walk() keeps to the rate of a server: ${name}`, async () => {
    for (const [count, latency] of [[30, 5], [30, 100], [100, 20]] as const) {
      for (const seed of [1, 2]) {
        const setting = { count, latency, seed };
        const { verdict, pages, milliseconds, log } = await walked(limiter(), setting);
        assertEquals([verdict, pages], ["complete", count]);
        const seconds = milliseconds / 1000;
        const allowed = 1.5 * (count + OTHER_REQUESTS) / rate + 5;
        assert(seconds <= allowed, `${seconds} s instead of ${allowed}`);
        assert(log.laterRefused <= log.later / 10, `${log.laterRefused} of ${log.later} refused`);
        assertEquals(log.early, 0, "requests during a Retry-After");
      }
    }
  });
}

const SLOW_SERVERS: readonly LimitedServer[] = [
  { name: "one per 2 s", limiter: () => minimumGap(2000, false), rate: 1 / 2 },
  { name: "one per 5 s", limiter: () => minimumGap(5000, false), rate: 1 / 5 },
  { name: "10 per 10 s", limiter: () => fixedWindow(10, 10_000, false), rate: 1 },
  { name: "60 per minute", limiter: () => fixedWindow(60, 60_000, false), rate: 1 },
  {
    name: "60 per minute, with Retry-After",
    limiter: () => fixedWindow(60, 60_000, true),
    rate: 1,
  },
];

for (const { name, limiter, rate } of SLOW_SERVERS) {
  Deno.test(`walk() reads all of a server that allows ${name}`, async () => {
    const count = 100;
    const { verdict, pages, milliseconds, log } = await walked(limiter(), { count });
    assertEquals([verdict, pages, log.early], ["complete", count, 0]);
    assert(milliseconds / 1000 <= 1.5 * (count + OTHER_REQUESTS) / rate + 60);
  });
}

for (const width of [1, 2]) {
  Deno.test(`walk() reads all of a server that allows ${width} at a time`, async () => {
    const limiter = maximumWidth(width, 300);
    const { verdict, pages, log } = await walked(limiter, { count: 60, latency: 300 });
    assertEquals([verdict, pages], ["complete", 60]);
    assert(log.laterRefused <= log.later / 10);
  });
}

Deno.test("walk() reads all of a server that refuses 30 % at random", async () => {
  const ratios: number[] = [];
  for (let seed = 1; seed <= 15; seed++) {
    const limiter = randomRefusals(0.3, seed);
    const { verdict, pages, milliseconds } = await walked(limiter, { seed, latency: 500 });
    assertEquals([verdict, pages], ["complete", 30]);
    ratios.push(milliseconds / (500 * (30 + OTHER_REQUESTS)));
  }
  const median = ratios.toSorted((one, other) => one - other)[7]!;
  assert(median <= 3, `${median} times as long as one at a time without refusals`);
});

Deno.test("walk() reads all of a server that is unavailable for 10 s", async () => {
  for (const retryAfter of [undefined, 0, 1, 5]) {
    for (const status of [429, 503]) {
      for (const after of [1, 2, 10, 31, 40]) {
        for (const seed of [1, 2, 3]) {
          const limiter = outage(after, 10_000, { status, retryAfter });
          const { verdict, pages, log } = await walked(limiter, { seed });
          assertEquals([verdict, pages, log.early], ["complete", 30, 0]);
        }
      }
    }
  }
});

Deno.test("walk() slows down only the host that refuses", async () => {
  const bucket = tokenBucket(1, 1, false);
  const other: number[] = [];
  const clock = new FakeClock();
  const limiter: Limiter = (time, url) => url.host === "site.test" ? bucket(time, url) : undefined;
  const site = limitedSite(clock, 20, limiter, 20);
  const started = clock.time;
  const options: WalkOptions = {
    sitemaps: [at("/index.xml"), "https://b.test/index.xml"],
    fetch(input, init) {
      if (new URL(input).host === "b.test") other.push(clock.time - started);
      return site.fetch(input, init);
    },
  };
  const { verdict } = await searched({}, options, { clock });
  assertEquals([verdict, other.length], ["complete", 21]);
  assert(clock.time - started >= 20_000);
  // 20 sitemaps at a time each, unless all slots wait for the other host
  assert(other.some((time) => time < 1000));
});

Deno.test("walk() asks for one sitemap at a time after a refusal, and for more later", async () => {
  let refusals = 0;
  const reports: RequestReport[] = [];
  const { verdict, log } = await walked(
    (_, { pathname }) => pathname === "/3.xml" && refusals++ === 0 ? { status: 429 } : undefined,
    { count: 400, latency: 500, onRequest: (report) => void reports.push(report) },
  );
  assertEquals(verdict, "complete");
  const slowDowns = reports.filter(({ phase }) => phase === "slow-down");
  assertEquals(slowDowns.map(({ intervalMs }) => intervalMs), [1000]);
  assertEquals(log.widest, 4, "successes raise it again, up to the concurrency");
});

Deno.test("walk() gives up a sitemap that is always refused, and reads the others", async () => {
  const { verdict, pages, log } = await walked((_, { pathname }) =>
    pathname === "/5.xml" ? { status: 429 } : undefined
  );
  assertEquals([verdict, pages], ["partial", 29]);
  assert(log.refused <= 12, `${log.refused} refusals`);
});

Deno.test("walk() ends in time if everything but robots.txt is refused", async () => {
  for (const retryAfter of [undefined, 1, 30, 120]) {
    const { verdict, pages, milliseconds } = await walked(
      (_, { pathname }) => pathname === "/robots.txt" ? undefined : { status: 429, retryAfter },
    );
    assertEquals([verdict, pages], ["blocked", 0]);
    assert(milliseconds < (retryAfter === 30 ? 150_000 : 30_000), `${milliseconds} ms`);
  }
});

Deno.test("walk() ends in time if a site refuses everything from some time on", async () => {
  const { verdict, pages, milliseconds } = await walked(
    outage(20, Infinity, { status: 429 }),
    { count: 300 },
  );
  assertEquals(verdict, "partial");
  assert(pages > 10);
  assert(milliseconds < 11 * 60_000, `${milliseconds} ms`);
});
