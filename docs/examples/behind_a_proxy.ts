/**
 * Walks a site through a proxy, by a custom `fetch`. Caches, logs and client certificates are added in
 * the same way.
 *
 *     deno run --allow-net behind_a_proxy.ts https://example.com/ http://localhost:8080
 *
 * Node needs the package `undici`, whose `fetch` supports proxies.
 *
 * @module
 */

import { type Fetch, pages } from "@sitetree/sitetree";
import process from "node:process";

const [homepage, proxy] = process.argv.slice(2);
if (homepage === undefined || proxy === undefined) throw new TypeError("Usage: HOMEPAGE PROXY");

/** Returns a `fetch` that uses a proxy. Each runtime has its own way. */
async function fetchThrough(url: string): Promise<Fetch> {
  if ("Deno" in globalThis) {
    const client = Deno.createHttpClient({ proxy: { url } });
    return (input, init) => fetch(input, { ...init, client });
  }
  if ("Bun" in globalThis) {
    return (input, init) => fetch(input, { ...init, proxy: url } as RequestInit);
  }
  const undici = await import("undici");
  const dispatcher = new undici.ProxyAgent({ uri: url, proxyTunnel: false });
  return async (input, init) => {
    const settings = { ...init, dispatcher } as import("undici").RequestInit;
    return await undici.fetch(input, settings) as unknown as Response;
  };
}

for await (const { url } of pages(homepage, { fetch: await fetchThrough(proxy) })) {
  console.log(url);
}
