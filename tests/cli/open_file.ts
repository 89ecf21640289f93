import { openOutput, type Output } from "../../src/cli/run/output.ts";
import { Messages } from "../../src/cli/run/terminal.ts";

/** Opens a file for output; its messages are lost by default. */
export function openFile(
  path: string,
  messages: Messages = new Messages(true),
): Promise<Output> {
  return openOutput(path, messages);
}
