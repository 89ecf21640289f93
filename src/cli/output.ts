/**
 * The output of a command: standard output, or a file.
 *
 * @module
 */

import { codeOf, isOutputFile, isTerminal, writeOutput } from "../platform/host.ts";
import { OutputClosed } from "./failure.ts";
import { fileFailure } from "./file_failure.ts";
import { openFile } from "./file_output.ts";
import type { Screen } from "./screen.ts";
import type { Output } from "./sink.ts";

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
  readonly isTerminal = isTerminal("stdout");
  readonly isFile = isOutputFile();
  readonly #screen: Screen;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  async write(bytes: Uint8Array): Promise<void> {
    const write = () => writeOutput(bytes);
    try {
      await (this.isTerminal ? this.#screen.giveWay(write) : write());
    } catch (error) {
      if (codeOf(error) === "EPIPE") throw new OutputClosed({ cause: error });
      throw fileFailure("write", "/dev/stdout", error);
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
