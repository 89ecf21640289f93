/**
 * The schema of a snapshot, in SQLite and in PostgreSQL: tables, and the views that are meant to be
 * queried.
 *
 * @module
 */

import type { HashKey } from "../bytes/value_scan.ts";
import { OLDEST_VERSION, SCHEMA_VERSION, STEPS } from "./migrations.ts";

/** Identifies a snapshot among SQLite files: "stre" in ASCII. */
export const APPLICATION_ID = 0x73747265;

/** Code of the error of PostgreSQL if another run of a site has begun. */
export const LOST_CODE = "STR01";

/** Tables are written for SQLite. */
interface Dialect {
  tables(sql: string): string;
  /** Returns a time of the tables as one of the views. */
  time(column: string): string;
  /** Page as JSON without its URL, as `stored_change` has it. */
  readonly pageJson: string;
}

/** Steps that were applied, with the version that an empty database began at. */
const MIGRATION_TABLE = `CREATE TABLE IF NOT EXISTS migration (
  name TEXT PRIMARY KEY,
  applied INTEGER NOT NULL
);`;

/**
 * The tables. Times are milliseconds since 1970. Dates of sitemaps are kept at the precision that was
 * given, such as `2024-05` or `2024-05-01T12:00:00.000Z`.
 */
const TABLES = `
CREATE TABLE setting (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE stored_site (
  id INTEGER PRIMARY KEY,
  homepage TEXT NOT NULL UNIQUE,
  pages INTEGER NOT NULL,            -- rows of stored_page
  base INTEGER NOT NULL,             -- pages that were not missing when the last accepted walk ended
  accepted INTEGER NOT NULL,         -- last change of that walk
  refused_at INTEGER,                -- first of the refusals in a row
  last INTEGER NOT NULL,             -- last change
  unconfirmed INTEGER NOT NULL,      -- 0 if no page is dropped
  absent INTEGER NOT NULL,           -- 0 if no page is absent
  is_unsettled INTEGER NOT NULL,     -- whether pages may belong to another sitemap than the first
  is_forgotten INTEGER NOT NULL,
  fence INTEGER NOT NULL,            -- number of the run that may write
  last_run INTEGER                   -- the last run that has written
);

CREATE TABLE stored_run (
  id INTEGER PRIMARY KEY,
  site INTEGER NOT NULL,
  after INTEGER NOT NULL,            -- last change before it
  started INTEGER NOT NULL,
  finished INTEGER,                  -- NULL until it ends
  verdict TEXT,
  code TEXT,                         -- why it is not complete
  reason TEXT,
  added INTEGER NOT NULL,
  changed INTEGER NOT NULL,
  removed INTEGER NOT NULL,
  unchanged INTEGER NOT NULL,
  unconfirmed INTEGER NOT NULL,
  not_modified INTEGER NOT NULL,
  bytes_saved INTEGER NOT NULL
);
CREATE INDEX run_site ON stored_run (site, id);
-- those that are not kept for long
CREATE INDEX run_quiet ON stored_run (site, started) WHERE added + changed + removed = 0;

CREATE TABLE stored_sitemap (
  site INTEGER NOT NULL,
  id INTEGER NOT NULL,               -- in the site
  url TEXT NOT NULL,                 -- as requested
  final_url TEXT NOT NULL,           -- after redirects
  type TEXT NOT NULL,
  is_root INTEGER NOT NULL,          -- robots.txt, given, or read as a known path
  listed_at INTEGER NOT NULL,
  read_at INTEGER,
  gone_since INTEGER,
  is_confirmed INTEGER NOT NULL,
  state TEXT NOT NULL,               -- listing, gone, unknown
  code TEXT,
  reason TEXT,
  pages INTEGER NOT NULL,
  bytes INTEGER,
  lastmod TEXT,
  etag TEXT,
  last_modified TEXT,
  digest TEXT,
  children TEXT NOT NULL,            -- JSON: number and date of what it lists
  parents TEXT NOT NULL,             -- JSON: numbers of all that have listed it
  parent INTEGER,
  position INTEGER NOT NULL,
  is_forgotten INTEGER NOT NULL,     -- whether it is kept only because unconfirmed pages name it
  PRIMARY KEY (site, id)
) WITHOUT ROWID;

-- the last listing of a sitemap: hashes and pages of its entries, in document order
CREATE TABLE stored_listing (
  site INTEGER NOT NULL,
  sitemap INTEGER NOT NULL,
  part INTEGER NOT NULL,
  hashes BLOB NOT NULL,              -- 64 bits each
  pages BLOB NOT NULL,               -- runs: first page and how many, 64 bits each
  PRIMARY KEY (site, sitemap, part)
);

-- current pages, with the values of the first sitemap that lists them
CREATE TABLE stored_page (
  id INTEGER PRIMARY KEY,            -- sequence number of its added
  site INTEGER NOT NULL,
  sitemap INTEGER NOT NULL,
  key INTEGER NOT NULL,              -- hash of its identity
  url TEXT NOT NULL,                 -- as first written
  lastmod TEXT,
  priority REAL,
  changefreq TEXT,
  extensions TEXT,                   -- newsStory, images, videos, alternates as JSON
  changed INTEGER,                   -- last change; NULL if it is as it was added
  dropped INTEGER,                   -- when the last sitemap dropped it
  is_absent INTEGER                  -- whether it was missing when the last accepted walk ended
);
CREATE INDEX page_dropped ON stored_page (site) WHERE dropped IS NOT NULL;
CREATE INDEX page_absent ON stored_page (site) WHERE is_absent IS NOT NULL;

-- values of pages in sitemaps after the first
CREATE TABLE other_listing (
  site INTEGER NOT NULL,
  page INTEGER NOT NULL,
  sitemap INTEGER NOT NULL,
  lastmod TEXT,
  priority REAL,
  changefreq TEXT,
  extensions TEXT,
  PRIMARY KEY (site, page, sitemap)
) WITHOUT ROWID;

-- sitemaps whose last listing lost a page
CREATE TABLE lost_listing (
  site INTEGER NOT NULL,
  page INTEGER NOT NULL,
  sitemap INTEGER NOT NULL,
  PRIMARY KEY (site, page, sitemap)
) WITHOUT ROWID;

-- changes, except the added of pages that have not changed since
CREATE TABLE stored_change (
  sequence INTEGER PRIMARY KEY,
  site INTEGER NOT NULL,
  type TEXT NOT NULL,                -- added, changed, removed
  url TEXT NOT NULL,
  sitemap TEXT NOT NULL,
  page TEXT NOT NULL,                -- JSON without its URL
  previous TEXT                      -- the same before a change
);

-- commits: their first change, and when it was
CREATE TABLE stored_commit (
  first INTEGER PRIMARY KEY,
  run INTEGER NOT NULL,
  time INTEGER NOT NULL
);

CREATE TABLE consumer (
  name TEXT PRIMARY KEY,
  acknowledged INTEGER NOT NULL
) WITHOUT ROWID;

${MIGRATION_TABLE}
`;

const viewsIn = ({ time, pageJson }: Dialect) => `
CREATE VIEW site AS
SELECT s.homepage AS site, s.pages, r.id AS run, r.verdict, r.code, ${
  time("r.finished")
} AS finished
FROM stored_site AS s
LEFT JOIN stored_run AS r ON r.id = s.last_run
WHERE s.is_forgotten = 0;

CREATE VIEW run AS
SELECT r.id AS run, s.homepage AS site, ${time("r.started")} AS started,
  ${time("r.finished")} AS finished, r.verdict, r.code, r.reason,
  r.added, r.changed, r.removed, r.unchanged, r.unconfirmed, r.not_modified, r.bytes_saved
FROM stored_run AS r JOIN stored_site AS s ON s.id = r.site;

CREATE VIEW sitemap AS
SELECT s.homepage AS site, m.url AS url, m.final_url, m.type, p.url AS parent, m.position, m.state,
  m.code, m.reason, m.pages, m.bytes, m.lastmod, m.etag, m.last_modified,
  ${time("m.read_at")} AS read, ${time("m.gone_since")} AS gone_since
FROM stored_sitemap AS m JOIN stored_site AS s ON s.id = m.site
LEFT JOIN stored_sitemap AS p ON p.site = m.site AND p.id = m.parent
WHERE m.is_forgotten = 0;

CREATE VIEW page AS
SELECT s.homepage AS site, p.url, m.url AS sitemap, p.lastmod, p.priority, p.changefreq, p.extensions,
  p.id AS added, p.changed, CAST(p.dropped IS NOT NULL AS INTEGER) AS unconfirmed
FROM stored_page AS p JOIN stored_site AS s ON s.id = p.site
LEFT JOIN stored_sitemap AS m ON m.site = p.site AND m.id = p.sitemap;

CREATE VIEW change AS
SELECT c.sequence, c.type, s.homepage AS site, c.url, c.sitemap, c.page, c.previous,
  (SELECT run FROM stored_commit WHERE first <= c.sequence ORDER BY first DESC LIMIT 1) AS run,
  ${
  time(
    "(SELECT time FROM stored_commit WHERE first <= c.sequence ORDER BY first DESC LIMIT 1)",
  )
} AS time
FROM (
  SELECT p.id AS sequence, 'added' AS type, p.site, p.url, m.url AS sitemap, ${pageJson} AS page,
    NULL AS previous
  FROM stored_page AS p LEFT JOIN stored_sitemap AS m ON m.site = p.site AND m.id = p.sitemap
  WHERE p.changed IS NULL
  UNION ALL
  SELECT sequence, type, site, url, sitemap, page, previous FROM stored_change
) AS c JOIN stored_site AS s ON s.id = c.site
WHERE c.sequence > (SELECT value FROM setting WHERE name = 'pruned');
`;

const VIEWS = ["change", "page", "sitemap", "run", "site"] as const;

/** Tables after the words that come before them, and views where they are created; not in texts. */
const NAME_REGEXP =
  /'[^']*'|--.*|\b((?:FROM|JOIN|INTO|UPDATE|TABLE|EXISTS|ON|VIEW|USING) |NULL::)((?:stored|other|lost)_\w+|setting|consumer|migration|(?<=VIEW )\w+)\b/g;

const NUMBER_LOCK = 0x7374_7265;
/** Added to the last number before those that a transaction has taken: the key of its lock. */
const TAKEN_LOCKS = 0x7374n << 48n;

/** Body of a function that has the lock of numbers, and the last one. It begins with the result. */
const numberFunction = (body: string) =>
  `RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE last bigint;
BEGIN
  PERFORM pg_advisory_lock(${NUMBER_LOCK});
  BEGIN
    SELECT last_value INTO last FROM sitetree.change_number;
    ${body}
  EXCEPTION WHEN query_canceled OR others THEN
    PERFORM pg_advisory_unlock(${NUMBER_LOCK});
    RAISE;
  END;
  PERFORM pg_advisory_unlock(${NUMBER_LOCK});
  RETURN last;
END $$;`;

/**
 * Numbers of changes are taken in order, but transactions end in any order. Each has a lock whose key
 * is the last number before its own, so that readers stop at the first number that may still come.
 */
const FUNCTIONS = `
-- takes numbers, and returns the last one before them
CREATE FUNCTION sitetree.take_numbers(count bigint) ${
  numberFunction(`PERFORM pg_advisory_xact_lock_shared(${TAKEN_LOCKS} + last);
    PERFORM setval('sitetree.change_number', last + count);`)
}

-- returns numbers that were taken last, but not used, unless others were taken since
CREATE FUNCTION sitetree.return_numbers(taken bigint, used bigint) ${
  numberFunction(`IF last = taken THEN PERFORM setval('sitetree.change_number', used); END IF;`)
}

-- the last change that readers may see: none below it can come any more
CREATE FUNCTION sitetree.head() ${
  numberFunction(`SELECT least(last, min((classid::bigint << 32 | objid::bigint) - ${TAKEN_LOCKS}))
    INTO last FROM pg_locks
    WHERE locktype = 'advisory' AND objsubid = 1 AND classid::bigint >> 16 = ${TAKEN_LOCKS >> 48n}
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database());`)
}

-- fails unless a run may write
CREATE FUNCTION sitetree.hold(number bigint, run bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM sitetree.stored_site WHERE id = number AND fence = run FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'another run of the site has begun' USING ERRCODE = '${LOST_CODE}';
  END IF;
END $$;
`;

const SQLITE: Dialect = {
  tables: (sql) =>
    `${sql}
-- pages by key; those after the setting "indexed" are not in it yet
CREATE TABLE page_key (
  key INTEGER NOT NULL,
  page INTEGER NOT NULL,
  PRIMARY KEY (key, page)
) WITHOUT ROWID;
`,
  time: (column) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch')`,
  pageJson: `json_patch(json_patch('{}', json_object('lastModified', p.lastmod,
    'changeFrequency', p.changefreq, 'priority', p.priority)), coalesce(p.extensions, '{}'))`,
};

function inPostgres(tables: string): string {
  return tables.replaceAll("INTEGER", "bigint").replaceAll("BLOB", "bytea")
    .replaceAll("REAL", "double precision").replaceAll(") WITHOUT ROWID", ")");
}

const POSTGRES: Dialect = {
  tables: (sql) =>
    `DO $$ BEGIN
  -- one that an administrator has created needs no privilege to create others
  IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'sitetree') THEN
    CREATE SCHEMA sitetree;
  END IF;
END $$;
${inPostgres(sql)}
ALTER TABLE stored_site SET (fillfactor = 80);
CREATE INDEX page_key ON stored_page (site, key);
CREATE SEQUENCE sitetree.site_number;
CREATE SEQUENCE sitetree.run_number;
CREATE SEQUENCE sitetree.change_number MINVALUE 0;
${FUNCTIONS}`,
  time: (column) =>
    `to_char(to_timestamp(${column} / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  pageJson: `(jsonb_strip_nulls(jsonb_build_object('lastModified', p.lastmod,
    'changeFrequency', p.changefreq, 'priority', p.priority)) ||
    coalesce(p.extensions, '{}')::jsonb)::text`,
};

export function qualified(sql: string): string {
  return sql.replace(NAME_REGEXP, (text, before?: string, name?: string) => {
    // a name of this statement comes first
    const isTable = name !== undefined && !sql.includes(`${name} AS (`);
    return isTable ? `${before}sitetree.${name}` : text;
  });
}

/** A place for a value, or a text or comment that may have a question mark. */
const MARK_REGEXP = /\?|'[^']*'|--.*/g;

/** Returns a statement that was written for SQLite as PostgreSQL has it. */
export function inDialect(sql: string): string {
  let at = 0;
  return qualified(sql).replace(MARK_REGEXP, (text) => text === "?" ? `$${++at}` : text);
}

type StoreName = "sqlite" | "postgres";

const VIEWS_OF: Readonly<Record<StoreName, string>> = {
  sqlite: viewsIn(SQLITE),
  postgres: qualified(viewsIn(POSTGRES)),
};

/** Returns the statements that make an empty database a snapshot. */
export function creation(store: StoreName, [first, second]: HashKey): string {
  const records = STEPS.map(({ name }) => `('${name}', ${Date.now()})`).join(", ");
  const settings = `INSERT INTO setting VALUES ('hash_key_1', ${first}), ('hash_key_2', ${second}),
    ('indexed', 0), ('pruned', 0), ('pruned_time', 0), ('version', ${SCHEMA_VERSION});
    INSERT INTO migration VALUES ${records};`;
  return store === "sqlite"
    ? SQLITE.tables(TABLES) + VIEWS_OF.sqlite + settings
    : qualified(POSTGRES.tables(TABLES) + settings) + VIEWS_OF.postgres;
}

/** Returns the statements of each step after a version, each to be executed in a transaction. */
export function pendingSteps(store: StoreName, version: number): string[] {
  const prefix = store === "sqlite" ? "" : "sitetree.";
  return STEPS.slice(version - OLDEST_VERSION).map((step, at, steps) => {
    const statements = [
      // others need what is dropped
      ...(at === 0 ? VIEWS.map((view) => `DROP VIEW IF EXISTS ${prefix}${view}`) : []),
      step[store],
      ...(at === steps.length - 1 ? [VIEWS_OF[store]] : []),
      store === "sqlite" ? MIGRATION_TABLE : inPostgres(qualified(MIGRATION_TABLE)),
      `INSERT INTO ${prefix}migration VALUES ('${step.name}', ${Date.now()})`,
      `UPDATE ${prefix}setting SET value = ${version + at + 1} WHERE name = 'version'`,
    ];
    return statements.join(";\n");
  });
}
