import { assertEquals } from "@std/assert";
import { serveRoutes, serveSite } from "../support/fixture_server.ts";
import { assertGolden, normalized } from "./golden.ts";
import { commandWords, runCli } from "./run_cli.ts";

Deno.test("stats reports on a site, in 80 columns without a terminal", async () => {
  await using server = serveSite("nested");
  const { code, stdout, stderr } = await runCli(["stats", server.url]);
  assertEquals({ code, stderr }, { code: 0, stderr: "" });
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

/** Counts the summaries in a text. */
function endings(text: string): number {
  return text.match(/\bpartial: 11 sitemaps, 20 pages/g)?.length ?? 0;
}

for (const args of [["stats"], ["ls"], ["stats", "-v"]]) {
  Deno.test(`${args.join(" ")} prints one summary if its output is piped`, async () => {
    await using server = serveSite("demo");
    const { code, stdout, stderr } = await runCli([...args, server.url]);
    assertEquals(code, 3);
    // a report contains it, a list does not
    const expected = args[0] === "stats" ? [1, 0] : [0, 1];
    assertEquals([endings(stdout), endings(stderr)], expected);
  });
}

Deno.test("stats -f json reports on a site as one JSON document", async () => {
  await using server = serveSite("demo");
  const { code, stdout } = await runCli(["stats", "-f", "json", server.url]);
  assertEquals(code, 3);
  assertEquals(JSON.parse(stdout).verdict, "partial");
  const timeless = stdout.replace(/"durationMs": \d+/, '"durationMs": 0');
  await assertGolden("stats_json", normalized(timeless, server.url));
});

Deno.test({
  name: "stats and ls print the summary on standard error if the output is a file",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using server = serveSite("demo");
    const folder = await Deno.makeTempDir();
    const run = async (command: string, redirect: string) => {
      const words = commandWords([command, server.url], ["-A"]);
      const script = `${words.map((word) => `'${word}'`).join(" ")} ${redirect}`;
      const { stderr } = await new Deno.Command("sh", { args: ["-c", script], cwd: folder })
        .output();
      return [
        endings(await Deno.readTextFile(`${folder}/out`)),
        endings(
          new TextDecoder().decode(stderr),
        ),
      ];
    };
    try {
      for (const command of ["stats", "ls"]) {
        const inFile = command === "stats" ? 1 : 0;
        assertEquals(await run(command, "> out"), [inFile, 1]);
        assertEquals(await run(command, "-o out"), [inFile, 1]);
        // both are the same file, with one summary
        assertEquals(await run(command, "> out 2>&1"), [1, 0]);
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
