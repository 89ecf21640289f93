/**
 * The server of the soak, in a process of its own. Prints its homepage; `/open` tells how many
 * connections are open beside the one that asks; ends with its standard input.
 *
 * @module
 */

import { FaultServer, ok } from "../support/fault_server.ts";
import { answerTo } from "./soak_site.ts";

const [seed = "1"] = Deno.args;
await using server: FaultServer = new FaultServer({
  "*": answerTo(Number(seed)),
  "/open": (wire) => ok(String(server.open - 1))(wire),
});
console.log(server.url);
for await (const _ of Deno.stdin.readable);
