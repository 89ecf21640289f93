/**
 * The runtime and its environment.
 *
 * @module
 */

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
