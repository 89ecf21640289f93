import { assertEquals, assertStringIncludes } from "@std/assert";
import { type CommandName, COMMANDS, optionsOf } from "../../src/cli/option_table.ts";
import { runCli } from "./run_cli.ts";

const COMMAND_NAMES = Object.keys(COMMANDS) as CommandName[];

async function script(shell: string): Promise<string> {
  const { code, stdout, stderr } = await runCli(["completions", shell], { permissions: [] });
  assertEquals({ code, stderr }, { code: 0, stderr: "" });
  return stdout;
}

/** Runs a shell on a script; `undefined`, and said so, where it is not here. */
async function runShell(shell: string, args: string[]): Promise<string | undefined> {
  try {
    const output = await new Deno.Command(shell, { args }).output();
    assertEquals(new TextDecoder().decode(output.stderr), "");
    return new TextDecoder().decode(output.stdout);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    console.log(`skipped: ${shell} is not here`);
    return undefined;
  }
}

Deno.test("bash completes commands, options, formats and shells", async () => {
  const source = await script("bash");
  const complete = async (...words: string[]) => {
    const list = words.map((word) => `'${word}'`).join(" ");
    const asks = `${source}
COMP_WORDS=(sitetree ${list}); COMP_CWORD=${words.length}; _sitetree; echo "\${COMPREPLY[@]}"`;
    return (await runShell("bash", ["--norc", "-c", asks]))?.trimEnd();
  };
  if (await complete("") === undefined) return;
  assertEquals(await complete("st"), "stats");
  assertEquals(await complete("ls", "--no"), "--no-robots --no-known");
  assertEquals(await complete("ls", "-f", "t"), "tree tabtree");
  assertEquals(await complete("stats", "--form"), "");
  assertEquals(await complete("completions", "f"), "fish");
});

for (const [shell, check] of [["zsh", "-n"], ["fish", "--no-execute"]] as const) {
  Deno.test(`the script for ${shell} is sound and has every option`, async () => {
    const source = await script(shell);
    for (const command of COMMAND_NAMES) {
      assertStringIncludes(source, command);
      for (const { name } of optionsOf(command)) {
        assertStringIncludes(source, shell === "fish" ? `-l ${name} ` : `--${name}[`);
      }
    }
    const path = await Deno.makeTempFile();
    await Deno.writeTextFile(path, source);
    await runShell(shell, [check, path]);
    await Deno.remove(path);
  });
}

Deno.test("completions names the shells it knows", async () => {
  const { code, stderr } = await runCli(["completions", "tcsh"], { permissions: [] });
  assertEquals(code, 2);
  assertStringIncludes(stderr, "bash, zsh, fish");
});
