/**
 * When requests are sent: one queue for each host, which is slowed down by refusals and closed when
 * the host is down.
 *
 * ```
 *            turn()            free, and fewer under way than allowed
 *  request ─────────► waiting ────────────────────────────────────────► under way
 *                       ▲  │                                               │
 *                       │  └─► waited too long: failure          end() ◄───┤
 *                       └──────────── at the end of the queue ◄── refusal ─┘
 * ```
 *
 * A turn ends with what its request has shown of the host. The interval between requests and the
 * width, the number under way, are unlimited before the first refusal.
 *
 * | what happened              | interval                   | width              | down              |
 * | -------------------------- | -------------------------- | ------------------ | ----------------- |
 * | answer: any other response | shorter, if waited for     | 1 more after 8, or | no                |
 * |                            |                            | 16 if it was wider |                   |
 * | error: 5xx                 |                            |                    | no                |
 * | refusal: 429, or 503 with  | first `retryDelay`, then   | first 1, then half | refused for       |
 * | `Retry-After`              | by `RateControl`; a pause  |                    | `maxWait`         |
 * | refusal for longer than    | the shared pace decides    |                    | the third sitemap |
 * | `maxRetryDelay`            |                            |                    | in a row          |
 * | silence: no response       |                            |                    | 5 in a row, for 3 |
 * |                            |                            |                    | URLs, or by a     |
 * |                            |                            |                    | host never heard  |
 * | none: cancelled            |                            |                    |                   |
 *
 * After five silences for fewer URLs robots.txt is requested, and the host is down if that has no
 * response either. A refusal of a request that was under way at the last one only pauses the host.
 * An answer ends a row of refusals and of sitemaps that were given up, any response one of silences.
 *
 * @module
 */

import { STATUS_CODE } from "@std/http/status";
import { isRobotsUrl } from "../data/url.ts";
import { abortable, type Clock, type Signals, type Timer } from "./clock.ts";
import { hostDown, type RequestError, StatusError } from "./failure.ts";
import { type Limit, RateControl } from "./rate_control.ts";
import type { RetryDelays } from "./retry.ts";

export interface PaceOptions extends RetryDelays {
  readonly wait: number;
  readonly randomWait: boolean;
  readonly maxWait: number;
  readonly concurrency: number;
}

/** Paces hosts for several walks at once, perhaps in other processes. */
export interface SharedPace {
  /**
   * Resolves when a request to the host of a URL may be sent; the next one is due `wait` milliseconds
   * later. To end the walk, it is aborted before the promise rejects.
   */
  turn(url: URL, wait: number, signals: Signals): Promise<void> | undefined;
  /** Called if a host gets no request for so many milliseconds. */
  pause(hostname: string, milliseconds: number): void;
  /** Called when a request has its turn at a host, and when it is sent. */
  enter(hostname: string): void;
  /** Called when that turn has ended, and when the body of the response is closed. */
  leave(hostname: string): void;
}

/** A sitemap that is requested, with what its host has done to it so far. */
export interface PacedSubject {
  /** Milliseconds that it has waited for a host that slows it down. */
  waited: number;
  /** Answers of the host when it was refused last; negative if it was not. */
  answersBefore: number;
  /** Number of failures that may still be retried. Refusals are counted by the pace. */
  retriesLeft: number;
}

/** A request that may be sent. */
export interface Turn {
  readonly host: Host;
  readonly url: URL;
  readonly subject: PacedSubject;
  start: number;
  /** Milliseconds before the next one. */
  readonly delay: number;
  readonly limitedBy: Limit | undefined;
  /** Number of times that the host had slowed down before. */
  readonly slowDowns: number;
  hasResponse: boolean;
}

/** What a request has shown of its host. */
export type Outcome =
  | { readonly type: "answer" | "error" | "none" }
  | { readonly type: "refusal" | "long-refusal"; readonly failure: StatusError }
  | { readonly type: "silence"; readonly failure: RequestError };

interface Waiter {
  readonly url: URL;
  readonly subject: PacedSubject;
  readonly since: number;
  readonly grant: (turn: Turn) => void;
  readonly reject: (reason: unknown) => void;
  turn: Turn | undefined;
}

/** Requests in a row without a response after which a host is down... */
const MAX_SILENCES = 5;
/** ...if they are for so many different URLs. */
const MIN_SILENT_URLS = 3;
/** Sitemaps given up in a row after which a retry of others is not waited for. */
const MAX_GIVEN_UP = 3;
const MAX_HOSTS = 1000;

/** Whether a failure asks for fewer requests to the host, not only for a retry of this one. */
export function isRefusal(failure: unknown): failure is StatusError {
  if (!(failure instanceof StatusError)) return false;
  if (failure.status === STATUS_CODE.TooManyRequests) return true;
  return failure.status === STATUS_CODE.ServiceUnavailable && failure.retryAfter !== undefined;
}

export class Host {
  /** Why all further requests fail, if the host is down. */
  down: RequestError | undefined;
  readonly #hostname: string;
  readonly #options: PaceOptions;
  readonly #clock: Clock;
  readonly #shared: SharedPace | undefined;
  readonly #queue: Waiter[] = [];
  #timer: Timer | undefined;
  #underWay = 0;
  #freeAt = 0;
  #crawlDelay = 0;
  /** Interval and width of a host that has refused a request. */
  #control: RateControl | undefined;
  #slowDowns = 0;
  #lastRefusal: StatusError | undefined;
  /** Time of the first refusal since the last answer. */
  #refusedSince: number | undefined;
  /** Sitemaps that were given up since the last answer. */
  #givenUp = 0;
  #hasResponded = false;
  /** URLs of the requests since the last response, at most as many as are counted. */
  readonly #silent: string[] = [];

  constructor(hostname: string, options: PaceOptions, clock: Clock, shared?: SharedPace) {
    this.#hostname = hostname;
    this.#options = options;
    this.#clock = clock;
    this.#shared = shared;
  }

  /** `undefined` if the host has refused no request. */
  get interval(): number | undefined {
    return this.#control?.interval;
  }

  get pauseLeft(): number {
    return Math.max(0, this.#freeAt - this.#clock.elapsed());
  }

  /** `idle` if it may be asked at any time, so that nothing has to be remembered about it. */
  get state(): "busy" | "slow" | "idle" {
    if (this.#underWay > 0 || this.#queue.length > 0) return "busy";
    const isSlow = this.#control !== undefined || this.down !== undefined || this.pauseLeft > 0;
    return isSlow ? "slow" : "idle";
  }

  /** Whether the host has refused a sitemap for good, and answered nothing since. */
  get isRefusing(): boolean {
    return this.#givenUp > 0 && this.#refusedSince !== undefined;
  }

  /** Whether it has to be checked if the host is down or only some of its URLs do not respond. */
  get isSuspect(): boolean {
    return this.#silent.length >= MAX_SILENCES && this.down === undefined;
  }

  /** Whether a sitemap that failed is requested again, after so many milliseconds. */
  allowsRetry({ code }: RequestError, delay: number): boolean {
    if (this.down !== undefined || delay > 0 && this.#givenUp >= MAX_GIVEN_UP) return false;
    // a host that has never responded does not do so later
    return this.#hasResponded || code !== "timeout";
  }

  // -------------------------------------------------------------------------------------- turns

  /** Returns the turn of a request, or resolves to it. Each has to be ended by `end()`. */
  turn(url: URL, subject: PacedSubject, signals: Signals): Turn | Promise<Turn> {
    if (this.#queue.length > 0 || !this.#hasRoom || this.pauseLeft > 0) {
      return this.#wait(url, subject, signals);
    }
    return this.#share(this.#begin(url, subject, undefined), signals);
  }

  get #hasRoom(): boolean {
    return this.#underWay < (this.#control?.width ?? Infinity);
  }

  async #wait(url: URL, subject: PacedSubject, signals: Signals): Promise<Turn> {
    const since = this.#clock.elapsed();
    let waiter: Waiter | undefined;
    const granted = new Promise<Turn>((grant, reject) => {
      waiter = { url, subject, since, grant, reject, turn: undefined };
      this.#queue.push(waiter);
    });
    this.#dropLate();
    this.#serve("width");
    const turn = await abortable(granted, signals).catch((error) => {
      if (waiter!.turn === undefined) this.#drop(waiter!);
      else this.end(waiter!.turn, { type: "none" });
      throw error;
    });
    return await this.#share(turn, signals);
  }

  #share(turn: Turn, signals: Signals): Turn | Promise<Turn> {
    const shared = this.#shared?.turn(turn.url, turn.delay, signals);
    return shared === undefined ? turn : shared.then(
      () => {
        turn.start = this.#clock.elapsed();
        return turn;
      },
      (error) => {
        this.end(turn, { type: "none" });
        throw error;
      },
    );
  }

  /** `limit` is what the first waiter has waited for. */
  #serve(limit: Limit): void {
    while (this.#queue.length > 0 && this.#hasRoom) {
      const { pauseLeft } = this;
      if (pauseLeft > 0) {
        this.#timer ??= this.#clock.startTimer(pauseLeft, () => {
          this.#timer = undefined;
          this.#serve("rate");
        });
        return;
      }
      const waiter = this.#queue.shift()!;
      const { url, subject, since } = waiter;
      const turn = waiter.turn = this.#begin(url, subject, limit);
      if (this.#control !== undefined) subject.waited += turn.start - since;
      waiter.grant(turn);
    }
    if (this.#queue.length === 0) this.#stopTimer();
  }

  #begin(url: URL, subject: PacedSubject, limitedBy: Limit | undefined): Turn {
    this.#underWay++;
    this.#shared?.enter(this.#hostname);
    const start = this.#clock.elapsed();
    const { wait, randomWait } = this.#options;
    const ownWait = randomWait ? wait * (0.5 + this.#clock.random()) : wait;
    const delay = Math.max(ownWait, this.#crawlDelay, this.interval ?? 0);
    if (delay > 0) this.#freeAt = start + delay;
    const slowDowns = this.#slowDowns;
    return { host: this, url, subject, start, delay, limitedBy, slowDowns, hasResponse: false };
  }

  /** Drops requests that have waited too long, or will have. */
  #dropLate(): void {
    if (this.#control === undefined && this.down === undefined) return;
    const { maxWait } = this.#options;
    const next = this.#clock.elapsed() + this.pauseLeft;
    for (const waiter of [...this.#queue]) {
      const { subject, since } = waiter;
      if (this.down === undefined && subject.waited + next - since <= maxWait) continue;
      this.#drop(waiter);
      const tooLate = () => this.#lastRefusal!.with(`not answered within ${maxWait} ms`);
      waiter.reject(this.down ?? tooLate());
    }
  }

  #drop(waiter: Waiter): void {
    const at = this.#queue.indexOf(waiter);
    if (at >= 0) this.#queue.splice(at, 1);
    if (this.#queue.length === 0) this.#stopTimer();
  }

  #stopTimer(): void {
    this.#timer?.clear();
    this.#timer = undefined;
  }

  // ----------------------------------------------------------------------------------- outcomes

  /** Ends the turn of a request. The outcome decides by the table of this module. */
  end(turn: Turn, outcome: Outcome): void {
    const now = this.#clock.elapsed();
    let isDown = false;
    if (outcome.type !== "silence" && outcome.type !== "none") {
      this.#hasResponded = true;
      this.#silent.length = 0;
    }
    switch (outcome.type) {
      case "answer":
        this.#control?.answer(turn.limitedBy, this.#options.concurrency);
        this.#refusedSince = undefined;
        this.#givenUp = 0;
        break;
      case "refusal":
        this.#slowDown(turn, outcome.failure);
        isDown = now - (this.#refusedSince ??= now) > this.#options.maxWait;
        break;
      case "long-refusal":
        this.#shared?.pause(this.#hostname, outcome.failure.retryAfter!);
        this.#refusedSince ??= now;
        isDown = this.#shared === undefined && this.#givenUp + 1 >= MAX_GIVEN_UP;
        break;
      case "silence":
        isDown = this.#isSilent(turn.url, outcome.failure);
    }
    if (isDown && "failure" in outcome) this.close(outcome.failure);
    this.#underWay--;
    this.#shared?.leave(this.#hostname);
    this.#dropLate();
    this.#serve("width");
  }

  /**
   * A refusal counts against the sitemap if requests were sent one at a time, and either the host has
   * answered no other since its last refusal, or it does not have to wait.
   */
  #slowDown({ slowDowns, start, subject }: Turn, failure: StatusError): void {
    // others that were under way at the last refusal say nothing new
    const isNew = slowDowns === this.#slowDowns;
    const wasNarrow = this.#control?.width === 1;
    const control = this.#control ??= new RateControl(this.#options, this.#clock, start);
    if (isNew && this.#slowDowns++ > 0) control.refuse(start);
    this.#lastRefusal = failure;
    this.pause(Math.max(failure.retryAfter ?? 0, isNew ? control.pause : 0));
    const answersOthers = subject.answersBefore !== control.answers;
    subject.answersBefore = control.answers;
    const isCounted = isNew && wasNarrow && (!answersOthers || this.pauseLeft === 0);
    if (isCounted) subject.retriesLeft--;
  }

  #isSilent(url: URL, { isTransient }: RequestError): boolean {
    const isNew = this.#silent.length < MAX_SILENCES || !this.#silent.includes(url.href);
    if (isNew) this.#silent.push(url.href);
    if (this.#silent.length < MAX_SILENCES) return false;
    const isUnknown = !this.#hasResponded && isTransient && !isRobotsUrl(url);
    return isUnknown || new Set(this.#silent).size >= MIN_SILENT_URLS;
  }

  close(failure: RequestError): void {
    this.down ??= hostDown(failure);
  }

  giveUp(): void {
    this.#givenUp++;
  }

  pause(milliseconds: number): void {
    if (milliseconds <= 0) return;
    this.#shared?.pause(this.#hostname, milliseconds);
    this.#freeAt = Math.max(this.#freeAt, this.#clock.elapsed() + milliseconds);
  }

  /** At most `maxRetryDelay`. robots.txt was just requested, hence the pause. */
  setCrawlDelay(milliseconds: number): void {
    this.#crawlDelay = Math.min(milliseconds, this.#options.maxRetryDelay);
    this.pause(this.#crawlDelay);
  }
}

export class Pace {
  readonly #options: PaceOptions;
  readonly #clock: Clock;
  readonly #shared: SharedPace | undefined;
  readonly #hosts = new Map<string, Host>();

  constructor(options: PaceOptions, clock: Clock, shared?: SharedPace) {
    this.#options = options;
    this.#clock = clock;
    this.#shared = shared;
  }

  host({ host: name, hostname }: URL): Host {
    const known = this.#hosts.get(name);
    if (known !== undefined) return known;
    if (this.#hosts.size >= MAX_HOSTS) this.#dropHosts();
    const host = new Host(hostname, this.#options, this.#clock, this.#shared);
    this.#hosts.set(name, host);
    return host;
  }

  /** Drops hosts without requests: those with nothing to remember, or the oldest if there are none. */
  #dropHosts(): void {
    const hosts = [...this.#hosts];
    const idle = hosts.filter(([, { state }]) => state === "idle");
    const dropped = idle.length > 0
      ? idle
      : hosts.filter(([, { state }]) => state === "slow").slice(0, 1);
    for (const [name] of dropped) this.#hosts.delete(name);
  }
}
