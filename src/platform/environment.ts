/**
 * Built-in modules of Node, where the runtime has them: Node, Deno, Bun, and workerd with the flag
 * `nodejs_compat`. Bundlers for browsers see no import.
 *
 * @module
 */

/** Built-in modules that the library uses, each with a fallback. */
interface Builtins {
  readonly "node:buffer": typeof import("node:buffer");
  readonly "node:dns/promises": typeof import("node:dns/promises");
  readonly "node:fs": typeof import("node:fs");
  readonly "node:os": typeof import("node:os");
  readonly "node:path": typeof import("node:path");
  readonly "node:process": typeof import("node:process");
  readonly "node:timers": typeof import("node:timers");
  readonly "node:zlib": typeof import("node:zlib");
}

/** The part of the `process` global that leads to the others. */
interface BuiltinLookup {
  readonly getBuiltinModule?: (name: string) => unknown;
}

/** Returns a built-in module of Node, or `undefined` if the runtime has none of that name. */
export function builtin<N extends keyof Builtins>(name: N): Builtins[N] | undefined {
  const { process } = globalThis as { readonly process?: BuiltinLookup };
  try {
    return process?.getBuiltinModule?.(name) as Builtins[N] | undefined;
  } catch {
    // a runtime that refuses a module has none of that name
    return undefined;
  }
}

// MERGED: The runtime and its environment.

/** Deno's own functions; `undefined` on other runtimes. */
export const DENO: typeof Deno | undefined = (globalThis as { readonly Deno?: typeof Deno }).Deno;

/** Whether this is Deno, whose processes need permissions. */
export const IS_DENO: boolean = DENO !== undefined;

/** Whether this is Bun. */
export const IS_BUN: boolean = "Bun" in globalThis;

/** Whether Deno grants a permission without a prompt; other runtimes have none to grant. */
export function hasPermission(descriptor: Deno.PermissionDescriptor): boolean {
  try {
    const permission = DENO?.permissions?.querySync?.(descriptor);
    return permission === undefined || permission.state === "granted";
  } catch (error) {
    // no permission covers a name that no host can have, such as `a..b`: the request will fail
    if (error instanceof URIError) return true;
    throw error;
  }
}

/** Value of an environment variable; `undefined` if it is not set, or may not be read. */
export function environmentVariable(variable: string): string | undefined {
  // without the permission Deno would prompt for it
  if (!hasPermission({ name: "env", variable })) return undefined;
  const { process } = globalThis as { readonly process?: { readonly env?: Environment } };
  return process?.env?.[variable];
}

/** Returns the URL of the proxy that the environment names for a scheme; empty for none. */
export function environmentProxy(scheme: "http" | "https"): string {
  const names = [`${scheme}_proxy`, "all_proxy"].flatMap((name) => [name, name.toUpperCase()]);
  const proxy = names.map(environmentVariable).find(Boolean) ?? "";
  return proxy === "" || proxy.includes("://") ? proxy : `http://${proxy}`;
}

/** Whether the environment names a proxy. One that may not be read is taken to name none. */
export function hasEnvironmentProxy(): boolean {
  return environmentProxy("http") !== "" || environmentProxy("https") !== "";
}

/** Whether `fetch` of this runtime has proxies; those of Node and of browsers have none. */
export const FETCH_HAS_PROXIES: boolean = IS_DENO || IS_BUN;

/** Whether `fetch` goes through a proxy that the environment names. Node's does so only if asked to. */
export function fetchUsesProxy(): boolean {
  const canUse = FETCH_HAS_PROXIES || environmentVariable("NODE_USE_ENV_PROXY") === "1";
  return canUse && hasEnvironmentProxy();
}

/** Environment variables by name. */
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Whether `fetch` is that of a browser: it enforces CORS, so that a header of our own makes it send a
 * preflight request first, and drops headers that only browsers may set.
 */
export function hasBrowserFetch(): boolean {
  const headers = { "accept-encoding": "identity" };
  return !new Request("https://example.com/", { headers }).headers.has("accept-encoding");
}

// MERGED: The resolver of the system.

/** Names cannot be resolved here. */
export class NoResolverError extends Error {
  override readonly name = "NoResolverError";
}

/**
 * Returns all addresses of a name, as `fetch` finds them.
 *
 * @throws {NoResolverError} If the runtime has no resolver, as in browsers, or if using it would
 * prompt for a permission.
 */
export async function lookUp(hostname: string): Promise<readonly string[]> {
  const dns = builtin("node:dns/promises");
  if (dns === undefined || !hasPermission({ name: "net", host: hostname })) {
    throw new NoResolverError();
  }
  const found = await dns.lookup(hostname, { all: true });
  return found.map(({ address }) => address);
}
