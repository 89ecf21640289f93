/**
 * Text on standard output, for commands that have no more to say.
 *
 * @module
 */

import { OutputClosed } from "./failure.ts";
import { openOutput } from "./output.ts";
import { Screen } from "./screen.ts";

/** Prints text on standard output; a reader that has gone away is no reason to complain. */
export async function printText(text: string): Promise<void> {
  const output = await openOutput(undefined, new Screen());
  try {
    await output.write(new TextEncoder().encode(text));
  } catch (error) {
    if (!(error instanceof OutputClosed)) throw error;
  }
}
