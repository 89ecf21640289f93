/**
 * Whether there is such a host at all. A walk would try each of its addresses again and again, for a
 * quarter of a minute, until it came to tell of a name that was misspelt.
 *
 * @module
 */

import { lookup } from "node:dns/promises";
import { EXIT_CODES, Failure } from "./failure.ts";

/** Makes sure that a host is not unknown; where nobody can tell, the walk will. */
export async function requireHost(
  { hostname }: URL,
  resolve: (name: string) => Promise<unknown> = lookup,
): Promise<void> {
  try {
    await resolve(hostname.replace(/^\[|\]$/g, ""));
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error) || error.code !== "ENOTFOUND") return;
    throw new Failure(
      `Cannot find the host "${hostname}"`,
      "check how it is spelt, and whether this machine is online",
      { cause: error, exitCode: EXIT_CODES.blocked },
    );
  }
}
