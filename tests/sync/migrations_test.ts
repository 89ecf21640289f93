/** Files of an earlier version: what is said of them, and how they are brought up to date. @module */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { DAY } from "../../src/data/calendar.ts";
import { closeDatabase, openDatabase } from "../../src/platform/sqlite.ts";
import { OLDEST_VERSION, SCHEMA_VERSION, STEPS } from "../../src/sync/migrations.ts";
import { openSnapshot, sync } from "../../src/sync/mod.ts";
import { pendingSteps } from "../../src/sync/schema.ts";
import { contentOf, readAll, served, SNAPSHOT_FILE } from "./schema_3.ts";

/** After what the file has stored. */
const NOW = Date.parse("2026-05-07T05:00:00Z");
const OPTIONS = { retries: 0, useKnownPaths: false, useHomepage: false } as const;
const NAMES = STEPS.map(({ name }) => name);

function testFile(name: string, body: (path: string, folder: string) => Promise<void>): void {
  Deno.test(name, async () => {
    const folder = await Deno.makeTempDir();
    try {
      const path = `${folder}/site.db`;
      await Deno.copyFile(SNAPSHOT_FILE, path);
      await body(path, folder);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}

function execute(path: string, sql: string): void {
  const database = openDatabase(path);
  try {
    database.exec(sql);
  } finally {
    closeDatabase(database);
  }
}

/** Returns the tables with their columns, the indexes and the views of a file. */
function definitionsOf(path: string): unknown {
  const database = openDatabase(path, { readOnly: true });
  const all = (sql: string) => database.prepare(sql).all();
  try {
    const columns = all(
      `SELECT t.name AS "table", c.name, c.type, c."notnull", c.pk FROM sqlite_schema AS t,
       pragma_table_info(t.name) AS c WHERE t.type = 'table' ORDER BY t.name, c.name`,
    );
    const others = all(
      "SELECT type, name, sql FROM sqlite_schema WHERE type <> 'table' ORDER BY type, name",
    ) as { sql: string | null }[];
    return [columns, others.map((row) => ({ ...row, sql: row.sql?.replace(/\s+/g, " ") }))];
  } finally {
    closeDatabase(database);
  }
}

testFile("a file of schema 3 that is opened to be read says what is pending", async (path) => {
  const before = await Deno.readFile(path);
  {
    await using snapshot = await openSnapshot(path, { readOnly: true });
    assertEquals(await snapshot.migrations(), NAMES.map((name) => ({ name })));
    const error = await assertRejects(() => Array.fromAsync(snapshot.pages()), Error);
    assertEquals(
      error.message,
      `Cannot read "${path}": schema version 3 is older than ${SCHEMA_VERSION}; open it for writing once, ` +
        'as "sitetree sync" does, to bring it up to date',
    );
  }
  assertEquals(await Deno.readFile(path), before);
});

testFile("a file of schema 3 has all it had after it was brought up to date", async (path) => {
  const { sitemaps, ...content } = await contentOf("snapshot");
  const began = Date.now();
  {
    await using snapshot = await openSnapshot(path, { now: () => NOW });
    assertEquals(await readAll(snapshot), content);
    for (const [homepage, rows] of Object.entries(sitemaps as Record<string, unknown>)) {
      const read = await Array.fromAsync(snapshot.sitemaps(homepage));
      assertEquals(JSON.parse(JSON.stringify(read)), rows);
    }
    const steps = await snapshot.migrations();
    assertEquals(steps.map(({ name }) => name), NAMES);
    for (const { applied } of steps) assert(applied!.getTime() >= began);
  }
  const again = await openSnapshot(path, { readOnly: true });
  assertEquals(await readAll(again), content);
  await again.close();
});

testFile("a file of schema 3 goes on", async (path) => {
  let now = NOW;
  await using snapshot = await openSnapshot(path, { now: () => now });
  const urls = (site: string, ...names: string[]) =>
    names.map((name) => `https://${site}/${name}`).join("\n");
  const fetch = served({
    // interrupted before: its second sitemap is new
    "d.test/robots.txt": "Sitemap: https://d.test/sitemap.xml",
    "d.test/sitemap.xml": `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
      <sitemap><loc>https://d.test/1.txt</loc></sitemap>
      <sitemap><loc>https://d.test/2.txt</loc></sitemap></sitemapindex>`,
    "d.test/1.txt": urls("d.test", "1", "2"),
    "d.test/2.txt": urls("d.test", "3"),
    // a mass removal was refused before
    "e.test/robots.txt": "Sitemap: https://e.test/sitemap.xml",
    "e.test/sitemap.xml": urls("e.test", "p0", "p1", "p2", "p3", "p4"),
  });
  const run = async (site: string) => {
    const changes: string[] = [];
    for await (const event of sync(`https://${site}/`, { snapshot, fetch, ...OPTIONS })) {
      if ("page" in event) changes.push(`${event.type} ${new URL(event.page.url).pathname}`);
      if (event.type === "finished") changes.push(event.verdict);
    }
    return changes;
  };
  assertEquals(await run("d.test"), ["added /3", "complete"]);
  assertEquals(await run("e.test"), ["partial"]);
  now += 20 * DAY;
  assertEquals((await run("e.test")).length, 106, "accepted after 14 days");
  const sites = await Array.fromAsync(snapshot.sites());
  assertEquals(
    sites.map(({ homepage, lastRun }) => `${homepage} ${lastRun!.id} ${lastRun!.verdict}`),
    [
      "https://a.test/ 12 complete",
      "https://b.test/ 5 partial",
      "https://e.test/ 17 complete",
      "https://d.test/ 15 complete",
    ],
  );
});

testFile("a file that was brought up to date has the tables of a new one", async (path, folder) => {
  await (await openSnapshot(path)).close();
  const other = `${folder}/new.db`;
  await (await openSnapshot(other)).close();
  assertEquals(definitionsOf(path), definitionsOf(other));
});

for (const [count] of STEPS.entries()) {
  testFile(
    `a process that was stopped after ${count} steps is followed by another`,
    async (path) => {
      for (
        const [at, statements] of pendingSteps("sqlite", OLDEST_VERSION).slice(0, count).entries()
      ) {
        const version = OLDEST_VERSION + at + 1;
        execute(path, `BEGIN; ${statements}; PRAGMA user_version = ${version}; COMMIT`);
      }
      {
        await using snapshot = await openSnapshot(path, { readOnly: true });
        const pending = (await snapshot.migrations()).filter(({ applied }) =>
          applied === undefined
        );
        assertEquals(pending.map(({ name }) => name), NAMES.slice(count));
      }
      await using snapshot = await openSnapshot(path, { now: () => NOW });
      const { sitemaps: _, ...content } = await contentOf("snapshot");
      assertEquals(await readAll(snapshot), content);
    },
  );
}

const REFUSED: readonly (readonly [version: number, reason: string])[] = [
  [1, "schema version 1 is older than 3; move it away to start anew"],
  [2, "schema version 2 is older than 3; move it away to start anew"],
  [
    SCHEMA_VERSION + 1,
    `schema version ${SCHEMA_VERSION + 1} is newer than ${SCHEMA_VERSION}; update sitetree`,
  ],
];

for (const [version, reason] of REFUSED) {
  testFile(`a file of schema ${version} is refused in one line`, async (path) => {
    execute(path, `PRAGMA user_version = ${version}`);
    const before = await Deno.readFile(path);
    for (const readOnly of [false, true]) {
      const error = await assertRejects(() => openSnapshot(path, { readOnly }), Error);
      assertEquals(error.message, `Cannot open "${path}": ${reason}`);
    }
    assertEquals(await Deno.readFile(path), before);
  });
}
