/**
 * Fleets: many sites, walked by many workers, on PostgreSQL or embedded in one process.
 *
 * {@linkcode openFleet} opens a fleet. It needs the packages `pg-boss` and `pg`, and without a server
 * `@electric-sql/pglite`. Runs on Deno, Node 22.13 or later, and Bun.
 *
 * @module
 */

export { FleetError } from "./errors.ts";
export {
  type Fleet,
  type FleetLocation,
  type FleetOptions,
  openFleet,
  type WorkOptions,
} from "./fleet.ts";
export type { SiteEntry, SiteOptions } from "./site_entry.ts";
export type { FleetProgress, ProgressOptions } from "./progress.ts";
export {
  type ActiveHost,
  type DeadSite,
  type FleetPage,
  type FleetRun,
  type FleetSite,
  type FleetVerdict,
} from "./reports.ts";
