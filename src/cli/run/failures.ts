/**
 * Errors of the library as those that end a command: with an exit code, and what to do about them.
 *
 * @module
 */

import { FleetError } from "../../fleet/errors.ts";
import { hasPermission } from "../../platform/environment.ts";
import { codeOf } from "../../platform/process.ts";
import { UnreachableError } from "../../source/first_contact.ts";
import { fileError, SourceError } from "../../source/source_error.ts";
import type { PostgresError } from "../../sync/postgres_errors.ts";
import { adviceFor } from "./advice.ts";
import { EXIT_CODES, Failure, permittedCommand } from "../failure.ts";

/** The package of connections to PostgreSQL, as npm installs it. */
const PACKAGE = "pg@8.23.1";

const { usage, failure, blocked } = EXIT_CODES;

type Row = readonly [
  exitCode: number,
  hint?: ((error: SourceError) => string | undefined) | undefined,
  /** What the message ends in, since hints are not printed for one of several operands. */
  end?: string,
];

/** How operands that cannot be read end a command. */
const SOURCE_ERRORS: Readonly<Record<SourceError["code"], Row>> = {
  "operand": [usage],
  "list": [usage],
  "folder-url": [usage, undefined, "; name it by --url, such as --url https://example.com/"],
  "unknown-site": [usage],
  "several-sites": [usage, ({ hint }) => `expected --site with ${hint}`],
  "file": [failure],
  "saved-walk": [failure, () => 'saved events are what "sitetree ls -f events" writes'],
  // a database needs the same permissions, whatever is granted
  "permission": [
    failure,
    ({ cause }) => cause === undefined ? `run: ${permittedCommand()}` : permissionHint(),
  ],
  "unreachable": [
    blocked,
    (error) => error instanceof UnreachableError ? adviceFor(error.request) : undefined,
  ],
};

/** Returns the failure of writing a file. */
export function writeFailure(path: string, error: unknown): Failure {
  return failureOf(fileError("write", path, error)) as Failure;
}

/** Devices need all permissions. */
function permissionHint(): string {
  const isGranted = hasPermission({ name: "read" }) && hasPermission({ name: "write" });
  return `run: ${isGranted ? permittedCommand("--allow-all") : permittedCommand()}`;
}

const DATABASE_HINTS: Readonly<Record<PostgresError["code"], string | undefined>> = {
  "unreachable": "check host, port and database, and that the server is running",
  "credentials": "check user and password; the environment variable PGPASSWORD can have it",
  "newer-schema": undefined,
  "unsupported": undefined,
};

/** Codes of a connection that broke, and messages without one. */
const LOST_REGEXP = /^(?:08|57).{3}$|^(?:Connection terminated|timeout exceeded)/;

/** Returns errors of operands, fleets and databases as failures, and others as they are. */
export function failureOf(error: unknown): unknown {
  if (error instanceof SourceError) {
    const [exitCode, hintOf, end = ""] = SOURCE_ERRORS[error.code];
    const hint = hintOf?.(error) ?? error.hint;
    return new Failure(error.message + end, hint, { exitCode, cause: error });
  }
  if (error instanceof FleetError) {
    return new Failure(error.message, undefined, { exitCode: usage, cause: error });
  }
  return error instanceof Error && !(error instanceof Failure) ? databaseFailure(error) : error;
}

function databaseFailure(error: Error): Error {
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
  const hint = isPool ? "add --pooled" : DATABASE_HINTS[(error as PostgresError).code];
  return new Failure(message.replace(/; use the option "pooled"/, ""), hint, { cause: error });
}
