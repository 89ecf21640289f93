/**
 * A worker of the chaos test, for Deno and Node: `worker.ts MODULE DATABASE SERVER OPTIONS`. Works until
 * SIGTERM, or until its standard input ends, as it does with the test.
 *
 * @module
 */

import process from "node:process";
import type { Fleet, FleetOptions } from "../../src/fleet/mod.ts";
import { mappedFetch } from "./mapped_fetch.ts";

const [module = "", url = "", server = "", options = "{}"] = process.argv.slice(2);
const { openFleet } = await import(module) as typeof import("../../src/fleet/mod.ts");
const { slots, ...given } = JSON.parse(options) as FleetOptions & { readonly slots: number };
const stop = new AbortController();
process.on("SIGTERM", () => stop.abort());
process.stdin.on("end", () => process.exit(1)).resume();

function report(message: string): void {
  console.error(new Date().toISOString(), message);
}

/** Opens the fleet, as soon as the database can be reached; `undefined` if that is too late. */
async function open(): Promise<Fleet | undefined> {
  while (!stop.signal.aborted) {
    try {
      return await openFleet(url, {
        ...given,
        walk: { ...given.walk, fetch: mappedFetch(server, process.pid) },
        onEvent: (event) => {
          if (event.type === "pulse" || event.type === "claimed") return;
          report(JSON.stringify(event));
        },
      });
    } catch (error) {
      report(`Cannot open: ${error}`);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
  return undefined;
}

const fleet = await open();
await fleet?.work({ slots, signal: stop.signal });
await fleet?.close();
process.exit(0);
