import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Failure } from "../../src/cli/failure.ts";
import { failureOf } from "../../src/cli/run/failures.ts";
import { ALL_PERMISSIONS, HAS_PERMISSIONS, runCli } from "./run_cli.ts";
import { transcripts } from "./transcript.ts";

transcripts("fleet_usage");

Deno.test("the package to install is that of the import map", async () => {
  const { imports } = JSON.parse(
    await Deno.readTextFile(new URL("../../deno.json", import.meta.url)),
  );
  const message = 'Cannot find package "pg"';
  const missing = Object.assign(new Error(message), { code: "ERR_MODULE_NOT_FOUND" });
  const { hint } = failureOf(missing) as Failure;
  assertStringIncludes(hint!, `npm install ${imports["pg"].replace("npm:", "")},`);
});

/** Serves the error of a pool that refuses settings of a connection, once. */
async function refuseSettings(listener: Deno.Listener): Promise<void> {
  using connection = await listener.accept();
  await connection.read(new Uint8Array(1000));
  const fields = ["SFATAL", "C08P01", "Munsupported startup parameter: lock_timeout", "", ""];
  const body = new TextEncoder().encode(fields.join("\0"));
  const message = new Uint8Array(5 + body.length);
  message.set([0x45, 0, 0, 0, 4 + body.length]);
  message.set(body, 5);
  await connection.write(message);
}

Deno.test("a pool of connections names the option that it needs", {
  ignore: !HAS_PERMISSIONS,
}, async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  const refused = refuseSettings(listener);
  const { code, stderr } = await runCli(
    ["snapshot", "sites", `postgres://ann@127.0.0.1:${port}/b`],
    { permissions: [...ALL_PERMISSIONS, "--allow-env"] },
  );
  await refused;
  assertEquals([code, stderr], [
    1,
    `error: Cannot connect to "postgres://ann@127.0.0.1:${port}/b": a pool of connections\n` +
    "  add --pooled\n",
  ]);
});
