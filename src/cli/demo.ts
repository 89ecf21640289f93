/**
 * `sitetree demo`: the bundled site, served on loopback and walked.
 *
 * @module
 */

import { walk } from "../../mod.ts";
import type { Arguments } from "./arguments.ts";
import { DemoServer } from "./demo_server.ts";
import { EXIT_CODES, UsageError } from "./failure.ts";
import { eventWriter } from "./formats.ts";
import { requireNet } from "./net_permission.ts";
import { Selection } from "./selection.ts";
import { openSession } from "./session.ts";
import { selectionOptions } from "./walk_settings.ts";

/** Runs the command: what the process exits with. */
export async function demo(args: Arguments): Promise<number> {
  const [operand] = args.operands;
  if (operand !== undefined) {
    throw new UsageError(`The demo walks its own site, not "${operand}"`, `try "sitetree ls"`);
  }
  await requireNet(new URL("http://127.0.0.1/"));
  using session = await openSession(args, true);
  await using server = new DemoServer();
  const head = `A small site at ${server.url}, walked by "sitetree ls --strip-url":\n\n`;
  await session.output.write(new TextEncoder().encode(head));
  const format = { format: "tree", stripUrl: true, columns: undefined } as const;
  const exitCode = await session.run({
    batches: walk(server.url, { signal: session.signal }).batches(),
    selection: new Selection(selectionOptions(args)),
    writer: await eventWriter(format, session.output, new URL(server.url), session.color),
    tellsEnding: "finished",
    keepsEmpty: true,
  });
  // The site has a dead link, to show what becomes of it: partial is as it should be.
  return exitCode === EXIT_CODES.partial ? EXIT_CODES.complete : exitCode;
}
