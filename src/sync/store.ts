/**
 * The store of a snapshot: what the rules of synchronisation need of a database.
 *
 * @module
 */

import type { HashKey } from "../bytes/value_scan.ts";
import type { PageRow } from "../data/page_row.ts";
import { SCHEMA_VERSION } from "./migrations.ts";

export type SqlValue = null | number | string | Uint8Array;

/** A current page. */
export interface StoredPage extends PageRow {
  /** Sequence number of its `added`, by which it is known. */
  readonly id: number;
  readonly site: number;
  /** Number of the first sitemap that lists it. */
  readonly sitemap: number;
  /** Hash of its identity. */
  readonly key: number;
  /** Sequence number of its last change; NULL if it is as it was added. */
  readonly changed: number | null;
  /** When the last sitemap dropped it; NULL while one lists it. */
  readonly dropped: number | null;
  /** Whether it was missing when the last accepted walk ended. */
  readonly is_absent: number | null;
}

export interface FoundPage extends StoredPage {
  /** Whether sitemaps after the first list it too. */
  readonly is_shared: number;
}

export const TABLE_KEYS = {
  stored_site: ["id"],
  stored_run: ["id"],
  stored_sitemap: ["site", "id"],
  stored_listing: ["site", "sitemap", "part"],
  stored_page: ["id"],
  other_listing: ["site", "page", "sitemap"],
  lost_listing: ["site", "page", "sitemap"],
  stored_change: ["sequence"],
  stored_commit: ["first"],
} as const;

export type Table = keyof typeof TABLE_KEYS;

export function others(table: Table, columns: readonly string[]): string[] {
  const keys: readonly string[] = TABLE_KEYS[table];
  return columns.filter((column) => !keys.includes(column));
}

/** A row, or the part of it that is written. */
export type StoredRow = Readonly<Record<string, SqlValue>>;

export const PAGE_COLUMNS: readonly (keyof StoredPage)[] = [
  "id",
  "site",
  "sitemap",
  "key",
  "url",
  "lastmod",
  "priority",
  "changefreq",
  "extensions",
];

export interface StoredSite {
  readonly id: number;
  readonly homepage: string;
  pages: number;
  base: number;
  accepted: number;
  refused_at: number | null;
  last: number;
  unconfirmed: number;
  absent: number;
  is_unsettled: number;
  is_forgotten: number;
  /** Number of the run that may write. */
  readonly fence: number;
  /** The last run that has written. */
  last_run: number | null;
}

export const NEW_SITE: Readonly<Omit<StoredSite, "id" | "homepage" | "fence">> = {
  pages: 0,
  base: 0,
  accepted: 0,
  refused_at: null,
  last: 0,
  unconfirmed: 0,
  absent: 0,
  is_unsettled: 0,
  is_forgotten: 0,
  last_run: null,
};

export interface KnownSite {
  /** Rows of its sitemaps, in the order in which they became known. */
  readonly sitemaps: readonly StoredRow[];
  /** A number below those of all changes to come. */
  readonly head: number;
}

/** A run of a site that has begun: its number is the fence of the site. */
export interface BegunRun {
  readonly site: StoredSite;
  readonly known: KnownSite;
}

export const SELECT_SITEMAPS = "SELECT * FROM stored_sitemap WHERE site = ? ORDER BY id";

/** Changes of tables, in order. All rows of one call have the same columns. */
export interface Batch {
  /** Inserts pages, given their {@linkcode PAGE_COLUMNS} one after the other. */
  addPages(values: readonly SqlValue[]): void;
  /** Inserts rows, or replaces those with the same key. */
  put(table: Table, rows: readonly StoredRow[]): void;
  /** Changes columns of rows, which have their keys too. */
  update(table: Table, rows: readonly StoredRow[]): void;
  /** Removes the rows with these columns; of pages, number and key. */
  remove(table: Table, rows: readonly StoredRow[]): void;
  run(sql: string, ...values: SqlValue[]): void;
  /** Returns the next sequence number, of as many as were asked for. */
  next(): number;
}

/** Who writes: a run of a site, until another one begins. */
type Writer = Pick<StoredSite, "id" | "fence">;

export interface CommitOptions {
  /** Run that writes. Default: none, and any writer may. */
  readonly writer?: Writer;
  /** Most sequence numbers that it takes. Default: 0. */
  readonly numbers?: number;
}

/** Moves a consumer, never back. */
export const ACKNOWLEDGE = `INSERT INTO consumer VALUES (?, ?) ON CONFLICT (name)
  DO UPDATE SET acknowledged = excluded.acknowledged
  WHERE consumer.acknowledged < excluded.acknowledged`;

/** Returns what follows rows that are inserted, or replace those with the same key. */
export function onConflict(table: Table, columns: readonly string[]): string {
  const set = others(table, columns).map((column) => `${column} = excluded.${column}`);
  const action = set.length === 0 ? "NOTHING" : `UPDATE SET ${set.join(", ")}`;
  return `ON CONFLICT (${TABLE_KEYS[table].join(", ")}) DO ${action}`;
}

/** Throws if steps are pending, which only a writer applies. */
export function checkReadable({ name, version }: Store): void {
  if (version === SCHEMA_VERSION) return;
  throw new Error(
    `Cannot read "${name}": schema version ${version} is older than ${SCHEMA_VERSION}; open it for writing ` +
      'once, as "sitetree sync" does, to bring it up to date',
  );
}

/** A database. Other processes see either all of a commit or nothing of it. */
export interface Store {
  /** Its path or address, without password. */
  readonly name: string;
  readonly isReadOnly: boolean;
  /** That of the schema. */
  readonly version: number;
  readonly hashKey: HashKey;
  /** Commits that were rolled back by the database, and made again. */
  readonly repeats: number;
  read<T>(sql: string, ...values: SqlValue[]): Promise<T[]>;
  /**
   * Begins a run of a site, which is added unless it is known. Nothing that an earlier run of it writes
   * from now on is committed.
   */
  beginRun(homepage: string): Promise<BegunRun>;
  /** Returns the pages of a site whose identities may have these hashes. */
  find(site: number, keys: readonly number[]): Promise<FoundPage[]>;
  /**
   * Writes what a function adds to a batch, all or nothing. It is called without delay, and again if the
   * database has rolled the commit back.
   */
  commit(build: (batch: Batch) => void, options?: CommitOptions): Promise<void>;
  /** Moves a consumer to a change, never back; also while another process writes. */
  acknowledge(consumer: string, sequence: number): Promise<void>;
  /** Last sequence number. */
  head(): Promise<number>;
  /** From now on, nothing is kept, until the result is called. */
  pretend(): Promise<() => Promise<void>>;
  close(): Promise<void>;
}
