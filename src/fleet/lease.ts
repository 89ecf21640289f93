/**
 * Leases of hosts, and the times before which hosts get no request. Both hold for all workers.
 *
 * @module
 */

import type { Database, Session } from "./database.ts";

/** Attempt that leases are for. */
export interface Holder {
  readonly run: string;
  readonly site: number;
  /** 0 for the site itself. */
  readonly unit: number;
  readonly fence: number;
}

/** Terms of a lease. */
export interface LeaseTerms {
  /** Maximum number of leases of one host. */
  readonly perHost: number;
  /** Seconds until it ends, unless it is extended. */
  readonly leaseSeconds: number;
  /** Name of the worker. */
  readonly owner: string;
}

/** Leases a host. Returns false if as many workers as allowed are on it. */
export async function acquireLease(
  session: Session,
  host: string,
  { run, site, unit, fence }: Holder,
  { perHost, leaseSeconds, owner }: LeaseTerms,
): Promise<boolean> {
  // of two workers that choose the same slot, the second waits for the first and finds it taken
  const { count } = await session.query(
    `insert into sitetree.lease as l(host, slot, run, site, unit, fence, owner, until)
    select $1, slot, $2, $3, $4, $5, $6, clock_timestamp() + $7 * interval '1s'
    from generate_series(0, $8 - 1) as slot
    where not exists (
      select from sitetree.lease t
      where t.host = $1 and t.slot = slot.slot and t.until > clock_timestamp()
    )
    order by slot limit 1
    on conflict (host, slot) do update set run = excluded.run, site = excluded.site,
      unit = excluded.unit, fence = excluded.fence, owner = excluded.owner,
      since = excluded.since, until = excluded.until
    where l.until <= clock_timestamp()
    returning slot`,
    [host, run, site, unit, fence, owner, leaseSeconds, perHost],
  );
  return count === 1;
}

/** Extends the leases of several attempts. Returns those that still had theirs, with the hosts. */
export async function extendLeases(
  session: Session,
  holders: readonly Holder[],
  leaseSeconds: number,
): Promise<(Pick<Holder, "site" | "unit"> & { readonly host: string })[]> {
  const { rows } = await session.query<{ site: number; unit: number; host: string }>(
    `update sitetree.lease l set until = clock_timestamp() + $1 * interval '1s'
    from unnest($2::bigint[], $3::bigint[], $4::int[]) as m(site, unit, fence)
    where l.site = m.site and l.unit = m.unit and l.fence = m.fence
      and l.until > clock_timestamp()
    returning l.site, l.unit, l.host`,
    [
      leaseSeconds,
      holders.map(({ site }) => site),
      holders.map(({ unit }) => unit),
      holders.map(({ fence }) => fence),
    ],
  );
  return rows;
}

/** Ends the leases of an attempt. */
export async function releaseLeases(session: Session, holder: Holder): Promise<void> {
  const { site, unit, fence } = holder;
  await session.query(
    "delete from sitetree.lease where site = $1 and unit = $2 and fence = $3",
    [site, unit, fence],
  );
}

/** Sends no request to a host for so many milliseconds, by any worker. */
export async function pauseHost(
  database: Database,
  host: string,
  milliseconds: number,
): Promise<void> {
  await database.query(
    `insert into sitetree.host as h(host, not_before)
    values ($1, clock_timestamp() + $2::float8 * interval '1 ms')
    on conflict (host) do update set not_before = greatest(h.not_before, excluded.not_before)`,
    [host, milliseconds],
  );
}

/**
 * Reserves the next request to a host, which gets no other for `wait` milliseconds afterwards. Returns
 * the milliseconds until then.
 */
export async function reserveRequest(
  session: Session,
  host: string,
  wait: number,
): Promise<number> {
  const { rows: [row] } = wait === 0
    ? await session.query<{ delay: number }>(
      `select ${DELAY} as delay from sitetree.host h where host = $1`,
      [host],
    )
    : await session.query<{ delay: number }>(
      `insert into sitetree.host as h(host, not_before)
      values ($1, clock_timestamp() + $2::float8 * interval '1 ms')
      on conflict (host) do update set
        not_before = greatest(h.not_before, clock_timestamp()) + $2::float8 * interval '1 ms'
      returning ${DELAY} - $2::float8 as delay`,
      [host, wait],
    );
  return Math.max(0, row?.delay ?? 0);
}

/** Milliseconds until a host `h` may be asked. */
export const DELAY = "(extract(epoch from h.not_before - clock_timestamp()) * 1000)::float8";
