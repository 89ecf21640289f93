/**
 * Prints the line coverage of `src/` from an lcov report and fails below the floor. A file with
 * code that no test ever loaded counts as not covered at all.
 *
 *     deno run --allow-read tools/coverage.ts coverage/lcov.info
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { type FileCoverage, hasCode, percentage, ranges, readLcov } from "../tests/support/lcov.ts";

/** Percentage of the lines of `src/` that tests must run. */
const FLOOR = 95;

const SRC = fileURLToPath(new URL("../src/", import.meta.url));

/** What runs in browsers, bundled and as it is. */
const EXCLUDED = [`${SRC}report/page/`, `${SRC}report/page.gen.ts`];

function sourcesBelow(folder: string): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => {
    const path = `${folder}${name}${isDirectory ? "/" : ""}`;
    if (EXCLUDED.includes(path)) return [];
    if (isDirectory) return sourcesBelow(path);
    return name.endsWith(".ts") ? [path] : [];
  });
}

/** A file missing from the report: every line counts as missed. */
function neverLoaded(path: string): FileCoverage[] {
  const source = Deno.readTextFileSync(path);
  if (!hasCode(source)) return [];
  const lines = source.split("\n").length;
  return [{ path, lines, covered: 0, missed: Array.from({ length: lines }, (_, i) => i + 1) }];
}

const [report] = Deno.args;
if (report === undefined) throw new TypeError("Cannot read a coverage report: no path given");
const reported = new Map(readLcov(Deno.readTextFileSync(report)).map((file) => [file.path, file]));
const files = sourcesBelow(SRC).sort().flatMap((path) => {
  const file = reported.get(path);
  return file === undefined ? neverLoaded(path) : [file];
});

for (const file of files) {
  const share = percentage([file]).toFixed(1).padStart(5);
  const missed = file.missed.length === 0 ? "" : `  missed: ${ranges(file.missed)}`;
  console.log(`${share} %  src/${file.path.slice(SRC.length)}${missed}`);
}
const total = percentage(files);
console.log(`\nLine coverage of src/: ${total.toFixed(2)} % (at least ${FLOOR} %)`);
if (total < FLOOR) Deno.exit(1);
