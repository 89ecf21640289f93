/**
 * A worker of a fleet, to be killed or stopped at any time. `Deno.args`: connection string, options of
 * the fleet as JSON. Prints `done` when all is walked. A host named `poison.test` kills it.
 *
 * @module
 */

import { type FleetOptions, openFleet } from "../../src/fleet/mod.ts";

const [url = "", options = "{}"] = Deno.args;
const { walk, ...rest } = JSON.parse(options) as FleetOptions;

/** Host names that are not on loopback are scripted: one page, or the end of the process. */
function scripted(address: string): Promise<Response> {
  const { hostname, origin, pathname } = new URL(address);
  if (hostname === "poison.test") Deno.kill(Deno.pid, "SIGKILL");
  if (pathname === "/robots.txt") return Promise.resolve(new Response(`Sitemap: ${origin}/s`));
  return Promise.resolve(new Response(`${origin}/page`));
}

const fetch = (address: string, init: RequestInit) =>
  new URL(address).hostname === "127.0.0.1" ? globalThis.fetch(address, init) : scripted(address);

await using fleet = await openFleet(url, {
  ...rest,
  onEvent: (event) => {
    if ("reason" in event) console.error(event.type, event.reason);
  },
  walk: { useKnownPaths: false, retries: 0, ...walk, fetch },
});
await fleet.work({ drain: true });
console.log("done");
