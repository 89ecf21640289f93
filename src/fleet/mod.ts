/**
 * Fleets: many workers on PostgreSQL that keep one snapshot of many sites up to date.
 *
 * {@linkcode openFleet} opens a fleet. It needs the package `pg`. Runs on Deno, Node 22.13 or later, and
 * Bun.
 *
 * @module
 */

export { FleetError } from "./errors.ts";
export {
  Fleet,
  type FleetOptions,
  openFleet,
  type RetryOptions,
  type WorkOptions,
} from "./fleet.ts";
export type { SiteEntry } from "./site_entry.ts";
export type { FleetProgress, ProgressOptions } from "./progress.ts";
export type { ActiveHost, FleetRun, FleetSite } from "./reports.ts";
export type { WorkEvent } from "./work_event.ts";
