/**
 * Databases of PostgreSQL: their connection strings, the options of their connections, and why they
 * cannot be opened.
 *
 * @module
 */

import { hasPermission } from "../platform/environment.ts";
import { codeOf, isPermissionError } from "../platform/process.ts";
import type { PostgresOptions } from "../sync/postgres.ts";
import type { PostgresError } from "../sync/postgres_errors.ts";
import type { Arguments } from "./arguments.ts";
import { Failure, permittedCommand } from "./run/failure.ts";

const PERMISSIONS = ["net", "read", "write", "env"] as const;
/** The package of its connections, as npm installs it. */
const PACKAGE = "pg@8.23.1";

export function isDatabase(word: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(word);
}

export function connectionOptions(args: Arguments): PostgresOptions {
  return args.given<PostgresOptions>("connections", "pooled");
}

export async function opening<T>(open: () => Promise<T>): Promise<T> {
  const missing = PERMISSIONS.filter((name) => !hasPermission({ name }));
  if (missing.length > 0) throw permissionFailure(`no permission for ${missing.join(", ")}`);
  try {
    return await open();
  } catch (error) {
    if (!isPermissionError(error)) throw error;
    throw permissionFailure((error as Error).message);
  }
}

function permissionFailure(reason: string): Failure {
  return new Failure(`Cannot open the database: ${reason}`, `run: ${permittedCommand()}`);
}

const HINTS: Readonly<Record<PostgresError["code"], string | undefined>> = {
  "unreachable": "check host, port and database, and that the server is running",
  "credentials": "check user and password; the environment variable PGPASSWORD can have it",
  "newer-schema": undefined,
  "unsupported": undefined,
};

/** Codes of a connection that broke, and messages without one. */
const LOST_REGEXP = /^(?:08|57).{3}$|^(?:Connection terminated|timeout exceeded)/;

/** Returns errors that are not of a database as they are. */
export function databaseFailure(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { message, name: kind } = error;
  const [, name] = /\bpackage ['"]([^'"]+)['"]/i.exec(message) ?? [];
  if (codeOf(error) === "ERR_MODULE_NOT_FOUND" && name !== undefined) {
    return new Failure(
      `Cannot use PostgreSQL: package "${name}" is not installed`,
      `install it beside sitetree: npm install ${PACKAGE}, with "--global" if ` +
        "sitetree is global",
      { cause: error },
    );
  }
  if (LOST_REGEXP.test(codeOf(error) ?? message)) {
    return new Failure(
      `Lost the connection to the database: ${message}`,
      "run the command again: what was committed is kept",
      { cause: error },
    );
  }
  // its class would load the packages
  if (kind !== "PostgresError") return error;
  const isPool = message.includes('"pooled"');
  const hint = isPool ? "add --pooled" : HINTS[(error as PostgresError).code];
  return new Failure(message.replace(/; use the option "pooled"/, ""), hint, { cause: error });
}
