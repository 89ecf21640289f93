import type { Verdict } from "../data/events.ts";

/** What happens while {@linkcode Fleet.work} runs, for logs and metrics. */
export type WorkEvent =
  | {
    /** The database has answered, which it is asked for about once a second. */
    readonly type: "pulse";
    /** Sites that are being walked. */
    readonly walks: number;
    /** Walks whose lease is about to end, since it could not be extended in time. */
    readonly late: number;
  }
  | {
    /** Sites were claimed. */
    readonly type: "claimed";
    /** Number of these sites. */
    readonly sites: number;
  }
  | {
    /** The walk of a site has ended. */
    readonly type: "walked";
    /** Homepage of the site. */
    readonly site: string;
    /** Verdict of this walk; `failed` if its workers were stopped by it. */
    readonly verdict: Verdict | "failed";
    /** Number of pages that were listed. */
    readonly pages: number;
    /** Decompressed bytes that were read. */
    readonly bytes: number;
    /** Why it is not complete, as a code. */
    readonly code?: string;
    /** The same as a sentence. */
    readonly reason?: string;
    /** Milliseconds before it is walked again, if it failed for a reason that may pass. */
    readonly retryAfter?: number;
    /** Whether it had such a reason, and is not walked again in this round. */
    readonly isGivenUp: boolean;
  }
  | {
    /** Another worker may have a site: nothing more of its walk is written. */
    readonly type: "lease-lost";
    /** Homepage of the site. */
    readonly site: string;
    /** Why, as a sentence. */
    readonly reason: string;
  }
  | {
    /** The database cannot be reached, and is asked again until it can. */
    readonly type: "database-lost";
    /** Why, as a sentence. */
    readonly reason: string;
  }
  | {
    /** The database can be reached again. */
    readonly type: "database-found";
  }
  | {
    /** Anything else that went wrong, and is repeated. */
    readonly type: "fault";
    /** What, as a sentence. */
    readonly reason: string;
    /** Homepage of the site, if it is about one. */
    readonly site?: string;
  };
