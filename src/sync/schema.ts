/**
 * The schema of a snapshot, and its versions.
 *
 * @module
 */

/** Identifies a snapshot among SQLite files: "stre" in ASCII. */
export const APPLICATION_ID = 0x73747265;

/**
 * The tables. Dates of sitemaps are kept at the precision that was given, such as `2024-05` or
 * `2024-05-01T12:00:00.000Z`, other times as full ISO 8601.
 */
const TABLES = `
CREATE TABLE site (
  id INTEGER PRIMARY KEY,
  homepage TEXT NOT NULL UNIQUE,
  pages INTEGER NOT NULL DEFAULT 0   -- rows of page
);

CREATE TABLE run (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  site INTEGER NOT NULL REFERENCES site,
  started TEXT NOT NULL,
  finished TEXT,                     -- NULL until it ends
  verdict TEXT,
  known INTEGER NOT NULL,            -- pages when it started
  added INTEGER NOT NULL DEFAULT 0,
  changed INTEGER NOT NULL DEFAULT 0,
  removed INTEGER NOT NULL DEFAULT 0,
  unchanged INTEGER NOT NULL DEFAULT 0,
  unconfirmed INTEGER NOT NULL DEFAULT 0,
  not_modified INTEGER NOT NULL DEFAULT 0,
  bytes_saved INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX run_site ON run (site);

CREATE TABLE sitemap (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  site INTEGER NOT NULL REFERENCES site,
  url TEXT NOT NULL,                 -- as requested
  final_url TEXT NOT NULL,           -- after redirects
  type TEXT NOT NULL,
  parent INTEGER REFERENCES sitemap, -- NULL below the website itself
  level INTEGER NOT NULL,
  place INTEGER NOT NULL,            -- index in its parent
  position INTEGER NOT NULL,         -- in document order of the run
  lastmod TEXT,                      -- what its index declared when it was read last
  run INTEGER NOT NULL,              -- run that determined its state
  state TEXT NOT NULL,               -- read, unchanged, truncated, failed, missing, gone
  code TEXT,                         -- why it failed or is missing
  reason TEXT,
  pages INTEGER NOT NULL,            -- pages that it lists
  bytes INTEGER,                     -- transferred for it; NULL if unknown
  etag TEXT,
  last_modified TEXT,                -- header of its response
  digest TEXT,
  UNIQUE (site, url)
);

-- what an index lists, in order
CREATE TABLE child (
  parent INTEGER NOT NULL REFERENCES sitemap,
  place INTEGER NOT NULL,
  url TEXT NOT NULL,
  lastmod TEXT,
  PRIMARY KEY (parent, place)
) WITHOUT ROWID;
CREATE INDEX child_url ON child (url);

-- current pages, with the values of the first sitemap that lists them
CREATE TABLE page (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  site INTEGER NOT NULL REFERENCES site,
  sitemap INTEGER NOT NULL REFERENCES sitemap,
  url TEXT NOT NULL,
  lastmod TEXT,
  priority REAL,                     -- NULL unless given
  changefreq TEXT,
  extensions TEXT,                   -- newsStory, images, videos, alternates as JSON
  added INTEGER NOT NULL,            -- run
  changed INTEGER NOT NULL,          -- run that gave it these values
  dropped INTEGER                    -- run in which its sitemap dropped it, until it is removed
);

-- other sitemaps that list a page
CREATE TABLE listing (
  sitemap INTEGER NOT NULL REFERENCES sitemap,
  page INTEGER NOT NULL REFERENCES page,
  lastmod TEXT,
  priority REAL,
  changefreq TEXT,
  extensions TEXT,
  PRIMARY KEY (sitemap, page)
) WITHOUT ROWID;
CREATE INDEX listing_page ON listing (page);

CREATE TABLE change (
  run INTEGER NOT NULL REFERENCES run,
  page INTEGER NOT NULL,             -- id in page, unless it was removed
  type TEXT NOT NULL,                -- added, changed, removed
  url TEXT NOT NULL,
  sitemap INTEGER NOT NULL REFERENCES sitemap,
  data TEXT,                         -- page after it as JSON; NULL while page has these values
  previous TEXT,                     -- page before it as JSON
  PRIMARY KEY (run, page)
) WITHOUT ROWID;
`;

/** Indexes of pages, which are created after the first pages were loaded; that of URLs last. */
export const PAGE_INDEXES: readonly string[] = [
  "CREATE INDEX IF NOT EXISTS page_sitemap ON page (sitemap)",
  "CREATE INDEX IF NOT EXISTS page_lastmod ON page (site, lastmod)",
  "CREATE INDEX IF NOT EXISTS page_dropped ON page (site) WHERE dropped IS NOT NULL",
  "CREATE UNIQUE INDEX IF NOT EXISTS page_url ON page (site, url)",
];

/** Statements that lead from each version to the next; `user_version` counts those that were run. */
export const MIGRATIONS: readonly string[] = [TABLES];
