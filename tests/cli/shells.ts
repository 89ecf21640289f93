/**
 * Asks shells for completions, as they are asked by someone who presses the tab key.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import type { ShellName } from "../../src/cli/options.ts";

function isHere(shell: string): boolean {
  try {
    return new Deno.Command(shell, { args: ["-c", "exit 0"], stderr: "null" }).outputSync().success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Whether a shell is here; says so where it is not. */
export function hasShell(shell: ShellName): boolean {
  const here = isHere(shell);
  if (!here) console.log(`skipped: ${shell} is not here`);
  return here;
}

async function output(shell: ShellName, args: string[], cwd: string): Promise<string> {
  const command = new Deno.Command(shell, { args, cwd, stdin: "null" });
  const { stdout, stderr } = await command.output();
  assertEquals(new TextDecoder().decode(stderr), "");
  return new TextDecoder().decode(stdout);
}

/** Asks in a folder that has the script as `script` what becomes of the beginnings of lines. */
type Asker = (folder: string, lines: readonly string[]) => Promise<string[][]>;

/** bash splits words at `=` too. */
const bash: Asker = (folder, lines) =>
  Promise.all(lines.map(async (line) => {
    const words = line.split(/ |(?<==)|(?==)/).map((word) => `'${word}'`);
    const asks = `source ./script; COMP_WORDS=(${words.join(" ")}); COMP_CWORD=${words.length - 1}
_sitetree && printf '%s\\n' "\${COMPREPLY[@]}"`;
    return linesOf(await output("bash", ["--norc", "-c", asks], folder));
  }));

/** fish describes what it proposes, after a tab. */
const fish: Asker = (folder, lines) =>
  Promise.all(lines.map(async (line) => {
    const asks = `source ./script; complete -C '${line}'`;
    const proposed = linesOf(await output("fish", ["--no-config", "-c", asks], folder));
    return proposed.map((word) => word.replace(/\t.*/, ""));
  }));

/**
 * zsh completes only where someone types, so it gets a terminal: each line as the tab key leaves it
 * is written to a file.
 */
const ZSH_TYPIST = `
zmodload zsh/zpty
zpty typist zsh -f -i
zpty -w typist 'PROMPT= ; autoload -U compinit && compinit -u -D; source ./script'
zpty -w typist 'finish() { print -r -- "$BUFFER" >> ./lines; BUFFER=; print RE""ADY }'
zpty -w typist 'zle -N finish; bindkey "^T" finish; bindkey "^I" complete-word; print RE""ADY'
# What is typed ahead is not completed.
await() { while zpty -r typist shown; do [[ $shown == *READY* ]] && break; done }
await
for line in "$@"; do
  zpty -w -n typist "$line"$'\\t\\x14'
  await
done
zpty -d typist
`;

const zsh: Asker = async (folder, lines) => {
  await output("zsh", ["-f", "-c", ZSH_TYPIST, "zsh", ...lines], folder);
  const completed = await Deno.readTextFile(`${folder}/lines`);
  return completed.replace(/\n$/, "").split("\n").map((line) => [line]);
};

function linesOf(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}

const ASKERS: Readonly<Record<ShellName, Asker>> = { bash, fish, zsh };

/**
 * What a shell that has loaded a script makes of the beginnings of lines: what it proposes for each,
 * or in the case of zsh the line as it has completed it. The folder has the files `two words.xml`
 * and `two.txt`.
 */
export async function completed(
  shell: ShellName,
  script: string,
  lines: readonly string[],
): Promise<string[][]> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/script`, script);
    await Deno.writeTextFile(`${folder}/two words.xml`, "");
    await Deno.writeTextFile(`${folder}/two.txt`, "");
    return await ASKERS[shell](folder, lines);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
