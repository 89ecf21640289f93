import { assert, assertEquals, assertThrows } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import type { TreeEvent } from "../../src/data/events.ts";
import {
  readChanges,
  readRuns,
  readSites,
  type RecordedChange,
  snapshotEvents,
} from "../../src/sync/history.ts";
import { MIGRATIONS, PAGE_INDEXES } from "../../src/sync/schema.ts";

const SITE = "https://a.test/";

/** Returns a snapshot that statements were run on. */
function snapshotWith(...statements: string[]): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  for (const statement of [...MIGRATIONS, ...PAGE_INDEXES, ...statements]) database.exec(statement);
  return database;
}

/** A site with two finished runs and one in progress, and a second site without runs. */
const HISTORY = `
INSERT INTO site VALUES (1, '${SITE}', 2), (2, 'https://b.test/', 0);
INSERT INTO run (id, site, started, finished, verdict, known, added, removed) VALUES
  (1, 1, '2024-05-01T00:00:00.000Z', '2024-05-01T00:00:09.000Z', 'complete', 0, 2, 0),
  (2, 1, '2024-05-02T00:00:00.000Z', '2024-05-02T00:00:09.000Z', 'partial', 2, 1, 1),
  (3, 1, '2024-05-03T00:00:00.000Z', NULL, NULL, 2, 0, 0);
INSERT INTO sitemap
  (id, site, url, final_url, type, level, place, position, run, state, pages, bytes)
  VALUES (1, 1, '${SITE}s.xml', '${SITE}final.xml', 'PagesXmlSitemap', 0, 0, 1, 2, 'read', 2, 123);
INSERT INTO page VALUES
  (2, 1, 1, '${SITE}b', '2024-05', 0.5, 'daily', '{"images":[{"loc":"${SITE}b.png"}]}', 1, 2, NULL),
  (3, 1, 1, '${SITE}c', NULL, NULL, NULL, NULL, 2, 2, NULL);
INSERT INTO change VALUES
  (1, 1, 'added', '${SITE}a', 1, '{"url":"${SITE}a","lastModified":"2024"}', NULL),
  (1, 2, 'added', '${SITE}b', 1, '{"url":"${SITE}b","priority":0.1}', NULL),
  (2, 1, 'removed', '${SITE}a', 1, NULL, '{"url":"${SITE}a","lastModified":"2024"}'),
  (2, 2, 'changed', '${SITE}b', 1, NULL, '{"url":"${SITE}b","priority":0.1}'),
  (2, 3, 'added', '${SITE}c', 1, NULL, NULL),
  (3, 2, 'changed', '${SITE}b', 1, NULL, NULL);
`;

function shown({ run, type, page, previous }: RecordedChange): string {
  const before = previous === undefined ? "" : ` was ${JSON.stringify(previous)}`;
  return `${run} ${type} ${JSON.stringify(page)}${before}`.replaceAll(SITE, "/");
}

const [ADDED_A, ADDED_B, REMOVED_A, CHANGED_B, ADDED_C] = [
  '1 added {"url":"/a","lastModified":"2024"}',
  '1 added {"url":"/b","priority":0.1}',
  '2 removed {"url":"/a","lastModified":"2024"}',
  '2 changed {"url":"/b","lastModified":"2024-05","changeFrequency":"daily","priority":0.5,' +
  '"images":[{"loc":"/b.png"}]} was {"url":"/b","priority":0.1}',
  '2 added {"url":"/c"}',
] as const;

Deno.test("readSites() returns each site with its pages and its last run", () => {
  using database = snapshotWith(HISTORY);
  const sites = readSites(database);
  assertEquals(sites.map(({ homepage, pages, lastRun }) => [homepage, pages, lastRun?.id]), [
    [SITE, 2, 3],
    ["https://b.test/", 0, undefined],
  ]);
});

Deno.test("readRuns() returns runs with their figures, an interrupted one without its end", () => {
  using database = snapshotWith(HISTORY);
  const [, second, third] = readRuns(database, new URL(SITE));
  assertEquals(second, {
    id: 2,
    site: SITE,
    started: new Date("2024-05-02"),
    finished: new Date("2024-05-02T00:00:09Z"),
    verdict: "partial",
    added: 1,
    changed: 0,
    removed: 1,
    unchanged: 0,
    unconfirmed: 0,
    notModified: 0,
    bytesSaved: 0,
  });
  assertEquals([third?.finished, third?.verdict], [undefined, undefined]);
  assertEquals(readRuns(database, "https://b.test/"), []);
  assertEquals(readRuns(database).length, 3);
  assertThrows(() => readRuns(database, "https://c.test/"), RangeError, "Unknown site");
});

Deno.test("readChanges() yields changes by run, with the values of the page at that time", () => {
  using database = snapshotWith(HISTORY);
  const changes = [...readChanges(database)];
  assertEquals(changes.map(shown), [ADDED_A, ADDED_B, REMOVED_A, CHANGED_B, ADDED_C]);
  assertEquals([changes[0]?.site, changes[0]?.sitemap], [SITE, `${SITE}final.xml`]);
});

Deno.test("readChanges() begins after a run, or with the runs since a date", () => {
  using database = snapshotWith(HISTORY);
  const second = [REMOVED_A, CHANGED_B, ADDED_C];
  assertEquals([...readChanges(database, { since: 1 })].map(shown), second);
  assertEquals([...readChanges(database, { since: new Date("2024-05-02") })].map(shown), second);
  assertEquals([...readChanges(database, { since: 2, site: SITE })], []);
  assertEquals([...readChanges(database, { site: "https://b.test/" })], []);
});

Deno.test("readChanges() has the changes of an interrupted run once there is a later one", () => {
  using database = snapshotWith(
    HISTORY,
    "INSERT INTO run (id, site, started, known) VALUES (4, 1, '2024-05-04T00:00:00.000Z', 2)",
  );
  assertEquals([...readChanges(database, { since: 2 })].map(({ run }) => run), [3]);
});

Deno.test("readChanges() reads more changes than a chunk holds", () => {
  using database = snapshotWith(
    HISTORY,
    `WITH n (id) AS (SELECT 10 UNION ALL SELECT id + 1 FROM n WHERE id < 2509)
     INSERT INTO change SELECT 2, id, 'added', '${SITE}' || id, 1, '{}', NULL FROM n`,
  );
  assertEquals([...readChanges(database, { since: 1 })].length, 2503);
});

/** A tree with every state: index 2 above 3 to 6, of which 6 is gone with 7 below it, and 9. */
const TREE = `
INSERT INTO site VALUES (1, '${SITE}', 4), (2, 'https://b.test/', 0);
INSERT INTO run (id, site, started, finished, verdict, known) VALUES
  (1, 1, '2024-05-01T00:00:00.000Z', '2024-05-01T00:00:09.000Z', 'complete', 0),
  (2, 1, '2024-05-02T00:00:00.000Z', NULL, NULL, 0);
INSERT INTO sitemap
  (id, site, url, final_url, type, parent, level, place, position, lastmod, run, state, code, reason,
   pages)
  VALUES
  (8, 1, '${SITE}k', '${SITE}k', 'PagesTextSitemap', NULL, 0, 1, 8, NULL, 1, 'missing', NULL, NULL, 1),
  (2, 1, '${SITE}i', '${SITE}i', 'IndexXmlSitemap', NULL, 0, 0, 2, NULL, 1, 'unchanged', NULL, NULL, 0),
  (3, 1, '${SITE}s', '${SITE}t', 'PagesXmlSitemap', 2, 1, 0, 3, '2024-05-01', 1, 'read', NULL, NULL, 1),
  (4, 1, '${SITE}x', '${SITE}x', 'InvalidSitemap', 2, 1, 1, 4, NULL, 1, 'failed', 'timeout', 'late', 0),
  (5, 1, '${SITE}u', '${SITE}u', 'PagesXmlSitemap', 2, 1, 2, 5, NULL, 1, 'truncated', NULL, NULL, 2),
  (6, 1, '${SITE}g', '${SITE}g', 'IndexXmlSitemap', 2, 1, 3, 6, NULL, 1, 'gone', NULL, NULL, 0),
  (7, 1, '${SITE}h', '${SITE}h', 'PagesXmlSitemap', 6, 2, 0, 7, NULL, 1, 'failed', 'network', '', 1),
  (9, 1, '${SITE}y', '${SITE}y', 'PagesXmlSitemap', 2, 1, 4, 9, NULL, 1, 'gone', 'empty', 'none', 0);
INSERT INTO child VALUES (2, 4, '${SITE}y', NULL);
INSERT INTO page VALUES
  (1, 1, 3, '${SITE}1', '2024-05-01', 1, NULL, NULL, 1, 1, NULL),
  (2, 1, 5, '${SITE}2', NULL, NULL, NULL, NULL, 1, 1, NULL),
  (3, 1, 7, '${SITE}3', NULL, NULL, NULL, NULL, 1, 1, NULL),
  (4, 1, 8, '${SITE}4', NULL, NULL, NULL, NULL, 1, 1, NULL);
INSERT INTO listing VALUES (5, 1, '2024', NULL, NULL, NULL);
`;

function line(event: TreeEvent): string {
  if (event.type === "finished") {
    const { sitemaps, pages, invalid } = event.stats;
    return `${event.verdict} ${sitemaps} ${pages} ${invalid}`;
  }
  const { id, url, requestedUrl, level, parent, index } = event.sitemap;
  switch (event.type) {
    case "sitemap-entered":
      return `${parent}/${id} ${level} [${index}] ${requestedUrl ?? ""} ${url}`;
    case "page":
      return `${id}: ${JSON.stringify(event.page)}`;
    case "invalid":
      return `${parent}/${id} ${level} [${index}] ${event.code}: ${event.reason}`;
    case "sitemap-left":
      return `${id} end ${event.pages} ${event.complete}`;
    case "warning":
      return event.message;
  }
}

Deno.test("snapshotEvents() yields a site as the events of a walk", async () => {
  using database = snapshotWith(TREE);
  const events = await Array.fromAsync(snapshotEvents(database, SITE));
  assertEquals(events.map(line).map((text) => text.replaceAll(SITE, "/")), [
    "null/0 -1 [0]  /",
    "0/2 0 [0]  /i",
    "2/3 1 [0] /s /t",
    '3: {"url":"/1","lastModified":"2024-05-01","priority":1}',
    "3 end 1 true",
    "2/4 1 [1] timeout: late",
    "2/5 1 [2]  /u",
    '5: {"url":"/1","lastModified":"2024"}',
    '5: {"url":"/2"}',
    "5 end 2 false",
    "2/9 1 [4] empty: none",
    "2 end 0 true",
    "0/7 0 [0]  /h",
    '7: {"url":"/3"}',
    "7 end 1 false",
    "0/8 0 [1]  /k",
    '8: {"url":"/4"}',
    "8 end 1 false",
    "0 end 0 true",
    "complete 5 5 2",
  ]);
  const other = await Array.fromAsync(snapshotEvents(database, "https://b.test/"));
  assertEquals(other.map(({ type }) => type), ["sitemap-entered", "sitemap-left", "finished"]);
  assertEquals(other.at(-1)?.type === "finished" && other.at(-1), {
    ...other.at(-1),
    verdict: "partial",
  });
});

Deno.test("snapshotEvents() reads many pages in batches, and is closed by leaving it", async () => {
  using database = snapshotWith(
    TREE,
    `WITH n (id) AS (SELECT 10 UNION ALL SELECT id + 1 FROM n WHERE id < 5009)
     INSERT INTO page SELECT id, 1, 3, '${SITE}' || id, NULL, NULL, NULL, NULL, 1, 1, NULL FROM n`,
  );
  let pages = 0;
  for await (const batch of snapshotEvents(database, SITE).batches()) {
    assert(batch.length > 0 && batch.length <= 1000);
    pages += batch.filter(({ type }) => type === "page").length;
    // a writer is not blocked, and is seen by the next chunk
    if (pages < 1000) database.exec("DELETE FROM page WHERE id > 4009");
  }
  assertEquals(pages, 4005);
  for await (const _ of snapshotEvents(database, SITE)) break;
});

Deno.test("a chunk of changes or pages is read from an index, without sorting", async () => {
  using database = snapshotWith(HISTORY);
  const chunks = new Set<string>();
  const observed = {
    prepare(sql: string) {
      if (/LIMIT 1000$/.test(sql)) chunks.add(sql);
      return database.prepare(sql);
    },
  };
  assertEquals([...readChanges(observed)].length, 5);
  await Array.fromAsync(snapshotEvents(observed, SITE));
  assertEquals(chunks.size, 2);
  for (const sql of chunks) {
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(
      ...[1, 0, 1, 0].slice(0, sql.split("?").length - 1),
    );
    const details = plan.map(({ detail }) => detail).join("\n");
    assert(!/TEMP B-TREE|SCAN/.test(details), details);
  }
});
