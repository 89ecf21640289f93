/**
 * Runs an example of `docs/examples` as a process, with the permissions that its first comment names.
 *
 * @module
 */

/** Folder of the examples. */
export const EXAMPLES: URL = new URL("../../docs/examples/", import.meta.url);

const COMMAND_REGEXP = /^ \* +deno run ((?:--[\w-]+ )*)(\w+\.ts) /m;

/** Outcome of an example. */
export interface ExampleResult {
  /** Exit code of the process. */
  readonly code: number;
  /** Its standard output. */
  readonly stdout: string;
  /** Its standard error. */
  readonly stderr: string;
}

/** Returns the arguments of the command in the first comment of an example. */
export function commandOf(name: string): string[] {
  const source = Deno.readTextFileSync(new URL(name, EXAMPLES));
  const [, permissions = "", file] = COMMAND_REGEXP.exec(source) ?? [];
  if (file !== name) throw new SyntaxError(`No command in the first comment of "${name}"`);
  return ["run", ...permissions.trim().split(" "), new URL(name, EXAMPLES).pathname];
}

/** Starts an example with piped output. */
export function startExample(name: string, args: readonly string[]): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: [...commandOf(name), ...args],
    env: { NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** Runs an example to its end. */
export async function runExample(name: string, args: readonly string[]): Promise<ExampleResult> {
  const { code, stdout, stderr } = await startExample(name, args).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}
