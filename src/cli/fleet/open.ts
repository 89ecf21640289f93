/**
 * Opens the fleet that the arguments of a command name, and turns its errors into failures of the
 * command line.
 *
 * @module
 */

import { suggestion } from "../../data/suggestion.ts";
import { environmentVariable, hasPermission } from "../../platform/environment.ts";
import { codeOf, isPermissionError } from "../../platform/host.ts";
import type { Fleet, FleetOptions, FleetRun } from "../../fleet/mod.ts";
import type { Arguments } from "../arguments.ts";
import { Failure, permittedCommand, UsageError } from "../failure.ts";
import { parseDatabase } from "../values.ts";

/** Environment variable with the connection string of a database. */
const DATABASE_VARIABLE = "SITETREE_DATABASE";
/** Permissions of Deno that a fleet needs. */
const PERMISSIONS = ["net", "read", "write", "env"] as const;
/** Packages of a fleet, as npm installs them. */
export const FLEET_PACKAGES: readonly string[] = ["pg-boss@12.35.0", "pg@8.23.1"];

/** Returns the connection string that the arguments or the environment name. */
export function requiredDatabase(args: Arguments): string {
  const given = args.value("database");
  if (given !== undefined) return given;
  const named = environmentVariable(DATABASE_VARIABLE);
  if (named) return parseDatabase(named, DATABASE_VARIABLE);
  throw new UsageError(
    "Missing database",
    `expected --database URL, or the environment variable ${DATABASE_VARIABLE}`,
  );
}

/** Opens a fleet, by modules and packages that other commands do not need. */
export async function openFleetAt(url: string, options: FleetOptions = {}): Promise<Fleet> {
  requirePermissions();
  try {
    const { openFleet } = await import("../../fleet/mod.ts");
    return await openFleet(url, options);
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
