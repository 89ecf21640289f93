import { assertEquals } from "@std/assert";
import { checkProxies } from "../../tools/runtimes/proxies.ts";
import { insecureFetch } from "../../src/platform/host_http.ts";
import { bypassOf, exemption } from "../../src/platform/proxies.ts";

const SCRIPT = new URL("../../tools/runtimes/proxied.ts", import.meta.url).pathname;

Deno.test("names of hosts are checked unless a proxy resolves them", async () => {
  await checkProxies([Deno.execPath(), "run", "--quiet", "--allow-all", SCRIPT], "deno");
});

Deno.test("every host may be exempt from proxies if the list must not be read", {
  permissions: { env: ["no_proxy"] },
}, () => {
  assertEquals(exemption()("a.test"), true);
});

Deno.test("names of hosts are checked without certificate checks", () => {
  assertEquals(bypassOf(insecureFetch)?.(new URL("https://a.test/")), true);
});
