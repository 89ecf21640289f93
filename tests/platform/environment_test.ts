import { assertEquals, assertRejects } from "@std/assert";
import { lookUp, NoResolverError } from "../../src/platform/environment.ts";
import { builtin } from "../../src/platform/environment.ts";
import { resolvesToPrivate } from "../../src/http/hosts.ts";
import { environmentVariable, hasBrowserFetch } from "../../src/platform/environment.ts";
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
    await assertRejects(() => lookUp("8.8.8.8"), NoResolverError);
    assertEquals(await resolvesToPrivate("a.test"), false);
    assertEquals(await resolvesToPrivate("127.0.0.1"), true);
    assertEquals(await resolvesToPrivate("app.localhost"), true);
  });
});

Deno.test("environmentVariable() reads a variable, or nothing", () => {
  Deno.env.set("SITETREE_TEST", "1");
  assertEquals(environmentVariable("SITETREE_TEST"), "1");
  Deno.env.delete("SITETREE_TEST");
  assertEquals(environmentVariable("SITETREE_TEST"), undefined);
});

Deno.test("hasBrowserFetch() recognizes a runtime that drops headers which only browsers may set", () => {
  assertEquals(hasBrowserFetch(), false);
  assertEquals(withBrowserRequest(hasBrowserFetch), true);
});
