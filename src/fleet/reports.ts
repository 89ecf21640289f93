import type { Verdict } from "../data/events.ts";

/** Run of a fleet. */
export interface FleetRun {
  /** Name of the run. */
  readonly id: string;
  /** Number of its sites. */
  readonly total: number;
  /** When its first sites were added. */
  readonly created: Date;
  /** Whether its sites are withheld from workers. */
  readonly paused: boolean;
  /** Number of its current round, from 1 on. */
  readonly round: number;
  /** Milliseconds from one round to the next, if they begin by themselves. */
  readonly every: number | undefined;
  /** When the next round begins, if it does so by itself. */
  readonly due: Date | undefined;
}

/** Site of a run. */
export interface FleetSite {
  /** URL that its walk starts from. */
  readonly homepage: string;
  /** Verdict of this round, `failed` if its workers were stopped by it; `undefined` until then. */
  readonly verdict: Verdict | "failed" | undefined;
  /** Number of its pages. */
  readonly pages: number;
  /** Walks of this round that failed, if there will be another. */
  readonly tries: number;
  /** Why it is not complete, as a code. */
  readonly code: string | undefined;
  /** The same as a sentence. */
  readonly reason: string | undefined;
  /** When it got its verdict. */
  readonly finished: Date | undefined;
}

/** Host that a worker is on. */
export interface ActiveHost {
  /** Name of the host, without port. */
  readonly host: string;
  /** Homepage of the site that is walked. */
  readonly homepage: string;
  /** Name of the worker. */
  readonly worker: string;
  /** When the worker began. */
  readonly since: Date;
  /** Time before which the host gets no request, if it is in the future. */
  readonly notBefore: Date | undefined;
}
