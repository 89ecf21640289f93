/**
 * Errors of the file system, as messages with a hint.
 *
 * @module
 */

import { Failure } from "./failure.ts";
import { permittedCommand } from "./permissions.ts";

const OS_ERROR_REGEXP = / \(os error \d+\).*$/s;

/** Returns the failure for an error of the file system. */
export function fileFailure(verb: "read" | "write", path: string, error: unknown): Failure {
  const [reason, hint] = reasonOf(verb, error);
  return new Failure(`Cannot ${verb} "${path}": ${reason}`, hint, { cause: error });
}

function reasonOf(verb: "read" | "write", error: unknown): [reason: string, hint?: string] {
  if (error instanceof Deno.errors.NotCapable) {
    // devices and the like need all permissions
    const isGranted = (["read", "write"] as const).every((name) =>
      Deno.permissions.querySync({ name }).state === "granted"
    );
    const command = isGranted ? permittedCommand("--allow-all") : permittedCommand();
    return [`no permission to ${verb} files`, `run: ${command}`];
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    return verb === "read"
      ? ["permission denied"]
      : ["permission denied", "the file and its folder must be writable"];
  }
  if (error instanceof Deno.errors.IsADirectory) return ["it is a folder", "name a file in it"];
  if (error instanceof Deno.errors.NotFound) {
    return verb === "read" ? ["no such file"] : ["no such folder", "make the folder first"];
  }
  // Deno adds the name of the call and the path, which may be that of a temporary file.
  return [error instanceof Error ? error.message.replace(OS_ERROR_REGEXP, "") : String(error)];
}
