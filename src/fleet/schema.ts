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

import { qualified } from "../sync/schema.ts";
import { SELECT_SITEMAPS } from "../sync/store.ts";

/** Walks of a site in a row that may stop their worker without progress. */
const MAX_CRASHES = 5;

/**
 * Crashes above which a site is a suspect: it may be what stops its workers. The second walk is beside
 * the same sites as the first, as all of them come back at once; no later one may be.
 */
const SUSPECT_CRASHES = 1;
const SHARDS = 16;
/** Most sitemaps of a site that come with its claim. */
const MAX_KNOWN = 50;
/** Milliseconds that a claimed site may wait for its host. */
const MAX_DELAY = 1000;

/** Of the site `s`. */
const SITEMAPS = qualified(SELECT_SITEMAPS.replace("?", "s.id"));

export const FLEET_SCHEMA: string = `
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
  queued boolean NOT NULL DEFAULT false,          -- whether it is in the queue, or is being walked
  due timestamptz NOT NULL DEFAULT now(),         -- when it may be queued
  finished timestamptz,
  PRIMARY KEY (run, site),
  UNIQUE (run, authority)
);
-- those of earlier rounds are still to be walked
CREATE INDEX fleet_site_due ON sitetree.fleet_site (run, round, due) WHERE NOT queued;

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

-- leases a host that a site names
CREATE FUNCTION sitetree.lease_named(
  name text, run int, site bigint, fence bigint, owner text, per_host int, seconds double precision
) RETURNS boolean LANGUAGE sql AS $$
  SELECT sitetree.lease_host(
    name, row(name, 0, run, site, fence, owner, false, NULL, NULL)::sitetree.lease, per_host, seconds
  )
$$;

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
    UPDATE sitetree.fleet_site SET tries = tries + 1, crashes = 0, queued = false,
      code = new_code, reason = new_reason,
      due = clock_timestamp() + retry_after * interval '1 ms'
    WHERE run = number AND site = id;
    PERFORM sitetree.count_site(number, shard, '', 0, (f.tries = 0)::int, 0);
    RETURN;
  END IF;
  UPDATE sitetree.fleet_site SET round = current, verdict = new_verdict, code = new_code,
    reason = new_reason, tries = 0, crashes = 0, queued = false, finished = clock_timestamp()
  WHERE run = number AND site = id;
  PERFORM sitetree.count_site(number, shard, new_verdict, 1, -(f.tries > 0)::int,
    (SELECT pages FROM sitetree.stored_site s WHERE s.id = settle.id));
END $$;

-- claims sites from the queue: each is leased, put off, given up, or done already
CREATE FUNCTION sitetree.claim(
  number int, ids bigint[], worker text, per_host int, seconds double precision,
  may_be_suspect boolean
) RETURNS SETOF json LANGUAGE plpgsql AS $$
DECLARE
  f sitetree.fleet_site;
  s sitetree.stored_site;
  holder sitetree.lease;
  current int;
  delay double precision;
  known json;
  candidate bigint;
  is_suspect boolean;
BEGIN
  SELECT round INTO current FROM sitetree.fleet_run WHERE key = number;
  FOREACH candidate IN ARRAY ids LOOP
    SELECT * INTO f FROM sitetree.fleet_site
    WHERE run = number AND site = candidate FOR UPDATE;
    CONTINUE WHEN NOT found OR f.round >= current;
    is_suspect := f.crashes > ${SUSPECT_CRASHES};
    IF f.crashes >= ${MAX_CRASHES} THEN
      PERFORM sitetree.settle(number, f.site, worker, 'failed', 'stopped',
        format('its worker stopped %s times without progress', f.crashes), NULL);
      CONTINUE;
    END IF;
    SELECT * INTO s FROM sitetree.stored_site WHERE id = f.site FOR NO KEY UPDATE SKIP LOCKED;
    s.fence := nextval('sitetree.run_number');
    delay := sitetree.host_delay(f.host);
    holder := row(f.host, 0, number, f.site, s.fence, worker, true, NULL, NULL);
    IF s.id IS NULL OR delay > ${MAX_DELAY} OR (is_suspect AND NOT may_be_suspect)
      OR EXISTS (SELECT FROM sitetree.lease
        WHERE site = f.site AND is_own AND until > clock_timestamp())
      OR NOT sitetree.lease_host(f.host, holder, per_host, seconds)
    THEN
      UPDATE sitetree.fleet_site SET queued = false,
        due = clock_timestamp() + greatest(delay, 1000 + 2000 * random()) * interval '1 ms'
      WHERE run = number AND site = f.site;
      CONTINUE;
    END IF;
    -- read again: the worker that had the host before may have written a pause since
    delay := sitetree.host_delay(f.host);
    may_be_suspect := may_be_suspect AND NOT is_suspect;
    UPDATE sitetree.stored_site SET fence = s.fence WHERE id = s.id;
    UPDATE sitetree.fleet_site SET crashes = crashes + 1, queued = true
    WHERE run = number AND site = f.site;
    SELECT json_build_object('sitemaps', coalesce(json_agg(m ORDER BY m.id), '[]'), 'head', (
      SELECT last_value FROM sitetree.change_number
    )) INTO known FROM (
      ${SITEMAPS} LIMIT ${MAX_KNOWN} + 1
    ) AS m HAVING count(*) <= ${MAX_KNOWN};
    RETURN NEXT json_build_object('site', s, 'host', f.host, 'options', f.options,
      'crashes', f.crashes + 1, 'isSuspect', is_suspect, 'tries', f.tries, 'delay', delay,
      'known', known);
  END LOOP;
END $$;

-- ends a walk that does not count: it is repeated after some time
CREATE FUNCTION sitetree.hand_back(
  number int, id bigint, fence bigint, after double precision
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM sitetree.hold(id, fence);
  UPDATE sitetree.fleet_site t SET crashes = greatest(0, t.crashes - 1), queued = false,
    due = clock_timestamp() + after * interval '1 ms'
  WHERE t.run = number AND t.site = hand_back.id;
  DELETE FROM sitetree.lease l WHERE l.site = hand_back.id AND l.fence = hand_back.fence;
END $$;

-- returns sites whose worker has stopped, so that they are queued again before all others
CREATE FUNCTION sitetree.recover() RETURNS void LANGUAGE sql AS $$
  WITH lost AS (
    DELETE FROM sitetree.lease WHERE (host, slot) IN (
      SELECT host, slot FROM sitetree.lease WHERE until <= clock_timestamp()
      FOR UPDATE SKIP LOCKED
    ) RETURNING run, site, is_own
  )
  UPDATE sitetree.fleet_site f SET queued = false, due = '-infinity'
  FROM lost WHERE lost.is_own AND f.run = lost.run AND f.site = lost.site
$$;

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
