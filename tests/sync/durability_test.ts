/** Changes are on disk before they are reported. @module */

import { assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { openSnapshot, sync } from "../../src/sync/mod.ts";
import { SqliteStore } from "../../src/sync/sqlite_store.ts";

const OPTIONS = { retries: 0, useKnownPaths: false, useHomepage: false } as const;

/** How SQLite commits: it waits for the disk, or leaves that to the next one that does. */
const LEVELS: Readonly<Record<number, string>> = { 1: "normal", 2: "full" };

/** Records how each commit of a function is made, and whether it has changes. */
async function commitsOf(action: () => Promise<void>): Promise<string[]> {
  const { commit } = SqliteStore.prototype;
  const { exec } = DatabaseSync.prototype;
  const commits: string[] = [];
  let hasChanges = false;
  SqliteStore.prototype.commit = function (build, options) {
    hasChanges = (options?.numbers ?? 0) > 0;
    return commit.call(this, build, options);
  };
  DatabaseSync.prototype.exec = function (sql) {
    if (sql === "COMMIT") {
      const { synchronous } = this.prepare("PRAGMA synchronous").get()!;
      commits.push(`${LEVELS[Number(synchronous)]} ${hasChanges ? "changes" : "state"}`);
    }
    return exec.call(this, sql);
  };
  try {
    await action();
  } finally {
    SqliteStore.prototype.commit = commit;
    DatabaseSync.prototype.exec = exec;
  }
  return commits;
}

Deno.test("a commit with changes waits for the disk, and one without does not", async () => {
  const path = await Deno.makeTempFile({ suffix: ".db" });
  await Deno.remove(path);
  let pages = 2500;
  const fetch = (address: string) => {
    const { origin, pathname } = new URL(address);
    const urls = Array.from({ length: pages }, (_, at) => `${origin}/${at}`);
    const body = pathname === "/robots.txt" ? `Sitemap: ${origin}/s.txt` : urls.join("\n");
    return Promise.resolve(new Response(body));
  };
  await using snapshot = await openSnapshot(path);
  const run = () =>
    commitsOf(async () => {
      await Array.fromAsync(sync("https://a.test/", { snapshot, fetch, ...OPTIONS }));
    });
  const first = await run();
  // one for a batch of events, not for a page
  assertEquals(first, [...Array.from({ length: 3 }, () => "full changes"), "normal state"]);
  assertEquals(await run(), ["normal state"]);
  pages = 2400;
  // what other sitemaps list is found out first, and pages are removed then
  const removal = await run();
  assertEquals(removal.filter((commit) => commit.startsWith("full")), [
    "full changes",
    "full changes",
  ]);
  await Deno.remove(path);
});
