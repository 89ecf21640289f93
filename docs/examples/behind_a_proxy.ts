/**
 * Walks a site through a proxy, by a custom `fetch`. Caches, logs and client certificates are added in
 * the same way.
 *
 *     deno run --allow-net behind_a_proxy.ts https://example.com/ http://localhost:8080
 *
 * @module
 */

import { pages } from "@sitetree/sitetree";

const [homepage, proxy] = Deno.args;
if (homepage === undefined || proxy === undefined) throw new TypeError("Usage: HOMEPAGE PROXY");

using client = Deno.createHttpClient({ proxy: { url: proxy } });

for await (
  const { url } of pages(homepage, { fetch: (url, init) => fetch(url, { ...init, client }) })
) {
  console.log(url);
}
