/**
 * A run whose connections break at every point of every transaction, with the state checked after
 * each.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { PgBoss } from "pg-boss";
import { type Database, isTransient } from "../../src/fleet/database.ts";
import { openFleetOn } from "../../src/fleet/fleet.ts";
import type { Fleet } from "../../src/fleet/mod.ts";
import { openPostgres } from "../../src/fleet/postgres.ts";
import { Random } from "../bench/random.ts";
import { startPostgres } from "../support/postgres.ts";
import { findInconsistencies } from "./consistency.ts";
import { FailingDatabase, type Failpoint } from "./failing_database.ts";

const OPTIONS = { slots: 4, leaseSeconds: 10, retrySeconds: 0, splitAbove: 3 } as const;
/** Milliseconds that workers work before they are asked to end. */
const MAX_BURST = 700;
/** Milliseconds before a response, at most. */
const MAX_DELAY = 12;
/** Repetitions of a call that fails; each fails at another point. */
const MAX_CALLS = 200;

/** Documents of a site by path; a number is a status. */
type Documents = Readonly<Record<string, string | number>>;

/** A kind of site, with what a fleet finds there. */
interface SiteKind {
  readonly documents: (origin: string) => Documents;
  readonly verdict: string;
  readonly pages: number;
}

function urlset(origin: string, count: number): string {
  const url = (at: number) => `<url><loc>${origin}/page/${at}</loc></url>`;
  return `<urlset>${Array.from({ length: count }, (_, at) => url(at)).join("")}</urlset>`;
}

function index(origin: string, paths: readonly string[]): string {
  const sitemaps = paths.map((path) => `<sitemap><loc>${origin}${path}</loc></sitemap>`);
  return `<sitemapindex>${sitemaps.join("")}</sitemapindex>`;
}

/** Children of an index that is split. */
const CHILDREN = ["/a.xml", "/b.xml", "/c.xml", "/d.xml"] as const;

function split(origin: string, last: string | number): Documents {
  return {
    "/robots.txt": `Sitemap: ${origin}/index.xml`,
    "/index.xml": index(origin, CHILDREN),
    ...Object.fromEntries(CHILDREN.map((path) => [path, urlset(origin, 2)])),
    "/d.xml": last,
  };
}

const KINDS: Readonly<Record<string, SiteKind>> = {
  plain: {
    documents: (origin) => ({
      "/robots.txt": `Sitemap: ${origin}/a.xml\nSitemap: ${origin}/b.xml`,
      "/a.xml": urlset(origin, 3),
      "/b.xml": urlset(origin, 0),
    }),
    verdict: "complete",
    pages: 3,
  },
  large: {
    documents: (origin) => ({
      "/robots.txt": `Sitemap: ${origin}/a.xml\nSitemap: ${origin}/b.xml`,
      "/a.xml": urlset(origin, 1500),
      "/b.xml": urlset(origin, 700),
    }),
    verdict: "complete",
    pages: 2200,
  },
  split: { documents: (origin) => split(origin, urlset(origin, 2)), verdict: "complete", pages: 8 },
  "split-missing": { documents: (origin) => split(origin, 404), verdict: "partial", pages: 6 },
  "split-unavailable": { documents: (origin) => split(origin, 503), verdict: "partial", pages: 6 },
  none: { documents: () => ({}), verdict: "none", pages: 0 },
  unavailable: {
    documents: () => ({ "/robots.txt": 503 }),
    verdict: "dead",
    pages: 0,
  },
  /** Its worker stopped five times, by a statement of the test. */
  crashed: {
    documents: (origin) => ({ "/robots.txt": "", "/sitemap.xml": urlset(origin, 1) }),
    verdict: "dead",
    pages: 0,
  },
};

/** Options of {@linkcode runWithFailpoints}. */
export interface FailpointOptions {
  readonly run: string;
  readonly seed: number;
  /** Workers that share the sites. */
  readonly fleets: number;
  /** Sites of each kind. */
  readonly sites: number;
  /** Whether a connection breaks at a point. */
  readonly breaksAt: (point: Failpoint) => boolean;
}

/**
 * Runs everything that a fleet does, while connections break. Returns the points at which they
 * could. Throws if the state is inconsistent.
 */
export async function runWithFailpoints(
  database: Database,
  { run, seed, fleets: count, sites, breaksAt }: FailpointOptions,
): Promise<ReadonlyMap<string, Failpoint>> {
  const failing = new FailingDatabase(database);
  const walk = { fetch: respond, useKnownPaths: false, retries: 0 };
  const fleets = await Promise.all(
    Array.from({ length: count }, () => openFleetOn(failing, { ...OPTIONS, walk })),
  );
  // gives tasks of workers that have stopped to others, at once if asked to
  const supervisor = new PgBoss({
    db: { executeSql: (sql, values) => database.query(sql, values) },
    ...{ schema: "sitetree_queue", supervise: false, schedule: false },
  });
  const test = new FailpointRun(database, fleets, run, {
    supervisor,
    sites: Array.from({ length: sites * Object.keys(KINDS).length }, (_, at) => siteName(at)),
    random: new Random(seed),
  });
  try {
    // opens the queues
    for (const fleet of fleets) await fleet.enqueue("empty", []);
    await supervisor.start();
    failing.seen.clear();
    failing.breaksAt = breaksAt;
    await test.execute();
  } finally {
    failing.breaksAt = () => false;
    await supervisor.stop({ graceful: false });
    for (const fleet of fleets) await fleet.close();
  }
  return failing.seen;
}

/** Databases that are used at a time. */
const LANES = 4;

/** Breaks the connection at each point of each transaction, one at a time. */
export async function enumerateFailpoints(onProgress: (message: string) => void): Promise<void> {
  await using server = await startPostgres();
  const options = { seed: 1, fleets: 1, sites: 1 };
  const open = (name: string) => {
    const url = new URL(server.url);
    url.pathname = name;
    return openPostgres(url.href, { connections: 8, leaseSeconds: 10 });
  };
  const main = await open("postgres");
  let points: Failpoint[];
  try {
    const all = await runWithFailpoints(main, { ...options, run: "all", breaksAt: () => false });
    points = [...all.values()];
    for (let lane = 0; lane < LANES; lane++) await main.query(`create database lane_${lane}`);
  } finally {
    await main.close();
  }
  let next = 0;
  const lanes = Array.from({ length: LANES }, async (_, lane) => {
    const database = await open(`lane_${lane}`);
    try {
      for (let at = next++; at < points.length; at = next++) {
        let isBroken = false;
        const breaksAt = ({ id }: Failpoint) => {
          if (isBroken || id !== points[at]!.id) return false;
          return isBroken = true;
        };
        await runWithFailpoints(database, { ...options, run: `point ${at}`, breaksAt });
        if (at % 20 === 0) onProgress(`${at} of ${points.length} failpoints`);
      }
    } finally {
      await database.close();
    }
  });
  await Promise.all(lanes);
  onProgress(`${points.length} failpoints`);
}

class FailpointRun {
  readonly #database: Database;
  readonly #fleets: readonly Fleet[];
  readonly #run: string;
  readonly #sites: readonly string[];
  readonly #random: Random;
  readonly #supervisor: PgBoss;

  constructor(
    database: Database,
    fleets: readonly Fleet[],
    run: string,
    { sites, random, supervisor }: {
      readonly sites: readonly string[];
      readonly random: Random;
      readonly supervisor: PgBoss;
    },
  ) {
    this.#database = database;
    this.#fleets = fleets;
    this.#run = run;
    this.#sites = sites;
    this.#random = random;
    this.#supervisor = supervisor;
  }

  async execute(): Promise<void> {
    const run = this.#run;
    const [fleet] = this.#fleets;
    const homepages = this.#sites.map((name) => `http://${name}/`);
    await this.#call(() => fleet!.enqueue(run, homepages));
    await this.#database.query(
      "update sitetree.site set crashes = 5 where run = $1 and host like 'crashed-%'",
      [run],
    );
    await this.#call(() => fleet!.pause(run));
    await this.#call(() => fleet!.resume(run));
    await this.#drain();
    await this.#check(true);
    await this.#compare((kind) => kind.verdict);
    await this.#call(() => fleet!.redrive(run));
    await this.#check(false);
    await this.#drain();
    await this.#check(true);
    await this.#compare((kind, name) => name === "crashed" ? "none" : kind.verdict);
    await this.#call(() => this.#drop(fleet!));
    const { rows } = await this.#database.query(
      `select (select count(*) from sitetree.run where id = $1) as runs,
        (select count(*) from sitetree.unit where run = $1) as units,
        (select count(*) from sitetree.tally where run = $1) as tallies`,
      [run],
    );
    assertEquals(rows, [{ runs: 0, units: 0, tallies: 0 }]);
  }

  /** Drops the run, which is gone if only the answer was lost. */
  async #drop(fleet: Fleet): Promise<void> {
    const runs = await fleet.runs();
    if (runs.some(({ id }) => id === this.#run)) await fleet.drop(this.#run);
  }

  /** Repeats a call until it succeeds. The state is consistent after each failure. */
  async #call<T>(work: () => Promise<T>): Promise<T> {
    for (let call = 1;; call++) {
      try {
        return await work();
      } catch (error) {
        if (!isTransient(error) || call === MAX_CALLS) throw error;
      }
    }
  }

  /** Works in bursts until every site has a verdict. */
  async #drain(): Promise<void> {
    while (await this.#left() > 0) {
      const signal = AbortSignal.timeout(100 + this.#random.below(MAX_BURST));
      await Promise.all(this.#fleets.map((fleet) => fleet.work({ signal, drain: true })));
      await this.#check(false);
      await this.#expire();
    }
  }

  async #left(): Promise<number> {
    const { rows: [row] } = await this.#database.query(
      "select count(*) as left from sitetree.site where run = $1 and verdict is null",
      [this.#run],
    );
    return Number(row!.left);
  }

  /**
   * Lets time pass for tasks that could not be handed back: no worker is working. They do not count
   * as crashes, which are too many here.
   */
  async #expire(): Promise<void> {
    const query = (sql: string) => this.#database.query<{ name: string }>(sql, [this.#run]);
    const jobs = "sitetree.run r where r.id = $1 and j.name = 'site_' || r.key and j.state";
    await query("update sitetree.lease set until = now() - interval '1 s' where run = $1");
    await query("update sitetree.unit set crashes = 0 where run = $1");
    await query(
      "update sitetree.site set crashes = 0 where run = $1 and host not like 'crashed-%'",
    );
    await query(
      `update sitetree_queue.job j set heartbeat_on = now() - interval '1 hour'
      from ${jobs} = 'active'`,
    );
    const { rows: [queue] } = await query(
      `update sitetree_queue.queue q set monitor_on = null, monitor_claim_on = null
      from sitetree.run r where r.id = $1 and q.name = 'site_' || r.key returning q.name`,
    );
    await this.#supervisor.supervise(queue!.name);
    await query(
      `update sitetree_queue.job j set start_after = now() from ${jobs} in ('created', 'retry')`,
    );
  }

  async #check(isSettled: boolean): Promise<void> {
    assertEquals(await findInconsistencies(this.#database, this.#run, { isSettled }), []);
  }

  async #compare(verdictOf: (kind: SiteKind, name: string) => string): Promise<void> {
    const { rows } = await this.#database.query<{ host: string; verdict: string; pages: number }>(
      "select host, verdict, pages from sitetree.site where run = $1 order by id",
      [this.#run],
    );
    for (const { host, verdict, pages } of rows) {
      const [name, kind] = kindOf(host);
      assertEquals([host, verdict, Number(pages)], [host, verdictOf(kind, name), kind.pages]);
    }
    assertEquals(rows.length, this.#sites.length);
  }
}

/** Returns the name of a site, which has its kind. */
function siteName(at: number): string {
  const names = Object.keys(KINDS);
  return `${names[at % names.length]}-${at}.test`;
}

function kindOf(host: string): [name: string, kind: SiteKind] {
  const name = host.replace(/-\d+\.test$/, "");
  return [name, KINDS[name]!];
}

/** Responds as the site, after a short time. */
async function respond(input: string, { signal }: RequestInit): Promise<Response> {
  const { origin, hostname, pathname } = new URL(input);
  await new Promise<void>((resolve) => setTimeout(resolve, Math.random() * MAX_DELAY));
  signal?.throwIfAborted();
  const document = kindOf(hostname)[1].documents(origin)[pathname] ?? 404;
  return typeof document === "number"
    ? new Response(null, { status: document })
    : new Response(document);
}
