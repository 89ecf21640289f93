/**
 * `sitetree completions`: scripts for bash, zsh and fish, made of the table of options.
 *
 * @module
 */

import type { Arguments } from "./arguments.ts";
import { bashCompletions } from "./completions_bash.ts";
import { fishCompletions } from "./completions_fish.ts";
import { zshCompletions } from "./completions_zsh.ts";
import { EXIT_CODES, UsageError } from "./failure.ts";
import { type ShellName, SHELLS } from "./option_table.ts";
import { printText } from "./standard_text.ts";
import { onlyOperand } from "./operands.ts";

const SCRIPTS: Readonly<Record<ShellName, () => string>> = {
  bash: bashCompletions,
  zsh: zshCompletions,
  fish: fishCompletions,
};

/** Runs the command. Returns the exit code. */
export async function completions(args: Arguments): Promise<number> {
  const shell = onlyOperand(args, "bash");
  if (!Object.hasOwn(SCRIPTS, shell)) {
    throw new UsageError(
      `Unknown shell "${shell}": expected one of ${SHELLS.join(", ")}`,
    );
  }
  await printText(SCRIPTS[shell as ShellName]());
  return EXIT_CODES.complete;
}
