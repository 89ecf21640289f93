/** Runs on a disk that is full in the middle of one. @module */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { openSnapshot, sync } from "../../src/sync/mod.ts";
import { inFolder } from "../support/in_folder.ts";
import { changingSite } from "./changing_site.ts";
import { ScriptedSite } from "./scripted_site.ts";
import { readContent } from "./snapshot_content.ts";

const OPTIONS = { useKnownPaths: false, retries: 0, concurrency: 2 };
const PROGRAM = new URL("crash_process.ts", import.meta.url).pathname;

async function pagesOf(path: string, homepage: string) {
  await using snapshot = await openSnapshot(path, { readOnly: true });
  return (await readContent(snapshot, homepage)).pages;
}

/** Runs the program in a process whose files are at most `blocks` of 1,024 bytes. */
async function syncWithin(blocks: number, path: string, homepage: string) {
  const command = [Deno.execPath(), "run", "--no-check", "--allow-all", PROGRAM];
  const words = [...command, path, homepage, JSON.stringify(OPTIONS)];
  const { code, stderr } = await new Deno.Command("bash", {
    // without the signal, a write beyond the limit fails
    args: ["-c", `trap '' XFSZ; ulimit -f ${blocks}; exec "$@"`, "bash", ...words],
    env: { NO_COLOR: "1" },
  }).output();
  return { code, stderr: new TextDecoder().decode(stderr) };
}

Deno.test({
  name: "sync() says that the disk is full, loses nothing, and goes on when there is space",
  ignore: Deno.build.os === "windows",
  fn: () =>
    inFolder(async (folder) => {
      const scripted = new ScriptedSite();
      await using server = scripted.listen();
      const path = `${folder}/site.db`, other = `${folder}/other.db`;
      for (let version = 0; version < 2; version++) {
        scripted.site = changingSite(version, 40);
        for (const file of version === 0 ? [path, other] : [other]) {
          await using snapshot = await openSnapshot(file);
          await Array.fromAsync(sync(server.url, { ...OPTIONS, snapshot }));
        }
      }
      const before = await pagesOf(path, server.url);
      const { code, stderr } = await syncWithin(32, path, server.url);
      assertEquals(code, 1, stderr);
      assertStringIncludes(stderr, `"${path}": `);
      assert(/disk (?:full|I\/O error)/.test(stderr), stderr);
      assertEquals(await pagesOf(path, server.url), before);

      const { code: again, stderr: errors } = await syncWithin(100_000, path, server.url);
      assertEquals([again, errors], [0, ""]);
      assertEquals(await pagesOf(path, server.url), await pagesOf(other, server.url));
    }),
});
