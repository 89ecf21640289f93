import { assertEquals, assertMatch } from "@std/assert";
import { assertGolden, normalized } from "./golden.ts";
import { hasTerminal, runInTerminal } from "./pseudo_terminal.ts";
import { runCli } from "./run_cli.ts";

const SUMMARY_REGEXP =
  /complete: 10 sitemaps, 17 pages, 1 warning, .*\n {2}"sitetree ls URL" walks a site of yours\n$/;

Deno.test("demo serves the bundled site, prints its tree and exits with 0", async () => {
  const { code, stdout, stderr } = await runCli(["demo"]);
  assertEquals(code, 0);
  assertMatch(stderr, SUMMARY_REGEXP);
  const [url = ""] = /http:\/\/127\.0\.0\.1:\d+\//.exec(stdout) ?? [];
  await assertGolden("demo", normalized(stdout, url));
});

Deno.test("demo ends with a complete walk in a terminal", { ignore: !hasTerminal() }, async () => {
  const { code, output } = await runInTerminal(["demo", "--color=never"], { columns: 80 });
  assertEquals(code, 0);
  assertMatch(output.replaceAll("\r", ""), SUMMARY_REGEXP);
});
