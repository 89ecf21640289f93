/**
 * Runs `ls -k -f pages` with the arguments in `Deno.args`, as the command line does, but prints
 * progress after 200 ms without output.
 *
 * @module
 */

import { parseArguments } from "../../src/cli/arguments.ts";
import { eventWriter } from "../../src/cli/commands/ls.ts";
import { openOutput } from "../../src/cli/run/output.ts";
import { Session } from "../../src/cli/run/session.ts";
import { readingPlan } from "../../src/cli/run/operands.ts";
import { Messages } from "../../src/cli/run/terminal.ts";

class ImpatientMessages extends Messages {
  override readonly maxSilence: number = 200;
}

const args = parseArguments("ls", ["-k", "-f", "pages", ...Deno.args]);
const messages = new ImpatientMessages(args.has("quiet"), "never");
const output = await openOutput(args.value("output"), messages);
const log = { level: 0, write() {}, announce() {} };
const session = new Session(messages, log, output, false);
Deno.exit(
  await session.run({
    ...await readingPlan(args),
    writer: await eventWriter({ format: "pages", stripUrl: false }, output, undefined, false),
  }),
);
