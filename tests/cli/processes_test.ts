/** Each command in a process of its own, as users start it, and as the other tests run it. @module */

import { assertEquals } from "@std/assert";
import { COMMANDS, isParent } from "../../src/cli/commands.ts";
import { serveSite } from "../support/fixture_server.ts";
import { inFolder } from "../support/in_folder.ts";
import { timeless } from "../support/timeless.ts";
import { ALL_PERMISSIONS, type CliResult, HAS_PERMISSIONS, runCli } from "./run_cli.ts";

/** Command lines, one after the other in the same folder, and the exit code of each. */
const STEPS: readonly (readonly [words: string, exitCode: number])[] = [
  ["", 2],
  ["--version", 0],
  ["--help", 0],
  ["completions bash", 0],
  ["ls --frmat csv", 2],
  ["ls SITE", 3],
  ["ls SITE -f events -o walk.ndjson", 3],
  ["ls walk.ndjson -f csv", 3],
  ["ls - -f pages", 3],
  ["check SITE", 11],
  ["report SITE", 3],
  ["explain SITE", 0],
  ["diff SITE walk.ndjson", 3],
  ["sync SITE site.db", 3],
  ["changes site.db --after 0", 0],
  ["snapshot sites site.db", 0],
  ["snapshot runs site.db", 0],
  ["snapshot forget site.db SITE", 0],
  ["snapshot prune site.db --keep-changes 0s", 0],
  ["demo", 0],
  ["fleet", 2],
  ["fleet enqueue", 2],
  ["fleet work", 2],
  ["fleet status", 2],
  ["fleet sites", 2],
  ["fleet retry", 2],
  ["fleet pause", 2],
  ["fleet resume", 2],
  ["fleet drop", 2],
];

Deno.test("every command is among the steps", () => {
  const missing = Object.keys(COMMANDS).filter((name) =>
    !isParent(name as keyof typeof COMMANDS) &&
    !STEPS.some(([words]) => `${words} `.startsWith(`${name} `))
  );
  assertEquals(missing, []);
});

/** Replaces ports, durations and instants, which differ between runs. */
function normalized(text: string): string {
  return timeless(text)
    .replace(/127\.0\.0\.1:\d+/g, "HOST")
    .replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, "INSTANT")
    .replace(/\b\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?/g, "INSTANT")
    .replace(/(?<=\S)  +/g, "  ")
    .replace(/\b\d+(?:\.\d+)? m?s\b/g, "TIME");
}

/** Runs all steps in a new folder. Returns their results, and the names of the files. */
async function runSteps(url: string, isolated: boolean): Promise<[CliResult[], string[]]> {
  const results: CliResult[] = [];
  let names: string[] = [];
  await inFolder(async (cwd) => {
    for (const [words] of STEPS) {
      const args = words.split(" ").filter((word) => word !== "");
      const { code, stdout, stderr } = await runCli(
        args.map((word) => word === "SITE" ? url : word),
        { cwd, isolated, permissions: ALL_PERMISSIONS, stdin: "<urlset><url><loc>/a</loc></url>" },
      );
      results.push({ code, stdout: normalized(stdout), stderr: normalized(stderr) });
    }
    names = [...Deno.readDirSync(cwd)].map(({ name }) => name).sort();
  });
  return [results, names];
}

Deno.test("each command does the same in a process of its own as after others", {
  ignore: !HAS_PERMISSIONS,
}, async () => {
  await using server = serveSite("demo");
  const [alone, names] = await runSteps(server.url, true);
  const [repeated, sameNames] = await runSteps(server.url, false);
  for (const [at, [words, exitCode]] of STEPS.entries()) {
    assertEquals([words, alone[at]!.code], [words, exitCode], alone[at]!.stderr);
    assertEquals(repeated[at], alone[at], words);
  }
  assertEquals(sameNames, names);
  assertEquals(names, ["site.db", "site.db.lock", "walk.ndjson"]);
});
