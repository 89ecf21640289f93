/**
 * How what an earlier version has stored becomes what this one reads: named steps, each in a transaction
 * with its record. A step that was released is never changed.
 *
 * The version of a schema is the oldest one that can be read plus the number of steps that were applied.
 *
 * @module
 */

interface Step {
  readonly name: string;
  readonly sqlite: string;
  /** Tables of fleets may be missing. */
  readonly postgres: string;
}

/** Version before the first step. */
export const OLDEST_VERSION = 3;

export const STEPS: readonly Step[] = [
  {
    name: "interrupted-runs-are-not-continued",
    sqlite: `
ALTER TABLE stored_run DROP COLUMN committed;
ALTER TABLE stored_run DROP COLUMN is_continued;`,
    postgres: "ALTER TABLE sitetree.stored_run DROP COLUMN committed, DROP COLUMN is_continued",
  },
  {
    name: "sites-know-their-last-run",
    sqlite: `
ALTER TABLE stored_site ADD COLUMN last_run INTEGER;
UPDATE stored_site SET last_run = (SELECT max(id) FROM stored_run WHERE site = stored_site.id);
DROP INDEX run_site;
CREATE INDEX run_site ON stored_run (site, id);
CREATE INDEX run_quiet ON stored_run (site, started) WHERE added + changed + removed = 0;`,
    postgres: `
DROP INDEX sitetree.run_site;
CREATE INDEX run_site ON sitetree.stored_run (site, id);
CREATE INDEX run_quiet ON sitetree.stored_run (site, started)
WHERE added + changed + removed = 0;
ALTER TABLE sitetree.stored_site SET (fillfactor = 80), ADD COLUMN last_run bigint;
UPDATE sitetree.stored_site s SET last_run = (
  SELECT max(id) FROM sitetree.stored_run WHERE site = s.id
)`,
  },
  {
    name: "sites-are-the-queue",
    sqlite: "",
    // a site that is being walked is due when its lease ends, and has stopped no worker by then
    postgres: `
DROP SCHEMA IF EXISTS sitetree_queue CASCADE;
DO $$
DECLARE f regprocedure;
BEGIN
  IF to_regclass('sitetree.fleet_site') IS NULL THEN RETURN; END IF;
  FOR f IN SELECT oid FROM pg_proc WHERE pronamespace = 'sitetree'::regnamespace AND proname IN (
    'host_delay', 'lease_host', 'lease_named', 'reserve_request', 'count_site', 'is_finished',
    'settle', 'claim', 'hand_back', 'recover', 'begin_rounds'
  ) LOOP
    EXECUTE format('DROP FUNCTION %s CASCADE', f);
  END LOOP;
  DROP INDEX sitetree.fleet_site_due;
  ALTER TABLE sitetree.fleet_site ALTER COLUMN due DROP NOT NULL, ALTER COLUMN due DROP DEFAULT;
  UPDATE sitetree.fleet_site f SET
    crashes = greatest(0, f.crashes - o.leases),
    due = CASE WHEN f.round >= r.round THEN NULL WHEN o.leases > 0 THEN 'infinity'
      WHEN f.tries > 0 OR f.crashes > 0 OR f.due > clock_timestamp() THEN f.due END
  FROM sitetree.fleet_run r, (
    SELECT s.run, s.site, count(l.site)::int AS leases
    FROM sitetree.fleet_site s
    LEFT JOIN sitetree.lease l ON l.run = s.run AND l.site = s.site AND l.is_own
    GROUP BY s.run, s.site
  ) o
  WHERE r.key = f.run AND o.run = f.run AND o.site = f.site;
  ALTER TABLE sitetree.fleet_site SET (fillfactor = 80), DROP COLUMN queued;
  CREATE INDEX fleet_site_due ON sitetree.fleet_site (run, due)
  WHERE due IS NOT NULL AND crashes = 0;
  CREATE INDEX fleet_site_round ON sitetree.fleet_site (run, round, site) WHERE due IS NULL;
  CREATE INDEX fleet_site_suspect ON sitetree.fleet_site (run, due) WHERE crashes > 0;
  CREATE INDEX fleet_site_code ON sitetree.fleet_site (run, round, code, site)
  WHERE verdict <> 'complete' AND code IS NOT NULL;
END $$`,
  },
];

export const SCHEMA_VERSION: number = OLDEST_VERSION + STEPS.length;

/** Why tables of a version cannot be used; `undefined` if they can, perhaps after further steps. */
export function versionFault(version: number): string | undefined {
  if (version > SCHEMA_VERSION) {
    return `schema version ${version} is newer than ${SCHEMA_VERSION}; update sitetree`;
  }
  if (version >= OLDEST_VERSION) return undefined;
  return `schema version ${version} is older than ${OLDEST_VERSION}; move it away to start anew`;
}
