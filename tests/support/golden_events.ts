/**
 * Golden files of the format fixtures: `<name>.events.ndjson` has the events that `parseSitemap()`
 * yields for `<name>.*`, one per line. `message` and `reason`, whose wording may change, `durationMs`,
 * `endedAt`, and `discovery`, which is empty without a network, are left out. `deno task golden` rewrites them.
 *
 * @module
 */

import { parseSitemap } from "../../mod.ts";
import type { TreeEvent } from "../../src/data/events.ts";

export const FORMATS: URL = new URL("../../fixtures/formats/", import.meta.url);

const GOLDEN_EXTENSION = ".events.ndjson";

export interface Fixture {
  /** Path below {@linkcode FORMATS}. */
  readonly path: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly options: NonNullable<Parameters<typeof parseSitemap>[1]>;
  readonly golden: URL;
}

export function readFixtures(): Fixture[] {
  const optionsByPath = JSON.parse(Deno.readTextFileSync(new URL("options.json", FORMATS)));
  const paths = [...Deno.readDirSync(FORMATS)].filter(({ isDirectory }) => isDirectory)
    .flatMap(({ name: format }) =>
      [...Deno.readDirSync(new URL(`${format}/`, FORMATS))].map(({ name }) => `${format}/${name}`)
    );
  return paths.filter((path) => !path.endsWith(GOLDEN_EXTENSION)).sort().map((path) => ({
    path,
    bytes: Deno.readFileSync(new URL(path, FORMATS)),
    options: { url: defaultUrl(path), ...optionsByPath[path] },
    golden: new URL(path.slice(0, path.indexOf(".")) + GOLDEN_EXTENSION, FORMATS),
  }));
}

function defaultUrl(path: string): string {
  return path.startsWith("robots/")
    ? "https://site.test/robots.txt"
    : "https://site.test/dir/sitemap.xml";
}

const LEFT_OUT: ReadonlySet<string> = new Set([
  "message",
  "reason",
  "durationMs",
  "endedAt",
  "discovery",
]);

/** Returns events as golden files have them. */
export async function eventLines(events: AsyncIterable<TreeEvent>): Promise<string> {
  let lines = "";
  for await (const event of events) {
    lines += JSON.stringify(event, (key, value) => LEFT_OUT.has(key) ? undefined : value) + "\n";
  }
  return lines;
}

if (import.meta.main) {
  for (const { bytes, options, golden } of readFixtures()) {
    await Deno.writeTextFile(golden, await eventLines(parseSitemap(bytes, options)));
  }
}
