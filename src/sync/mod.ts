/**
 * Incremental walks: what has changed on a site since the last one.
 *
 * {@linkcode openSnapshot} opens a snapshot in a SQLite file, {@linkcode sync} walks a site and compares
 * it with the snapshot. Runs on Deno, Node 22.13 or later, and Bun.
 *
 * @module
 */

export type {
  ChangeCounts,
  PageChangedEvent,
  PageRemovedEvent,
  SitemapUnchangedEvent,
  SyncEvent,
  SyncFinishedEvent,
  SyncStats,
} from "./events.ts";
export type { ChangesOptions, RecordedChange, RecordedRun, RecordedSite } from "./history.ts";
export { openSnapshot, type Snapshot, type SnapshotOptions } from "./snapshot.ts";
export { sync, type SyncOptions } from "./sync.ts";
