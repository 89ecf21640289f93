import { assertEquals, assertRejects } from "@std/assert";
import { resolvesToPrivate } from "../../src/http/hosts.ts";

/** A resolver that knows one answer, and what it was asked for. */
function resolver(...addresses: string[]) {
  const asked: string[] = [];
  return {
    asked,
    resolve(hostname: string): Promise<string[]> {
      asked.push(hostname);
      return Promise.resolve(addresses);
    },
  };
}

Deno.test("resolvesToPrivate() is true if any address is private", async () => {
  const names = {
    "127.0.0.1": true,
    "8.8.8.8": false,
    "8.8.8.8 10.0.0.1": true,
    "2606:4700::1 fd00::1": true,
    "2606:4700::1 8.8.8.8": false,
    "64:ff9b::808:808": false,
    "64:ff9b::a00:1": true,
  };
  for (const [addresses, expected] of Object.entries(names)) {
    const { resolve } = resolver(...addresses.split(" "));
    assertEquals([addresses, await resolvesToPrivate("a.test", { resolve })], [
      addresses,
      expected,
    ]);
  }
});

Deno.test("resolvesToPrivate() does not ask for hosts that are private by themselves", async () => {
  const { asked, resolve } = resolver("8.8.8.8");
  assertEquals(await resolvesToPrivate("127.0.0.1", { resolve }), true);
  assertEquals(await resolvesToPrivate("[::1]", { resolve }), true);
  assertEquals(await resolvesToPrivate("app.localhost", { resolve }), true);
  assertEquals(asked, []);
});

Deno.test("resolvesToPrivate() asks without brackets", async () => {
  const { asked, resolve } = resolver("2606:4700::1");
  assertEquals(await resolvesToPrivate("[2606:4700::1]", { resolve }), false);
  assertEquals(await resolvesToPrivate("a.test", { resolve }), false);
  assertEquals(asked, ["2606:4700::1", "a.test"]);
});

Deno.test("resolvesToPrivate() is false if names may not be resolved", async () => {
  const denied = Object.assign(new Error("getaddrinfo EPERM"), { code: "EPERM" });
  const resolve = () => Promise.reject(denied);
  assertEquals(await resolvesToPrivate("a.test", { resolve }), false);
});

Deno.test("resolvesToPrivate() rejects if a name does not resolve", async () => {
  const failure = Object.assign(new Error("getaddrinfo EAI_AGAIN"), { code: "EAI_AGAIN" });
  await assertRejects(
    () => resolvesToPrivate("a.test", { resolve: () => Promise.reject(failure) }),
    Error,
    "EAI_AGAIN",
  );
  await assertRejects(() => resolvesToPrivate("a.test", { resolve: () => Promise.resolve([]) }));
});

Deno.test("resolvesToPrivate() asks the resolver of the system", async () => {
  // all of these are answered without any network: addresses, one in a spelling that only the
  // resolver reads, and a name with an empty label
  assertEquals(await resolvesToPrivate("8.8.8.8"), false);
  assertEquals(await resolvesToPrivate("[2606:4700::1]"), false);
  assertEquals(await resolvesToPrivate("2130706433"), true);
  await assertRejects(() => resolvesToPrivate("a..b"), Error, "ENOTFOUND");
});
