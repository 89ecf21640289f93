import { assertEquals, assertMatch } from "@std/assert";
import { assertGolden, normalized } from "./golden.ts";
import { runCli } from "./run_cli.ts";

Deno.test("demo serves the bundled site, prints its tree, and its summary on standard error", async () => {
  const { code, stdout, stderr } = await runCli(["demo"]);
  assertEquals(code, 0);
  const [url = ""] = /http:\/\/127\.0\.0\.1:\d+\//.exec(stdout) ?? [];
  await assertGolden("demo", normalized(stdout, url));
  assertEquals(
    normalized(stderr, url),
    "partial: 11 sitemaps, 18 pages, 1 invalid, 1 warning, {{time}}\n" +
      "  {{origin}}/sitemaps/archive-2019.xml: 404 Not Found (http-status)\n",
  );
});

Deno.test("demo walks no other site", async () => {
  const { code, stderr } = await runCli(["demo", "https://example.com/"]);
  assertEquals(code, 2);
  assertMatch(stderr, /^error: The demo walks its own site/);
});
