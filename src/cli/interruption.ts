/**
 * Ctrl-C and its kin.
 *
 * @module
 */

import { exit, onSignal } from "../platform/host.ts";
import { Interrupted } from "./failure.ts";

/** Milliseconds that a run has to end after it was asked to. */
const GRACE = 2000;

/**
 * Turns the first signal into an abort, so that a run can end in order. The second one, or a run
 * that does not end in time, ends the process at once.
 */
export class Interruption {
  readonly #controller = new AbortController();
  readonly #onExit: () => void;

  /** Listens. `onExit` is called before the process is ended at once, and must be synchronous. */
  constructor(onExit: () => void) {
    this.#onExit = onExit;
    onSignal((exitCode) => this.#interrupt(exitCode));
  }

  /** Aborted by the first signal, with an {@linkcode Interrupted}. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  #interrupt(exitCode: number): void {
    if (this.#controller.signal.aborted) return this.#exit(exitCode);
    setTimeout(() => this.#exit(exitCode), GRACE);
    this.#controller.abort(new Interrupted(exitCode));
  }

  #exit(exitCode: number): void {
    try {
      this.#onExit();
    } finally {
      exit(exitCode);
    }
  }
}
