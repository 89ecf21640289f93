/**
 * The walk of a site that was claimed, and how it ends.
 *
 * @module
 */

import { sleep, SYSTEM_CLOCK } from "../http/clock.ts";
import type { Postgres, Statement } from "../sync/postgres.ts";
import { isTransient } from "../sync/postgres_errors.ts";
import { HOLD, inDialect, isLost } from "../sync/postgres_store.ts";
import type { StoredRun } from "../sync/site_run.ts";
import type { SyncFinishedEvent } from "../sync/events.ts";
import type { Snapshot } from "../sync/snapshot.ts";
import type { Batch, SqlValue } from "../sync/store.ts";
import { type SyncOptions, syncSite } from "../sync/sync.ts";
import { resolveOptions, type WalkOptions } from "../walk/options.ts";
import { HostPace, PutOffError } from "./host_pace.ts";
import type { Claim, ClaimTerms } from "./queue.ts";
import { storedOptions } from "./site_entry.ts";

/** Part of a lease that is not used, in case clocks differ in speed. */
const MARGIN = 0.1;
const REPEAT_DELAY = 500;
const MAX_REASON_LENGTH = 1000;

export interface VisitSetting {
  readonly server: Postgres;
  readonly snapshot: Snapshot;
  readonly walk: FleetWalkOptions;
  readonly retryDelays: readonly number[];
  readonly onWarning: (message: string) => void;
}

type FleetWalkOptions = Omit<SyncOptions, "signal" | "snapshot" | "dryRun">;

/** The lease of a site has ended, or another worker has it. Nothing more may be written. */
export class LostError extends Error {}

export class ShutdownError extends Error {}

export class Visit {
  readonly claim: Claim;
  /** Whether it waits for a host that other walks are on, or for its last commit, and needs no slot. */
  isWaiting = false;
  readonly #setting: VisitSetting;
  readonly #terms: ClaimTerms;
  readonly #stop = new AbortController();
  readonly #options: FleetWalkOptions & WalkOptions;
  readonly #pace: HostPace;
  /** Ends of the lease: by a clock that never jumps, and by one that runs while the machine sleeps. */
  #deadline = { elapsed: 0, now: 0 };
  #hasProgress = false;
  readonly #onWaiting: () => void;

  constructor(
    claim: Claim,
    setting: VisitSetting,
    terms: ClaimTerms,
    { start, onWaiting }: { readonly start: LeaseStart; readonly onWaiting: () => void },
  ) {
    this.claim = claim;
    this.#setting = setting;
    this.#terms = terms;
    this.#onWaiting = onWaiting;
    this.#options = { ...setting.walk, ...storedOptions(claim.options) };
    const { maxRetryDelay } = this.#options;
    this.#pace = new HostPace(claim, {
      ...terms,
      server: setting.server,
      maxWait: resolveOptions(maxRetryDelay === undefined ? {} : { maxRetryDelay }).maxRetryDelay,
      signal: this.#stop.signal,
      abort: (reason) => this.abort(reason),
      onBusy: (isBusy) => this.#setWaiting(isBusy),
    });
    this.extend(start);
  }

  get hosts(): readonly string[] {
    return this.#pace.hosts;
  }

  /** Whether its lease has ended, or is about to. */
  get isOver(): boolean {
    return SYSTEM_CLOCK.elapsed() > this.#deadline.elapsed ||
      SYSTEM_CLOCK.now() > this.#deadline.now;
  }

  extend({ elapsed, now }: LeaseStart): void {
    const length = this.#terms.leaseSeconds * 1000 * (1 - MARGIN);
    this.#deadline = { elapsed: elapsed + length, now: now + length };
  }

  /** The reason decides what becomes of the walk. */
  abort(reason: unknown): void {
    this.#stop.abort(reason);
  }

  /** Never rejects. */
  async run(): Promise<void> {
    const { snapshot } = this.#setting;
    const { site, known } = this.claim;
    try {
      await syncSite(
        site.homepage,
        {
          ...this.#options,
          snapshot,
          onRequest: (report) => {
            if (report.phase === "request") this.#checkDeadline();
            this.#options.onRequest?.(report);
          },
        },
        () => {},
        this.#stop.signal,
        {
          held: {
            site,
            run: site.fence,
            known: known ?? undefined,
            amend: (...of) => this.#amend(...of),
          },
          pace: this.#pace,
        },
      );
      await this.#pace.settled();
    } catch (error) {
      await this.#pace.settled();
      const reason = this.#stop.signal.aborted ? this.#stop.signal.reason : error;
      await this.#settle(reason).catch((failure) => this.#warn(failure));
    }
  }

  #setWaiting(isWaiting: boolean): void {
    this.isWaiting = isWaiting;
    this.#onWaiting();
  }

  /** Throws if the lease has ended: even a process that was stopped must not ask the host then. */
  #checkDeadline(): void {
    if (!this.isOver) return;
    const lost = new LostError("the lease has ended");
    this.abort(lost);
    throw lost;
  }

  #amend(batch: Batch, { code, reason }: StoredRun, finished?: SyncFinishedEvent): void {
    const { run, site, crashes } = this.claim;
    if (finished !== undefined) {
      this.#setWaiting(true);
      const { verdict, passing = false } = finished;
      const delay = passing ? this.#retryDelay() : null;
      for (const [sql, ...values] of this.#endingOf(verdict, code, reason, delay)) {
        batch.run(sql, ...values);
      }
    } else if (crashes > 1 && !this.#hasProgress) {
      // something was read
      this.#hasProgress = true;
      batch.run(
        "UPDATE sitetree.fleet_site SET crashes = 1 WHERE run = ? AND site = ?",
        run,
        site.id,
      );
    }
  }

  /** `null` if no walk follows in this round. */
  #retryDelay(): number | null {
    const delay = this.#setting.retryDelays[this.claim.tries];
    return delay === undefined ? null : delay * (0.8 + 0.4 * Math.random());
  }

  #endingOf(
    verdict: string,
    code: string | null,
    reason: string | null,
    delay: number | null,
  ): [sql: string, ...values: SqlValue[]][] {
    const { run, site } = this.claim;
    const { worker } = this.#terms;
    const text = reason?.slice(0, MAX_REASON_LENGTH) ?? null;
    return [
      [
        "SELECT sitetree.settle(?, ?, ?, ?, ?, ?, ?)",
        ...[run, site.id, worker, verdict, code, text, delay],
      ],
      ["DELETE FROM sitetree.lease WHERE site = ? AND fence = ?", site.id, site.fence],
    ];
  }

  async #settle(reason: unknown): Promise<void> {
    const { site } = this.claim;
    const isBlameless = reason instanceof ShutdownError || reason instanceof LostError ||
      isLost(reason) || isTransient(reason) ||
      reason instanceof PutOffError && !reason.isFailure;
    if (!(reason instanceof ShutdownError || reason instanceof PutOffError)) this.#warn(reason);
    if (isBlameless) {
      const delay = reason instanceof PutOffError ? reason.delay : 0;
      return await this.#handBack(delay);
    }
    const message = reason instanceof Error ? reason.message : String(reason);
    const least = reason instanceof PutOffError ? reason.delay : 0;
    const delay = this.#retryDelay();
    const retryAfter = delay === null ? null : Math.max(delay, least);
    const code = reason instanceof PutOffError ? "maxWait" : "error";
    const statements = this.#endingOf("blocked", code, message, retryAfter);
    await this.#setting.server.queryAll(
      [HOLD, site.id, site.fence],
      ...statements.map(([sql, ...values]): Statement => [inDialect(sql), ...values]),
    );
  }

  /**
   * Hands the site back. While the database cannot be reached, it is tried again until the lease ends:
   * a walk that ends without a word counts against its site.
   */
  async #handBack(delay: number): Promise<void> {
    const { run, site } = this.claim;
    for (;;) {
      try {
        await this.#setting.server.query("select sitetree.hand_back($1, $2, $3, $4)", [
          ...[run, site.id, site.fence, delay],
        ]);
        return;
      } catch (error) {
        if (isLost(error) || !isTransient(error) || this.isOver) throw error;
        await sleep(REPEAT_DELAY, SYSTEM_CLOCK, []);
      }
    }
  }

  #warn(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.#setting.onWarning(`${this.claim.site.homepage}: ${message}`);
  }
}

/** Time at which a statement began that leases a host or extends a lease. */
interface LeaseStart {
  /** By `Clock.elapsed()`. */
  readonly elapsed: number;
  /** By `Clock.now()`. */
  readonly now: number;
}

export function leaseStart(): LeaseStart {
  return { elapsed: SYSTEM_CLOCK.elapsed(), now: SYSTEM_CLOCK.now() };
}
