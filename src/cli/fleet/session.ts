/**
 * What the commands below `fleet` have in common: operands, Ctrl-C, messages and errors.
 *
 * @module
 */

import { FleetError } from "../../fleet/errors.ts";
import type { Fleet, FleetOptions } from "../../fleet/mod.ts";
import type { Arguments } from "../arguments.ts";
import { EXIT_CODES, Failure, type Interrupted, OutputClosed } from "../failure.ts";
import { openFleetAt } from "./open.ts";
import { interruptSignal } from "../session.ts";
import { type ColorName, Messages } from "../terminal.ts";

/** Milliseconds that a command has to end after an interruption: sites are handed back. */
const GRACE_PERIOD = 5000;

/** One run of a command below `fleet`. */
export class FleetSession extends Messages {
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  readonly #cleanups: (() => void)[] = [];

  /** Starts to listen to Ctrl-C. */
  constructor(args: Arguments) {
    super(args.has("quiet"), args.value<ColorName>("color"));
    this.signal = interruptSignal(() => this.cleanUp(), GRACE_PERIOD);
  }

  /** Exit code of an interruption, if there was one. */
  get interruption(): number | undefined {
    return this.signal.aborted ? (this.signal.reason as Interrupted).exitCode : undefined;
  }

  /** Calls a function when the command ends, also if the process has to exit at once. */
  onEnd(callback: () => void): void {
    this.#cleanups.push(callback);
  }

  /** Ends what is left, the last first. */
  cleanUp(): void {
    this.screen.erase();
    for (const callback of this.#cleanups.splice(0).reverse()) callback();
  }

  /** Calls a function with a fleet, and closes the fleet. */
  async withFleet<T>(
    url: string,
    options: FleetOptions,
    use: (fleet: Fleet) => Promise<T>,
  ): Promise<T> {
    const fleet = await openFleetAt(url, options);
    try {
      this.signal.throwIfAborted();
      return await use(fleet);
    } finally {
      await fleet.close();
    }
  }
}

/** Runs a command below `fleet`. Returns the exit code. */
export async function inFleetSession(
  args: Arguments,
  run: (session: FleetSession) => Promise<number>,
): Promise<number> {
  const session = new FleetSession(args);
  try {
    return await run(session);
  } catch (error) {
    const { interruption, signal } = session;
    // the reader closed the pipe, as `head` does
    if (error instanceof OutputClosed) return interruption ?? EXIT_CODES.complete;
    const failure = failureOf(error);
    if (interruption === undefined) throw failure;
    if (error !== signal.reason) session.note(`Interrupted: ${failure.message}`);
    return interruption;
  } finally {
    session.cleanUp();
  }
}

/** Returns the failure for an error. */
function failureOf(error: unknown): Error {
  if (error instanceof Failure) return error;
  const isUsage = error instanceof FleetError &&
    (error.code === "invalid-input" || error.code === "unknown-run");
  const message = error instanceof Error ? error.message : String(error);
  return new Failure(message, undefined, {
    cause: error,
    exitCode: isUsage ? EXIT_CODES.usage : EXIT_CODES.failure,
  });
}
