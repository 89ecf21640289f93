import { assert, assertEquals } from "@std/assert";
import { resolvesToPrivate } from "../../src/http/hosts.ts";
import {
  builtin,
  environmentVariable,
  hasBrowserFetch,
  lookUp,
} from "../../src/platform/environment.ts";
import { withBrowserRequest } from "./browser_request.ts";
import { withoutBuiltins } from "./without_builtins.ts";

Deno.test("builtin() is undefined for a module that the runtime lacks or refuses", async () => {
  assertEquals(typeof builtin("node:zlib")?.crc32, "function");
  assertEquals(await withoutBuiltins(() => builtin("node:zlib")), undefined);
  const unknown = "node:unknown" as "node:zlib";
  assertEquals(builtin(unknown), undefined);
});

Deno.test("without a resolver, only addresses and names are checked for private networks", async () => {
  await withoutBuiltins(async () => {
    assertEquals(await lookUp("8.8.8.8"), undefined);
    assertEquals(await resolvesToPrivate("a.test"), false);
    assertEquals(await resolvesToPrivate("127.0.0.1"), true);
    assertEquals(await resolvesToPrivate("app.localhost"), true);
  });
});

Deno.test("lookUp() returns all addresses of a host name", async () => {
  const addresses = await lookUp("localhost") ?? [];
  assert(addresses.length > 0);
  assertEquals(addresses.filter((address) => !["127.0.0.1", "::1"].includes(address)), []);
  assertEquals(await lookUp("8.8.8.8"), ["8.8.8.8"]);
});

Deno.test("environmentVariable() is undefined for a variable that is not set", () => {
  Deno.env.set("SITETREE_TEST", "1");
  assertEquals(environmentVariable("SITETREE_TEST"), "1");
  Deno.env.delete("SITETREE_TEST");
  assertEquals(environmentVariable("SITETREE_TEST"), undefined);
});

Deno.test("hasBrowserFetch() recognizes a runtime that drops headers which only browsers may set", () => {
  assertEquals(hasBrowserFetch(), false);
  assertEquals(withBrowserRequest(hasBrowserFetch), true);
});
