/**
 * Permissions of Deno. Without them `fetch` fails as if the network did.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { hostAllowed, type HostsPolicy } from "../http/hosts.ts";
import { Failure, UsageError } from "./failure.ts";

/** Hosts without permission that are remembered. */
const MAX_REFUSED = 100;

const MAIN = new URL("./main.ts", import.meta.url).href;

/** The permissions that all options together need. */
const PERMISSIONS = "--allow-net --allow-read --allow-write --allow-env";

function hostOf(url: URL): string {
  const port = url.port || (url.protocol === "http:" ? "80" : "443");
  return `${url.hostname}:${port}`;
}

/** Returns the command that does the same with all permissions, to be copied to a shell. */
export function permittedCommand(
  flags: string = PERMISSIONS,
  main: string = MAIN,
  args: readonly string[] = Deno.args,
): string {
  return main.startsWith("file:")
    ? ["deno run", flags, ...[fileURLToPath(main), ...args].map(quoted)].join(" ")
    : `deno install --global --force --name sitetree ${flags} jsr:@sitetree/sitetree/cli`;
}

/** Returns the command that does the same as `--insecure` by a flag of Deno. */
export function insecureCommand(): string {
  const args = Deno.args.filter((word) => word !== "--insecure");
  return permittedCommand(`--unsafely-ignore-certificate-errors ${PERMISSIONS}`, MAIN, args);
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Asks for the permission to contact a host, at the terminal if need be. */
export async function requireNet(url: URL): Promise<void> {
  if (await requestState(url) === "granted") return;
  throw new Failure(
    `Cannot reach "${url.host}": no permission to use the network`,
    `run: ${permittedCommand()}`,
  );
}

/**
 * Returns a policy that refuses hosts without permission too, and adds them to `refused`; the policy
 * itself where all of the network is allowed.
 */
export function permittedHosts(
  policy: HostsPolicy,
  homepage: URL,
  refused: Set<string>,
): HostsPolicy {
  if (Deno.permissions.querySync({ name: "net" }).state === "granted") return policy;
  const allowed = hostAllowed(policy, homepage);
  return (url) => {
    if (!allowed(url)) return false;
    if (isGranted(url)) return true;
    if (refused.size < MAX_REFUSED) refused.add(url.hostname);
    return false;
  };
}

async function requestState(url: URL): Promise<Deno.PermissionState> {
  try {
    return (await Deno.permissions.request({ name: "net", host: hostOf(url) })).state;
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    throw new UsageError(`Invalid host name "${url.hostname}"`);
  }
}

function isGranted(url: URL): boolean {
  try {
    return Deno.permissions.querySync({ name: "net", host: hostOf(url) }).state === "granted";
  } catch (error) {
    // no permission covers a name that no host can have, such as `a..b`: the request will fail
    if (error instanceof URIError) return true;
    throw error;
  }
}
