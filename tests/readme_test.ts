import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fileURLToPath } from "node:url";
import { INVALID_CODES, WARNING_CODES } from "../src/data/codes.ts";
import { serveSite } from "./support/fixture_server.ts";
import { PublicApi } from "./support/public_api.ts";
import { codeBlocks, tableNames } from "./support/readme.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const NPX_REGEXP = /^npx --yes deno@(\S+) task (\S+)$/gm;

function textOf(path: string): string {
  return Deno.readTextFileSync(ROOT + path);
}

Deno.test("codeBlocks() and tableNames() read Markdown", () => {
  const markdown = "# A\n```ts\nconst a = 1;\n```\n\n```sh\nls\n```\n" +
    "| option | default |\n| --- | --- |\n| `a`, `b(url)` | `c` |\ntext `d`\n";
  assertEquals(codeBlocks(markdown), [
    { info: "ts", code: "const a = 1;\n" },
    { info: "sh", code: "ls\n" },
  ]);
  assertEquals([...tableNames(markdown)], ["a", "b"]);
});

Deno.test("every TypeScript block of the README passes the type checker and runs", async () => {
  const blocks = codeBlocks(textOf("README.md")).filter(({ info }) =>
    /^(ts|js|type|java)/.test(info)
  );
  assert(blocks.length > 0);
  for (const { info } of blocks) assertEquals(info, "ts", "no block is left out");
  await using server = serveSite("demo", { origin: "https://example.com" });
  const folder = await Deno.makeTempDir();
  try {
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        "test",
        "--doc",
        "--allow-all",
        // The name is never looked up: that it cannot be is all the same to the library.
        "--deny-net=example.com",
        "--sanitize-ops",
        "--sanitize-resources",
        `--config=${ROOT}deno.json`,
        `--preload=${ROOT}tests/support/example_fetch.ts`,
        `${ROOT}README.md`,
      ],
      // What an example writes, it writes here.
      cwd: folder,
      env: { NO_COLOR: "1", SITETREE_EXAMPLE_SERVER: server.url },
      stdout: "piped",
      stderr: "piped",
    }).output();
    const output = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    assert(success, output);
    assertStringIncludes(output, `${blocks.length} passed | 0 failed`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  assert(server.requests.length > 0, "the examples walked the fixture site");
});

Deno.test("the README's two commands are those that CI runs", () => {
  const shell = codeBlocks(textOf("README.md")).filter(({ info }) => info === "sh");
  const commands = shell.flatMap(({ code }) => [...code.matchAll(NPX_REGEXP)]);
  assertEquals(commands.map((match) => match[2]).slice(0, 2), ["demo", "test"]);
  const ci = textOf(".ci/run");
  const { tasks } = JSON.parse(textOf("deno.json")) as { tasks: Record<string, string> };
  const [, version] = /npx --yes deno@(\S+) task ok\b/.exec(ci) ?? [];
  for (const [command, commandVersion, task] of commands) {
    assertEquals(commandVersion, version, `"${command}" names the Deno of CI`);
    assert(task !== undefined && task in tasks, `"${command}" names a task`);
    const inOk = tasks["ok"]?.split(" && ").includes(`deno task ${task}`) ?? false;
    assert(inOk || ci.split("\n").includes(command), `"${command}" is run by CI`);
  }
});

Deno.test("the README's tables name every event, option and code", async () => {
  const named = tableNames(textOf("README.md"));
  const api = await PublicApi.of(`${ROOT}mod.ts`);
  const events = api.literalsOf("TreeEvent", "type");
  const options = api.membersOf("WalkOptions");
  assertEquals(events.length, 6);
  assert(options.length > 25, "the options were read");
  const codes = [...Object.keys(INVALID_CODES), ...Object.keys(WARNING_CODES)];
  assertEquals([...events, ...options, ...codes].filter((name) => !named.has(name)), []);
});

Deno.test("the doc task checks every entry point", () => {
  const { exports, tasks } = JSON.parse(textOf("deno.json")) as {
    exports: Record<string, string>;
    tasks: Record<string, string>;
  };
  const checked = tasks["doc"]?.split(" ").filter((word) => word.endsWith(".ts")).sort();
  assertEquals(checked, Object.values(exports).map((path) => path.replace("./", "")).sort());
});
