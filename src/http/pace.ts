/**
 * When requests are sent: one queue for each host, which is slowed down by refusals and closed when
 * the host is down.
 *
 * ```
 *            turn()            free, and fewer under way than allowed
 *  request ─────────► waiting ────────────────────────────────────────► under way
 *                       ▲  │                                               │
 *                       │  └─► waited too long: failure       answer() ◄───┤
 *                       └──────────── at the end of the queue ◄── refuse() ┘
 * ```
 *
 * @module
 */

import { STATUS_CODE } from "@std/http/status";
import { abortable, type Clock, type Signals, type Timer } from "./clock.ts";
import { hostDown, type RequestError, StatusError } from "./failure.ts";
import { RateControl } from "./rate_control.ts";
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
  pause(host: string, milliseconds: number): void;
  /** Called when a request has its turn at a host, and when it is sent. */
  enter(host: string): void;
  /** Called when that turn has ended, and when the body of the response is closed. */
  leave(host: string): void;
}

/** A sitemap that is requested, with what its host has done to it so far. */
export interface PacedSubject {
  /** Milliseconds that it has waited for a host that slows it down. */
  waited: number;
  /** `Host.answers` when it was refused last; negative if it was not. */
  answersBefore: number;
}

/** A request that may be sent. */
export interface Turn {
  /** From 1. */
  readonly number: number;
  readonly start: number;
  /** Milliseconds before the next one. */
  readonly delay: number;
  readonly limitedBy: Limit | undefined;
}

/** What a request waits for: the time of its turn, or the end of another one. */
type Limit = "rate" | "width";

interface Waiter {
  readonly subject: PacedSubject;
  readonly since: number;
  readonly grant: (turn: Turn) => void;
  readonly reject: (reason: unknown) => void;
  isGranted: boolean;
}

/** Answers after which one more request may be under way: at first, and after a refusal. */
const WIDENING = 8, WIDENING_AGAIN = 16;
/** Requests in a row without a response after which a host is down... */
const MAX_UNANSWERED = 5;
/** ...if they are for so many different URLs. */
const MIN_UNANSWERED_URLS = 3;
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
  /** Number of responses that are neither refusals nor 5xx. */
  answers = 0;
  hasResponded = false;
  /** Why all further requests fail, if the host is down. */
  down: RequestError | undefined;
  readonly #name: string;
  readonly #options: PaceOptions;
  readonly #clock: Clock;
  readonly #shared: SharedPace | undefined;
  /** Rate of a host that has refused a request. */
  #control: RateControl | undefined;
  #lastRefusal: StatusError | undefined;
  /** Time of the first refusal since the last answer. */
  #refusedSince: number | undefined;
  #width = Infinity;
  /** Answers since the width was changed. */
  #steadyAnswers = 0;
  #widening = WIDENING;
  #underWay = 0;
  /** Number of turns so far, and before the pace was lowered last. */
  #turns = 0;
  #turnsBefore = 0;
  #freeAt = 0;
  #crawlDelay = 0;
  readonly #queue: Waiter[] = [];
  #timer: Timer | undefined;
  /** Requests without a response since the last one, and their URLs. */
  #unanswered = 0;
  readonly #unansweredUrls = new Set<string>();
  /** Sitemaps that were given up since the last answer. */
  #givenUp = 0;

  constructor(name: string, options: PaceOptions, clock: Clock, shared?: SharedPace) {
    this.#name = name;
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

  get isShared(): boolean {
    return this.#shared !== undefined;
  }

  get isBusy(): boolean {
    return this.#underWay > 0 || this.#queue.length > 0;
  }

  /** Whether the host may be asked at any time, so that nothing has to be remembered about it. */
  get isIdle(): boolean {
    return this.#control === undefined && this.down === undefined && this.pauseLeft === 0;
  }

  /** Whether retries are not waited for, since the last sitemaps were given up. */
  get isFailing(): boolean {
    return this.#givenUp >= MAX_GIVEN_UP;
  }

  /** Whether the host has refused a sitemap for good, and answered nothing since. */
  get isRefusing(): boolean {
    return this.#givenUp > 0 && this.#refusedSince !== undefined;
  }

  /** Whether it has to be checked if the host is down or only some of its URLs do not respond. */
  get isSuspect(): boolean {
    return this.#unanswered >= MAX_UNANSWERED && this.down === undefined;
  }

  // -------------------------------------------------------------------------------------- turns

  /**
   * Returns the turn of a request, or resolves to it. Each turn has to be ended by `answer()`,
   * `respond()`, `refuse()`, `fail()` or `cancel()`.
   */
  turn(url: URL, subject: PacedSubject, signals: Signals): Turn | Promise<Turn> {
    if (this.#queue.length > 0 || this.#underWay >= this.#width || this.pauseLeft > 0) {
      return this.#wait(url, subject, signals);
    }
    return this.#share(url, this.#begin(undefined), signals);
  }

  async #wait(url: URL, subject: PacedSubject, signals: Signals): Promise<Turn> {
    let waiter: Waiter | undefined;
    const granted = new Promise<Turn>((grant, reject) => {
      waiter = { subject, since: this.#clock.elapsed(), grant, reject, isGranted: false };
      this.#queue.push(waiter);
    });
    this.#dropLate();
    this.#serve("width");
    const turn = await abortable(granted, signals).catch((error) => {
      if (waiter!.isGranted) this.cancel();
      else this.#drop(waiter!);
      throw error;
    });
    return await this.#share(url, turn, signals);
  }

  #share(url: URL, turn: Turn, signals: Signals): Turn | Promise<Turn> {
    const shared = this.#shared?.turn(url, turn.delay, signals);
    return shared === undefined ? turn : shared.then(
      () => ({ ...turn, start: this.#clock.elapsed() }),
      (error) => {
        this.cancel();
        throw error;
      },
    );
  }

  /** `limit` is what the first waiter has waited for. */
  #serve(limit: Limit): void {
    while (this.#queue.length > 0 && this.#underWay < this.#width) {
      const { pauseLeft } = this;
      if (pauseLeft > 0) {
        this.#timer ??= this.#clock.startTimer(pauseLeft, () => {
          this.#timer = undefined;
          this.#serve("rate");
        });
        return;
      }
      const waiter = this.#queue.shift()!;
      const turn = this.#begin(limit);
      if (this.#control !== undefined) waiter.subject.waited += turn.start - waiter.since;
      waiter.isGranted = true;
      waiter.grant(turn);
    }
    if (this.#queue.length === 0) this.#stopTimer();
  }

  #begin(limitedBy: Limit | undefined): Turn {
    this.#underWay++;
    this.#shared?.enter(this.#name);
    const start = this.#clock.elapsed();
    const delay = this.#delay();
    if (delay > 0) this.#freeAt = start + delay;
    return { number: ++this.#turns, start, delay, limitedBy };
  }

  #delay(): number {
    const { wait, randomWait } = this.#options;
    const ownWait = randomWait ? wait * (0.5 + this.#clock.random()) : wait;
    return Math.max(ownWait, this.#crawlDelay, this.interval ?? 0);
  }

  /** Drops requests that have waited too long, or will have. */
  #dropLate(): void {
    if (this.#control === undefined && this.down === undefined) return;
    const next = this.#clock.elapsed() + this.pauseLeft;
    for (const waiter of [...this.#queue]) {
      const { subject, since } = waiter;
      if (this.down === undefined && subject.waited + next - since <= this.#options.maxWait) {
        continue;
      }
      this.#drop(waiter);
      waiter.reject(this.down ?? this.#tooLate());
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

  #tooLate(): RequestError {
    return this.#lastRefusal!.with(`not answered within ${this.#options.maxWait} ms`);
  }

  // ----------------------------------------------------------------------------------- outcomes

  /** Ends the turn of a request with a response that is neither a refusal nor a 5xx. */
  answer({ limitedBy }: Turn): void {
    this.answers++;
    this.#givenUp = 0;
    this.#refusedSince = undefined;
    this.#control?.answer(limitedBy === "rate");
    if (limitedBy === "width") this.#widen();
    this.respond();
  }

  /** Ends the turn of a request with any other response. */
  respond(): void {
    this.hasResponded = true;
    this.#unanswered = 0;
    this.#unansweredUrls.clear();
    this.cancel();
  }

  /** Ends the turn of a request without an outcome. */
  cancel(): void {
    this.#underWay--;
    this.#shared?.leave(this.#name);
    this.#dropLate();
    this.#serve("width");
  }

  /**
   * Ends the turn of a request that was refused, and slows down. Returns whether the refusal counts
   * against the sitemap: requests were sent one at a time, and either the host has answered no other
   * since the last refusal, or it does not have to wait.
   */
  refuse({ number, start }: Turn, failure: StatusError, subject: PacedSubject): boolean {
    const now = this.#clock.elapsed();
    const wasWide = this.#width > 1;
    // others that were under way at the last refusal say nothing new
    const isNew = number > this.#turnsBefore;
    if (this.#control === undefined) {
      this.#control = new RateControl(this.#options, this.#clock, start);
      this.#width = 1;
    } else if (isNew) {
      this.#control.refuse(start);
      if (wasWide) this.#widening = WIDENING_AGAIN;
      this.#width = Math.max(1, Math.floor(this.#width / 2));
    }
    if (isNew) {
      this.#turnsBefore = this.#turns;
      this.#steadyAnswers = 0;
    }
    this.#lastRefusal = failure;
    this.#refusedSince ??= now;
    this.pause(Math.max(failure.retryAfter ?? 0, isNew ? this.#control.pause : 0));
    const answersOthers = subject.answersBefore !== this.answers;
    subject.answersBefore = this.answers;
    if (now - this.#refusedSince > this.#options.maxWait) this.close(failure);
    this.respond();
    return isNew && !wasWide && (!answersOthers || this.pauseLeft === 0);
  }

  /** Ends the turn of a request that was refused for longer than a walk waits. */
  refuseForLong(failure: StatusError): void {
    this.#refusedSince ??= this.#clock.elapsed();
    this.#shared?.pause(this.#name, failure.retryAfter!);
    if (!this.isShared && this.#givenUp + 1 >= MAX_GIVEN_UP) this.close(failure);
    this.respond();
  }

  fail(url: URL, failure: RequestError): void {
    this.#unanswered++;
    if (this.#unansweredUrls.size < MIN_UNANSWERED_URLS) this.#unansweredUrls.add(url.href);
    const isDown = this.#unanswered >= MAX_UNANSWERED &&
      this.#unansweredUrls.size >= MIN_UNANSWERED_URLS;
    if (isDown) this.close(failure);
    this.cancel();
  }

  close(failure: RequestError): void {
    this.down ??= hostDown(failure);
  }

  giveUp(): void {
    this.#givenUp++;
  }

  pause(milliseconds: number): void {
    if (milliseconds <= 0) return;
    this.#shared?.pause(this.#name, milliseconds);
    this.#freeAt = Math.max(this.#freeAt, this.#clock.elapsed() + milliseconds);
  }

  /** robots.txt was just requested, hence the pause. */
  setCrawlDelay(milliseconds: number): void {
    this.#crawlDelay = milliseconds;
    this.pause(milliseconds);
  }

  #widen(): void {
    if (this.#width >= this.#options.concurrency || ++this.#steadyAnswers < this.#widening) return;
    this.#width++;
    this.#steadyAnswers = 0;
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

  host({ host: name }: URL): Host {
    const known = this.#hosts.get(name);
    if (known !== undefined) return known;
    if (this.#hosts.size >= MAX_HOSTS) this.#dropHosts();
    const host = new Host(name, this.#options, this.#clock, this.#shared);
    this.#hosts.set(name, host);
    return host;
  }

  /** Drops hosts without requests: those with nothing to remember, or the oldest if there are none. */
  #dropHosts(): void {
    const hosts = [...this.#hosts].filter(([, { isBusy }]) => !isBusy);
    const idle = hosts.filter(([, { isIdle }]) => isIdle);
    const dropped = idle.length > 0 ? idle : hosts.slice(0, 1);
    for (const [name] of dropped) this.#hosts.delete(name);
  }
}
