/**
 * Replaces the files that it is started with as a user without privileges. Prints, for each of them, the
 * error or nothing.
 *
 * @module
 */

import process from "node:process";
import { openFile } from "./open_file.ts";

/** Number of a user, and of a group, without privileges. */
export const USER = 65534;

if (import.meta.main) {
  process.setgid!(USER);
  process.setuid!(USER);
  for (const path of Deno.args) {
    try {
      const output = await openFile(path);
      await output.write(new TextEncoder().encode("new"));
      await output.commit();
      console.log("");
    } catch (error) {
      console.log((error as Error).message);
    }
  }
}
