/**
 * Fleets: many sites, walked by many workers, on PostgreSQL.
 *
 * {@linkcode openFleet} opens a fleet. It needs the packages `pg-boss` and `pg`. Runs on Deno, Node
 * 22.13 or later, and Bun.
 *
 * @module
 */

export { FleetError } from "./errors.ts";
export { type Fleet, type FleetOptions, openFleet, type WorkOptions } from "./fleet.ts";
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
