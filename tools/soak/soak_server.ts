/**
 * Server of the soak test, in a separate process. Prints its homepage; `/open` returns the number of
 * other open connections; ends with its standard input.
 *
 * @module
 */

import { FaultServer, ok } from "../../tests/support/fault_server.ts";
import { answerTo } from "./soak_site.ts";

const [seed = "1"] = Deno.args;
await using server: FaultServer = new FaultServer({
  "*": answerTo(Number(seed)),
  "/open": (wire) => ok(String(server.open - 1))(wire),
});
console.log(server.url);
for await (const _ of Deno.stdin.readable);
