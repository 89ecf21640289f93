/**
 * Adding sites to a run.
 *
 * @module
 */

import type { Database, Session } from "./database.ts";
import { FleetError } from "./errors.ts";
import type { JobQueue, RunKey } from "./queue.ts";
import { dropRun } from "./runs.ts";
import { createPartitions } from "./schema.ts";
import { parseSite, type SiteEntry, type SiteRow } from "./site_entry.ts";

/** Sites added by one statement. */
const CHUNK_LENGTH = 5000;
/** Maximum characters of the name of a run. */
const MAX_NAME_LENGTH = 200;

/** See `Fleet.enqueue()`. */
export async function enqueue(
  database: Database,
  queue: JobQueue,
  run: string,
  sites: Iterable<string | SiteEntry> | AsyncIterable<string | SiteEntry>,
): Promise<number> {
  checkName(run);
  const chunks = parsedChunks(sites);
  // the first chunk is checked before the run is created
  const first = await chunks.next();
  const created = await createRun(database, queue, run);
  try {
    await queue.createFor(created.key);
    await queue.prepare(created.key);
    return await database.transaction(async (session) => {
      // sites may come slowly, and another transaction may be adding the same ones
      await session.query(
        "set local idle_in_transaction_session_timeout = 0; set local lock_timeout = 0",
      );
      let added = 0;
      for (let chunk = first; !chunk.done; chunk = await chunks.next()) {
        added += await insertSites(session, queue, created, chunk.value);
      }
      await session.query("update sitetree.run set total = total + $2 where id = $1", [run, added]);
      return added;
    });
  } catch (error) {
    await chunks.return();
    if (created.isNew) await dropRun(database, queue, run);
    throw error;
  }
}

function checkName(run: string): void {
  // deno-lint-ignore no-control-regex
  if (run !== "" && run.length <= MAX_NAME_LENGTH && !/[\0-\x1f\x7f]/.test(run)) return;
  throw new FleetError(
    "invalid-input",
    `Invalid name of a run ${JSON.stringify(run)}: expected 1 to ${MAX_NAME_LENGTH} characters`,
  );
}

async function* parsedChunks(
  sites: Iterable<string | SiteEntry> | AsyncIterable<string | SiteEntry>,
): AsyncGenerator<SiteRow[], void, void> {
  let chunk: SiteRow[] = [];
  for await (const site of sites) {
    chunk.push(parseSite(site));
    if (chunk.length < CHUNK_LENGTH) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

/** Creates a run with its partitions unless it exists. One that was being dropped is dropped first. */
async function createRun(
  database: Database,
  queue: JobQueue,
  run: string,
): Promise<RunKey & { readonly isNew: boolean }> {
  const { rows: [known] } = await database.query<RunKey & { readonly isWhole: boolean }>(
    `select id, key, to_regclass('sitetree.site_' || key) is not null as "isWhole"
    from sitetree.run where id = $1`,
    [run],
  );
  if (known?.isWhole) return { ...known, isNew: false };
  if (known !== undefined) await dropRun(database, queue, run);
  const created = await database.transaction(async (session) => {
    const { rows: [row] } = await session.query<RunKey>(
      "insert into sitetree.run(id) values ($1) on conflict do nothing returning id, key",
      [run],
    );
    if (row !== undefined) await createPartitions(session, run, row.key);
    return row;
  });
  // another process was faster
  return created === undefined
    ? await createRun(database, queue, run)
    : { ...created, isNew: true };
}

/** Adds sites that the run does not have yet, each with its task. Returns their number. */
async function insertSites(
  session: Session,
  queue: JobQueue,
  run: RunKey,
  sites: readonly SiteRow[],
): Promise<number> {
  const { rows } = await session.query<{ id: number; host: string }>(
    `insert into sitetree.site(run, homepage, host, authority, options)
    select $1, homepage, host, authority, options::jsonb
    from unnest($2::text[], $3::text[], $4::text[], $5::text[])
      as t(homepage, host, authority, options)
    on conflict (run, authority) do nothing
    returning id, host`,
    [
      run.id,
      sites.map(({ homepage }) => homepage),
      sites.map(({ host }) => host),
      sites.map(({ authority }) => authority),
      sites.map(({ options }) => options),
    ],
  );
  await queue.insert(session, run, rows.map(({ id, host }) => ({ site: id, unit: 0, host })));
  return rows.length;
}
