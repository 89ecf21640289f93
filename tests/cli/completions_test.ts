import { assertEquals, assertStringIncludes } from "@std/assert";
import { COMMAND_NAMES } from "../../src/cli/commands.ts";
import { optionsOf, type ShellName, SHELLS } from "../../src/cli/options.ts";
import { runCli } from "./run_cli.ts";
import { completed, hasShell } from "./shells.ts";

async function script(shell: ShellName): Promise<string> {
  const { code, stdout, stderr } = await runCli(["completions", shell], { permissions: [] });
  assertEquals({ code, stderr }, { code: 0, stderr: "" });
  return stdout;
}

/** Proposals of bash and fish for an unfinished line. */
const PROPOSED: readonly (readonly [line: string, bash: string[], fish?: string[]])[] = [
  ["sitetree st", ["stats"]],
  ["sitetree --ver", ["--version"]],
  ["sitetree help st", ["stats"]],
  ["sitetree ls --no", ["--no-known", "--no-prune", "--no-robots"]],
  ["sitetree ls -f t", ["tabtree", "tree"]],
  ["sitetree ls --format=t", ["tabtree", "tree"], ["--format=tabtree", "--format=tree"]],
  ["sitetree ls --hosts s", ["same-host", "same-site"]],
  ["sitetree ls --columns url,images.l", ["url,images.license", "url,images.loc"]],
  ["sitetree ls --match ", []],
  // a value that is the name of a command
  ["sitetree ls --match stats --no", ["--no-known", "--no-prune", "--no-robots"]],
  ["sitetree stats --form", ["--format"]],
  ["sitetree stats -f t", ["text"]],
  ["sitetree changes -f t", ["text"]],
  ["sitetree sync --resume", ["--resume-within"]],
  ["sitetree fle", ["fleet"]],
  ["sitetree fleet re", ["redrive", "resume"]],
  ["sitetree help fleet re", ["redrive", "resume"]],
  ["sitetree fleet work --sl", ["--slots"]],
  ["sitetree fleet work --slots 5 --per", ["--per-host"]],
  ["sitetree fleet status --wa", ["--watch"]],
  ["sitetree fleet status nov -f t", ["text"]],
  ["sitetree fleet pages nov -f n", ["ndjson"]],
  ["sitetree fleet enqueue nov two", ["two words.xml", "two.txt"]],
  ["sitetree fleet run --data two", ["two words.xml", "two.txt"]],
  ["sitetree ls --order a", ["arrival"]],
  ["sitetree ls --color=n", ["never"], ["--color=never"]],
  ["sitetree ls --split two", ["two words.xml", "two.txt"]],
  ["sitetree parse two", ["two words.xml", "two.txt"]],
  ["sitetree ls -o two", ["two words.xml", "two.txt"]],
  ["sitetree ls two", ["two words.xml", "two.txt"]],
  ["sitetree replay two", ["two words.xml", "two.txt"]],
  ["sitetree completions f", ["fish"]],
  ["sitetree demo -", ["--color", "--help", "-h"]],
];

for (const shell of ["bash", "fish"] as const) {
  Deno.test({
    name: `${shell} completes commands, options, values and files`,
    ignore: !hasShell(shell),
    async fn() {
      const lines = PROPOSED.map(([line]) => line);
      const proposed = await completed(shell, await script(shell), lines);
      for (const [at, [line, inBash, inFish = inBash]] of PROPOSED.entries()) {
        // fish escapes its proposals
        const plain = proposed[at]!.map((word) => word.replaceAll("\\", ""));
        assertEquals(plain.sort(), shell === "bash" ? inBash : inFish, line);
      }
    },
  });
}

/** Unfinished lines as zsh completes them when there is one proposal. */
const COMPLETED: readonly (readonly [line: string, completed: string])[] = [
  ["sitetree st", "sitetree stats "],
  ["sitetree --v", "sitetree --version "],
  ["sitetree help st", "sitetree help stats "],
  ["sitetree ls --fo", "sitetree ls --format="],
  ["sitetree ls --format=tr", "sitetree ls --format=tree "],
  ["sitetree ls -f ta", "sitetree ls -f tabtree "],
  ["sitetree ls -ufta", "sitetree ls -uftabtree "],
  ["sitetree ls --hosts s", "sitetree ls --hosts same-"],
  ["sitetree ls --columns url,images.ca", "sitetree ls --columns url,images.caption,"],
  ["sitetree ls --header a --hea", "sitetree ls --header a --header="],
  ["sitetree ls --quiet --qui", "sitetree ls --quiet --qui"],
  ["sitetree stats --form", "sitetree stats --format="],
  ["sitetree stats --unda", "sitetree stats --undated "],
  ["sitetree changes -f nd", "sitetree changes -f ndjson "],
  ["sitetree fleet enq", "sitetree fleet enqueue "],
  ["sitetree help fleet enq", "sitetree help fleet enqueue "],
  ["sitetree fleet work --sl", "sitetree fleet work --slots="],
  ["sitetree fleet pages nov -f n", "sitetree fleet pages nov -f ndjson "],
  ["sitetree fleet enqueue nov two.", "sitetree fleet enqueue nov two.txt "],
  ["sitetree sync two.", "sitetree sync two.txt "],
  ["sitetree parse two.", "sitetree parse two.txt "],
  ["sitetree ls -o two\\ ", "sitetree ls -o two\\ words.xml "],
  ["sitetree completions f", "sitetree completions fish "],
];

Deno.test({
  name: "zsh completes commands, options, values and files",
  ignore: !hasShell("zsh"),
  async fn() {
    const lines = COMPLETED.map(([line]) => line);
    assertEquals(
      await completed("zsh", await script("zsh"), lines),
      COMPLETED.map(([, line]) => [line]),
    );
  },
});

Deno.test("completion scripts contain every command and every option", async () => {
  for (const shell of SHELLS) {
    const source = await script(shell);
    for (const command of COMMAND_NAMES) {
      assertStringIncludes(source, command);
      for (const { name } of optionsOf(command)) {
        assertStringIncludes(source, shell === "fish" ? `-l ${name} ` : `--${name}`);
      }
    }
  }
});

Deno.test("completions rejects an unknown shell", async () => {
  const { code, stderr } = await runCli(["completions", "tcsh"], { permissions: [] });
  assertEquals(code, 2);
  assertEquals(
    stderr,
    'error: Unknown shell "tcsh": expected one of bash, zsh, fish\n',
  );
});
