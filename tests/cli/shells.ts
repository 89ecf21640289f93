/** Completions of shells, as the tab key triggers them. @module */

import { assertEquals } from "@std/assert";
import { commandWords } from "./run_cli.ts";

export type ShellName = "bash" | "zsh" | "fish";

function isInstalled(program: string): boolean {
  try {
    return new Deno.Command(program, { args: ["--version"], stdout: "null" }).outputSync().success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Whether a program is installed; warns if not. */
export function hasProgram(program: ShellName | "groff"): boolean {
  const isThere = isInstalled(program);
  if (!isThere) console.log(`skipped: ${program} is not installed`);
  return isThere;
}

/** Returns a manual page as a terminal shows it, and what groff warns about. */
export async function formatted(page: string): Promise<{ text: string; warnings: string }> {
  const groff = new Deno.Command("groff", {
    args: ["-man", "-Tutf8", "-ww", "-P-cbou"],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const [{ stdout, stderr }] = await Promise.all([
    groff.output(),
    new Blob([page]).stream().pipeTo(groff.stdin),
  ]);
  const decoder = new TextDecoder();
  return { text: decoder.decode(stdout), warnings: decoder.decode(stderr) };
}

async function output(shell: ShellName, args: string[], cwd: string): Promise<string> {
  const env = { PATH: `${cwd}/bin:${Deno.env.get("PATH")}` };
  const command = new Deno.Command(shell, { args, cwd, env, stdin: "null" });
  const { stdout, stderr } = await command.output();
  assertEquals(new TextDecoder().decode(stderr), "");
  return new TextDecoder().decode(stdout);
}

/** Completes unfinished lines in a folder with the script, and with the program in `bin`. */
type Completer = (folder: string, lines: readonly string[]) => Promise<string[][]>;

/** bash also splits words at `=`. */
const bash: Completer = (folder, lines) =>
  Promise.all(lines.map(async (line) => {
    const words = line.split(/ |(?<==)|(?==)/).map((word) => `'${word}'`);
    const last = words.length - 1;
    const command = `source ./script; COMP_WORDS=(${words.join(" ")}); COMP_CWORD=${last}
_sitetree && printf '%s\\n' "\${COMPREPLY[@]}"`;
    return linesOf(await output("bash", ["--norc", "-c", command], folder));
  }));

/** fish prints a tab and a description after each proposal. */
const fish: Completer = (folder, lines) =>
  Promise.all(lines.map(async (line) => {
    const command = `source ./script; complete -C '${line}'`;
    const proposed = linesOf(await output("fish", ["--no-config", "-c", command], folder));
    return proposed.map((word) => word.replace(/\t.*/, ""));
  }));

/**
 * zsh completes only interactively, so it gets a terminal; a widget writes each completed line to a
 * file.
 */
const ZSH_TYPIST = `
zmodload zsh/zpty
zpty typist zsh -f -i
zpty -w typist 'PROMPT= ; autoload -U compinit && compinit -u -D; source ./script'
zpty -w typist 'finish() { print -r -- "$BUFFER" >> ./lines; BUFFER=; print RE""ADY }'
zpty -w typist 'zle -N finish; bindkey "^T" finish; bindkey "^I" complete-word; print RE""ADY'
# Type ahead is not completed
await() { while zpty -r typist shown; do [[ $shown == *READY* ]] && break; done }
await
for line in "$@"; do
  zpty -w -n typist "$line"$'\\t\\x14'
  await
done
zpty -d typist
`;

const zsh: Completer = async (folder, lines) => {
  await output("zsh", ["-f", "-c", ZSH_TYPIST, "zsh", ...lines], folder);
  const completed = await Deno.readTextFile(`${folder}/lines`);
  return completed.replace(/\n$/, "").split("\n").map((line) => [line]);
};

function linesOf(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}

const COMPLETERS: Readonly<Record<ShellName, Completer>> = { bash, fish, zsh };

/**
 * Returns the proposals of a shell for unfinished lines, or the completed lines for zsh. The current
 * folder has the files `two words.xml` and `two.txt`.
 */
export async function completed(
  shell: ShellName,
  script: string,
  lines: readonly string[],
): Promise<string[][]> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.mkdir(`${folder}/bin`);
    const program = commandWords([], []).map((word) => `'${word}'`).join(" ");
    await Deno.writeTextFile(`${folder}/bin/sitetree`, `#!/bin/sh\nexec ${program} "$@"\n`, {
      mode: 0o755,
    });
    await Deno.writeTextFile(`${folder}/script`, script);
    await Deno.writeTextFile(`${folder}/two words.xml`, "");
    await Deno.writeTextFile(`${folder}/two.txt`, "");
    return await COMPLETERS[shell](folder, lines);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
