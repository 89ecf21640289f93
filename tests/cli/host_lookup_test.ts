import { assertEquals, assertRejects } from "@std/assert";
import { Failure } from "../../src/cli/failure.ts";
import { requireHost } from "../../src/cli/host_lookup.ts";

Deno.test("requireHost() refuses a name that nobody knows", async () => {
  const url = new URL("http://no-such-host.test/a");
  const error = Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" });
  const failure: Failure = await assertRejects(
    () => requireHost(url, () => Promise.reject(error)),
    Failure,
    'Cannot find the host "no-such-host.test"',
  );
  assertEquals(failure.exitCode, 5);
});

Deno.test("requireHost() leaves it to the walk where the name may yet be found", async () => {
  const url = new URL("http://slow.test/");
  const errors = [
    Object.assign(new Error("getaddrinfo EAI_AGAIN"), { code: "EAI_AGAIN" }),
    new Deno.errors.NotCapable("no permission"),
    "no error at all",
  ];
  const thrown: unknown[] = [];
  for (const error of errors) {
    await requireHost(url, () => {
      thrown.push(error);
      return Promise.reject(error);
    });
  }
  assertEquals(thrown, errors);
});

Deno.test("requireHost() asks for names and addresses as they are", async () => {
  const asked: string[] = [];
  for (const url of ["http://[::1]:80/", "http://a.test/", "http://127.1/"]) {
    await requireHost(new URL(url), (name) => Promise.resolve(asked.push(name)));
  }
  assertEquals(asked, ["::1", "a.test", "127.0.0.1"]);
});
