import { assertEquals, assertStringIncludes } from "@std/assert";
import { COMMAND_NAMES } from "../../src/cli/commands.ts";
import { proposals } from "../../src/cli/completions.ts";
import { optionsOf } from "../../src/cli/options.ts";
import { runCli } from "./run_cli.ts";

/** Proposals for an unfinished line without the name of the program. */
const PROPOSED: readonly (readonly [line: string, proposed: string[]])[] = [
  ["expl", ["explain"]],
  ["--ver", ["--version"]],
  ["help expl", ["explain"]],
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
  ["ls --match report --no", ["--notes", "--no-robots", "--no-known", "--no-prune"]],
  // an option that is given already is proposed again only if it can be repeated
  ["ls --quiet --qui", []],
  ["ls --header a --hea", ["--header"]],
  ["report --form", ["--format"]],
  ["report -f t", ["text"]],
  ["changes -f t", ["text"]],
  ["fle", ["fleet"]],
  ["fleet re", ["resume", "retry"]],
  ["fleet -", ["--help", "-h"]],
  ["help fleet re", ["resume", "retry"]],
  ["fleet work --sl", ["--slots"]],
  ["fleet work --slots 5 --per", ["--per-host"]],
  ["fleet status nov -f t", ["text"]],
  ["fleet sites nov -f n", ["ndjson"]],
  ["fleet sites n", []],
  ["fleet sites nov --verdict f", ["failed"]],
  ["sync --pool", ["--pooled"]],
  ["snapshot prune two", [":files"]],
  ["snap", ["snapshot"]],
  ["snapshot r", ["runs"]],
  ["help snapshot f", ["forget"]],
  ["fleet enqueue nov two", [":files"]],
  ["fleet work --log-file two", [":files"]],
  ["ls --log-file=two", [":files"]],
  ["ls two", [":files"]],
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

Deno.test("completions rejects an unknown shell", async () => {
  const { code, stderr } = await runCli(["completions", "tcsh"], { permissions: [] });
  assertEquals(code, 2);
  assertEquals(
    stderr,
    'error: Unknown shell "tcsh": expected one of bash, zsh, fish\n',
  );
});
