/**
 * One attempt at a site or a unit: the walk, its pages, and how it ends.
 *
 * @module
 */

import type { TreeEvent, Verdict } from "../data/events.ts";
import { sleep, SYSTEM_CLOCK } from "../http/clock.ts";
import { type ResolvedOptions, resolveOptions, type WalkOptions } from "../walk/options.ts";
import { walkWith } from "../walk/walk.ts";
import { Checkpoint } from "./checkpoint.ts";
import type { Claim } from "./attempt.ts";
import type { ClaimSetting } from "./claim.ts";
import { isTransient, type Session } from "./database.ts";
import { LostError } from "./errors.ts";
import { HostPace, PutOffError } from "./host_pace.ts";
import {
  checkFence,
  fail,
  finish,
  handBack,
  type NewUnit,
  type Outcome,
  resetCrashes,
} from "./settle.ts";

/** Part of a lease that is not used, in case clocks differ in speed. */
const MARGIN = 0.1;
/** Milliseconds before a transaction is repeated, at first and at most. */
const REPEAT_DELAY = { min: 100, max: 2000 } as const;

/** What visits need. */
export interface VisitSetting extends ClaimSetting {
  readonly splitAbove: number;
  /** Seconds before a site that failed is walked again. */
  readonly retrySeconds: number;
  readonly walk: Omit<WalkOptions, "signal">;
  readonly onWarning: (message: string) => void;
}

/** An attempt in progress. */
export class Visit {
  readonly claim: Claim;
  readonly #setting: VisitSetting;
  readonly #stop = new AbortController();
  readonly #pace: HostPace;
  readonly #options: WalkOptions;
  readonly #resolved: ResolvedOptions;
  /** Ends of the lease: by a clock that never jumps, and by one that runs while the machine sleeps. */
  #deadline = { elapsed: 0, now: 0 };
  #checkpoint: Checkpoint | undefined;

  /** Creates a visit for a claim that began at `start`. */
  constructor(claim: Claim, setting: VisitSetting, start: LeaseStart) {
    this.claim = claim;
    this.#setting = setting;
    // sites that fail are walked again, so that few requests need to be
    this.#options = { retries: 1, ...setting.walk, ...claim.options };
    this.#resolved = resolveOptions(this.#options);
    this.#pace = new HostPace(claim, {
      ...setting,
      owner: claim.owner,
      maxWait: this.#resolved.maxRetryDelay,
      repeat: (statement) => this.#repeat(statement),
      signal: this.#stop.signal,
      abort: (reason) => this.abort(reason),
    });
    this.extend(start);
  }

  /** Hosts that it has leased. */
  get hosts(): readonly string[] {
    return [...this.#pace.hosts];
  }

  /** Whether its lease has ended, or is about to. */
  get isOver(): boolean {
    return SYSTEM_CLOCK.elapsed() > this.#deadline.elapsed ||
      SYSTEM_CLOCK.now() > this.#deadline.now;
  }

  /** Notes that the lease was extended by a statement that began at `start`. */
  extend({ elapsed, now }: LeaseStart): void {
    const length = this.#setting.leaseSeconds * 1000 * (1 - MARGIN);
    this.#deadline = { elapsed: elapsed + length, now: now + length };
  }

  /** Ends the walk. The reason decides what becomes of the attempt. */
  abort(reason: unknown): void {
    this.#stop.abort(reason);
  }

  /** Walks the site and writes its pages and its verdict. Never rejects. */
  async run(): Promise<void> {
    try {
      this.#checkpoint = await this.#repeat(() =>
        Checkpoint.load(this.#setting.database, this.claim)
      );
      const outcome = await this.#walk(this.#checkpoint);
      await this.#pace.settled();
      if (outcome.verdict === "blocked") await this.#fail(outcome.loss ?? "blocked");
      else await this.#finish(this.#checkpoint, outcome);
    } catch (error) {
      await this.#settle(error).catch((failure) => this.#warn(failure));
    }
  }

  async #walk(checkpoint: Checkpoint): Promise<Outcome> {
    const { homepage } = this.claim;
    const units: NewUnit[] = [];
    const losses = new Losses();
    let verdict: Verdict = "none";
    const setting = { knownSitemaps: checkpoint.knownSitemaps, pace: this.#pace };
    for await (const events of walkWith(homepage, this.#walkOptions(units), setting).batches()) {
      checkpoint.add(events);
      for (const event of events) {
        losses.add(event);
        if (event.type === "finished") verdict = event.verdict;
      }
      if (checkpoint.isDue) await this.#write(checkpoint);
    }
    return { verdict, units, loss: verdict === "complete" ? undefined : losses.text };
  }

  #walkOptions(units: NewUnit[]): WalkOptions {
    const { part } = this.claim;
    const options = this.#options;
    const { maxDepth } = this.#resolved;
    const { level = 0 } = part ?? {};
    return {
      ...options,
      ...(part && { sitemaps: [part.url], useRobots: false, useKnownPaths: false }),
      ...(part && { extraKnownPaths: [], maxDepth: Math.max(0, maxDepth - level) }),
      order: "document",
      signal: this.#stop.signal,
      onRequest: (report) => {
        if (report.phase === "request") this.#checkDeadline();
        options.onRequest?.(report);
      },
      recurseListCallback: async (urls, at, ...rest) => {
        const children = [...await options.recurseListCallback?.(urls, at, ...rest) ?? urls];
        if (!this.#isSplit(children)) return children;
        for (const url of children) units.push({ url, level: level + at + 1 });
        return [];
      },
    };
  }

  /** Whether sitemaps become units: there are many, and each can be walked without the others. */
  #isSplit(children: readonly string[]): boolean {
    const { recurseCallback, includeCallback, maxPages, deadline } = this.#resolved;
    return children.length > this.#setting.splitAbove && recurseCallback === undefined &&
      includeCallback === undefined && maxPages === Infinity && deadline === Infinity;
  }

  /** Throws if the lease has ended: even a process that was stopped must not ask the host then. */
  #checkDeadline(): void {
    if (!this.isOver) return;
    const lost = new LostError("the lease has ended");
    this.abort(lost);
    throw lost;
  }

  /** Writes pages that were found so far. Awaiting it is what slows the walk down. */
  async #write(checkpoint: Checkpoint): Promise<void> {
    await this.#transact(async (session) => {
      await checkFence(session, this.claim);
      if (checkpoint.hasProgress && this.claim.crashes > 1) await resetCrashes(session, this.claim);
      await checkpoint.write(session);
    });
    checkpoint.clear();
  }

  async #finish(checkpoint: Checkpoint, outcome: Outcome): Promise<void> {
    const { queue, perHost } = this.#setting;
    await this.#transact((session) =>
      finish(session, queue, this.claim, { checkpoint, outcome, perHost })
    );
  }

  async #fail(reason: string, minDelay = 0): Promise<void> {
    const { queue, retrySeconds } = this.#setting;
    const ending = { checkpoint: this.#checkpoint, reason, delay: retrySeconds, minDelay };
    await this.#transact((session) => fail(session, queue, this.claim, ending));
  }

  /** Ends an attempt whose walk was aborted or failed. */
  async #settle(error: unknown): Promise<void> {
    const reason = this.#stop.signal.aborted ? this.#stop.signal.reason : error;
    await this.#pace.settled();
    if (reason instanceof PutOffError && !reason.isFailure) {
      return await this.#handBack(reason.delay);
    }
    if (reason instanceof PutOffError) return await this.#fail(reason.message, reason.delay);
    if (reason instanceof LostError || reason instanceof ShutdownError) {
      return await this.#handBack(0);
    }
    // perhaps the database refuses the pages
    this.#checkpoint = undefined;
    await this.#fail(reason instanceof Error ? reason.message : String(reason));
  }

  /** Hands the task back, unless another worker has it already. */
  async #handBack(delay: number): Promise<void> {
    const { database, queue } = this.#setting;
    const ending = { checkpoint: this.#checkpoint, delay };
    // once, as pg-boss gives the task to another worker anyway
    await database.transaction((session) => handBack(session, queue, this.claim, ending));
  }

  #transact<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#repeat(() => this.#setting.database.transaction(work));
  }

  /**
   * Repeats a transaction while the connection is broken and the lease lasts. One whose answer was lost
   * may have been committed: writing pages again changes nothing, and a job that was completed makes
   * the attempt a lost one, with nothing left to do.
   *
   * @throws {LostError} if the database could not be reached while the lease lasted
   */
  async #repeat<T>(work: () => Promise<T>): Promise<T> {
    for (let delay: number = REPEAT_DELAY.min;; delay = Math.min(delay * 2, REPEAT_DELAY.max)) {
      try {
        return await work();
      } catch (error) {
        if (error instanceof LostError || !isTransient(error)) throw error;
        this.#warn(error);
        if (this.isOver) throw new LostError("the database could not be reached", { cause: error });
        await sleep(delay, SYSTEM_CLOCK, [this.#stop.signal]);
      }
    }
  }

  #warn(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.#setting.onWarning(`${this.claim.homepage}: ${message}`);
  }
}

/** Reason to end an attempt: the worker ends. */
export class ShutdownError extends Error {}

/** Time at which a statement began that leases a host or extends a lease. */
export interface LeaseStart {
  /** By `Clock.elapsed()`. */
  readonly elapsed: number;
  /** By `Clock.now()`. */
  readonly now: number;
}

/** Returns the time of now. */
export function leaseStart(): LeaseStart {
  return { elapsed: SYSTEM_CLOCK.elapsed(), now: SYSTEM_CLOCK.now() };
}

/** Description of what a walk has lost. */
class Losses {
  #first: string | undefined;
  #warning: string | undefined;
  #count = 0;

  add(event: TreeEvent): void {
    if (event.type === "invalid") {
      this.#count++;
      this.#first ??= `${event.sitemap.url}: ${event.reason}`;
    } else if (event.type === "warning") {
      const { sitemap: { level, url }, message } = event;
      this.#warning ??= level < 0 ? message : `${url}: ${message}`;
    }
  }

  get text(): string | undefined {
    if (this.#count < 2) return this.#first ?? this.#warning;
    return `${this.#first} and ${this.#count - 1} more`;
  }
}
