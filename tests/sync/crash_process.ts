/**
 * Synchronises a site, to be killed at any time: prints `ready`, then each event as a line of JSON as
 * soon as it is delivered. `Deno.args`: path of the snapshot, homepage, options as JSON, the number of
 * events after which the process kills itself, 0 for none, and the time in milliseconds.
 *
 * @module
 */

import { openSnapshot, sync } from "../../src/sync/mod.ts";

const ENCODER = new TextEncoder();

function print(line: string): void {
  const bytes = ENCODER.encode(`${line}\n`);
  for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
}

const [path = "", homepage = "", options = "{}", killAfter = "0", time] = Deno.args;
let left = Number(killAfter);
print("ready");
{
  const now = time === undefined ? Date.now : () => Number(time);
  await using snapshot = await openSnapshot(path, { now });
  for await (const event of sync(homepage, { ...JSON.parse(options), snapshot })) {
    print(JSON.stringify(event));
    if (--left === 0) Deno.kill(Deno.pid, "SIGKILL");
  }
}
