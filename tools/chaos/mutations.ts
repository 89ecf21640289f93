/**
 * Faults in the protections of a fleet, each of which a test or the chaos test must find. They are made
 * in a copy of the source.
 *
 * @module
 */

import { type Action, ACTIONS } from "./rounds.ts";

/** A fault: a text of a file, which occurs once, and its replacement. */
export interface Mutation {
  readonly name: string;
  readonly file: string;
  readonly search: string;
  readonly replacement: string;
  /** Tests that may notice it. */
  readonly tests: readonly string[];
  /** Disturbances against which the protection is, if chaos notices it. */
  readonly actions?: readonly Action[];
}

/** Disturbances after which workers go on with what others have taken over. */
const STOPS: readonly Action[] = ["stall", "stop", "stop and crash", "crash and stop", "terminate"];
/** Disturbances of connections. */
const DISCONNECTIONS: readonly Action[] = ["disconnect", "cut", "restart"];
/** Disturbances that leave workers and database alone. */
const PAUSES: readonly Action[] = ["pause"];

/** The protections of a fleet, each taken away. */
export const MUTATIONS: readonly Mutation[] = [
  {
    name: "fence not checked in a batch",
    file: "src/sync/postgres_store.ts",
    search: "this.server.exchange([...hold, ",
    replacement: "this.server.exchange([",
    tests: ["tests/fleet/leases_test.ts"],
    actions: STOPS,
  },
  {
    name: "fence not checked at the end",
    file: "src/sync/postgres_store.ts",
    search: "this.server.queryAll(...hold, ",
    replacement: "this.server.queryAll(",
    tests: ["tests/fleet/leases_test.ts"],
    actions: STOPS,
  },
  {
    name: "no lease",
    file: "src/fleet/schema.ts",
    search: "  RETURN false;\n",
    replacement: "  RETURN true;\n",
    tests: ["tests/fleet/leases_test.ts"],
    actions: ACTIONS,
  },
  {
    name: "lease released before the end",
    file: "src/fleet/visit.ts",
    search: "    if (finished !== undefined) {\n      this.#setWaiting",
    replacement:
      '    batch.run("DELETE FROM sitetree.lease WHERE site = ? AND fence = ?", site.id, site.fence);\n    if (finished !== undefined) {\n      this.#setWaiting',
    tests: ["tests/fleet/leases_test.ts"],
    actions: ACTIONS,
  },
  {
    name: "second host not leased",
    file: "src/fleet/host_pace.ts",
    search: "    if (hostname !== this.#claim.host) {",
    replacement: '    if (hostname === "") {',
    tests: ["tests/fleet/pace_test.ts"],
    actions: ACTIONS,
  },
  {
    name: "local deadline ignored",
    file: "src/fleet/visit.ts",
    search: "return SYSTEM_CLOCK.elapsed() > this.#deadline.elapsed ||",
    replacement: "return SYSTEM_CLOCK.elapsed() === this.#deadline.elapsed &&",
    tests: ["tests/fleet/leases_test.ts", "tests/fleet/stopped_worker_test.ts"],
    actions: STOPS,
  },
  {
    name: "lost lease goes on",
    file: "src/fleet/worker.ts",
    search: "      if (isKept) visit.extend(start);\n",
    replacement: "      if (isKept || start !== undefined) visit.extend(start);\n",
    tests: ["tests/fleet/leases_test.ts"],
    actions: STOPS,
  },
  {
    name: "lost sites not returned",
    file: "src/fleet/schema.ts",
    search: "    IF lost.is_own THEN",
    replacement: "    IF false THEN",
    tests: ["tests/fleet/leases_test.ts"],
    actions: ACTIONS,
  },
  {
    name: "claimed site stays in the queue",
    file: "src/fleet/schema.ts",
    search: "SET due = 'infinity' WHERE",
    replacement: "SET due = f.due WHERE",
    tests: ["tests/fleet/leases_test.ts"],
    actions: ACTIONS,
  },
  {
    name: "ended lease taken over",
    file: "src/fleet/schema.ts",
    search: "  -- a lease that has ended stays",
    replacement:
      "  DELETE FROM sitetree.lease t WHERE t.host = name AND t.until <= clock_timestamp();\n  -- a lease that has ended stays",
    tests: ["tests/fleet/leases_test.ts"],
    actions: ACTIONS,
  },
  {
    name: "crashes not counted",
    file: "src/fleet/schema.ts",
    search: "SET crashes = crashes + 1, due",
    replacement: "SET due",
    tests: ["tests/fleet/suspects_test.ts"],
    actions: ACTIONS,
  },
  {
    name: "crashes not reset by progress",
    file: "src/fleet/visit.ts",
    search: "SET crashes = 0 WHERE",
    replacement: "SET crashes = crashes WHERE",
    tests: ["tests/fleet/suspects_test.ts"],
  },
  {
    name: "give-up limit ignored",
    file: "src/fleet/schema.ts",
    search: "IF f.crashes >= ${MAX_CRASHES} THEN",
    replacement: "IF false THEN",
    tests: ["tests/fleet/suspects_test.ts"],
    actions: ACTIONS,
  },
  {
    name: "suspect not isolated",
    file: "src/fleet/schema.ts",
    search: " AND may_be_suspect\n",
    replacement: "\n",
    tests: ["tests/fleet/suspects_test.ts"],
  },
  {
    name: "newer tables not noticed",
    file: "src/fleet/worker.ts",
    search: "    await readSettings(server);\n",
    replacement: "",
    tests: ["tests/fleet/opening_test.ts"],
  },
  {
    name: "tables created by several at once",
    file: "src/sync/postgres_store.ts",
    search: "select pg_advisory_xact_lock($1)",
    replacement: "select $1::int",
    tests: ["tests/fleet/opening_test.ts"],
  },
  {
    name: "sites of other runs walked",
    file: "src/fleet/worker.ts",
    search: "run === undefined || name === run",
    replacement: "run === undefined || name !== undefined",
    tests: ["tests/fleet/rounds_test.ts"],
  },
  {
    name: "completion unchecked",
    file: "src/fleet/schema.ts",
    search: "  IF f.site IS NULL OR f.round >= current THEN RETURN; END IF;\n",
    replacement: "",
    tests: ["tests/fleet/rounds_test.ts"],
    actions: ACTIONS,
  },
  {
    name: "pause of a host not read again",
    file: "src/fleet/schema.ts",
    search: "    delay := sitetree.host_delay(f.host);\n    UPDATE",
    replacement: "    UPDATE",
    tests: ["tests/fleet/claims_test.ts"],
  },
  {
    name: "no error listener",
    file: "src/sync/postgres.ts",
    search: 'this.#pool.on("connect", (client) => void client.on("error", () => {}));',
    replacement: "",
    tests: ["tests/fleet/connections_test.ts"],
    actions: DISCONNECTIONS,
  },
  {
    name: "idle transactions not ended",
    file: "src/sync/postgres.ts",
    search: "idle_in_transaction_session_timeout: IDLE_TIMEOUT,",
    replacement: "idle_in_transaction_session_timeout: 0,",
    tests: ["tests/sync/numbers_test.ts"],
  },
  {
    name: "wait not shared",
    file: "src/fleet/host_pace.ts",
    search: "    if (wait === 0 && this.#options.perHost === 1) return;\n",
    replacement: "    if (wait >= 0) return;\n",
    tests: ["tests/fleet/pace_test.ts"],
    actions: PAUSES,
  },
  {
    name: "Retry-After not shared",
    file: "src/fleet/host_pace.ts",
    search: "    this.#delay(hostname, milliseconds);\n    this.#write(",
    replacement: '    this.#delay(hostname, milliseconds);\n    if (hostname === "") this.#write(',
    tests: ["tests/fleet/pace_test.ts"],
    actions: PAUSES,
  },
  {
    name: "pause of a run ignored",
    file: "src/fleet/worker.ts",
    search: "where not paused and not",
    replacement: "where not",
    tests: ["tests/fleet/rounds_test.ts"],
  },
  {
    name: "passing failure not retried",
    file: "src/fleet/visit.ts",
    search: "const retryAfter = isPassing ? this.#retryDelay() : null;",
    replacement: "const retryAfter = isPassing ? null : null;",
    tests: ["tests/fleet/verdicts_test.ts"],
    actions: PAUSES,
  },
  {
    name: "stopped walk gets a verdict",
    file: "src/sync/sync.ts",
    search: "    signal.throwIfAborted();\n    await siteSync",
    replacement: "    await siteSync",
    tests: ["tests/fleet/shutdown_test.ts"],
    actions: STOPS,
  },
];

const ROOT = new URL("../../", import.meta.url);
/** What is copied. */
const COPIED = ["deno.json", "deno.lock", "mod.ts", "src/", "tests/", "tools/", "fixtures/"];

/** Returns the source of a file with a fault; throws unless its text occurs once. */
export function mutate(source: string, { name, file, search, replacement }: Mutation): string {
  const parts = source.split(search);
  if (parts.length === 2) return parts.join(replacement);
  const times = parts.length - 1;
  throw new Error(`Cannot apply "${name}": the text occurs ${times} times in "${file}"`);
}

/** Returns the source of the file of a mutation. */
export function sourceOf({ file }: Mutation): string {
  return Deno.readTextFileSync(new URL(file, ROOT));
}

/** Copies source, tests and tools to a folder, with a fault. Returns the folder. */
export async function copyWithFault(folder: string, mutation: Mutation): Promise<URL> {
  const base = new URL(`file://${folder}/`);
  for (const path of COPIED) {
    if (path.endsWith("/")) await copyFolder(new URL(path, ROOT), new URL(path, base));
    else await Deno.copyFile(new URL(path, ROOT), new URL(path, base));
  }
  await Deno.writeTextFile(new URL(mutation.file, base), mutate(sourceOf(mutation), mutation));
  return base;
}

async function copyFolder(from: URL, to: URL): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copyFolder(new URL(`${name}/`, from), new URL(`${name}/`, to));
    else await Deno.copyFile(new URL(name, from), new URL(name, to));
  }
}
