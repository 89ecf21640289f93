/**
 * Runs a session over batches of pages, in a separate process, since sessions listen to signals.
 * Prints the written pages and the number of batches pulled as JSON. `Deno.args`: `interrupt` for a
 * SIGINT while the first batch is written.
 *
 * @module
 */

import type { TreeEvent } from "../../mod.ts";
import { parseArguments } from "../../src/cli/arguments.ts";
import { walkSettings } from "../../src/cli/run/walk_settings.ts";
import { PageFilter } from "../../src/cli/run/selection.ts";
import { Session } from "../../src/cli/run/session.ts";
import { Messages } from "../../src/cli/run/terminal.ts";

const REF = {
  id: 0,
  type: "PagesTextSitemap",
  url: "https://a.test/s.txt",
  level: 0,
  parent: null,
  index: 0,
} as const;

const [mode] = Deno.args;
const result = { written: [] as string[], pulled: 0, ended: false, exitCode: -1 };

async function* batches(): AsyncGenerator<readonly TreeEvent[], void, void> {
  try {
    for (const names of [["a", "b", "c", "d"], ["e", "f"]]) {
      result.pulled++;
      yield await Promise.resolve(names.map((name) => (
        { type: "page", page: { url: name }, sitemap: REF } as const
      )));
    }
  } finally {
    result.ended = true;
  }
}

const output = {
  isTerminal: false,
  isFile: false,
  write: () => Promise.resolve(),
  commit: () => Promise.resolve(),
  keepPartial: () => Promise.resolve(undefined),
  keepPartialSync: () => undefined,
  discard() {},
};
const log = { level: 0, write() {}, announce() {} };
const session = new Session(new Messages(true), log, output, false);
const filter = new PageFilter();
result.exitCode = await session.run({
  operands: [{ name: REF.url, kind: "file", site: undefined, read: () => batches() }],
  settings: walkSettings(parseArguments("ls", [REF.url])),
  isParallel: true,
  filter,
  writer: {
    writeAll(events) {
      for (const event of events) if (event.type === "page") result.written.push(event.page.url);
      if (mode !== "interrupt" || session.signal.aborted) return;
      const aborted = new Promise<void>((resolve) =>
        session.signal.addEventListener("abort", () => resolve())
      );
      Deno.kill(Deno.pid, "SIGINT");
      return aborted;
    },
    close: () => Promise.resolve(),
  },
});
console.log(JSON.stringify(result));
Deno.exit();
