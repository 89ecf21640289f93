/**
 * The queue of each run, by pg-boss. It holds the sites that are walked next, and is filled from the
 * table of sites as it drains. A site leaves it before it is claimed. One that is claimed has a lease,
 * which ends if its worker stops; one that is not is queued again after some time.
 *
 * @module
 */

import { type Db, PgBoss } from "pg-boss";
import { SYSTEM_CLOCK } from "../http/clock.ts";
import type { Postgres, Session } from "../sync/postgres.ts";
import type { KnownSite, StoredSite } from "../sync/store.ts";
import type { SiteOptions } from "../sync/site_entry.ts";

/** A site that a worker may walk, with the lease of its host. */
export interface Claim {
  readonly site: StoredSite;
  readonly host: string;
  readonly options: SiteOptions | null;
  /** Walks in a row that ended without a word and without progress, with this one. */
  readonly crashes: number;
  /** Whether it may be what stops its workers. */
  readonly isSuspect: boolean;
  /** Walks of this round that failed for a reason that may pass. */
  readonly tries: number;
  /** What is known of it, unless that is much. */
  readonly known: KnownSite | null;
  /** Milliseconds before the first request. */
  readonly delay: number;
  readonly run: number;
}

export interface ClaimTerms {
  readonly worker: string;
  readonly perHost: number;
  readonly leaseSeconds: number;
  /** Whether a site may be claimed that has stopped its workers several times. */
  readonly mayBeSuspect: boolean;
}

const SCHEMA = "sitetree_queue";
/** In seconds. */
const RETENTION = 10 * 365 * 24 * 60 * 60;
/** Sites that are put in the queue at once. */
const FILL = 1000;
/** Milliseconds for which sites are taken from the queue ahead. */
const AHEAD = 1000;
/** Milliseconds after which a site is queued again that was taken, but not claimed. */
const UNCLAIMED = 10_000;

interface Ahead {
  readonly ids: number[];
  /** When they were taken, by `Clock.elapsed()`. */
  readonly since: number;
  taken: number;
}

export class SiteQueue {
  readonly #boss: PgBoss;
  readonly #server: Postgres;
  /** Sites that were taken from the queue and not claimed yet, by run. */
  readonly #ahead = new Map<number, Ahead>();

  private constructor(boss: PgBoss, server: Postgres) {
    this.#boss = boss;
    this.#server = server;
  }

  /** Creates the tables of the queues unless they exist. */
  static async open(server: Postgres, onWarning: (message: string) => void): Promise<SiteQueue> {
    const boss = new PgBoss({
      db: adapter(server),
      schema: SCHEMA,
      schedule: false,
      supervise: false,
    });
    boss.on("error", ({ message }) => onWarning(`Cannot use the queue: ${message}`));
    await boss.start();
    return new SiteQueue(boss, server);
  }

  /** Creates the queue of a run unless it exists. */
  async create(run: number): Promise<void> {
    await this.#boss.createQueue(nameOf(run), { retentionSeconds: RETENTION, retryLimit: 0 });
  }

  async delete(run: number): Promise<void> {
    await this.#boss.deleteQueue(nameOf(run));
  }

  /** `undefined` if none is due. */
  async claim(run: number, count: number, terms: ClaimTerms): Promise<Claim[] | undefined> {
    const { worker, perHost, leaseSeconds, mayBeSuspect } = terms;
    const ids = await this.#take(run, count);
    if (ids.length === 0) return undefined;
    const { rows } = await this.#server.query<{ claim: Claim }>(
      "select sitetree.claim($1, $2, $3, $4, $5, $6) as claim",
      [run, ids, worker, perHost, leaseSeconds, mayBeSuspect],
    );
    return rows.map(({ claim }) => ({ ...claim, run }));
  }

  async giveBack(): Promise<void> {
    const ahead = [...this.#ahead].filter(([, { ids }]) => ids.length > 0);
    this.#ahead.clear();
    for (const [run, { ids }] of ahead) {
      await this.#server.query(
        `update sitetree.fleet_site set due = clock_timestamp()
         where run = $1 and site = any($2) and not queued`,
        [run, ids],
      );
    }
  }

  /** Takes sites from the queue, with as many more as are likely to be claimed in the next second. */
  async #take(run: number, count: number): Promise<number[]> {
    const now = SYSTEM_CLOCK.elapsed();
    let ahead = this.#ahead.get(run);
    const age = ahead === undefined ? 0 : now - ahead.since;
    if (age > UNCLAIMED / 2) await this.giveBack();
    if (ahead === undefined || ahead.ids.length === 0 || age > UNCLAIMED / 2) {
      const rate = ahead === undefined ? 0 : ahead.taken / Math.max(1, age);
      const more = Math.min(FILL, Math.floor(rate * AHEAD));
      const ids = await this.#fetch(run, Math.max(count, more));
      // those that another worker of this process has taken in the meantime
      const others = this.#ahead.get(run)?.ids ?? [];
      ahead = { ids: [...others, ...ids], since: now, taken: 0 };
      this.#ahead.set(run, ahead);
    }
    const ids = ahead.ids.splice(0, count);
    ahead.taken += ids.length;
    // all workers lock sites in the same order
    return ids.sort((a, b) => a - b);
  }

  #fetch(run: number, count: number): Promise<number[]> {
    return this.#server.transaction(async (session) => {
      const options = { db: adapter(session) };
      const fetch = () =>
        this.#boss.fetch<{ site: number }>(nameOf(run), { ...options, batchSize: count });
      let jobs = await fetch();
      if (jobs.length === 0 && await this.#fill(session, run) > 0) jobs = await fetch();
      if (jobs.length === 0) return [];
      await this.#boss.deleteJob(nameOf(run), jobs.map(({ id }) => id), options);
      const ids = jobs.map(({ data }) => data.site);
      // if this worker stops before it claims them, they are queued again
      await session.query(
        `update sitetree.fleet_site f set queued = false,
           due = clock_timestamp() + ${UNCLAIMED} * interval '1 ms'
         from unnest($2::bigint[]) as t(site) where f.run = $1 and f.site = t.site`,
        [run, ids],
      );
      return ids;
    });
  }

  async #fill(session: Session, run: number): Promise<number> {
    const { rows } = await session.query<{ site: number }>(
      `update sitetree.fleet_site set queued = true where (run, site) in (
        select run, site from sitetree.fleet_site
        where run = $1 and round < (select round from sitetree.fleet_run where key = $1)
          and not queued and due <= clock_timestamp()
        order by round, due limit ${FILL} for update skip locked
      ) returning site`,
      [run],
    );
    const jobs = rows.map(({ site }) => ({ data: { site } }));
    if (jobs.length > 0) await this.#boss.insert(nameOf(run), jobs, { db: adapter(session) });
    return jobs.length;
  }

  async close(): Promise<void> {
    await this.#boss.stop({ graceful: false });
  }
}

function nameOf(run: number): string {
  return `site_${run}`;
}

/** Lets pg-boss use a session, so that its statements are part of our transactions. */
function adapter(session: Session): Db {
  return {
    async executeSql(text, values) {
      // several statements have no values
      const results = values === undefined || values.length === 0
        ? await session.queryAll([text])
        : [await session.query(text, values)];
      return { rows: results.flatMap(({ rows }) => rows), rowCount: results.at(-1)!.count };
    },
  };
}
