/**
 * Opens the fleet that the arguments of a command name, and turns its errors into failures of the
 * command line.
 *
 * @module
 */

import { suggestion } from "../../data/suggestion.ts";
import { builtin, environmentVariable, hasPermission } from "../../platform/environment.ts";
import {
  codeOf,
  isPermissionError,
  readdirSync,
  statSync,
  withoutWarnings,
} from "../../platform/host.ts";
import type { Fleet, FleetLocation, FleetOptions, FleetRun } from "../../fleet/mod.ts";
import type { Arguments } from "../arguments.ts";
import { Failure, fileFailure, permittedCommand, UsageError } from "../failure.ts";
import { parseDatabase } from "../values.ts";

/** Environment variable with the connection string of a database. */
const DATABASE_VARIABLE = "SITETREE_DATABASE";
/** Permissions of Deno that a fleet needs. */
const PERMISSIONS = ["net", "read", "write", "env"] as const;
/** Packages of a fleet, as npm installs them. */
export const FLEET_PACKAGES: readonly string[] = [
  "pg-boss@12.35.0",
  "pg@8.23.1",
  "@electric-sql/pglite@0.5.16",
];
/** File in the directory of a fleet. */
const LOCK_FILE = "lock";

/** Returns where the data is that the arguments name; `undefined` without any. */
export function locationOf(args: Arguments): FleetLocation | undefined {
  const directory = args.value("data");
  const url = args.value("database");
  if (directory !== undefined && url !== undefined) {
    throw new UsageError('Option "--data" cannot be combined with "--database"');
  }
  if (directory !== undefined) return { directory };
  if (url !== undefined) return { url };
  const named = environmentVariable(DATABASE_VARIABLE);
  return named ? { url: parseDatabase(named, DATABASE_VARIABLE) } : undefined;
}

/** Returns where the data is that the arguments name. */
export function requiredLocation(args: Arguments): FleetLocation {
  const location = locationOf(args);
  if (location !== undefined) return location;
  throw new UsageError(
    "Missing database",
    `expected --data DIR, --database URL, or the environment variable ${DATABASE_VARIABLE}`,
  );
}

/** Options of {@linkcode openFleetAt}. */
export interface OpenOptions extends FleetOptions {
  /** Whether a directory that does not exist is created. Default: false. */
  readonly creates?: boolean;
}

/** Opens a fleet, by modules and packages that other commands do not need. */
export async function openFleetAt(
  location: FleetLocation,
  { creates = false, ...options }: OpenOptions = {},
): Promise<Fleet> {
  requirePermissions();
  if ("directory" in location) checkDirectory(location.directory, creates);
  // locks a directory; Node 22 reports it as experimental when it is loaded
  withoutWarnings(() => builtin("node:sqlite"));
  try {
    const { openFleet } = await import("../../fleet/mod.ts");
    return await openFleet(location, options);
  } catch (error) {
    const name = missingPackage(error);
    if (name !== undefined) throw packageFailure(name, error);
    if (!isPermissionError(error)) throw error;
    throw new Failure(`Cannot open the fleet: ${(error as Error).message}`, permissionHint());
  }
}

/** Returns the package that an import has not found; `undefined` for other errors. */
function missingPackage(error: unknown): string | undefined {
  if (codeOf(error) !== "ERR_MODULE_NOT_FOUND") return undefined;
  return /\bpackage ['"]([^'"]+)['"]/i.exec((error as Error).message)?.[1];
}

function packageFailure(name: string, cause: unknown): Failure {
  return new Failure(
    `Cannot load the fleet: package "${name}" is not installed`,
    `install it beside sitetree: npm install ${FLEET_PACKAGES.join(" ")}, with "--global" if ` +
      "sitetree is global",
    { cause },
  );
}

function requirePermissions(): void {
  const missing = PERMISSIONS.filter((name) => !hasPermission({ name }));
  if (missing.length === 0) return;
  throw new Failure(
    `Cannot open the fleet: no permission for ${missing.join(", ")}`,
    permissionHint(),
  );
}

function permissionHint(): string {
  return `run: ${permittedCommand()}`;
}

/** Checks that a directory is that of a fleet, or one to create: a typing error must not create it. */
function checkDirectory(directory: string, creates: boolean): void {
  let names: readonly string[];
  try {
    if (!statSync(directory).isDirectory()) throw new Failure(notFleet(directory, "it is a file"));
    names = readdirSync(directory);
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (codeOf(error) !== "ENOENT") throw fileFailure("read", directory, error);
    if (creates) return;
    throw new Failure(notFleet(directory, "no such directory"));
  }
  if (names.includes(LOCK_FILE) || creates && names.length === 0) return;
  throw new Failure(notFleet(directory, "not the directory of a fleet"));
}

function notFleet(directory: string, reason: string): string {
  return `Cannot open "${directory}": ${reason}`;
}

/** Returns a run, which must exist. */
export async function requiredRun(fleet: Fleet, name: string): Promise<FleetRun> {
  const runs = await fleet.runs();
  const found = runs.find(({ id }) => id === name);
  if (found !== undefined) return found;
  const names = runs.map(({ id }) => id);
  throw new UsageError(
    `Unknown run "${name}"${suggestion(name, names)}`,
    names.length === 0 ? "there are no runs yet" : '"sitetree fleet status" lists all runs',
  );
}
