/**
 * Permissions of Deno. Without them `fetch` fails as if the network did.
 *
 * @module
 */

import type { HostsPolicy } from "../http/hosts.ts";
import { hasPermission, IS_DENO } from "../platform/environment.ts";
import { commandArguments, requestPermission } from "../platform/host.ts";
import { fileURLToPath } from "../platform/host.ts";
import { Failure, UsageError } from "./failure.ts";

/** Hosts without permission that are remembered. */
const MAX_REFUSED = 100;

/** The permissions that all options together need. */
const PERMISSIONS = "--allow-net --allow-read --allow-write --allow-env";

function hostOf(url: URL): string {
  const port = url.port || (url.protocol === "http:" ? "80" : "443");
  return `${url.hostname}:${port}`;
}

/**
 * Returns the command for Deno that does the same with all permissions, to be copied to a shell.
 * `module` is the URL of a module beside the main one, which shows where that comes from.
 */
export function permittedCommand(
  flags: string = PERMISSIONS,
  module: string = import.meta.url,
  args: readonly string[] = commandArguments(),
): string {
  if (!module.startsWith("file:")) {
    return `deno install --global --force --name sitetree ${flags} jsr:@sitetree/sitetree/cli`;
  }
  const isPackage = !module.endsWith(".ts");
  const main = isPackage
    ? "npm:@sitetree/sitetree"
    : fileURLToPath(module.replace(/[^/]*$/, "main.ts"));
  return ["deno run", flags, ...[main, ...args].map(quoted)].join(" ");
}

/** Returns the way to have the effect of `--insecure` for the whole process. */
export function insecureHint(): string {
  if (!IS_DENO) return "set NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment instead";
  const args = commandArguments().filter((word) => word !== "--insecure");
  const flags = `--unsafely-ignore-certificate-errors ${PERMISSIONS}`;
  return `run: ${permittedCommand(flags, undefined, args)}`;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Names that DNS can hold, and addresses in brackets. */
const HOST_REGEXP = /^(?:\[.*\]|[\w-]+(?:\.[\w-]+)*\.?)$/;

/** Asks for the permission to contact a host, at the terminal if need be. */
export async function requireNet(url: URL): Promise<void> {
  if (!HOST_REGEXP.test(url.hostname)) {
    throw new UsageError(`Invalid host name "${url.hostname}"`);
  }
  if (await requestPermission({ name: "net", host: hostOf(url) })) return;
  throw new Failure(
    `Cannot reach "${url.host}": no permission to use the network`,
    `run: ${permittedCommand()}`,
  );
}

/**
 * Returns a policy that refuses hosts without permission too, and adds them to `refused`; the policy
 * itself where all of the network is allowed.
 */
export async function permittedHosts(
  policy: HostsPolicy,
  homepage: URL,
  refused: Set<string>,
): Promise<HostsPolicy> {
  if (hasPermission({ name: "net" })) return policy;
  const { hostAllowed } = await import("../http/hosts.ts");
  const allowed = hostAllowed(policy, homepage);
  return (url) => {
    if (!allowed(url)) return false;
    if (hasPermission({ name: "net", host: hostOf(url) })) return true;
    if (refused.size < MAX_REFUSED) refused.add(url.hostname);
    return false;
  };
}
