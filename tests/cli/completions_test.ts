import { assertEquals, assertStringIncludes } from "@std/assert";
import { COMMAND_NAMES } from "../../src/cli/commands.ts";
import { proposals } from "../../src/cli/completions.ts";
import { optionsOf } from "../../src/cli/options.ts";
import { runCli } from "./run_cli.ts";
import { completed, hasShell, type ShellName } from "./shells.ts";

/** Proposals for an unfinished line without the name of the program. */
const PROPOSED: readonly (readonly [line: string, proposed: string[]])[] = [
  ["st", ["stats"]],
  ["--ver", ["--version"]],
  ["help st", ["stats"]],
  ["help ls s", []],
  ["no-command --", []],
  ["ls --no", ["--notes", "--no-robots", "--no-known", "--no-prune"]],
  ["ls -f t", ["tree", "tabtree"]],
  ["ls --format=t", ["--format=tree", "--format=tabtree"]],
  // bash splits words at `=`
  ["ls --format = t", ["tree", "tabtree"]],
  ["ls --output =", [":files"]],
  ["ls -ft", ["-ftree", "-ftabtree"]],
  ["ls -ufta", ["-uftabtree"]],
  ["ls --hosts s", ["same-host", "same-site"]],
  ["ls --columns images.l", [":nospace", "images.loc", "images.license"]],
  ["ls --columns url,images.l", [":nospace", "url,images.loc", "url,images.license"]],
  ["ls --columns=url,images.li", [":nospace", "--columns=url,images.license"]],
  ["ls --match ", []],
  ["ls --match=", []],
  // a value that is the name of a command
  ["ls --match stats --no", ["--notes", "--no-robots", "--no-known", "--no-prune"]],
  // an option that is given already is proposed again only if it can be repeated
  ["ls --quiet --qui", []],
  ["ls --header a --hea", ["--header"]],
  ["stats --form", ["--format"]],
  ["stats -f t", ["text"]],
  ["changes -f t", ["text"]],
  ["sync --resume", ["--resume-within"]],
  ["fle", ["fleet"]],
  ["fleet re", ["resume", "retry"]],
  ["fleet -", ["--help", "-h"]],
  ["help fleet re", ["resume", "retry"]],
  ["fleet work --sl", ["--slots"]],
  ["fleet work --slots 5 --per", ["--per-host"]],
  ["fleet status nov -f t", ["text"]],
  ["fleet pages nov -f n", ["ndjson"]],
  ["fleet pages n", []],
  ["fleet sites nov --verdict f", ["failed"]],
  ["sync --pool", ["--pooled"]],
  ["prune two", [":files"]],
  ["fleet enqueue nov two", [":files"]],
  ["fleet work --log-file two", [":files"]],
  ["ls --split two", [":files"]],
  ["ls --log-file=two", [":files"]],
  ["ls two", [":files"]],
  ["parse ", [":files"]],
  ["completions f", ["fish"]],
  ["demo -", ["--color", "--help", "-h"]],
];

Deno.test("__complete proposes commands, options, values and files", async () => {
  for (const [line, expected] of PROPOSED) {
    const words = proposals(line.split(" ")).map((text) => text.replace(/\t.*/, ""));
    assertEquals(words.sort(), [...expected].sort(), line);
  }
  const { code, stdout } = await runCli(["__complete", "ls", "--hosts", "same-h"]);
  assertEquals([code, stdout], [0, "same-host\tonly the host of the site\n"]);
});

Deno.test("__complete proposes every command and every option, with descriptions", () => {
  for (const command of COMMAND_NAMES) {
    const words = command.split(" ");
    assertStringIncludes(proposals(words).join("\n"), `${words.at(-1)}\t`);
    const options = proposals([...words, "-"]);
    for (const { name, short, about } of optionsOf(command)) {
      const spelled = short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`];
      for (const word of spelled) assertEquals(options.includes(`${word}\t${about}`), true, word);
    }
  }
});

async function script(shell: ShellName): Promise<string> {
  const { code, stdout, stderr } = await runCli(["completions", shell], { permissions: [] });
  assertEquals({ code, stderr }, { code: 0, stderr: "" });
  return stdout;
}

/** Proposals of bash and fish for an unfinished line. */
const SHOWN: readonly (readonly [line: string, bash: string[], fish?: string[]])[] = [
  ["sitetree st", ["stats"]],
  ["sitetree fleet re", ["resume", "retry"]],
  ["sitetree ls --format=t", ["tabtree", "tree"], ["--format=tabtree", "--format=tree"]],
  ["sitetree ls --columns url,images.l", ["url,images.license", "url,images.loc"]],
  ["sitetree ls --match ", []],
  ["sitetree parse two", ["two words.xml", "two.txt"]],
  ["sitetree ls --output=two", ["two words.xml", "two.txt"], [
    "--output=two words.xml",
    "--output=two.txt",
  ]],
];

for (const shell of ["bash", "fish"] as const) {
  Deno.test({
    name: `${shell} completes commands, options, values and files`,
    ignore: !hasShell(shell),
    async fn() {
      const lines = SHOWN.map(([line]) => line);
      const proposed = await completed(shell, await script(shell), lines);
      for (const [at, [line, inBash, inFish = inBash]] of SHOWN.entries()) {
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

Deno.test("completions rejects an unknown shell", async () => {
  const { code, stderr } = await runCli(["completions", "tcsh"], { permissions: [] });
  assertEquals(code, 2);
  assertEquals(
    stderr,
    'error: Unknown shell "tcsh": expected one of bash, zsh, fish\n',
  );
});
