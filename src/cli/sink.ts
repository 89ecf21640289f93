/**
 * Where bytes go.
 *
 * @module
 */

/** Takes bytes. */
export interface ByteSink {
  /** Writes all of it. */
  write(bytes: Uint8Array): Promise<void>;
}

/** Where a command writes to. */
export interface Output extends ByteSink {
  /** Whether it is a terminal. */
  readonly isTerminal: boolean;
  /** Whether it is a file, which is not seen growing; a pipe may end at a terminal. */
  readonly isFile: boolean;
  /** Completes the output: a file takes its name. */
  commit(): Promise<void>;
  /**
   * Keeps what an interrupted run has written as `NAME.part`, gzip completed. Returns the path,
   * `undefined` where nothing is kept: for devices, pipes, standard output and empty files.
   */
  keepPartial(): Promise<string | undefined>;
  /**
   * Does the same for a process that exits at once, with `rest` appended. Discards a file that is
   * gzipped or being written to, since neither can be completed synchronously.
   */
  keepPartialSync(rest: Uint8Array): string | undefined;
  /** Removes an output that was neither completed nor kept. Safe to call at any time. */
  discard(): void;
}
