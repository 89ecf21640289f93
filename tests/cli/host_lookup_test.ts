import { assertEquals, assertRejects } from "@std/assert";
import { Failure } from "../../src/cli/failure.ts";
import { requireHost } from "../../src/cli/host_lookup.ts";

function failing(code: string): () => Promise<never> {
  return () => Promise.reject(Object.assign(new Error(`getaddrinfo ${code}`), { code }));
}

Deno.test("requireHost() refuses a name that nobody knows", async () => {
  const url = new URL("http://no-such-host.test/a");
  const failure: Failure = await assertRejects(
    () => requireHost(url, failing("ENOTFOUND")),
    Failure,
    'Cannot find the host "no-such-host.test"',
  );
  assertEquals(failure.exitCode, 5);
});

Deno.test("requireHost() leaves it to the walk where the name may yet be found", async () => {
  const url = new URL("http://slow.test/");
  await requireHost(url, failing("EAI_AGAIN"));
  await requireHost(url, () => Promise.reject(new Deno.errors.NotCapable("no permission")));
});

Deno.test("requireHost() asks for names and addresses as they are", async () => {
  const asked: string[] = [];
  for (const url of ["http://[::1]:80/", "http://a.test/", "http://127.1/"]) {
    await requireHost(new URL(url), (name) => Promise.resolve(asked.push(name)));
  }
  assertEquals(asked, ["::1", "a.test", "127.0.0.1"]);
  await requireHost(new URL("http://127.0.0.1/"));
});
