import { assertEquals } from "@std/assert";
import { gzipSync } from "node:zlib";
import { serveRoutes } from "../support/fixture_server.ts";
import { robots, urlset } from "../walk/site.ts";

const SCRIPT = new URL("bare_runtime.ts", import.meta.url);
const CONFIG = new URL("../../deno.json", import.meta.url);

Deno.test("a walk on a runtime without the modules of Node finds the same pages", async () => {
  await using server = serveRoutes({
    "/robots.txt": () => new Response(robots(`${server.url}a.xml.gz`, `${server.url}b.xml`)),
    "/a.xml.gz": () => new Response(new Uint8Array(gzipSync(urlset(`${server.url}a`)))),
    "/b.xml": () => new Response(urlset(`${server.url}é`, `${server.url}c`)),
  });
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--allow-net=127.0.0.1", `--config=${CONFIG.pathname}`, "--no-prompt"],
      ...[SCRIPT.pathname, server.url],
    ],
  }).output();
  const decoder = new TextDecoder();
  assertEquals([code, decoder.decode(stderr)], [0, ""]);
  assertEquals(JSON.parse(decoder.decode(stdout)), {
    urls: ["/a", "/%C3%A9", "/c"],
    failure: "TypeError: Cannot create a temporary file: this runtime has no file system",
  });
});
