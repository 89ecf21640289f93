/**
 * The output of a command: standard output, or a file.
 *
 * @module
 */

import { fstatSync } from "node:fs";
import { OutputClosed } from "./failure.ts";
import { openFile } from "./file_output.ts";
import type { Screen } from "./screen.ts";
import type { Output } from "./sink.ts";

/** Whether standard output goes into a file, and standard error not into the same. */
function isFileOfItsOwn(): boolean {
  try {
    const [output, error] = [fstatSync(1), fstatSync(2)];
    return output.isFile() && (output.ino !== error.ino || output.dev !== error.dev);
  } catch {
    // One of them is closed.
    return false;
  }
}

/** Paths of standard output. */
const STANDARD_PATHS: readonly string[] = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

/** Opens the output that a path names: standard output for none. */
export async function openOutput(path: string | undefined, screen: Screen): Promise<Output> {
  return path === undefined || STANDARD_PATHS.includes(path)
    ? new StandardOutput(screen)
    : await openFile(path);
}

/** Standard output, with the progress line out of its way. */
class StandardOutput implements Output {
  readonly isTerminal = Deno.stdout.isTerminal();
  readonly isFile = isFileOfItsOwn();
  readonly #screen: Screen;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.isTerminal) this.#screen.erase();
    try {
      for (let at = 0; at < bytes.length;) at += await Deno.stdout.write(bytes.subarray(at));
    } catch (error) {
      if (error instanceof Deno.errors.BrokenPipe) throw new OutputClosed({ cause: error });
      throw error;
    }
  }

  commit(): Promise<void> {
    return Promise.resolve();
  }

  keepPartial(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  keepPartialSync(): undefined {
    // A pipe that is not being read may have no room for the rest.
  }

  discard(): void {
    // A reader has it already.
  }
}
