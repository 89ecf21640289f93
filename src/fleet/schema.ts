/**
 * Tables of a fleet, beside those of the snapshot that it keeps up to date.
 *
 * ```
 * fleet_run ─┬─ fleet_site ── stored_site   (what is left to walk, and how it ended)
 *            └─ tally                       (counters by worker)
 * host, lease                               (politeness, across runs)
 * ```
 *
 * A site has a verdict of the current round if its `round` is that of the run. Everything that decides
 * who may walk what is a function of the server, so that it takes one message.
 *
 * @module
 */

import type { Postgres } from "../sync/postgres.ts";
import { changeTables, isDefined } from "../sync/postgres_store.ts";
import { qualified } from "../sync/schema.ts";
import { SELECT_SITEMAPS } from "../sync/store.ts";

/** Walks of a site in a row that may stop their worker without progress. */
const MAX_CRASHES = 5;

const SHARDS = 16;
/** Most sitemaps of a site that come with its claim. */
const MAX_KNOWN = 50;
/** Milliseconds that a claimed site may wait for its host. */
const MAX_DELAY = 1000;

/** Of the site `s`. */
const SITEMAPS = qualified(SELECT_SITEMAPS.replace("?", "s.id"));

const TABLES = `
CREATE TABLE sitetree.fleet_run (
  name text PRIMARY KEY,
  key int GENERATED ALWAYS AS IDENTITY UNIQUE,
  created timestamptz NOT NULL DEFAULT now(),
  paused boolean NOT NULL DEFAULT false,
  round int NOT NULL DEFAULT 1,
  began timestamptz NOT NULL DEFAULT now(),       -- the round
  total bigint NOT NULL DEFAULT 0,
  every bigint,                                   -- milliseconds from one round to the next
  due timestamptz                                 -- the next round
);

CREATE TABLE sitetree.fleet_site (
  run int NOT NULL,
  site bigint NOT NULL,                           -- in stored_site
  authority text NOT NULL,                        -- host name and port, which make a site
  host text NOT NULL,                             -- host name, which leases are for
  options json,                                   -- of its walk
  entered int NOT NULL,                           -- round in which it was enqueued last
  round int NOT NULL DEFAULT 0,                   -- last round in which it got a verdict
  verdict text,
  code text,
  reason text,
  tries int NOT NULL DEFAULT 0,                   -- walks of this round that failed in passing
  crashes int NOT NULL DEFAULT 0,                 -- walks in a row that ended without a word
  due timestamptz,                                -- when it is walked, if not in its turn
  finished timestamptz,
  PRIMARY KEY (run, site),
  UNIQUE (run, authority)
) WITH (fillfactor = 80);
-- put off, to be walked again, or being walked
CREATE INDEX fleet_site_due ON sitetree.fleet_site (run, due) WHERE due IS NOT NULL AND crashes = 0;
-- those of earlier rounds are still to be walked
CREATE INDEX fleet_site_round ON sitetree.fleet_site (run, round, site) WHERE due IS NULL;
-- may be what stops their workers
CREATE INDEX fleet_site_suspect ON sitetree.fleet_site (run, due) WHERE crashes > 0;
-- not complete
CREATE INDEX fleet_site_code ON sitetree.fleet_site (run, round, code, site)
WHERE verdict <> 'complete' AND code IS NOT NULL;

CREATE TABLE sitetree.host (
  host text PRIMARY KEY,
  not_before timestamptz NOT NULL
);

CREATE TABLE sitetree.lease (
  host text NOT NULL,
  slot int NOT NULL,
  run int NOT NULL,
  site bigint NOT NULL,
  fence bigint NOT NULL,
  owner text NOT NULL,
  is_own boolean NOT NULL,                        -- whether it is the host of the site
  since timestamptz NOT NULL DEFAULT clock_timestamp(),
  until timestamptz NOT NULL,
  PRIMARY KEY (host, slot)
);
CREATE INDEX lease_site ON sitetree.lease (site);

CREATE TABLE sitetree.tally (
  run int NOT NULL,
  worker text NOT NULL,
  complete int NOT NULL DEFAULT 0,
  partial int NOT NULL DEFAULT 0,
  none int NOT NULL DEFAULT 0,
  blocked int NOT NULL DEFAULT 0,
  failed int NOT NULL DEFAULT 0,
  waiting int NOT NULL DEFAULT 0,                 -- sites that are walked again
  pages bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (run, worker)
);
`;

const FUNCTIONS = `
-- milliseconds until a host may be asked
CREATE FUNCTION sitetree.host_delay(name text) RETURNS double precision LANGUAGE plpgsql AS $$
BEGIN
  RETURN coalesce((
    SELECT greatest(0, extract(epoch FROM not_before - clock_timestamp()) * 1000)
    FROM sitetree.host WHERE host = name
  ), 0);
END $$;

-- leases a host, unless as many workers as allowed are on it
CREATE FUNCTION sitetree.lease_host(
  name text, holder sitetree.lease, per_host int, seconds double precision
) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  -- a lease that has ended stays until its site is returned, see recover(); of two workers that choose
  -- the same slot, the second waits for the first and finds it taken
  FOR n IN 0..per_host - 1 LOOP
    INSERT INTO sitetree.lease VALUES (name, n, holder.run, holder.site, holder.fence, holder.owner,
      holder.is_own, clock_timestamp(), clock_timestamp() + seconds * interval '1s')
    ON CONFLICT DO NOTHING;
    IF found THEN RETURN true; END IF;
  END LOOP;
  RETURN false;
END $$;

-- reserves the next request to a host; returns the milliseconds until then
CREATE FUNCTION sitetree.reserve_request(name text, wait double precision)
RETURNS double precision LANGUAGE sql AS $$
  INSERT INTO sitetree.host AS h VALUES (name, clock_timestamp() + wait * interval '1 ms')
  ON CONFLICT (host) DO UPDATE SET
    not_before = greatest(h.not_before, clock_timestamp()) + wait * interval '1 ms'
  RETURNING greatest(0, extract(epoch FROM not_before - clock_timestamp()) * 1000 - wait)
$$;

-- adds to the counters of a worker
CREATE FUNCTION sitetree.count_site(
  number int, owner text, verdict text, change int, waits int, page_count bigint
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO sitetree.tally AS t VALUES (
    number, owner, change * (verdict = 'complete')::int, change * (verdict = 'partial')::int,
    change * (verdict = 'none')::int, change * (verdict = 'blocked')::int,
    change * (verdict = 'failed')::int, waits, page_count
  )
  ON CONFLICT (run, worker) DO UPDATE SET complete = t.complete + excluded.complete,
    partial = t.partial + excluded.partial, none = t.none + excluded.none,
    blocked = t.blocked + excluded.blocked, failed = t.failed + excluded.failed,
    waiting = t.waiting + excluded.waiting, pages = t.pages + excluded.pages;
END $$;

-- whether every site of a run has a verdict of its round
CREATE FUNCTION sitetree.is_finished(r sitetree.fleet_run) RETURNS boolean LANGUAGE sql AS $$
  SELECT r.total <= coalesce(sum(complete + partial + none + blocked + failed), 0)
  FROM sitetree.tally WHERE run = r.key
$$;

-- ends the walks of a site in this round with a verdict, or with another walk later
CREATE FUNCTION sitetree.settle(
  number int, id bigint, owner text, new_verdict text, new_code text, new_reason text,
  retry_after double precision
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  f sitetree.fleet_site;
  current int;
  -- counters of their own for some sites: with those of all, commits would wait for each other
  shard text := owner || '/' || id % ${SHARDS};
BEGIN
  SELECT round INTO current FROM sitetree.fleet_run WHERE key = number;
  SELECT * INTO f FROM sitetree.fleet_site WHERE run = number AND site = id FOR UPDATE;
  IF f.site IS NULL OR f.round >= current THEN RETURN; END IF;
  IF retry_after IS NOT NULL THEN
    UPDATE sitetree.fleet_site SET tries = tries + 1, crashes = 0, code = new_code,
      reason = new_reason,
      due = clock_timestamp() + retry_after * interval '1 ms'
    WHERE run = number AND site = id;
    PERFORM sitetree.count_site(number, shard, '', 0, (f.tries = 0)::int, 0);
    RETURN;
  END IF;
  UPDATE sitetree.fleet_site SET round = current, verdict = new_verdict, code = new_code,
    reason = new_reason, tries = 0, crashes = 0, due = NULL, finished = clock_timestamp()
  WHERE run = number AND site = id;
  PERFORM sitetree.count_site(number, shard, new_verdict, 1, -(f.tries > 0)::int,
    (SELECT pages FROM sitetree.stored_site s WHERE s.id = settle.id));
END $$;

-- claims sites that are due: one suspect, those that have a time, and those whose turn it is. Each is
-- leased, put off (NULL), or given up
CREATE FUNCTION sitetree.claim(
  number int, count int, worker text, per_host int, seconds double precision, may_be_suspect boolean
) RETURNS SETOF json LANGUAGE plpgsql AS $$
DECLARE
  f sitetree.fleet_site;
  s sitetree.stored_site;
  holder sitetree.lease;
  delay double precision;
  known json;
  -- a bound of index scans, which clock_timestamp() is not
  moment timestamptz := clock_timestamp();
BEGIN
  FOR f IN
    WITH suspect AS (
      SELECT * FROM sitetree.fleet_site
      WHERE run = number AND crashes > 0 AND due <= moment AND may_be_suspect
      ORDER BY due LIMIT 1 FOR UPDATE SKIP LOCKED
    ), late AS (
      SELECT * FROM sitetree.fleet_site
      WHERE run = number AND due <= moment AND due IS NOT NULL AND crashes = 0
      ORDER BY due LIMIT count - (SELECT count(*) FROM suspect) FOR UPDATE SKIP LOCKED
    ), next AS (
      SELECT * FROM sitetree.fleet_site WHERE run = number AND due IS NULL
        AND round < (SELECT round FROM sitetree.fleet_run WHERE key = number)
      ORDER BY round, site
      LIMIT count - (SELECT count(*) FROM suspect) - (SELECT count(*) FROM late)
      FOR UPDATE SKIP LOCKED
    )
    -- all workers lease hosts in the same order
    SELECT * FROM suspect UNION ALL SELECT * FROM late UNION ALL SELECT * FROM next ORDER BY host
  LOOP
    IF f.crashes >= ${MAX_CRASHES} THEN
      SELECT json_build_object('homepage', homepage, 'failed',
        format('its worker stopped %s times without progress', f.crashes)) INTO known
      FROM sitetree.stored_site WHERE id = f.site;
      PERFORM sitetree.settle(
        number, f.site, worker, 'failed', 'stopped', known ->> 'failed', NULL
      );
      RETURN NEXT known;
      CONTINUE;
    END IF;
    SELECT * INTO s FROM sitetree.stored_site WHERE id = f.site FOR NO KEY UPDATE SKIP LOCKED;
    s.fence := nextval('sitetree.run_number');
    delay := sitetree.host_delay(f.host);
    holder := row(f.host, 0, number, f.site, s.fence, worker, true, NULL, NULL);
    IF s.id IS NULL OR delay > ${MAX_DELAY}
      OR EXISTS (SELECT FROM sitetree.lease
        WHERE site = f.site AND is_own AND until > clock_timestamp())
      OR NOT sitetree.lease_host(f.host, holder, per_host, seconds)
    THEN
      UPDATE sitetree.fleet_site
      SET due = clock_timestamp() + greatest(delay, 1000 + 2000 * random()) * interval '1 ms'
      WHERE run = number AND site = f.site;
      RETURN NEXT NULL;
      CONTINUE;
    END IF;
    -- read again: the worker that had the host before may have written a pause since
    delay := sitetree.host_delay(f.host);
    UPDATE sitetree.stored_site SET fence = s.fence WHERE id = s.id;
    UPDATE sitetree.fleet_site SET due = 'infinity' WHERE run = number AND site = f.site;
    SELECT json_build_object('sitemaps', coalesce(json_agg(m ORDER BY m.id), '[]'), 'head', (
      SELECT last_value FROM sitetree.change_number
    )) INTO known FROM (
      ${SITEMAPS} LIMIT ${MAX_KNOWN} + 1
    ) AS m HAVING count(*) <= ${MAX_KNOWN};
    RETURN NEXT json_build_object('site', s, 'host', f.host, 'options', f.options,
      'crashes', f.crashes, 'tries', f.tries, 'delay', delay, 'known', known);
  END LOOP;
END $$;

-- ends a walk that does not count: it is repeated after some time, unless another claim follows it, or
-- the site is settled, as after a commit whose answer was lost
CREATE FUNCTION sitetree.hand_back(
  number int, id bigint, fence bigint, after double precision
) RETURNS void LANGUAGE sql AS $$
  WITH ended AS (
    DELETE FROM sitetree.lease l
    WHERE l.site = hand_back.id AND l.fence = hand_back.fence RETURNING is_own
  )
  UPDATE sitetree.fleet_site SET due = clock_timestamp() + after * interval '1 ms'
  WHERE run = number AND site = hand_back.id AND due IN ('infinity', '-infinity') AND (
    EXISTS (SELECT FROM ended WHERE is_own)
    OR EXISTS (SELECT FROM sitetree.stored_site s WHERE s.id = site AND s.fence = hand_back.fence)
  )
$$;

-- returns sites whose worker has stopped, so that they are walked before all others
CREATE FUNCTION sitetree.recover() RETURNS void LANGUAGE plpgsql AS $$
DECLARE lost sitetree.lease;
BEGIN
  FOR lost IN
    DELETE FROM sitetree.lease WHERE (host, slot) IN (
      SELECT host, slot FROM sitetree.lease WHERE until <= clock_timestamp()
      FOR UPDATE SKIP LOCKED
    ) RETURNING *
  LOOP
    -- one by one: together, the table may be scanned for them
    IF lost.is_own THEN
      UPDATE sitetree.fleet_site SET crashes = crashes + 1, due = '-infinity'
      WHERE run = lost.run AND site = lost.site;
    END IF;
  END LOOP;
END $$;

-- begins the rounds that are due; one that is still running is not doubled
CREATE FUNCTION sitetree.begin_rounds() RETURNS void LANGUAGE plpgsql AS $$
DECLARE r sitetree.fleet_run;
BEGIN
  FOR r IN
    SELECT * FROM sitetree.fleet_run WHERE due <= now() FOR UPDATE SKIP LOCKED
  LOOP
    IF sitetree.is_finished(r) THEN
      DELETE FROM sitetree.tally WHERE run = r.key;
      UPDATE sitetree.fleet_run SET round = round + 1, began = now() WHERE key = r.key;
    END IF;
    UPDATE sitetree.fleet_run SET due = r.due + every * interval '1 ms' *
      ceil(extract(epoch FROM now() - r.due) * 1000 / every + 0.001)
    WHERE key = r.key;
  END LOOP;
END $$;
`;

/** Creates what is missing: a step of the schema drops functions that have changed. */
export async function createTables(server: Postgres): Promise<void> {
  await changeTables(server, async (session) => {
    if (!await isDefined(session, "fleet_run")) return TABLES;
    return await isDefined(session, "begin_rounds") ? undefined : FUNCTIONS;
  });
}
