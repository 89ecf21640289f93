/** Starts workers of a fleet as processes of their own. @module */

import type { FleetOptions } from "../../src/fleet/mod.ts";

const PROGRAM = new URL("worker_process.ts", import.meta.url).pathname;

export class WorkerChild implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #stderr: Promise<string>;
  readonly #ended: Promise<void>;
  stdout = "";
  hasEnded = false;

  constructor(url: string, options: FleetOptions) {
    this.#child = new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "--quiet", "--no-check", "--allow-all", PROGRAM],
        ...[url, JSON.stringify(options)],
      ],
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#stderr = new Response(this.#child.stderr).text();
    this.#ended = this.#read();
  }

  kill(signal: Deno.Signal): void {
    this.#child.kill(signal);
  }

  async ended(): Promise<{ readonly status: Deno.CommandStatus; readonly stderr: string }> {
    const status = await this.#child.status;
    await this.#ended;
    return { status, stderr: await this.#stderr };
  }

  async #read(): Promise<void> {
    for await (const text of this.#child.stdout.pipeThrough(new TextDecoderStream())) {
      this.stdout += text;
    }
    this.hasEnded = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#child.kill("SIGKILL");
    } catch (error) {
      // it has ended
      if (!(error instanceof TypeError)) throw error;
    }
    await this.ended();
  }
}
