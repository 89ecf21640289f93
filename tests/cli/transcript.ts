/**
 * Transcripts of command lines in `golden/`: each with its standard output, its standard error after
 * `2> `, and its exit code.
 *
 * @module
 */

import { assertGolden } from "./golden.ts";
import { type CliOptions, type CliResult, MAIN, runCli } from "./run_cli.ts";

/** Arguments, or arguments with the options of their run. */
export type CommandLine = readonly string[] | {
  readonly args: readonly string[];
  readonly options: CliOptions;
  /** What to print as environment variables, besides those of the run. */
  readonly shown?: Readonly<Record<string, string>>;
};

/** A command line, or a function to call after the one before. */
export type Step = CommandLine | (() => void | Promise<void>);

/**
 * Runs command lines one after the other, as {@linkcode assertTranscript} does concurrently, and the
 * functions between them.
 */
export async function assertSteps(
  name: string,
  sites: Readonly<Record<string, string>>,
  steps: readonly Step[],
): Promise<CliResult[]> {
  const results: CliResult[] = [];
  const commands: CommandLine[] = [];
  for (const step of steps) {
    if (typeof step === "function") {
      await step();
    } else {
      commands.push(step);
      results.push(await runLine(step));
    }
  }
  return await assertResults(name, sites, commands, results);
}

/**
 * Runs command lines concurrently and asserts that their transcripts equal `golden/<name>.txt`, where
 * the URLs of `sites` are replaced by their names: `blog` is `http://blog.test`. Returns the results.
 */
export async function assertTranscript(
  name: string,
  sites: Readonly<Record<string, string>>,
  commands: readonly CommandLine[],
): Promise<CliResult[]> {
  return await assertResults(name, sites, commands, await Promise.all(commands.map(runLine)));
}

function runLine(command: CommandLine): Promise<CliResult> {
  return "args" in command ? runCli(command.args, command.options) : runCli(command);
}

async function assertResults(
  name: string,
  sites: Readonly<Record<string, string>>,
  commands: readonly CommandLine[],
  results: CliResult[],
): Promise<CliResult[]> {
  const parts = commands.map((command, at) => transcriptOf(command, results[at]!));
  await assertGolden(name, named(parts.join("\n"), sites));
  return results;
}

function transcriptOf(command: CommandLine, { code, stdout, stderr }: CliResult): string {
  const { args, options = {}, shown } = "args" in command ? command : { args: command };
  const { stdin, env } = options;
  const input = typeof stdin === "string" ? `printf ${quoted(stdin)} | ` : "";
  const settings = Object.entries({ ...env, ...shown }).map(([name, value]) =>
    `${name}=${quoted(value)} `
  );
  const line = ["sitetree", ...args.map(quoted)].join(" ");
  const errors = stderr.replace(/^(?=.)/gm, "2> ");
  return `$ ${input}${settings.join("")}${line}\n${stdout}${errors}exit ${code}\n`;
}

/** Quotes a word for a shell. */
export function quoted(word: string): string {
  const plain = word.replaceAll("\n", "\\n");
  return /^[\w@%+=:,./?&-]+$/.test(plain) ? plain : `'${plain.replaceAll("'", `'\\''`)}'`;
}

/** Replaces ports, databases, versions, durations, instants and paths, which differ between runs. */
function named(text: string, sites: Readonly<Record<string, string>>): string {
  let plain = text;
  for (const [name, url] of Object.entries(sites)) {
    const { host, hostname, port } = new URL(url);
    const other = hostname === "127.0.0.1" ? `localhost:${port}` : host;
    plain = plain.replaceAll(host, `${name}.test`).replaceAll(other, `${name}-localhost.test`);
  }
  return plain
    .replaceAll(MAIN, "{{main}}")
    .replace(/^(\$ .*\bSITETREE_DATABASE=)\S+/gm, "$1{{database}}")
    .replace(/\b\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z/g, "{{instant}}")
    .replace(/(?<=INFO started: sitetree )[^,]+/g, "{{version}}")
    .replace(/\b\d+\.\d s\b|(?<=, )\d+ s\b/g, "{{time}}")
    .replace(/\bin [\d.]+ m?s\b/g, "in {{delay}}");
}
