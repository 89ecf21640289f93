/**
 * What the commands below `fleet` have in common: their database, Ctrl-C, messages and errors.
 *
 * @module
 */

import { FleetError } from "../../fleet/errors.ts";
import type { Fleet, FleetOptions } from "../../fleet/mod.ts";
import { environmentVariable } from "../../platform/environment.ts";
import type { Arguments } from "../arguments.ts";
import { EXIT_CODES, Failure, Interrupted, OutputClosed, UsageError } from "../failure.ts";
import { interruptSignal } from "../session.ts";
import { type ColorName, Messages } from "../terminal.ts";
import { parseDatabase } from "../values.ts";
import { openFleetAt } from "./open.ts";

/** Milliseconds that a command has to end after an interruption: sites are handed back. */
const GRACE_PERIOD = 5000;
/** Environment variable with the connection string of a database. */
const DATABASE_VARIABLE = "SITETREE_DATABASE";

/** Messages of a command, and Ctrl-C. */
export class FleetSession extends Messages {
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;

  /** Starts to listen to Ctrl-C. */
  constructor(args: Arguments) {
    super(args.has("quiet"), args.value<ColorName>("color"));
    this.signal = interruptSignal(() => this.screen.erase(), GRACE_PERIOD);
  }

  /** Exit code of an interruption; otherwise that of success. */
  get exitCode(): number {
    return this.signal.aborted ? (this.signal.reason as Interrupted).exitCode : EXIT_CODES.complete;
  }
}

/** Calls a function with the fleet that the arguments name, and closes the fleet. Returns the exit code. */
export async function withFleet(
  args: Arguments,
  options: FleetOptions,
  use: (fleet: Fleet) => Promise<number>,
): Promise<number> {
  await using fleet = await openFleetAt(requiredDatabase(args), args, options);
  try {
    return await use(fleet);
  } catch (error) {
    if (error instanceof Interrupted) return error.exitCode;
    // the reader closed the pipe, as `head` does
    if (error instanceof OutputClosed) return EXIT_CODES.complete;
    if (!(error instanceof FleetError)) throw error;
    throw new Failure(error.message, undefined, { cause: error, exitCode: EXIT_CODES.usage });
  }
}

/** Returns the connection string that the arguments or the environment name. */
function requiredDatabase(args: Arguments): string {
  const given = args.value("database");
  if (given !== undefined) return given;
  const named = environmentVariable(DATABASE_VARIABLE);
  if (named) return parseDatabase(named, DATABASE_VARIABLE);
  throw new UsageError(
    "Missing database",
    `expected --database URL, or the environment variable ${DATABASE_VARIABLE}`,
  );
}
