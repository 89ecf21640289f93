/**
 * The runtime and its environment.
 *
 * @module
 */

import process from "node:process";

/** Whether this is Deno. */
export const IS_DENO: boolean = "Deno" in globalThis;

/** Whether a host may be contacted without a prompt for the permission. */
export function mayContact(host: string): boolean {
  try {
    const permission = globalThis.Deno?.permissions?.querySync?.({ name: "net", host });
    return permission === undefined || permission.state === "granted";
  } catch {
    // not the name of a host, which will not be found
    return true;
  }
}

/** Value of an environment variable; `undefined` if it is not set, or may not be read. */
export function environmentVariable(variable: string): string | undefined {
  // without the permission Deno would prompt for it
  const permission = globalThis.Deno?.permissions?.querySync?.({ name: "env", variable });
  if (permission !== undefined && permission.state !== "granted") return undefined;
  return process.env[variable];
}
