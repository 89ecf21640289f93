import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { StatusError } from "../../src/http/failure.ts";
import type { Signals } from "../../src/http/clock.ts";
import type {
  Host,
  Outcome,
  Pace,
  PacedSubject,
  PaceOptions,
  SharedPace,
  Turn,
} from "../../src/http/pace.ts";
import { FakeClock } from "./fake_clock.ts";
import { newPace, newSubject, turnOf } from "./turns.ts";

const URL_A = new URL("http://a.test/");
const ANSWER = { type: "answer" } as const, NONE = { type: "none" } as const;

/** The pace of a walk by a fake clock, and its host `a.test`. */
class Setting {
  readonly clock = new FakeClock();
  readonly pace: Pace;
  readonly host: Host;

  constructor(options: Partial<PaceOptions> = {}, shared?: SharedPace) {
    this.pace = newPace(this.clock, options, shared);
    this.host = this.pace.host(URL_A);
  }

  /** Returns the start times of requests to these hosts, such as `a b`, that are made at once. */
  async starts(hosts: string): Promise<number[]> {
    const begin = this.clock.time;
    const starts = hosts.split(" ").map(async (host) => {
      await this.turn(host);
      return this.clock.time - begin;
    });
    return await this.clock.run(Promise.all(starts));
  }

  turn(host = "a", signals: Signals = []): Promise<Turn> {
    return turnOf(this.pace, `${host}.test`, signals);
  }

  /** Requests something of a host, which refuses it. */
  async refuse(retryAfter?: string, host = "a"): Promise<void> {
    const turn = await this.turn(host);
    turn.host.end(turn, { type: "refusal", failure: refusal(retryAfter) });
  }
}

Deno.test("Pace without a wait delays no request", async () => {
  assertEquals(await new Setting().starts("a a"), [0, 0]);
});

Deno.test("Pace keeps the wait between requests to one host, host by host", async () => {
  const setting = new Setting({ wait: 100 });
  assertEquals(await setting.starts("a a b a b"), [0, 100, 0, 200, 100]);
  setting.clock.skip(1000);
  assertEquals(await setting.starts("a"), [0], "time without requests counts");
});

Deno.test("Pace varies the wait from half to one and a half of it", async () => {
  const setting = new Setting({ wait: 1000, randomWait: true });
  setting.clock.randoms.push(0, 0.999, 0.5, 0);
  assertEquals((await setting.starts("a a a a")).map(Math.round), [0, 500, 1999, 2999]);
});

Deno.test("Pace keeps a pause of a host, also for requests that already wait", async () => {
  const setting = new Setting();
  for (const milliseconds of [500, 200, 0]) setting.host.pause(milliseconds);
  const starts = setting.starts("a b");
  setting.host.pause(700);
  assertEquals(await starts, [700, 0]);
  assertEquals(await setting.starts("a"), [0], "the pause is over");
});

Deno.test("Pace keeps the Crawl-delay of a host where it is longer", async () => {
  const setting = new Setting({ wait: 100 });
  setting.pace.host(new URL("http://slow.test")).setCrawlDelay(300);
  setting.pace.host(new URL("http://fast.test")).setCrawlDelay(10);
  const starts = await setting.starts("slow slow fast fast");
  assertEquals(starts, [300, 600, 10, 110], "robots.txt was just requested");
});

Deno.test("Host.turn() rejects when its signal aborts, and leaves no timer", async () => {
  const setting = new Setting({ wait: 100 });
  const controller = new AbortController();
  await setting.turn();
  const waiting = setting.turn("a", [controller.signal]);
  const reason = new Error("enough");
  controller.abort(reason);
  assertStrictEquals(await waiting.catch((error) => error), reason);
  assertEquals(setting.clock.pending, 0);
});

// ------------------------------------------------------------------------------------ slow hosts

function refusal(retryAfter?: string): StatusError {
  const headers = new Headers(retryAfter === undefined ? {} : { "retry-after": retryAfter });
  return new StatusError(new Response(null, { status: 429, headers }), 0);
}

Deno.test("Host grants turns one at a time after a refusal, in the order in which they came", async () => {
  const setting = new Setting();
  const { clock } = setting;
  await setting.refuse();
  const starts: string[] = [];
  const begin = clock.time;
  const turns = ["one", "two", "three"].map(async (name) => {
    const turn = await setting.turn();
    starts.push(`${name} ${Math.round(clock.time - begin)}`);
    await clock.settle();
    setting.host.end(turn, ANSWER);
  });
  await clock.run(Promise.all(turns));
  // 1 request/s, then half a request/s more for each answer
  assertEquals(starts, ["one 1000", "two 2000", "three 2667"]);
});

Deno.test("Host does not release waiting requests together", async () => {
  const setting = new Setting();
  const { clock, host } = setting;
  await Promise.all(Array.from({ length: 4 }, () => setting.refuse("5")));
  let granted = 0;
  for (let turn = 0; turn < 4; turn++) setting.turn().then(() => granted++);
  await clock.settle();
  while (granted === 0 && clock.jump()) await clock.settle();
  assertEquals(granted, 1);
  assertEquals(host.interval, 1000, "refusals of one burst count once");
});

Deno.test("Host passes its interval and the pauses of the server to a shared pace", async () => {
  const shared: string[] = [];
  const setting = new Setting({}, {
    turn(url, wait) {
      shared.push(`turn ${url.host} ${wait}`);
      return undefined;
    },
    pause: (host, milliseconds) => void shared.push(`pause ${host} ${milliseconds}`),
    enter: (host) => void shared.push(`enter ${host}`),
    leave: (host) => void shared.push(`leave ${host}`),
  });
  await setting.refuse("3");
  setting.host.end(await setting.clock.run(setting.turn()), ANSWER);
  assertEquals(shared, [
    ...["enter a.test", "turn a.test 0", "pause a.test 3000", "leave a.test"],
    ...["enter a.test", "turn a.test 1000", "leave a.test"],
  ]);
});

Deno.test("Pace forgets hosts that are not slowed down first", async () => {
  const setting = new Setting();
  const { pace, host } = setting;
  await setting.refuse();
  for (let at = 0; at < 3000; at++) pace.host(new URL(`http://h${at}.test/`));
  assertStrictEquals(pace.host(URL_A), host);
  for (let at = 0; at < 3000; at++) await setting.refuse(undefined, `h${at}`);
  assert(pace.host(URL_A) !== host, "there is a limit for these too");
});

Deno.test("Host fails the requests that wait when it is down", async () => {
  const setting = new Setting({ wait: 1000 });
  const { clock, host } = setting;
  const turn = await setting.turn();
  const waiting = setting.turn().catch((error) => error);
  host.close(refusal());
  host.end(turn, ANSWER);
  assertStrictEquals(await waiting, host.down);
  assertEquals([clock.pending, host.state], [0, "slow"]);
});

Deno.test("Host ends a turn that a shared pace refuses", async () => {
  const reason = new Error("put off");
  let count = 0;
  const setting = new Setting({}, {
    turn: () => Promise.reject(reason),
    pause() {},
    enter: () => void count++,
    leave: () => void count--,
  });
  assertStrictEquals(await setting.turn().catch((error) => error), reason);
  assertEquals([setting.host.state, count], ["idle", 0]);
});

/** Drives a host that has refused a request; every request takes longer than its interval. */
class SlowHost {
  readonly #clock = new FakeClock();
  readonly #host = newPace(this.#clock).host(URL_A);
  /** Turns of the requests under way, oldest first. */
  #open: Turn[] = [];

  /** Begins requests until one has to wait for another; returns the one that waits. */
  #fill(): Promise<Turn> {
    for (;;) {
      this.#clock.skip(60_000);
      const turn = this.#host.turn(URL_A, newSubject(), []);
      if (turn instanceof Promise) return turn;
      this.#open.push(turn);
    }
  }

  /** Answers requests until so many of them have waited for another one. */
  async answer(count: number): Promise<void> {
    for (let answered = 0; answered < count;) {
      const waiting = this.#fill();
      this.#clock.skip(60_000);
      const turn = this.#open.shift()!;
      if (turn.limitedBy === "width") answered++;
      this.#host.end(turn, ANSWER);
      this.#open.push(await waiting);
    }
  }

  /** Refuses a request while no other is under way. */
  async refuse(): Promise<void> {
    for (const turn of this.#open) this.#host.end(turn, NONE);
    this.#open = [];
    this.#clock.skip(60_000);
    const turn = await this.#host.turn(URL_A, newSubject(), []);
    this.#host.end(turn, { type: "refusal", failure: refusal() });
  }

  /** Returns the number of requests that may be under way. */
  async width(): Promise<number> {
    const waiting = this.#fill();
    const width = this.#open.length;
    this.#host.end(this.#open.pop()!, NONE);
    await waiting;
    return width;
  }
}

/** What a host does after a first refusal, and how many requests may then be under way. */
const WIDTHS: readonly (readonly [events: readonly (number | "refusal")[], width: number])[] = [
  [[], 1],
  [[7], 1],
  [[8], 2],
  [[15], 2],
  [[16], 3],
  [[24], 4],
  // concurrency
  [[99], 4],
  [["refusal", 7], 1],
  [["refusal", 8], 2],
  [[7, "refusal", 7], 1],
  [[7, "refusal", 8], 2],
  [[15, "refusal"], 1],
  [[15, "refusal", 15], 1],
  [[8, "refusal", 15], 1],
  [[8, "refusal", 16], 2],
  [[16, "refusal"], 1],
  [[24, "refusal"], 2],
  [[24, "refusal", 15], 2],
  [[24, "refusal", 16], 3],
];

for (const [events, width] of WIDTHS) {
  const after = events.map((event) => event === "refusal" ? event : `${event} answers`).join(", ");
  Deno.test(`Host allows ${width} under way after a refusal${after && `, ${after}`}`, async () => {
    const host = new SlowHost();
    await host.refuse();
    for (const event of events) await (event === "refusal" ? host.refuse() : host.answer(event));
    assertEquals(await host.width(), width);
  });
}

for (const [retryAfter, isGranted] of [["5", true], ["6", false]] as const) {
  const outcome = isGranted ? "waits for" : "does not wait for";
  Deno.test(`Host ${outcome} a pause of ${retryAfter} s by a maxWait of 5 s`, async () => {
    const setting = new Setting({ maxWait: 5000 });
    await setting.refuse(retryAfter);
    const turn = setting.turn().then(() => "granted", (error) => error.message);
    assertEquals(
      await setting.clock.run(turn),
      isGranted ? "granted" : "429 Too Many Requests; not answered within 5000 ms",
    );
  });
}

for (const [time, isDown] of [[5000, false], [5001, true]] as const) {
  Deno.test(`Host is ${isDown ? "down" : "up"} if it has refused for ${time} ms, by a maxWait of 5 s`, async () => {
    const setting = new Setting({ maxWait: 5000 });
    await setting.refuse();
    setting.clock.skip(time);
    await setting.refuse();
    assertEquals(setting.host.down !== undefined, isDown);
  });
}

/** Outcomes of requests in a row, with paths for those without a response, and how the host is then. */
const OUTCOMES: readonly (readonly [outcomes: string, expected: string])[] = [
  ["answer", "up"],
  ["error error error error error", "up"],
  ["none none none none none", "up"],
  // refusals
  ["refusal", "up, 1000 ms, refusing once given up"],
  ["refusal error", "up, 1000 ms, refusing once given up"],
  ["refusal answer", "up, 1000 ms"],
  ["long-refusal", "up, refusing once given up"],
  ["long-refusal long-refusal answer long-refusal", "up, refusing once given up"],
  ["long-refusal long-refusal long-refusal", "down"],
  // silences of a host that has responded
  ["error /a /a /a /a", "up"],
  ["error /a /a /a /a /a", "suspect"],
  ["error /a /b /a /b /a", "suspect"],
  ["error /a /b /a none /b /c", "down"],
  ["error /a /a /a /a /a /b /c", "down"],
  ["error /a /b /a /b error /c", "up"],
  // silences of one that has not
  ["/a /a /a /a", "up"],
  ["/a /a /a /a /a", "down"],
  ["/robots.txt /robots.txt /robots.txt /robots.txt /robots.txt", "suspect"],
  ["/robots.txt /robots.txt /robots.txt /robots.txt /robots.txt /a", "down"],
];

for (const [outcomes, expected] of OUTCOMES) {
  Deno.test(`Host is ${expected} after ${outcomes}`, async () => {
    const setting = new Setting();
    const { clock, host } = setting;
    const failure = refusal("1");
    for (const word of outcomes.split(" ")) {
      clock.skip(60_000);
      const url = new URL(word.startsWith("/") ? word : "/x", URL_A);
      const turn = await host.turn(url, newSubject(), []);
      const type = word.startsWith("/") ? "silence" : word as Outcome["type"];
      host.end(turn, { type, failure });
      if (type === "long-refusal" && host.down === undefined) host.giveUp();
    }
    const isUp = host.down === undefined && !host.isSuspect;
    const words = [host.down !== undefined ? "down" : host.isSuspect ? "suspect" : "up"];
    if (host.interval !== undefined) words.push(`${host.interval} ms`);
    host.giveUp();
    if (isUp && host.isRefusing) words.push("refusing once given up");
    assertEquals(words.join(", "), expected);
  });
}

Deno.test("Host leaves refusals for long to a shared pace", async () => {
  const pauses: number[] = [];
  const { host, clock } = new Setting({}, {
    turn: () => undefined,
    pause: (_, milliseconds) => void pauses.push(milliseconds),
    enter() {},
    leave() {},
  });
  for (let count = 0; count < 4; count++) {
    clock.skip(60_000);
    const turn = await host.turn(URL_A, newSubject(), []);
    host.end(turn, { type: "long-refusal", failure: refusal("120") });
    host.giveUp();
  }
  assertEquals([pauses, host.down, host.pauseLeft], [Array(4).fill(120_000), undefined, 0]);
});

Deno.test("Host counts refusals against a sitemap once it is asked for one at a time", () => {
  const { clock, host } = new Setting();
  const begin = (subject: PacedSubject) => {
    clock.skip(60_000);
    return host.turn(URL_A, subject, []) as Turn;
  };
  const refuse = (turn: Turn) => host.end(turn, { type: "refusal", failure: refusal() });
  const [one, other] = [newSubject(), newSubject()];
  const early = [begin(one), begin(other)];
  for (const turn of early) refuse(turn);
  assertEquals([one.retriesLeft, other.retriesLeft], [4, 4], "they were under way together");
  refuse(begin(one));
  assertEquals([one.retriesLeft, other.retriesLeft], [3, 4]);
  host.end(begin(other), ANSWER);
  refuse(begin(one));
  assertEquals(one.retriesLeft, 3, "the host answers others");
  refuse(begin(one));
  assertEquals(one.retriesLeft, 2);
});

Deno.test("Host pauses once for refusals of requests that were under way together", () => {
  const { clock, host } = new Setting();
  const begin = () => host.turn(URL_A, newSubject(), []) as Turn;
  const turns = [begin(), begin(), begin()];
  const pauses = ["", "", "5"].map((retryAfter, at) => {
    host.end(turns[at]!, { type: "refusal", failure: refusal(retryAfter) });
    clock.skip(100);
    return host.pauseLeft;
  });
  assertEquals(pauses, [900, 800, 4900]);
});

Deno.test("Host without delays counts refusals of requests that were sent alone", () => {
  const { host } = new Setting({ retryDelay: 0 });
  const subject = newSubject();
  const begin = () => host.turn(URL_A, subject, []) as Turn;
  const left = [begin(), begin(), begin()].map((turn) => {
    host.end(turn, { type: "refusal", failure: refusal() });
    return subject.retriesLeft;
  });
  assertEquals(left, [4, 4, 4]);
  host.end(begin(), { type: "refusal", failure: refusal() });
  assertEquals(subject.retriesLeft, 3);
});
