/**
 * What the system says about files, in words that say what to do next.
 *
 * @module
 */

import { Failure } from "./failure.ts";

const OS_ERROR_REGEXP = / \(os error \d+\).*$/s;

/** The failure that an error of the file system stands for. */
export function fileFailure(verb: "read" | "write", path: string, error: unknown): Failure {
  const [reason, hint] = reasonOf(verb, error);
  return new Failure(`Cannot ${verb} "${path}": ${reason}`, hint, { cause: error });
}

function reasonOf(verb: "read" | "write", error: unknown): [reason: string, hint?: string] {
  if (error instanceof Deno.errors.NotCapable) {
    // Taking a file's name at the end needs both.
    const flags = verb === "read" ? "--allow-read" : "--allow-read --allow-write";
    // Of devices and the like it demands more.
    const isGranted = Deno.permissions.querySync({ name: verb }).state === "granted";
    return [
      "Deno has no permission",
      `run or install it with ${isGranted ? "--allow-all" : flags}`,
    ];
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    return verb === "read"
      ? ["permission denied"]
      : ["permission denied", "the file and its folder must be writable"];
  }
  if (error instanceof Deno.errors.IsADirectory) return ["it is a folder", "name a file in it"];
  if (error instanceof Deno.errors.NotFound) {
    return verb === "read"
      ? ["there is no such file"]
      : ["there is no such folder", "make the folder first"];
  }
  // Deno adds the name of the call and the path, which may be that of a temporary file.
  return [error instanceof Error ? error.message.replace(OS_ERROR_REGEXP, "") : String(error)];
}
