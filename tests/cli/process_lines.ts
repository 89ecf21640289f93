/** Reads what a process prints on standard error while it runs. @module */

import { withoutCacheWarning } from "../support/process_output.ts";

const TIMEOUT = 60_000;

/** Lines of standard error of a process, which is killed when this is disposed of. */
export class ProcessLines implements AsyncDisposable {
  readonly all: string[] = [];
  readonly #child: Deno.ChildProcess;
  readonly #ended: Promise<void>;
  #wake = Promise.withResolvers<void>();
  #isEnded = false;

  constructor(child: Deno.ChildProcess) {
    this.#child = child;
    this.#ended = this.#read();
  }

  /** Returns the first line that matches; fails if the process ends without it. */
  async find(pattern: RegExp): Promise<string> {
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), TIMEOUT);
    try {
      for (;;) {
        const line = this.all.find((line) => pattern.test(line));
        if (line !== undefined) return line;
        if (this.#isEnded) throw new Error(`No line matches ${pattern}:\n${this.all.join("\n")}`);
        await this.#wake.promise;
      }
    } finally {
      clearTimeout(timer);
    }
  }

  /** Returns the exit code, perhaps after a signal. */
  async end(signal?: Deno.Signal): Promise<number> {
    if (signal !== undefined) this.#child.kill(signal);
    const { code } = await this.#child.status;
    await this.#ended;
    return code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isEnded) this.#child.kill("SIGKILL");
    await this.#child.status;
    await this.#ended;
    await this.#child.stdout.cancel();
  }

  async #read(): Promise<void> {
    let rest = "";
    for await (const text of this.#child.stderr.pipeThrough(new TextDecoderStream())) {
      const lines = withoutCacheWarning(rest + text).split("\n");
      rest = lines.pop()!;
      this.all.push(...lines);
      this.#next();
    }
    this.#isEnded = true;
    this.#next();
  }

  #next(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }
}
