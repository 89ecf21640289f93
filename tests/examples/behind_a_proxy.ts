/**
 * A walk through a proxy. Any function that fetches will do, so this is how caches, logs and
 * certificates of one's own come in too.
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
