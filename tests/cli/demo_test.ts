import { assertEquals, assertMatch } from "@std/assert";
import { assertGolden, normalized } from "./golden.ts";
import { runCli } from "./run_cli.ts";

Deno.test("demo serves the bundled site and prints its tree", async () => {
  const { code, stdout, stderr } = await runCli(["demo"]);
  assertEquals({ code, stderr }, { code: 0, stderr: "" });
  const [url = ""] = /http:\/\/127\.0\.0\.1:\d+\//.exec(stdout) ?? [];
  await assertGolden("demo", normalized(stdout, url));
});

Deno.test("demo walks no other site", async () => {
  const { code, stderr } = await runCli(["demo", "https://example.com/"]);
  assertEquals(code, 2);
  assertMatch(stderr, /^error: The demo walks its own site/);
});
