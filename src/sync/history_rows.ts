/**
 * Sites and runs of a snapshot as rows of tables.
 *
 * @module
 */

import type { Column } from "../write/columns.ts";
import type { RowSpec } from "../write/rows.ts";
import type { RecordedRun, RecordedSite } from "./history.ts";

const ENDING: readonly Column<RecordedRun>[] = [
  ["verdict", ({ verdict }) => verdict],
  ["code", ({ code }) => code],
  ["finished", ({ finished }) => finished?.toISOString()],
  ["reason", ({ reason }) => reason],
];

export const SITE_ROWS: RowSpec<RecordedSite> = {
  columns: [
    ["site", ({ homepage }) => homepage],
    ["pages", ({ pages }) => pages, "count"],
    ...ENDING.map(([name, read]): Column<RecordedSite> => [
      name,
      ({ lastRun }) => lastRun && read(lastRun),
    ]),
  ],
};

export const RUN_ROWS: RowSpec<RecordedRun> = {
  columns: [
    ["run", ({ id }) => id, "number"],
    ["site", ({ site }) => site],
    ["after", ({ after }) => after, "number"],
    ["added", ({ added }) => added, "count"],
    ["changed", ({ changed }) => changed, "count"],
    ["removed", ({ removed }) => removed, "count"],
    ["unconfirmed", ({ unconfirmed }) => unconfirmed, "count"],
    ["started", ({ started }) => started.toISOString()],
    ...ENDING,
  ],
};
