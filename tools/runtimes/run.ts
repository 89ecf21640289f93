/**
 * Packs the library and checks the package on every supported runtime.
 *
 * @module
 */

import { parseArgs } from "node:util";
import { stop } from "./bundle.ts";
import { ROOT } from "../bench/bench_data.ts";
import { checkChromium } from "./chromium.ts";
import { LOCK, run } from "../command.ts";
import { install, type RuntimeName, SERVER_RUNTIMES } from "./install.ts";
import { Report } from "./report.ts";
import { checkServer } from "./servers.ts";
import { checkWorkerd } from "./workerd.ts";
import { packLibrary, Workspace } from "./workspace.ts";

const HELP = `Packs the library and checks the package on every supported runtime.

Usage: deno task test:runtimes [options]

  --only NAMES    check these: ${SERVER_RUNTIMES.join(",")},package,chromium,workerd
  --cases DIR     conformance cases (default: fixtures/conformance)
  --tarball FILE  check this package instead of packing one
  --keep          keep the temporary folder
  --help          print this text

Exits with 1 if a check failed or, with CI=true, if a runtime was skipped.
`;

/** Checks at a time: two cores are busy with three of them. */
const PARALLEL = 3;

const CASES = new URL("fixtures/conformance", ROOT).pathname;

type RuntimeCheck = (workspace: Workspace) => Promise<void>;

/** The checks by runtime, the longest first. */
const RUNTIMES: Readonly<Record<string, RuntimeCheck>> = {
  ...Object.fromEntries(
    SERVER_RUNTIMES.map((name): [string, RuntimeCheck] => [
      name,
      (workspace) => checkServer(name, workspace),
    ]),
  ),
  "package": checkContents,
  "chromium": checkChromium,
  "workerd": checkWorkerd,
};

/** Checks the package itself. */
async function checkContents({ report, tarball }: Workspace): Promise<void> {
  const sizes = await report.check(
    "package",
    "contents",
    () =>
      run([Deno.execPath(), "run", "--allow-all", LOCK, "tools/check_package.ts", tarball], {
        cwd: ROOT.pathname,
      }),
  );
  if (sizes !== undefined) console.log(sizes.trimEnd());
}

async function checkRuntimes(names: readonly string[], workspace: Workspace): Promise<void> {
  const waiting = names.values();
  await Promise.all(Array.from({ length: PARALLEL }, async () => {
    for (const name of waiting) {
      try {
        await RUNTIMES[name]!(workspace);
      } catch (error) {
        await workspace.report.check(name, "run", () => Promise.reject(error));
      }
    }
  }));
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      "only": { type: "string" },
      "cases": { type: "string", default: CASES },
      "tarball": { type: "string" },
      "keep": { type: "boolean", default: false },
      "help": { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const names = values.only?.split(",") ?? Object.keys(RUNTIMES);
  const unknown = names.find((name) => !(name in RUNTIMES));
  if (unknown !== undefined) {
    console.error(`Unknown runtime "${unknown}": expected ${Object.keys(RUNTIMES).join(", ")}`);
    return 2;
  }
  const { keep } = values;
  const cases = await Deno.realPath(values.cases);

  // downloads take time, but little of a core
  for (const name of names) if (name !== "package") void install(name as RuntimeName);

  const report = new Report();
  const tarball = values.tarball ?? await report.check("package", "pack", packLibrary);
  if (tarball !== undefined) {
    await using workspace = await report.check(
      "package",
      "install",
      () => Workspace.open({ tarball, cases, report, keep }),
    );
    if (workspace !== undefined) await checkRuntimes(names, workspace);
  }
  await stop();
  console.log(`\n${report.table()}\n`);
  const [passed, failed, skipped] = (["passed", "failed", "skipped"] as const)
    .map((outcome) => report.count(outcome));
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  const mayNotSkip = Deno.env.get("CI") === "true";
  return failed! > 0 || (mayNotSkip && skipped! > 0) ? 1 : 0;
}

if (import.meta.main) Deno.exit(await main());
