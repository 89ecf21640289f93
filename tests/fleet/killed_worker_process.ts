/**
 * A worker of a fleet that works slowly, until it is killed.
 *
 * @module
 */

import { openFleet } from "../../src/fleet/mod.ts";
import { slowSites } from "./slow_sites.ts";

if (import.meta.main) {
  const [url = ""] = Deno.args;
  const { homepages, fetch } = slowSites(20);
  const fleet = await openFleet(url, { slots: 4, leaseSeconds: 10, walk: { fetch } });
  await fleet.enqueue("run", homepages);
  const working = fleet.work();
  for await (const { done } of fleet.progress("run", { interval: 50 })) {
    if (done < 4) continue;
    // some sites are done, and others have pages that are not theirs yet
    console.log("working");
    break;
  }
  await working;
}
