/**
 * Runs an example as the process that people run, with the permissions it names.
 *
 * @module
 */

const COMMAND_REGEXP = /^ \* +deno run ((?:--[\w-]+ )*)(\w+\.ts) /m;

/** What came of it. */
export interface ExampleResult {
  /** What the process exited with. */
  readonly code: number;
  /** What it wrote to standard output. */
  readonly stdout: string;
  /** What it wrote to standard error. */
  readonly stderr: string;
}

/** The command that the head of an example gives: its permissions and the file. */
export function commandOf(name: string): string[] {
  const source = Deno.readTextFileSync(new URL(name, import.meta.url));
  const [, permissions = "", file] = COMMAND_REGEXP.exec(source) ?? [];
  if (file !== name) throw new SyntaxError(`The head of "${name}" does not say how to run it`);
  return ["run", ...permissions.trim().split(" "), new URL(name, import.meta.url).pathname];
}

/** Starts an example with pipes on all sides. */
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
