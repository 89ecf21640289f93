import { assertEquals } from "@std/assert";
import { serveRoutes, serveSite } from "../support/fixture_server.ts";
import { assertGolden, normalized } from "./golden.ts";
import { runCli } from "./run_cli.ts";

Deno.test("stats reports on a site, in 80 columns where there is no terminal", async () => {
  await using server = serveSite("nested");
  const { code, stdout } = await runCli(["stats", server.url]);
  assertEquals(code, 0);
  await assertGolden("stats_nested", normalized(stdout, server.url));
});

Deno.test("stats reports on a site without sitemaps", async () => {
  await using server = serveRoutes({});
  const { code, stdout } = await runCli(["stats", "-q", server.url]);
  assertEquals(code, 4);
  assertEquals(
    normalized(stdout, server.url),
    "{{origin}}/\n\nVerdict\n  none: 0 sitemaps, 0 pages, {{time}}\n",
  );
});
