/**
 * Proxies of the environment, and which requests may bypass them.
 *
 * Runtimes, and versions of one runtime, read the variables differently. A request that goes direct
 * by any of these readings may bypass the proxy: the addresses of its host are checked, as without
 * proxies. The checks of runtimes compare this with what `fetch` does.
 *
 * @module
 */

import { environmentVariable, hasPermission, IS_BUN, IS_DENO } from "./environment.ts";

/** The `fetch` of Node and browsers has none. */
export const FETCH_HAS_PROXIES: boolean = IS_DENO || IS_BUN;

/** Whether the request of a URL may go direct, although there are proxies. */
export type ProxyBypass = (url: URL) => boolean;

const BYPASS = Symbol("sitetree.proxyBypass");

export function withBypass<F extends object>(fetch: F, bypass: ProxyBypass): F {
  return Object.assign(fetch, { [BYPASS]: bypass });
}

export function bypassOf(fetch: unknown): ProxyBypass | undefined {
  return (fetch as { readonly [BYPASS]?: ProxyBypass } | undefined)?.[BYPASS];
}

type Scheme = "http" | "https";

/** A URL; empty for none. */
export function environmentProxy(scheme: Scheme): string {
  const proxy = [`${scheme}_proxy`, "all_proxy"].flatMap(valuesOf).find(Boolean) ?? "";
  return proxy === "" || proxy.includes("://") ? proxy : `http://${proxy}`;
}

export function hasEnvironmentProxy(): boolean {
  return environmentProxy("http") !== "" || environmentProxy("https") !== "";
}

/** Returns `undefined` if `fetch` uses no proxies of the environment. */
export function environmentBypass(): ProxyBypass | undefined {
  if (!hasEnvironmentProxy() || !(FETCH_HAS_PROXIES || isProxiedNode())) return undefined;
  const [http, https] = [usesProxy("http"), usesProxy("https")];
  const isExempt = exemption();
  return ({ protocol, hostname }) => !(protocol === "https:" ? https : http) || isExempt(hostname);
}

/** Whether the `fetch` of Node uses the proxies of the environment, on request. */
function isProxiedNode(): boolean {
  return Object.getOwnPropertySymbols(globalThis)
    .filter(({ description }) => description?.startsWith("undici.globalDispatcher."))
    .map((symbol) => (globalThis as Record<symbol, unknown>)[symbol])
    .some((dispatcher) => dispatcher?.constructor.name === "EnvHttpProxyAgent");
}

/** Whether the runtime's `fetch` uses a proxy for a scheme for certain. */
function usesProxy(scheme: Scheme): boolean {
  // as in CGI, where it could be a header of a request
  const isIgnored = IS_DENO && scheme === "http" &&
    environmentVariable("REQUEST_METHOD") !== undefined;
  const ofScheme = isIgnored ? [] : valuesOf(`${scheme}_proxy`);
  return areProxies(ofScheme) || IS_DENO && areProxies(valuesOf("all_proxy"));
}

/** Whether a proxy is used whichever of these values a runtime prefers. */
function areProxies(values: readonly string[]): boolean {
  return values.length > 0 && values.every((value) => PROXY_REGEXP.test(value));
}

const AUTHORITY = String
  .raw`(?:[\w.~!$&'()*+,;=:%-]*@)?(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?`;
/** Values that every runtime takes for a proxy; others are ignored by some. */
const PROXY_REGEXP = new RegExp(`^(?:${AUTHORITY}|(?:https?|socks5h?)://${AUTHORITY}/?)$`);

function valuesOf(name: string): string[] {
  return [name, name.toUpperCase()].map(environmentVariable).filter((value) => value !== undefined);
}

/** Every host may be exempt if the variables must not be read. */
export function exemption(): (hostname: string) => boolean {
  const variables = ["no_proxy", "NO_PROXY"];
  if (!variables.every((variable) => hasPermission({ name: "env", variable }))) return () => true;
  const entries = valuesOf("no_proxy")
    .flatMap((value) => value.toLowerCase().split(/[\s,]+/))
    .map((entry) => entry.replace(/:\d+$/, "").replace(/\.$/, ""));
  if (entries.includes("*")) return () => true;
  const ends = entries.map((entry) => entry.replace(/^[*.]+/, "")).filter((end) => end !== "");
  return (hostname) => {
    const host = hostname.replace(/\.$/, "");
    return ends.some((end) => host.endsWith(end));
  };
}
