/**
 * The queues of a fleet, by pg-boss: for each run one of sites and units to walk, and one of sites
 * that were given up.
 *
 * pg-boss gives the job of a worker that has stopped to another one. How often a site may fail is
 * counted in the tables of the fleet, since a job that is put off is another job.
 *
 * @module
 */

import { type Db, PgBoss } from "pg-boss";
import type { Database, Session } from "./database.ts";
import { LostError } from "./errors.ts";

/** Site to walk, or a unit of it. */
export interface Task {
  /** Id of the site. */
  readonly site: number;
  /** Id of the unit; 0 for the site itself. */
  readonly unit: number;
}

/** Task with where and when it may be done. */
export interface NewTask extends Task {
  /** Host of the site. */
  readonly host: string;
  /** Whether it comes before tasks that were never tried. */
  readonly isUrgent?: boolean;
  /** Seconds before it may be done. Default: 0. */
  readonly delay?: number;
}

/** Attempt at a task. */
export interface Job {
  readonly id: string;
  /** Distinguishes the attempts of a job, of which only the last may be settled. */
  readonly retryCount: number;
  readonly data: Task;
}

/** Run with the number in the names of its queues. */
export interface RunKey {
  readonly id: string;
  readonly key: number;
}

/** Options of {@linkcode JobQueue.open}. */
export interface JobQueueOptions {
  /** Seconds without a heartbeat after which a job is given to another worker. */
  readonly heartbeatSeconds: number;
  /** Called with failures of the supervision, which is repeated. */
  readonly onWarning: (message: string) => void;
}

const SCHEMA = "sitetree_queue";
/** Seconds after which a job counts as lost even with heartbeats; the most that pg-boss accepts. */
const EXPIRY = 24 * 60 * 60;
/** Seconds that queued jobs are kept: ten years. */
const RETENTION = 10 * 365 * 24 * 60 * 60;
/** Seconds that completed jobs are kept. */
const COMPLETED_RETENTION = 60 * 60;
/** Redeliveries of one job. The tables of the fleet give a site up long before. */
const MAX_REDELIVERIES = 1_000_000;
/** Least and most seconds between two looks for workers that have stopped. */
const SUPERVISION = { min: 5, max: 15 } as const;
/** Size of a queue that is not worth a warning. */
const EXPECTED_SIZE = 100_000_000;

/** The queues of all runs. */
export class JobQueue {
  readonly #boss: PgBoss;
  readonly #database: Database;
  readonly #heartbeatSeconds: number;
  /**
   * Keys of runs whose queues were deleted while tasks of them may be in progress. pg-boss would look
   * for the queues, inside a transaction by a second connection.
   */
  readonly #deleted = new Set<number>();

  private constructor(boss: PgBoss, database: Database, heartbeatSeconds: number) {
    this.#boss = boss;
    this.#database = database;
    this.#heartbeatSeconds = heartbeatSeconds;
  }

  /** Creates the tables of the queues unless they exist, and supervises the workers. */
  static async open(database: Database, options: JobQueueOptions): Promise<JobQueue> {
    const { heartbeatSeconds, onWarning } = options;
    const seconds = Math.round(heartbeatSeconds / 2);
    const interval = Math.min(SUPERVISION.max, Math.max(SUPERVISION.min, seconds));
    const boss = new PgBoss({
      db: adapter(database),
      schema: SCHEMA,
      schedule: false,
      superviseIntervalSeconds: interval,
      monitorIntervalSeconds: interval,
      warningQueueSize: EXPECTED_SIZE,
    });
    // without a listener, a restart of the server would end the process
    boss.on("error", ({ message }) => onWarning(`Cannot supervise the queue: ${message}`));
    await boss.start();
    return new JobQueue(boss, database, heartbeatSeconds);
  }

  /** Creates the queues of a run unless they exist. */
  async createFor(key: number): Promise<void> {
    const options = {
      partition: true,
      heartbeatSeconds: this.#heartbeatSeconds,
      expireInSeconds: EXPIRY,
      retentionSeconds: RETENTION,
      deleteAfterSeconds: COMPLETED_RETENTION,
      retryLimit: MAX_REDELIVERIES,
      retryDelay: 1,
    };
    await this.#boss.createQueue(deadQueue(key), options);
    await this.#boss.createQueue(siteQueue(key), options);
  }

  /** Deletes the queues of a run with their jobs. */
  async dropFor(key: number): Promise<void> {
    this.#deleted.add(key);
    // pg-boss may still know a queue that is gone, if an earlier attempt was interrupted
    const { rows } = await this.#database.query<{ name: string }>(
      `select name from ${SCHEMA}.queue where name in ($1, $2) order by name desc`,
      [siteQueue(key), deadQueue(key)],
    );
    for (const { name } of rows) await this.#boss.deleteQueue(name);
  }

  /**
   * Loads what pg-boss must know of the queues of a run. Inside a transaction it would need a second
   * connection, for which all transactions might wait at the same time.
   */
  async prepare(key: number): Promise<void> {
    await this.#boss.touch(siteQueue(key), crypto.randomUUID());
    await this.#boss.touch(deadQueue(key), crypto.randomUUID());
  }

  #checkExists(key: number): void {
    if (this.#deleted.has(key)) throw new LostError("the run was removed");
  }

  /** Adds tasks to a run. */
  async insert(session: Session, { key }: RunKey, tasks: readonly NewTask[]): Promise<void> {
    if (tasks.length === 0) return;
    this.#checkExists(key);
    const jobs = tasks.map(({ site, unit, host, isUrgent = false, delay = 0 }) => ({
      data: { site, unit },
      group: { id: host },
      ...(isUrgent && { priority: 1 }),
      ...(delay > 0 && { startAfter: Math.ceil(delay) }),
    }));
    await this.#boss.insert(siteQueue(key), jobs, { db: adapter(session) });
  }

  /** Takes the next task of a run, of a host with fewer than `perHost` tasks in progress. */
  async fetch(session: Session, { key }: RunKey, perHost: number): Promise<Job | undefined> {
    this.#checkExists(key);
    const [job] = await this.#boss.fetch<Task>(siteQueue(key), {
      db: adapter(session),
      includeMetadata: true,
      groupConcurrency: perHost,
    });
    return job;
  }

  /**
   * Begins an attempt. If its worker stops, the task comes before those that were never tried, after as
   * long as this worker has leases for: queues have the heartbeat of the process that created them.
   */
  async begin(session: Session, { key }: RunKey, { id }: Job): Promise<void> {
    await session.query(
      `update ${SCHEMA}.job set priority = 1, heartbeat_seconds = $3 where name = $1 and id = $2`,
      [siteQueue(key), id, this.#heartbeatSeconds],
    );
  }

  /**
   * Ends an attempt.
   *
   * @throws {LostError} if the task was given to another worker, or its run was removed
   */
  async complete(session: Session, { key }: RunKey, { id, retryCount }: Job): Promise<void> {
    this.#checkExists(key);
    const attempt = { id, retryCount };
    const response = await this.#boss.complete(siteQueue(key), attempt, null, {
      db: adapter(session),
    });
    const { affected } = response as { readonly affected?: number };
    if (affected !== 1) throw new LostError("the task was given to another worker");
  }

  /** Adds a task that was given up, with the reason, to the queue of those. */
  async bury(session: Session, { key }: RunKey, task: Task, reason: string): Promise<void> {
    this.#checkExists(key);
    const { site, unit } = task;
    await this.#boss.send(deadQueue(key), { site, unit, reason }, { db: adapter(session) });
  }

  /** Removes the tasks of a run that were given up. */
  async clearDead(session: Session, { key }: RunKey, sites: readonly number[]): Promise<void> {
    await session.query(
      `delete from ${SCHEMA}.job where name = $1 and (data->>'site')::bigint = any($2::bigint[])`,
      [deadQueue(key), sites],
    );
  }

  /** Reports that attempts at tasks of a run are still in progress. */
  async touch({ key }: RunKey, jobs: readonly Job[]): Promise<void> {
    if (this.#deleted.has(key)) return;
    const attempts = jobs.map(({ id, retryCount }) => ({ id, retryCount }));
    await this.#boss.touch(siteQueue(key), attempts);
  }

  /** Stops supervising. */
  async close(): Promise<void> {
    await this.#boss.stop({ graceful: false });
  }
}

function siteQueue(key: number): string {
  return `site_${key}`;
}

function deadQueue(key: number): string {
  return `dead_${key}`;
}

/** Lets pg-boss use a session, so that its statements are part of our transactions. */
function adapter(session: Session): Db {
  return {
    async executeSql(text, values) {
      const { rows, count } = await session.query(text, values);
      return { rows, rowCount: count };
    },
  };
}
