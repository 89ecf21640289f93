import { printSync } from "../../platform/process.ts";

/** Prints a text on standard output. Apart from the rest of outputs, as `--version` needs no more. */
export async function printText(text: string): Promise<void> {
  try {
    printSync("stdout", text);
  } catch (error) {
    const { outputError } = await import("./output.ts");
    throw outputError(error);
  }
}
