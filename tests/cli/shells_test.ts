/** Completions in the shells that they are for, and the manual page as it is shown. @module */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { runCli } from "./run_cli.ts";
import { COMMAND_NAMES } from "../../src/cli/commands.ts";
import { optionsOf } from "../../src/cli/options.ts";
import { completed, formatted, hasProgram, type ShellName } from "./shells.ts";

async function script(shell: ShellName): Promise<string> {
  const { code, stdout, stderr } = await runCli(["completions", shell], { permissions: [] });
  assertEquals({ code, stderr }, { code: 0, stderr: "" });
  return stdout;
}

/** Proposals of bash and fish for an unfinished line. */
const SHOWN: readonly (readonly [line: string, bash: string[], fish?: string[]])[] = [
  ["sitetree expl", ["explain"]],
  ["sitetree fleet re", ["resume", "retry"]],
  ["sitetree ls --format=t", ["tabtree", "tree"], ["--format=tabtree", "--format=tree"]],
  ["sitetree ls --columns url,images.l", ["url,images.license", "url,images.loc"]],
  ["sitetree ls --match ", []],
  ["sitetree ls two", ["two words.xml", "two.txt"]],
  ["sitetree ls --output=two", ["two words.xml", "two.txt"], [
    "--output=two words.xml",
    "--output=two.txt",
  ]],
];

for (const shell of ["bash", "fish"] as const) {
  Deno.test(`${shell} completes commands, options, values and files`, {
    ignore: !hasProgram(shell),
  }, async () => {
    const lines = SHOWN.map(([line]) => line);
    const proposed = await completed(shell, await script(shell), lines);
    for (const [at, [line, inBash, inFish = inBash]] of SHOWN.entries()) {
      // fish escapes its proposals
      const plain = proposed[at]!.map((word) => word.replaceAll("\\", ""));
      assertEquals(plain.sort(), shell === "bash" ? inBash : inFish, line);
    }
  });
}

/** Unfinished lines as zsh completes them when there is one proposal. */
const COMPLETED: readonly (readonly [line: string, completed: string])[] = [
  ["sitetree expl", "sitetree explain "],
  ["sitetree help fleet enq", "sitetree help fleet enqueue "],
  ["sitetree ls --fo", "sitetree ls --format "],
  ["sitetree ls --format=tr", "sitetree ls --format=tree "],
  ["sitetree ls -ufta", "sitetree ls -uftabtree "],
  ["sitetree ls --hosts s", "sitetree ls --hosts same-"],
  ["sitetree ls --columns url,images.ca", "sitetree ls --columns url,images.caption"],
  ["sitetree fleet enqueue nov two.", "sitetree fleet enqueue nov two.txt "],
  ["sitetree ls -o two\\ ", "sitetree ls -o two\\ words.xml "],
  ["sitetree ls --output=two.", "sitetree ls --output=two.txt "],
];

Deno.test("zsh completes commands, options, values and files", {
  ignore: !hasProgram("zsh"),
}, async () => {
  const lines = COMPLETED.map(([line]) => line);
  assertEquals(
    await completed("zsh", await script("zsh"), lines),
    COMPLETED.map(([, line]) => [line]),
  );
});

Deno.test("the manual page has every command, and every option as the help writes it", {
  ignore: !hasProgram("groff"),
}, async () => {
  const { code, stdout, stderr } = await runCli(["--man"], { permissions: [] });
  assertEquals({ code, stderr }, { code: 0, stderr: "" });
  const { text, warnings } = await formatted(stdout);
  assertEquals(warnings, "");
  const lines = text.split("\n").map((line) => line.trim());
  const joined = text.replaceAll(/\s+/g, " ");
  for (const command of COMMAND_NAMES) {
    assert(lines.includes(`sitetree ${command}`), command);
    for (const { name, short, value, about } of optionsOf(command)) {
      const usage = `${short === undefined ? "" : `-${short}, `}--${name}${
        value ? ` ${value}` : ""
      }`;
      assertStringIncludes(joined, ` ${usage} ${about}`);
    }
  }
});
