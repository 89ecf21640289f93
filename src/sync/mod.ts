/**
 * Incremental walks: what has changed on sites since the last one.
 *
 * {@linkcode openSnapshot} opens a snapshot in a SQLite file, or in PostgreSQL with the package `pg`;
 * {@linkcode sync} walks a site and compares it with the snapshot, {@linkcode syncAll} does so with many
 * sites. {@linkcode diff} compares any two walks, without a snapshot. Runs on Deno, Node 22.13 or later, and Bun.
 *
 * @module
 */

export { diff, type DiffEvent, type DiffOptions } from "./diff.ts";
export type {
  ChangeCounts,
  PageChangedEvent,
  PageRemovedEvent,
  SiteEvent,
  SyncEvent,
  SyncFinishedEvent,
} from "./events.ts";
export type {
  ChangesOptions,
  PagesOptions,
  RecordedChange,
  RecordedPage,
  RecordedRun,
  RecordedSite,
  RecordedSitemap,
  SitesOptions,
} from "./history.ts";
export type { PageField } from "./identity.ts";
export type { PostgresOptions } from "./postgres.ts";
export { PostgresError } from "./postgres_errors.ts";
export type { RowStream } from "./row_stream.ts";
export {
  openSnapshot,
  type PruneOptions,
  type Snapshot,
  type SnapshotOptions,
} from "./snapshot.ts";
export type { SyncAllOptions, SyncOptions } from "./options.ts";
export { sync, syncAll } from "./sync.ts";
