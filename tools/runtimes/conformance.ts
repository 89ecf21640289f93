/**
 * Runs the conformance cases against a build of the library, on any runtime with `node:` modules.
 *
 *     deno run -A tools/runtimes/conformance.ts [--module FILE] [--cases DIR] [--filter TEXT]
 *
 * The module defaults to the package as this script resolves it, the cases to those of
 * `fixtures/conformance/`, relative to the working directory. `--filter` keeps the cases with that
 * text in their name. Prints the first difference of each case that fails, then
 * `N passed, N failed`; exits with 1 if a case failed.
 *
 * @module
 */

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import {
  type ConformanceCase,
  type Library,
  runCase,
} from "../../tests/support/conformance_case.ts";

/** Reads the cases of a folder whose names contain a text. */
function readCases(folder: string, filter: string): ConformanceCase[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json") && name.includes(filter))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")));
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      module: { type: "string" },
      cases: { type: "string", default: "fixtures/conformance" },
      filter: { type: "string", default: "" },
    },
  });
  const cases = readCases(values.cases, values.filter);
  if (cases.length === 0) {
    throw new Error(`No case in "${values.cases}" has "${values.filter}" in its name`);
  }
  const specifier = values.module === undefined
    ? "@sitetree/sitetree"
    : pathToFileURL(resolve(values.module)).href;
  const library: Library = await import(specifier);
  let failed = 0;
  for (const test of cases) {
    const problem = await runCase(library, test);
    if (problem === undefined) continue;
    failed++;
    console.log(`FAIL ${test.name}: ${problem}`);
  }
  console.log(`${cases.length - failed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

await main();
