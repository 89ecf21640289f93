import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { databaseFailure } from "../../src/cli/database.ts";
import { type Failure, UsageError } from "../../src/cli/run/failure.ts";
import { SiteList } from "../../src/cli/site_list.ts";
import { ALL_PERMISSIONS, HAS_PERMISSIONS, runCli } from "./run_cli.ts";
import { transcripts } from "./transcript.ts";

transcripts("fleet_usage");

Deno.test("the package to install is that of the import map", async () => {
  const { imports } = JSON.parse(
    await Deno.readTextFile(new URL("../../deno.json", import.meta.url)),
  );
  const message = 'Cannot find package "pg"';
  const missing = Object.assign(new Error(message), { code: "ERR_MODULE_NOT_FOUND" });
  const { hint } = databaseFailure(missing) as Failure;
  assertStringIncludes(hint!, `npm install ${imports["pg"].replace("npm:", "")},`);
});

/** Returns the sites of a list, in chunks of any size. */
async function sitesOf(text: string, chunkLength = text.length || 1): Promise<unknown[]> {
  const bytes = new TextEncoder().encode(text);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += chunkLength) {
      yield await Promise.resolve(bytes.subarray(at, at + chunkLength));
    }
  }
  return await Array.fromAsync(new SiteList(chunks(), "sites.txt"));
}

Deno.test("lists of sites have URLs, hosts and JSON, in chunks of any size", async () => {
  const list = "\ufeffa.test\r\n\n  # comment\nhttp://b.test/x \n//c.test:81\n" +
    '{"url": "bücher.test", "wait": 5}\nd.test';
  for (const length of [1, 2, 7, 1000]) {
    assertEquals(await sitesOf(list, length), [
      { url: "a.test" },
      { url: "http://b.test/x" },
      { url: "//c.test:81" },
      { url: "bücher.test", wait: 5 },
      { url: "d.test" },
    ]);
  }
});

Deno.test("faults in lists of sites are reported with file and line", async () => {
  const faults = [
    ["# nothing\n\n", 'Empty list "sites.txt"'],
    ["./dist/", 'Cannot read line 1 of "sites.txt": "./dist/" is a path: expected a URL or a host'],
    ["a.test\n{x\n", 'Cannot read line 2 of "sites.txt": invalid JSON'],
    ['\n{"wait":5}', 'Cannot read line 2 of "sites.txt": no "url"'],
    [`a.test\n${"b".repeat(300_000)}`, 'Cannot read line 2 of "sites.txt": too long'],
  ] as const;
  for (const [text, message] of faults) {
    for (const length of [1000, text.length]) {
      const error = await assertRejects(() => sitesOf(text, length), UsageError);
      assertEquals(error.message, message);
    }
  }
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
