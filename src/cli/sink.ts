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
  /** Whether it is a file, which nobody sees grow; a pipe may well end before someone's eyes. */
  readonly isFile: boolean;
  /** Makes what was written count. */
  commit(): Promise<void>;
  /** Undoes what was written, where that is possible. Safe to call at any time. */
  discard(): void;
}
