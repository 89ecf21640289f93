import { openOutput, type Output } from "../../src/cli/run/output.ts";
import { type Messages, Screen } from "../../src/cli/run/terminal.ts";

/** Opens a file for output; its messages are lost by default. */
export function openFile(
  path: string,
  { note }: Pick<Messages, "note"> = { note() {} },
): Promise<Output> {
  return openOutput(path, { screen: new Screen(), note });
}
