/**
 * Requests hosts in an environment with proxies, and prints as JSON what became of them; see
 * `proxies.ts`. Takes the port of a server on this machine.
 *
 * @module
 */

import { walk } from "@sitetree/sitetree";
import process from "node:process";
import { environmentFetch, proxiedFetch } from "../../src/platform/host_http.ts";
import { bypassOf, environmentBypass, type ProxyBypass } from "../../src/platform/proxies.ts";

/** What became of the requests of a scheme. */
export interface Proxied {
  /** Reason why the sitemap of a host with a private address is invalid; empty if it is not. */
  readonly reason: string;
  /** Whether requests for localhost may bypass proxies: by `fetch`, and in the command line. */
  readonly mayBypass: readonly boolean[];
}

// a name that a hostile site could have, wherever the tests run
const dns = process.getBuiltinModule("node:dns/promises") as { lookup: unknown };
dns.lookup = () => Promise.resolve([{ address: "10.0.0.1", family: 4 }]);

async function reasonOf(sitemap: string): Promise<string> {
  const options = { sitemaps: [sitemap], retries: 0, timeout: 10_000 };
  for await (const event of walk("https://public.test/", options)) {
    if (event.type === "invalid") return event.reason;
  }
  return "";
}

const port = process.argv.at(-1)!;
const results: Proxied[] = [];
for (const scheme of ["http", "https"]) {
  const url = new URL(`${scheme}://localhost:${port}/`);
  const hasFetch = environmentFetch() !== undefined;
  const bypasses: (ProxyBypass | undefined)[] = [
    environmentBypass(),
    hasFetch ? bypassOf(environmentFetch()) : environmentBypass(),
  ];
  results.push({
    reason: await reasonOf(`${scheme}://private.test/s.xml`),
    mayBypass: bypasses.map((bypass) => bypass?.(url) ?? true),
  });
  // only the servers matter
  await fetch(url, { signal: AbortSignal.timeout(5000) }).then((response) => response.text()).catch(
    () => {},
  );
}
const [exempt, other] = ["http://localhost/", "http://private.test/"].map((url) =>
  bypassOf(proxiedFetch(new URL("http://127.0.0.1:1")))?.(new URL(url))
);
console.log(JSON.stringify({ results, given: [exempt, other] }));
