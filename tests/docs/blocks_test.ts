import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { openSnapshot, sync } from "../../src/sync/mod.ts";
import { type FixtureServer, serveSite } from "../support/fixture_server.ts";
import { runCli } from "../cli/run_cli.ts";
import { inFolder } from "../support/in_folder.ts";
import type { ProcessOutput } from "../support/process_output.ts";
import { textFiles } from "../support/text_files.ts";
import { codeBlocks, documents, readText, ROOT } from "./markdown.ts";
import { urlset, writeConfig } from "./recipes.ts";
import { printed } from "./run_example.ts";
import { CONFIG_PATH, exampleEnv, PRELOAD, runDeno, runShell } from "./shell.ts";

const TASKS = (JSON.parse(readText("deno.json")) as { tasks: Record<string, string> }).tasks;
const OMISSION = "⋮";

/** The page that describes the views of a snapshot. */
const SNAPSHOT_PAGE = "docs/sync.md";
/** Pages with queries of other tables than that of the example. */
const OTHER_TABLES = [SNAPSHOT_PAGE, "docs/fleet-sql.md", "docs/recipes.md"];

/** Tasks that are executed; the others take minutes, or run this test. */
const EXECUTED_TASKS = ["demo"];

/** Exit codes of commands that worked: a sitemap of the demo site does not exist, which is a finding. */
const SUCCESSES = [0, 3, 11];

/** Returns the blocks of all documents that have a tag, with their places. */
function blocksOf(tag: string): { readonly path: string; readonly code: string }[] {
  return documents().flatMap(({ path, text }) =>
    codeBlocks(text).filter((block) => block.tag === tag).map(({ code }) => ({ path, code }))
  );
}

/** Files of the folder of the commands. In `dist` is what a static site generator may have built. */
const FILES: Readonly<Record<string, string>> = {
  "dist/robots.txt": "Sitemap: https://example.com/sitemap-index.xml\n",
  "dist/sitemap-index.xml": "<sitemapindex>" +
    "<sitemap><loc>https://example.com/sitemap-0.xml</loc></sitemap>" +
    "<sitemap><loc>https://example.com/sitemap-1.xml</loc></sitemap></sitemapindex>",
  "dist/sitemap-0.xml": "<urlset><url><loc>https://example.com/</loc></url></urlset>",
  "monday.xml": urlset({
    "https://example.com/": "<lastmod>2024-05-01</lastmod>",
    "https://example.com/blog/winter": "",
    "https://example.com/blog/about": "",
  }),
  "tuesday.xml": urlset({
    "https://example.com/blog/spring": "",
    "https://example.com/": "<lastmod>2024-05-02</lastmod>",
    "https://example.com/blog/about": "",
  }),
};

/** Serves the demo site as `https://example.com`, for commands that run in a temporary folder. */
async function withExampleSite(
  callback: (folder: string, server: FixtureServer) => Promise<void>,
): Promise<void> {
  await using server = serveSite("demo", { origin: "https://example.com" });
  await inFolder(async (folder) => {
    await Deno.mkdir(`${folder}/dist`);
    for (const [path, text] of Object.entries(FILES)) {
      await Deno.writeTextFile(`${folder}/${path}`, text);
    }
    await callback(folder, server);
  });
}

/** A command line without anything that only a shell knows. */
const PLAIN_REGEXP = /^sitetree(?: [\w./:=-]+)+$/;

/** Runs a line without its comment, in a shell if it needs one. */
function runLine(line: string, folder: string, server: FixtureServer): Promise<ProcessOutput> {
  const env = exampleEnv(server);
  if (!PLAIN_REGEXP.test(line)) {
    return runShell(`set -o pipefail\n${line}`, { folder, env, flags: [PRELOAD] });
  }
  const permissions = ["--allow-all", `--config=${CONFIG_PATH}`, PRELOAD];
  return runCli(line.split(" ").slice(1), { permissions, env, cwd: folder });
}

Deno.test("ts blocks run", async () => {
  const blocks = blocksOf("ts");
  assert(blocks.length > 15, "the blocks were found");
  await withExampleSite(async (folder, server) => {
    const options = ["--doc", "--no-check", "--allow-all", `--config=${CONFIG_PATH}`, PRELOAD];
    const paths = new Set(blocks.map(({ path }) => new URL(path, ROOT).pathname));
    const { code, stdout, stderr } = await runDeno(
      ["test", "--sanitize-ops", "--sanitize-resources", ...options, ...paths],
      { folder, env: exampleEnv(server) },
    );
    assertEquals(code, 0, stdout + stderr);
    assertStringIncludes(stdout + stderr, `${blocks.length} passed | 0 failed`);
    assert(server.requests.length > 0, "the examples walked the site");
  });
});

Deno.test("examples that need more than the example site pass the type checker", async () => {
  const comments = textFiles().filter(({ path }) => /^(?:src|mod\.ts)/.test(path))
    .map(({ text }) => text.replace(/^ *\* ?/gm, ""));
  const blocks = [...comments, ...documents().map(({ text }) => text)]
    .flatMap((text) => codeBlocks(text).filter(({ tag }) => tag === "ts ignore"));
  assert(blocks.length > 1, "the blocks were found");
  await inFolder(async (folder) => {
    const path = `${folder}/blocks.md`;
    const text = blocks.map(({ code }) => `\`\`\`ts\n${code}\`\`\`\n`).join("\n");
    await Deno.writeTextFile(path, text);
    const options = ["--doc-only", ...await writeConfig(folder)];
    const { code, stderr } = await runDeno(["check", ...options, path], { folder });
    assertEquals(code, 0, stderr);
  });
});

Deno.test("sql blocks find rows in the table of pages_to_sqlite.ts", async () => {
  await using server = serveSite("demo");
  await inFolder(async (folder) => {
    const path = `${folder}/pages.db`;
    await printed("pages_to_sqlite.ts", server.url, path);
    using database = new DatabaseSync(path);
    const blocks = blocksOf("sql").filter(({ path }) => !OTHER_TABLES.includes(path));
    assert(blocks.length > 0, "the blocks were found");
    for (const { code } of blocks) assert(database.prepare(code).all().length > 0, code);
  });
});

Deno.test("sql blocks about snapshots run, and their views have all columns", async () => {
  await using server = serveSite("demo");
  await inFolder(async (folder) => {
    const path = `${folder}/site.db`;
    {
      await using snapshot = await openSnapshot(path);
      await Array.fromAsync(sync(server.url, { snapshot }));
    }
    using database = new DatabaseSync(path);
    const blocks = blocksOf("sql").filter(({ path }) => path === SNAPSHOT_PAGE);
    assert(blocks.length > 0, "the blocks were found");
    for (const { code } of blocks) database.prepare(code).all();
    const text = readText(SNAPSHOT_PAGE);
    const views = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'view'").all();
    assertEquals(views.length, 5);
    for (const { name } of views) {
      const row = text.split("\n").find((line) => line.startsWith(`| \`${name}\``));
      for (const column of database.prepare(`PRAGMA table_info(${name})`).all()) {
        assertStringIncludes(row ?? "", `\`${column.name}\``);
      }
    }
  });
});

Deno.test("sh blocks run, and consist of sitetree and deno task", async () => {
  const blocks = blocksOf("sh");
  assert(blocks.length > 0, "the blocks were found");
  const sitemap = await Deno.readTextFile(new URL("fixtures/sites/demo/sitemaps/pages.xml", ROOT));
  await withExampleSite(async (folder, server) => {
    await Deno.writeTextFile(
      `${folder}/sitemap.xml`,
      sitemap.replaceAll("{{origin}}", "https://example.com"),
    );
    await Deno.writeTextFile(`${folder}/sites.txt`, "# sites\nexample.com\n");
    const lines = blocks.flatMap(({ code }) => code.trimEnd().split("\n"));
    for (const line of new Set(lines.map((line) => line.replace(/ +# .*/, "")))) {
      const [, task, args = ""] = /^(?:npx --yes deno@\S+|deno) task (\S+)(.*)$/.exec(line) ?? [];
      if (task !== undefined) {
        await checkTask(task, args.split(" ").filter((word) => word !== ""));
        continue;
      }
      assertMatch(line, /^(?:source <\()?sitetree /);
      const { code, stdout, stderr } = await runLine(line, folder, server);
      assert(SUCCESSES.includes(code), `${line}\nexit ${code}\n${stdout}${stderr}`);
      const [, path] = / (?:-o|sync \S+) (\S+)/.exec(line) ?? [];
      if (path !== undefined) assert(Deno.statSync(`${folder}/${path}`).size > 0, line);
      else if (!line.startsWith("source")) assert(stdout !== "", line);
    }
  });
});

/** Runs a task, or checks that it exists and that its script knows the options. */
async function checkTask(task: string, args: readonly string[]): Promise<void> {
  const command = TASKS[task];
  if (command === undefined) throw new RangeError(`No task "${task}"`);
  const [script] = /\S+\.ts\b/.exec(command) ?? [];
  for (const option of args.filter((word) => word.startsWith("--"))) {
    assertStringIncludes(readText(script ?? "deno.json"), option);
  }
  if (!EXECUTED_TASKS.includes(task)) return;
  const folder = ROOT.pathname;
  const { code, stderr } = await runDeno(["task", "--quiet", task, ...args], { folder });
  assertEquals(code, 0, stderr);
}

/** A command of a transcript, with what follows it. */
interface Step {
  readonly command: string;
  readonly output: string;
}

function stepsOf(transcript: string): Step[] {
  return transcript.split(/^\$ /m).slice(1).map((step) => {
    const [command = "", ...output] = step.split("\n");
    return { command, output: output.join("\n") };
  });
}

/** Returns the lines of an output without what differs from run to run: times, and the demo's port. */
function stableLines(output: string): string[] {
  return output.replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:0").replace(/\b\d+\.\d s\b/g, "0.0 s")
    // the length of the port is part of the documents
    .replace(output.includes("127.0.0.1") ? /\d+(?:\.\d+)? k?B\b/g : /(?!)/, "0 B")
    .split(/\r?\n/).filter((line) => line !== "");
}

/** Asserts that lines are those of a transcript, in any order of the two streams. */
function assertShown(shown: readonly string[], actual: readonly string[]): void {
  if (!shown.includes(OMISSION)) return assertEquals(shown.toSorted(), actual.toSorted());
  let from = 0;
  for (const line of shown.filter((line) => line !== OMISSION)) {
    const at = actual.indexOf(line, from);
    assert(at >= from, `${line}\nis not in\n${actual.join("\n")}`);
    from = at + 1;
  }
  assertEquals(shown[0], actual[0], "shown from the beginning");
  assertEquals(shown.at(-1), actual.at(-1), "shown to the end");
}

Deno.test("transcripts show what the commands print", async () => {
  const transcripts = blocksOf("text").filter(({ code }) => code.startsWith("$ "));
  assert(transcripts.length > 4, "the transcripts were found");
  await withExampleSite(async (folder, server) => {
    for (const { path, code: transcript } of transcripts) {
      let exitCode = NaN;
      for (const { command, output } of stepsOf(transcript)) {
        if (command === "echo $?") {
          assertEquals(Number(output), exitCode, transcript);
          continue;
        }
        assertMatch(command, /^sitetree /);
        const { code, stdout, stderr } = await runLine(command, folder, server);
        exitCode = code;
        const printed = stdout + stderr;
        if (Deno.env.get("UPDATE_GOLDEN") === "1") update(path, output, printed);
        else assertShown(stableLines(output), stableLines(printed));
      }
    }
  });
});

/** Replaces a whole output in a document, if it has changed. */
function update(path: string, shown: string, printed: string): void {
  const [before, after] = [shown, printed].map((text) => stableLines(text).sort().join("\n"));
  if (shown.includes(OMISSION) || before === after) return;
  const [blankLines = ""] = /\n*$/.exec(shown) ?? [];
  const updated = printed.replaceAll("\r", "").trimEnd() + blankLines;
  Deno.writeTextFileSync(new URL(path, ROOT), readText(path).replace(shown, () => updated));
}
