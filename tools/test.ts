/**
 * Runs the tests in two lanes, which together are all of them:
 *
 *     deno task test        the fast lane: what needs little time and no program but Deno
 *     deno task test:slow   the slow lane: what is listed here
 *     deno task test:all    both
 *
 * Other arguments are passed to `deno test`.
 *
 * @module
 */

import { LOCK } from "./command.ts";

export type Lane = "fast" | "slow";

/** Why a file is in the slow lane: a program that Deno does not bring along, or the time it takes. */
type Reason =
  | "time"
  | "PostgreSQL"
  | "PgBouncer"
  | "Chromium"
  | "xmllint"
  | "shells and groff"
  | "curl and jq"
  | "npm packages";

/** Files of the slow lane, with the CPU seconds that each takes, and why it is there. */
export const SLOW_FILES: Readonly<Record<string, readonly [seconds: number, Reason]>> = {
  "tests/bench/shapes_test.ts": [5, "time"],
  "tests/bytes/gunzip_test.ts": [5, "time"],
  "tests/check/estimates_test.ts": [7, "time"],
  "tests/cli/fleet_operating_test.ts": [11, "PostgreSQL"],
  "tests/cli/fleet_test.ts": [16, "PostgreSQL"],
  "tests/cli/interruption_test.ts": [15, "time"],
  "tests/cli/options_test.ts": [10, "time"],
  "tests/cli/processes_test.ts": [10, "time"],
  "tests/cli/shells_test.ts": [4, "shells and groff"],
  "tests/cli/sync_kill_test.ts": [23, "time"],
  "tests/cli/sync_processes_test.ts": [10, "time"],
  "tests/cli/terminal_test.ts": [10, "time"],
  "tests/docs/blocks_test.ts": [40, "time"],
  "tests/docs/examples_test.ts": [7, "npm packages"],
  "tests/docs/fleet_roles_test.ts": [8, "PostgreSQL"],
  "tests/docs/fleet_test.ts": [6, "PostgreSQL"],
  "tests/docs/operating_test.ts": [12, "npm packages"],
  "tests/docs/recipe_programs_test.ts": [7, "npm packages"],
  "tests/docs/recipes_test.ts": [8, "curl and jq"],
  "tests/faults/fault_table_test.ts": [12, "time"],
  "tests/faults/gzip_cut_test.ts": [5, "time"],
  "tests/faults/verdicts_test.ts": [5, "time"],
  "tests/fleet/claims_test.ts": [3, "PostgreSQL"],
  "tests/fleet/connections_test.ts": [16, "PgBouncer"],
  "tests/fleet/crashes_test.ts": [3, "PostgreSQL"],
  "tests/fleet/leases_test.ts": [18, "PostgreSQL"],
  "tests/fleet/messages_test.ts": [3, "PostgreSQL"],
  "tests/fleet/migrations_test.ts": [10, "PostgreSQL"],
  "tests/fleet/opening_test.ts": [6, "PostgreSQL"],
  "tests/fleet/pace_test.ts": [15, "PostgreSQL"],
  "tests/fleet/plans_test.ts": [15, "PostgreSQL"],
  "tests/fleet/reports_test.ts": [8, "PostgreSQL"],
  "tests/fleet/rounds_test.ts": [21, "PostgreSQL"],
  "tests/fleet/shutdown_test.ts": [3, "PostgreSQL"],
  "tests/fleet/stopped_worker_test.ts": [10, "PostgreSQL"],
  "tests/fleet/suspects_test.ts": [6, "PostgreSQL"],
  "tests/fleet/verdicts_test.ts": [15, "PostgreSQL"],
  "tests/linearity/documents_test.ts": [53, "time"],
  "tests/linearity/expressions_test.ts": [35, "npm packages"],
  "tests/linearity/readers_test.ts": [70, "time"],
  "tests/formats/retention_test.ts": [11, "time"],
  "tests/formats/saxes_reader_test.ts": [7, "time"],
  "tests/formats/steps_test.ts": [8, "time"],
  "tests/formats/xml_document_test.ts": [32, "time"],
  "tests/fuzz/fuzz_test.ts": [16, "time"],
  "tests/fuzz/w3c_suite_test.ts": [4, "npm packages"],
  "tests/platform/proxies_test.ts": [5, "time"],
  "tests/report/aggregate_sums_test.ts": [5, "time"],
  "tests/report/page_test.ts": [30, "Chromium"],
  "tests/report/render_test.ts": [6, "time"],
  "tests/sync/crash_test.ts": [137, "PostgreSQL"],
  "tests/sync/large_test.ts": [14, "time"],
  "tests/sync/model_transitions_test.ts": [8, "time"],
  "tests/sync/numbers_test.ts": [9, "PostgreSQL"],
  "tests/sync/repeated_commits_test.ts": [24, "time"],
  "tests/walk/rate_limits_test.ts": [7, "time"],
  "tests/walk/stopping_test.ts": [26, "time"],
  "tests/write/schema_test.ts": [10, "xmllint"],
  "tests/xml/saxes_test.ts": [9, "time"],
};

/**
 * Files that are in both lanes: their tests in SQLite in the fast one, in PostgreSQL in the slow one,
 * with the CPU seconds that these take.
 */
export const STORE_FILES: Readonly<Record<string, number>> = {
  "tests/sync/fields_test.ts": 7,
  "tests/sync/model_test.ts": 27,
  "tests/sync/odd_pages_test.ts": 3,
  "tests/sync/options_test.ts": 4,
  "tests/sync/quiet_runs_test.ts": 6,
  "tests/sync/readers_test.ts": 5,
  "tests/sync/interruption_test.ts": 6,
  "tests/sync/transitions_test.ts": 50,
};

/** Files of a folder that are a module together, at most. */
const MAX_GROUP = 12;

/** Files with examples in doc comments, which run in the fast lane. */
const DOCUMENTED = ["--doc", "mod.ts", "src"];

const ROOT = new URL("../", import.meta.url);

/** Returns all files with tests, below a folder of the repository. */
export function testFiles(folder = "tests"): string[] {
  const paths = [...Deno.readDirSync(new URL(`${folder}/`, ROOT))].flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) return testFiles(path);
    return entry.name.endsWith("_test.ts") ? [path] : [];
  });
  return paths.sort();
}

/** Returns the files of a lane, those first that take longest. */
export function filesOf(lane: Lane): string[] {
  if (lane === "fast") return testFiles().filter((path) => SLOW_FILES[path] === undefined);
  const seconds = new Map([
    ...Object.entries(SLOW_FILES).map(([path, [cpu]]) => [path, cpu] as const),
    ...Object.entries(STORE_FILES),
  ]);
  return [...seconds.keys()].sort((a, b) => seconds.get(b)! - seconds.get(a)!);
}

/**
 * Returns files of the fast lane in groups of a folder, larger ones first. The files of a group are one
 * module for Deno: the library is loaded once for them, which takes a fifth less time in all.
 */
export function groupsOf(files: readonly string[]): [name: string, files: readonly string[]][] {
  const folders = [...Map.groupBy(files, (path) => path.split("/").slice(1, -1).join("_"))];
  const groups = folders.flatMap(([folder, all]) => {
    const count = Math.ceil(all.length / MAX_GROUP);
    return Array.from({ length: count }, (_, group): [string, readonly string[]] => [
      `${folder || "project"}_${group + 1}`,
      all.filter((_, at) => at % count === group),
    ]);
  });
  return groups.sort(([, one], [, other]) => other.length - one.length);
}

/** Writes modules for groups of files to a folder. Returns their paths. */
function writeGroups(folder: string, files: readonly string[]): string[] {
  return groupsOf(files).map(([name, group]) => {
    const path = `${folder}/${name}_test.ts`;
    const imports = group.map((file) => `import "${new URL(file, ROOT)}";\n`);
    Deno.writeTextFileSync(path, imports.join(""));
    return path;
  });
}

/** Returns the arguments of `deno` that run a lane, or all tests, with modules of groups in a folder. */
function argumentsFor(lane: Lane | "all", folder: string, more: readonly string[]): string[] {
  // heavy files are modules of their own, and share nothing
  const heavy = lane === "fast" ? [] : filesOf("slow");
  const light = lane === "slow" ? [] : filesOf("fast").filter((path) => !heavy.includes(path));
  return [
    ...["test", "--no-check", "--parallel", "--frozen", "--allow-all"],
    ...[`--config=${new URL("deno.json", ROOT).pathname}`, ...(lane === "fast" ? [] : [LOCK])],
    ...["--sanitize-ops", "--sanitize-resources", ...more],
    ...(lane === "slow" ? [] : DOCUMENTED),
    ...heavy,
    ...writeGroups(folder, light),
  ];
}

async function main([lane, ...more]: readonly string[]): Promise<number> {
  if (lane !== "fast" && lane !== "slow" && lane !== "all") {
    console.error("Usage: deno run -A tools/test.ts fast|slow|all [OPTION]...");
    return 2;
  }
  // many tests wait for processes and timers
  const jobs = `${2 * navigator.hardwareConcurrency}`;
  const folder = await Deno.makeTempDir({ prefix: "sitetree-tests-" });
  try {
    const { code } = await new Deno.Command(Deno.execPath(), {
      args: argumentsFor(lane, folder, more),
      cwd: ROOT,
      env: {
        DENO_JOBS: Deno.env.get("DENO_JOBS") ?? jobs,
        ...(lane === "all" ? {} : { SITETREE_LANE: lane }),
      },
    }).spawn().status;
    return code;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args));
