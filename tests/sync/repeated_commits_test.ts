/**
 * Every transition of a site, with a database that rolls each commit back first, so that it is built
 * again: nothing that a commit has changed in memory may be left.
 *
 * @module
 */

import { SqliteStore } from "../../src/sync/sqlite_store.ts";
import { checkTransition } from "./transition.ts";
import { TRANSITIONS } from "./transitions.ts";

const ROLL_BACK = new Error("rolled back");

const { commit } = SqliteStore.prototype;

SqliteStore.prototype.commit = async function (build, options) {
  const rolledBack = commit.call(this, (batch) => {
    build(batch);
    throw ROLL_BACK;
  }, options);
  await rolledBack.catch((error) => {
    if (error !== ROLL_BACK) throw error;
  });
  await commit.call(this, build, options);
};

for (const [name, transition] of TRANSITIONS) {
  Deno.test(
    `sync() follows the site, each commit repeated: ${name}`,
    () => checkTransition(transition, () => Promise.resolve(":memory:")),
  );
}
