/** Statements that are written for SQLite, as PostgreSQL gets them. @module */

import { assertEquals } from "@std/assert";
import { inDialect } from "../../src/sync/schema.ts";

const STATEMENTS: readonly (readonly [name: string, sqlite: string, postgres: string])[] = [
  [
    "tables after FROM and JOIN",
    "SELECT p.* FROM stored_page AS p JOIN stored_site AS s ON s.id = p.site",
    "SELECT p.* FROM sitetree.stored_page AS p JOIN sitetree.stored_site AS s ON s.id = p.site",
  ],
  [
    "tables that are written to",
    "DELETE FROM lost_listing; UPDATE setting SET value = 1; INSERT INTO consumer VALUES (1)",
    "DELETE FROM sitetree.lost_listing; UPDATE sitetree.setting SET value = 1; " +
    "INSERT INTO sitetree.consumer VALUES (1)",
  ],
  [
    "values",
    "SELECT ? FROM setting WHERE name = ?",
    "SELECT $1 FROM sitetree.setting WHERE name = $2",
  ],
  [
    "a question mark in a text",
    "SELECT '?', 'it''s ?', ? FROM setting",
    "SELECT '?', 'it''s ?', $1 FROM sitetree.setting",
  ],
  [
    "a question mark in a comment",
    "SELECT ? -- which?\nFROM setting WHERE name = ?",
    "SELECT $1 -- which?\nFROM sitetree.setting WHERE name = $2",
  ],
  [
    "the name of a table in a text",
    "SELECT ' FROM stored_page ' FROM stored_page",
    "SELECT ' FROM stored_page ' FROM sitetree.stored_page",
  ],
  [
    "the name of a table in a comment",
    "SELECT 1 -- FROM stored_page\nFROM stored_run",
    "SELECT 1 -- FROM stored_page\nFROM sitetree.stored_run",
  ],
  [
    "a common table expression that is named like a table",
    "WITH consumer AS (SELECT * FROM setting) SELECT * FROM consumer JOIN stored_run ON true",
    "WITH consumer AS (SELECT * FROM sitetree.setting) " +
    "SELECT * FROM consumer JOIN sitetree.stored_run ON true",
  ],
  ["a name that only begins like a table", "SELECT * FROM consumers", "SELECT * FROM consumers"],
  [
    "columns named like a table",
    "SELECT s.setting FROM run AS s",
    "SELECT s.setting FROM run AS s",
  ],
];

for (const [name, sqlite, postgres] of STATEMENTS) {
  Deno.test(`a statement is translated to PostgreSQL: ${name}`, () => {
    assertEquals(inDialect(sqlite), postgres);
  });
}
