/**
 * The walk of a site that was claimed, and how it ends.
 *
 * @module
 */

import { messageOf } from "../data/errors.ts";
import type { Verdict, WalkStats } from "../data/events.ts";
import { sleep, SYSTEM_CLOCK } from "../http/clock.ts";
import { isTransient } from "../sync/postgres_errors.ts";
import { isLost, type PostgresStore } from "../sync/postgres_store.ts";
import type { RunState } from "../sync/site_run.ts";
import type { SyncFinishedEvent } from "../sync/events.ts";
import type { Snapshot } from "../sync/snapshot.ts";
import type { Batch } from "../sync/store.ts";
import type { SyncOptions } from "../sync/options.ts";
import { syncSite } from "../sync/sync.ts";
import { resolveWalkOptions, type WalkOptions } from "../walk/options.ts";
import { HostPace, PutOffError } from "./host_pace.ts";
import type { Claim, ClaimTerms } from "./queue.ts";
import { storedOptions } from "./site_entry.ts";
import type { WorkEvent } from "./work_event.ts";

/** Part of a lease that is not used, in case clocks differ in speed. */
const MARGIN = 0.1;
const REPEAT_DELAY = 500;
const MAX_REASON_LENGTH = 1000;
/** Milliseconds before a site is claimed again that is synchronised without a claim. */
const TAKEN_DELAY = 30_000;
/** Milliseconds before a site is claimed again whose walk did not fit the tables. */
const OUTDATED_DELAY = 5000;
/** Errors about tables and functions that differ from those of this version. */
const OUTDATED_REGEXP = /^(?:42|0A)...$/;

export interface VisitSetting {
  readonly store: PostgresStore;
  readonly snapshot: Snapshot;
  readonly walk: FleetWalkOptions;
  readonly retryDelays: readonly number[];
  readonly onEvent: (event: WorkEvent) => void;
  /** Called with errors that are not those of a walk. */
  readonly onFault: (error: unknown, site: string) => void;
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
  /** How the walk ended, once its last commit was made. */
  #ending: Ending | undefined;
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
      server: setting.store.server,
      maxWait:
        resolveWalkOptions(maxRetryDelay === undefined ? {} : { maxRetryDelay }).maxRetryDelay,
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
    const { snapshot, store } = this.#setting;
    const { site, known } = this.claim;
    try {
      const { stats } = await syncSite(
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
            known: known ?? await store.load(site.id),
            amend: (...of) => this.#amend(...of),
          },
          pace: this.#pace,
        },
      );
      this.#tell(this.#ending!, stats);
      await this.#pace.settled();
    } catch (error) {
      await this.#pace.settled();
      const reason = this.#stop.signal.aborted ? this.#stop.signal.reason : error;
      const { homepage } = this.claim.site;
      await this.#settle(reason).catch((failure) => this.#setting.onFault(failure, homepage));
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

  #amend(batch: Batch, { code, reason }: RunState, finished?: SyncFinishedEvent): void {
    const { run, site, crashes } = this.claim;
    if (finished !== undefined) {
      this.#setWaiting(true);
      const { verdict, passing: isPassing = false } = finished;
      const retryAfter = isPassing ? this.#retryDelay() : null;
      this.#ending = { verdict, code, reason, retryAfter, isPassing };
      this.#write(batch, this.#ending);
    } else if (crashes > 0) {
      // something was read
      batch.run(
        "UPDATE sitetree.fleet_site SET crashes = 0 WHERE run = ? AND site = ? AND crashes > 0",
        run,
        site.id,
      );
    }
  }

  #tell(
    { verdict, code, reason, retryAfter, isPassing }: Ending,
    { pages, bytes }: Pick<WalkStats, "pages" | "bytes">,
  ): void {
    this.#setting.onEvent({
      type: "walked",
      site: this.claim.site.homepage,
      ...{ verdict, pages, bytes },
      ...(code !== null && { code }),
      ...(reason !== null && { reason }),
      ...(retryAfter !== null && { retryAfter }),
      isGivenUp: isPassing && retryAfter === null,
    });
  }

  /** `null` if no walk follows in this round. */
  #retryDelay(): number | null {
    const delay = this.#setting.retryDelays[this.claim.tries];
    return delay === undefined ? null : delay * (0.8 + 0.4 * Math.random());
  }

  #write(batch: Batch, { verdict, code, reason, retryAfter }: Ending): void {
    const { run, site } = this.claim;
    const text = reason?.slice(0, MAX_REASON_LENGTH) ?? null;
    batch.run(
      "SELECT sitetree.settle(?, ?, ?, ?, ?, ?, ?)",
      ...[run, site.id, this.#terms.worker, verdict, code, text, retryAfter],
    );
    batch.run("DELETE FROM sitetree.lease WHERE site = ? AND fence = ?", site.id, site.fence);
  }

  async #settle(reason: unknown): Promise<void> {
    const { site } = this.claim;
    if (reason instanceof LostError || isLost(reason)) {
      const event = { type: "lease-lost", site: site.homepage, reason: messageOf(reason) } as const;
      this.#setting.onEvent(event);
      return await this.#handBack(isLost(reason) ? TAKEN_DELAY : 0);
    }
    if (reason instanceof ShutdownError) return await this.#handBack(0);
    const delay = this.#retryDelay();
    let code = "error", retryAfter = delay;
    if (reason instanceof PutOffError) {
      if (!reason.isFailure) return await this.#handBack(reason.delay);
      code = "maxWait";
      if (delay !== null) retryAfter = Math.max(delay, reason.delay);
    } else {
      this.#setting.onFault(reason, site.homepage);
      if (isTransient(reason)) return await this.#handBack(0);
      if (isOutdated(reason)) return await this.#handBack(OUTDATED_DELAY);
    }
    const ending: Ending = {
      verdict: "blocked",
      ...{ code, reason: messageOf(reason), retryAfter, isPassing: true },
    };
    await this.#setting.store.commit((batch) => this.#write(batch, ending), { writer: site });
    this.#tell(ending, { pages: 0, bytes: 0 });
  }

  /**
   * Hands the site back. While the database cannot be reached, it is tried again until the lease ends:
   * a walk that ends without a word counts against its site.
   */
  async #handBack(delay: number): Promise<void> {
    const { run, site } = this.claim;
    for (;;) {
      try {
        await this.#setting.store.server.query("select sitetree.hand_back($1, $2, $3, $4)", [
          ...[run, site.id, site.fence, delay],
        ]);
        return;
      } catch (error) {
        if (!isTransient(error) || this.isOver) throw error;
        await sleep(REPEAT_DELAY, SYSTEM_CLOCK, []);
      }
    }
  }
}

interface Ending extends Pick<RunState, "code" | "reason"> {
  readonly verdict: Verdict;
  /** `null` if no walk follows in this round. */
  readonly retryAfter: number | null;
  /** Whether it ended so for a reason that may pass. */
  readonly isPassing: boolean;
}

function isOutdated(error: unknown): boolean {
  return OUTDATED_REGEXP.test((Object(error) as { readonly code?: string }).code ?? "");
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
