/**
 * What schema 3 has stored, and what its readers returned: a file, and a database with a fleet in the
 * middle of a round. A worker was killed there, and sites wait to be walked again.
 *
 * @module
 */

import type { Snapshot } from "../../src/sync/mod.ts";

const FOLDER = new URL("../../fixtures/schema-3/", import.meta.url);

export const SNAPSHOT_FILE: URL = new URL("snapshot.db", FOLDER);

export const FLEET_SQL: URL = new URL("fleet.sql", FOLDER);

/** Rows by reader, as JSON. */
export type StoredContent = Readonly<Record<string, unknown>>;

export async function contentOf(name: "snapshot" | "fleet"): Promise<StoredContent> {
  return JSON.parse(await Deno.readTextFile(new URL(`${name}.json`, FOLDER)));
}

/** Reads all that a snapshot holds, as {@linkcode contentOf} returns it. */
export async function readAll(snapshot: Snapshot): Promise<StoredContent> {
  const sites = await Array.fromAsync(snapshot.sites());
  const unread = await Array.fromAsync(snapshot.changes({ consumer: "indexer" }));
  return JSON.parse(JSON.stringify({
    sites,
    runs: await Array.fromAsync(snapshot.runs()),
    head: await snapshot.head(),
    pages: await Array.fromAsync(snapshot.pages()),
    changes: await Array.fromAsync(snapshot.changes()),
    unread: unread.map(({ sequence }) => sequence),
  }));
}

/** Returns a `fetch` for sites that have these files; a number is a status. */
export function served(
  files: Readonly<Record<string, string | number>>,
): (address: string) => Promise<Response> {
  return (address) => {
    const { hostname, pathname } = new URL(address);
    const body = files[hostname + pathname] ?? 404;
    return Promise.resolve(
      typeof body === "number" ? new Response(null, { status: body }) : new Response(body),
    );
  };
}
