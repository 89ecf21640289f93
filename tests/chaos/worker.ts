/**
 * A worker of the chaos test: `worker.ts DATABASE SERVER OPTIONS`. Works until SIGTERM, or
 * until its standard input ends, as it does with the test.
 *
 * @module
 */

import { isTransient } from "../../src/fleet/database.ts";
import { type Fleet, FleetError, type FleetOptions, openFleet } from "../../src/fleet/mod.ts";
import { mappedFetch } from "./mapped_fetch.ts";

const [url = "", server = "", options = "{}"] = Deno.args;
const stop = new AbortController();
Deno.addSignalListener("SIGTERM", () => stop.abort());
Deno.stdin.read(new Uint8Array(1)).then(() => Deno.exit(1));

/** Opens the fleet, as soon as the database can be reached; `undefined` if that is too late. */
async function open(): Promise<Fleet | undefined> {
  const given = JSON.parse(options) as FleetOptions;
  while (!stop.signal.aborted) {
    try {
      return await openFleet(url, {
        ...given,
        walk: { ...given.walk, fetch: mappedFetch(server, Deno.pid) },
        onWarning: (message) => console.error(new Date().toISOString(), message),
      });
    } catch (error) {
      const isUnreachable = error instanceof FleetError && error.code === "unreachable";
      if (!isUnreachable && !isTransient(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
  return undefined;
}

const fleet = await open();
await fleet?.work({ signal: stop.signal });
await fleet?.close();
Deno.exit(0);
