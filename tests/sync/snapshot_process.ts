/**
 * Uses the file of a snapshot in a process of its own, on any runtime. Arguments: what to do, and the
 * path. Prints the homepages in the snapshot, or why it cannot be opened, as JSON.
 *
 * - `write`, `read`: opens it for that, and ends
 * - `hold`: opens it for writing, inserts a homepage, begins a transaction with another one, prints,
 *   and ends with its input
 * - `write-as-guest`, `read-as-guest`: opens it as a user without rights
 *
 * @module
 */

import process from "node:process";
import { openSnapshotFile } from "../../src/sync/snapshot_file.ts";

const [action = "", path = ""] = process.argv.slice(2);

/** User and group without rights on most systems. */
const GUEST = 65534;

function open(): void {
  const file = openSnapshotFile(path, action.startsWith("read"));
  if (action === "hold") {
    const insert = (homepage: string) => `
      INSERT INTO stored_site (homepage, pages, base, accepted, last, unconfirmed, absent, is_unsettled,
        is_forgotten, fence)
      VALUES ('${homepage}', 0, 0, 0, 0, 0, 0, 0, 0, 0);`;
    file.database.exec(`${insert("committed")} BEGIN IMMEDIATE; ${insert("pending")}`);
  }
  const rows = file.database.prepare("SELECT homepage FROM stored_site ORDER BY id").all();
  console.log(JSON.stringify(rows.map(({ homepage }) => homepage)));
  if (action !== "hold") return file[Symbol.dispose]();
  process.stdin.resume().on("end", () => file[Symbol.dispose]());
}

if (action.endsWith("-as-guest") && process.getuid?.() === 0) {
  process.setgid!(GUEST);
  process.setuid!(GUEST);
}
try {
  open();
} catch (error) {
  console.log(JSON.stringify((error as Error).message));
}
