/**
 * What the commands below `fleet` have in common: their database, Ctrl-C, messages and errors.
 *
 * @module
 */

import { FleetError } from "../../../fleet/errors.ts";
import type { Fleet, FleetOptions } from "../../../fleet/mod.ts";
import { environmentVariable } from "../../../platform/environment.ts";
import type { Arguments } from "../../arguments.ts";
import { EXIT_CODES, Failure, Interrupted, UsageError } from "../../run/failure.ts";
import { openScreen } from "../../run/log.ts";
import { interruptSignal } from "../../run/session.ts";
import { type ColorName, Messages } from "../../run/terminal.ts";
import { parseDatabase } from "../../values.ts";
import { openFleetAt } from "./open.ts";

/** Long enough to hand sites back. */
const GRACE_PERIOD = 5000;
const DATABASE_VARIABLE = "SITETREE_DATABASE";

export class FleetSession extends Messages {
  readonly signal: AbortSignal;

  constructor(args: Arguments) {
    super(args.has("quiet"), args.value<ColorName>("color"), openScreen(args));
    this.signal = interruptSignal(() => this.screen.erase(), GRACE_PERIOD);
  }

  get exitCode(): number {
    return this.signal.aborted ? (this.signal.reason as Interrupted).exitCode : EXIT_CODES.complete;
  }
}

export async function withFleet(
  args: Arguments,
  session: { readonly exitCode: number },
  use: (fleet: Fleet) => Promise<void>,
  options: FleetOptions = {},
): Promise<number> {
  await using fleet = await openFleetAt(requiredDatabase(args), args, options);
  try {
    await use(fleet);
    return session.exitCode;
  } catch (error) {
    if (error instanceof Interrupted) return error.exitCode;
    if (!(error instanceof FleetError)) throw error;
    throw new Failure(error.message, undefined, { cause: error, exitCode: EXIT_CODES.usage });
  }
}

export function requiredDatabase(args: Arguments): string {
  const given = args.value("database");
  if (given !== undefined) return given;
  const named = environmentVariable(DATABASE_VARIABLE);
  if (named) return parseDatabase(named, DATABASE_VARIABLE);
  throw new UsageError(
    "Missing database",
    `expected --database URL, or the environment variable ${DATABASE_VARIABLE}`,
  );
}
