/**
 * The runtime and its environment.
 *
 * @module
 */

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
  const { process } = globalThis as { readonly process?: { readonly env?: Environment } };
  return process?.env?.[variable];
}

/**
 * Whether `fetch` uses the proxies that the environment names. That of Node does so only if asked
 * to, and browsers and workers have no such environment.
 */
export function fetchUsesProxies(): boolean {
  return IS_DENO || "Bun" in globalThis || environmentVariable("NODE_USE_ENV_PROXY") === "1";
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
