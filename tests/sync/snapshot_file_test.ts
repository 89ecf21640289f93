import {
  assert,
  assertEquals,
  assertInstanceOf,
  assertStrictEquals,
  assertThrows,
} from "@std/assert";
import { openDatabase } from "../../src/platform/sqlite.ts";
import { OLDEST_VERSION, SCHEMA_VERSION } from "../../src/sync/migrations.ts";
import { APPLICATION_ID, creation } from "../../src/sync/schema.ts";
import {
  openSnapshotFile,
  snapshotError,
  type SnapshotFile,
} from "../../src/sync/snapshot_file.ts";
import { withoutBuiltins } from "../platform/without_builtins.ts";

const PROGRAM = new URL("snapshot_process.ts", import.meta.url).pathname;

/** Command that runs a script in another process, on another runtime if the environment says so. */
const RUNTIME: readonly string[] = JSON.parse(
  Deno.env.get("SITETREE_RUNTIME") ?? JSON.stringify([Deno.execPath(), "run", "--allow-all"]),
);

/** Defines a test with the path of a snapshot, in a directory of its own. */
function test(
  name: string,
  body: (path: string, directory: string) => void | Promise<void>,
  { ignore = false }: { readonly ignore?: boolean } = {},
): void {
  Deno.test(name, { ignore }, async () => {
    const directory = await Deno.makeTempDir();
    try {
      await body(`${directory}/site.db`, directory);
    } finally {
      if (Deno.build.os !== "windows") await Deno.chmod(directory, 0o700);
      await Deno.remove(directory, { recursive: true });
    }
  });
}

function filesIn(directory: string): Record<string, Uint8Array> {
  const names = [...Deno.readDirSync(directory)].map(({ name }) => name).sort();
  return Object.fromEntries(names.map((name) => [name, Deno.readFileSync(`${directory}/${name}`)]));
}

function namesIn(directory: string): string[] {
  return Object.keys(filesIn(directory));
}

function addSite({ database }: SnapshotFile, homepage: string): void {
  database.prepare(
    `INSERT INTO stored_site (homepage, pages, base, accepted, last, unconfirmed, absent, is_unsettled,
      is_forgotten, fence)
     VALUES (?, 0, 0, 0, 0, 0, 0, 0, 0, 0)`,
  ).run(homepage);
}

function sitesOf({ database }: SnapshotFile): unknown[] {
  return database.prepare("SELECT homepage FROM stored_site ORDER BY id").all()
    .map(({ homepage }) => homepage);
}

function createSnapshot(path: string, ...homepages: string[]): void {
  using file = openSnapshotFile(path, false);
  for (const homepage of homepages) addSite(file, homepage);
}

function execute(path: string, sql: string): void {
  const database = openDatabase(path);
  database.exec(sql);
  database.close();
}

function assertFails(path: string, reason: string, readOnly = false): Error {
  const error = assertThrows(() => openSnapshotFile(path, readOnly), Error);
  assertEquals(error.message, `Cannot open "${path}": ${reason}`);
  return error;
}

/** Asserts that opening a file fails for a reason, and changes nothing in a directory. */
function assertCannotOpen(path: string, reason: string, readOnly = false): void {
  const directory = path.slice(0, path.lastIndexOf("/"));
  const before = filesIn(directory);
  assertInstanceOf(assertFails(path, reason, readOnly).cause, Error);
  assertEquals(filesIn(directory), before);
}

interface Child extends AsyncDisposable {
  /** What it printed first. */
  readonly printed: unknown;
  kill(): Promise<void>;
}

/** Starts the program, by default in the working directory, and waits until it prints. */
async function start(action: string, path: string, cwd = Deno.cwd()): Promise<Child> {
  const [program, ...args] = RUNTIME;
  const child = new Deno.Command(program!, {
    args: [...args, PROGRAM, action, path],
    cwd,
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
    env: { "NODE_NO_WARNINGS": "1" },
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { value = "null" } = await reader.read();
  return {
    printed: JSON.parse(value),
    async kill() {
      child.kill("SIGKILL");
      await child.status;
    },
    async [Symbol.asyncDispose]() {
      await child.stdin.close().catch(() => {});
      await reader.cancel();
      await child.status;
    },
  };
}

/** Runs the program; returns what it printed. */
async function result(action: string, path: string): Promise<unknown> {
  await using child = await start(action, path);
  return child.printed;
}

test("openSnapshotFile() creates a snapshot, and opens it again", (path, directory) => {
  {
    using file = openSnapshotFile(path, false);
    const pragma = (name: string) =>
      Object.values(file.database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
    assertEquals(pragma("application_id"), APPLICATION_ID);
    assertEquals(pragma("user_version"), SCHEMA_VERSION);
    assertEquals(pragma("journal_mode"), "wal");
    assertEquals(pragma("foreign_keys"), 0);
    addSite(file, "https://a.test/");
    assertEquals(namesIn(directory), ["site.db", "site.db-shm", "site.db-wal", "site.db.lock"]);
  }
  assertEquals(namesIn(directory), ["site.db", "site.db.lock"]);
  for (const readOnly of [false, true]) {
    using file = openSnapshotFile(path, readOnly);
    assertEquals(sitesOf(file), ["https://a.test/"]);
  }
});

Deno.test("openSnapshotFile() opens any number of snapshots in memory", () => {
  using first = openSnapshotFile(":memory:", false);
  using second = openSnapshotFile(":memory:", false);
  addSite(first, "https://a.test/");
  assertEquals([sitesOf(first), sitesOf(second)], [["https://a.test/"], []]);
  assertFails(":memory:", "empty database", true);
});

test(
  "openSnapshotFile() takes an empty file, and names that mean something else to SQLite",
  async (path, directory) => {
    Deno.writeTextFileSync(path, "");
    createSnapshot(path, "https://a.test/");
    {
      await using writer = await start("hold", "file:b.db?mode=memory", directory);
      assertEquals(writer.printed, ["committed", "pending"]);
    }
    await using reader = await start("read", "file:b.db?mode=memory", directory);
    assertEquals(reader.printed, ["committed"]);
    assert(namesIn(directory).includes("file:b.db?mode=memory.lock"));
    assertFails("", "it is a folder");
  },
);

test("openSnapshotFile() opens a snapshot whose creation was interrupted", (path, directory) => {
  const database = openDatabase(`${directory}/other.db`);
  // pages are written before the end of the transaction
  database.exec(`
    PRAGMA cache_size = 1;
    BEGIN;
    ${creation("sqlite", [1, 2])}
    INSERT INTO stored_site (homepage, pages, base, accepted, last, unconfirmed, absent,
      is_unsettled, is_forgotten, fence)
    WITH numbers (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < 99)
    SELECT n || hex(zeroblob(1000)), 0, 0, 0, 0, 0, 0, 0, 0, 0 FROM numbers;
  `);
  for (const suffix of ["", "-journal"]) {
    Deno.copyFileSync(`${directory}/other.db${suffix}`, path + suffix);
    assert(Deno.statSync(path + suffix).size > 0);
  }
  database.close();
  using file = openSnapshotFile(path, false);
  assertEquals(sitesOf(file), []);
});

test("openSnapshotFile() fails while the same process writes to the file", (path, directory) => {
  using file = openSnapshotFile(path, false);
  const names = [path, `${directory}/../${directory.split("/").at(-1)}/site.db`];
  if (Deno.build.os !== "windows") {
    Deno.symlinkSync("site.db", `${directory}/link.db`);
    names.push(`${directory}/link.db`);
  }
  for (const name of [...names, ...names]) assertFails(name, "another process is writing to it");
  addSite(file, "https://a.test/");
  file[Symbol.dispose]();
  file[Symbol.dispose]();
  createSnapshot(path, "https://b.test/");
});

test(
  "a second process fails to write while the first one does, and reads the last commit",
  async (path) => {
    const refusal = `Cannot open "${path}": another process is writing to it`;
    {
      await using child = await start("hold", path);
      assertEquals(child.printed, ["committed", "pending"]);
      assertFails(path, "another process is writing to it");
      using reader = openSnapshotFile(path, true);
      assertEquals(sitesOf(reader), ["committed"]);
      assertThrows(() => addSite(reader, "https://a.test/"), Error, "readonly");
    }
    // the transaction of the first process was rolled back
    using file = openSnapshotFile(path, false);
    assertEquals(sitesOf(file), ["committed"]);
    assertEquals(await result("write", path), refusal);
    addSite(file, "here");
    file.database.exec("BEGIN IMMEDIATE");
    addSite(file, "pending");
    assertEquals(await result("read", path), ["committed", "here"]);
  },
);

test("a process that is killed releases the lock, and loses only its transaction", async (path) => {
  await using child = await start("hold", path);
  await child.kill();
  assert(Deno.statSync(`${path}-wal`).size > 0);
  using file = openSnapshotFile(path, false);
  assertEquals(sitesOf(file), ["committed"]);
});

test(
  "a reader keeps its view while the writer commits, and does not keep the writer from ending",
  (path) => {
    const writer = openSnapshotFile(path, false);
    addSite(writer, "https://a.test/");
    using reader = openSnapshotFile(path, true);
    reader.database.exec("BEGIN");
    assertEquals(sitesOf(reader), ["https://a.test/"]);
    addSite(writer, "https://b.test/");
    assertEquals(sitesOf(reader), ["https://a.test/"]);
    writer[Symbol.dispose]();
    reader.database.exec("COMMIT");
    assertEquals(sitesOf(reader), ["https://a.test/", "https://b.test/"]);
  },
);

test("openSnapshotFile() neither changes nor accompanies a file that is not a snapshot", (path) => {
  const others = ["Hello", "<html></html>".repeat(1000), "SQLite format 3\0".repeat(100)];
  for (const content of others) {
    Deno.writeTextFileSync(path, content);
    for (const readOnly of [false, true]) assertCannotOpen(path, "not a SQLite database", readOnly);
  }
  for (const sql of ["", "PRAGMA journal_mode = WAL;", "PRAGMA application_id = 7;"]) {
    Deno.removeSync(path);
    execute(path, `${sql} CREATE TABLE t (a); INSERT INTO t VALUES (1)`);
    assertCannotOpen(path, "SQLite database of another program");
  }
  assertCannotOpen(path, "SQLite database of another program", true);
});

test(
  "openSnapshotFile() leaves the write-ahead log of another program to it",
  (path, directory) => {
    const other = openDatabase(`${directory}/other.db`);
    other.exec("PRAGMA journal_mode = WAL; CREATE TABLE t (a)");
    for (const suffix of ["", "-wal"]) {
      Deno.copyFileSync(`${directory}/other.db${suffix}`, path + suffix);
    }
    other.close();
    const [before, log] = [Deno.readFileSync(path), Deno.readFileSync(`${path}-wal`)];
    assertFails(path, "SQLite database of another program");
    assertEquals([Deno.readFileSync(path), Deno.readFileSync(`${path}-wal`)], [before, log]);
    assert(!namesIn(directory).includes("site.db.lock"));
  },
);

test("openSnapshotFile() creates nothing where it cannot open a file", (_path, directory) => {
  Deno.writeTextFileSync(`${directory}/empty.db`, "");
  assertCannotOpen(`${directory}/none.db`, "no such file", true);
  assertCannotOpen(`${directory}/empty.db`, "empty database", true);
  Deno.mkdirSync(`${directory}/folder.db`);
  const reasons = {
    "none/site.db": "no such folder",
    "empty.db/site.db": "no such folder",
    "folder.db": "it is a folder",
  };
  for (const [name, reason] of Object.entries(reasons)) assertFails(`${directory}/${name}`, reason);
  const names = [...Deno.readDirSync(directory)].map(({ name }) => name);
  assertEquals(names.sort(), ["empty.db", "folder.db"]);
});

test("openSnapshotFile() refuses a newer schema and an older one", (path) => {
  createSnapshot(path, "https://a.test/");
  const reasons = {
    [SCHEMA_VERSION + 1]: `schema version ${
      SCHEMA_VERSION + 1
    } is newer than ${SCHEMA_VERSION}; update sitetree`,
    [OLDEST_VERSION - 1]: `schema version ${
      OLDEST_VERSION - 1
    } is older than ${OLDEST_VERSION}; move it away to start anew`,
  };
  for (const [version, reason] of Object.entries(reasons)) {
    execute(path, `PRAGMA user_version = ${version}`);
    for (const readOnly of [false, true]) assertFails(path, reason, readOnly);
  }
  execute(path, `PRAGMA user_version = ${SCHEMA_VERSION}`);
  using file = openSnapshotFile(path, false);
  assertEquals(sitesOf(file), ["https://a.test/"]);
});

test("a full disk fails with a reason, and loses nothing that was committed", (path) => {
  {
    using file = openSnapshotFile(path, false);
    addSite(file, "https://a.test/");
    // as SQLite does without space
    file.database.exec("PRAGMA max_page_count = 1; BEGIN");
    addSite(file, "https://b.test/");
    const cause = assertThrows(() => addSite(file, "x".repeat(100_000)), Error);
    const error = snapshotError("site.db", cause) as Error;
    assertEquals(error.message, 'Cannot write "site.db": disk full');
    assertStrictEquals(error.cause, cause);
  }
  using file = openSnapshotFile(path, false);
  assertEquals(sitesOf(file), ["https://a.test/"]);
});

test("a disk that is full from the beginning leaves no file behind", async (path, directory) => {
  const command = [Deno.execPath(), "run", "--allow-all", PROGRAM, "write", path];
  const { stdout } = await new Deno.Command("bash", {
    // without the signal, a write beyond the limit of 16 KiB fails
    args: ["-c", `trap '' XFSZ; ulimit -f 16; exec "$@"`, "bash", ...command],
  }).output();
  const printed = JSON.parse(new TextDecoder().decode(stdout));
  assert(printed.startsWith(`Cannot open "${path}": disk `), printed);
  assertEquals(namesIn(directory), ["site.db.lock"]);
}, { ignore: Deno.build.os === "windows" });

test("a corrupt snapshot fails with a reason", (path) => {
  createSnapshot(path, "https://a.test/");
  const database = openDatabase(path);
  const [{ page }] = database.prepare(
    "SELECT rootpage AS page FROM sqlite_schema WHERE name = 'stored_site'",
  ).all() as [{ page: number }];
  database.close();
  using bytes = Deno.openSync(path, { write: true });
  bytes.seekSync((page - 1) * 4096, Deno.SeekMode.Start);
  bytes.writeSync(new Uint8Array(4096).fill(0x55));
  {
    using file = openSnapshotFile(path, true);
    const cause = assertThrows(() => sitesOf(file), Error);
    const error = snapshotError("site.db", cause, "read") as Error;
    assertEquals(error.message, 'Cannot read "site.db": corrupt database');
  }
  Deno.truncateSync(path, 8192);
  for (const readOnly of [false, true]) assertFails(path, "corrupt database", readOnly);
});

Deno.test("snapshotError() returns other errors as they are", () => {
  const wrapped = snapshotError("a.db", new Error("database is locked"));
  for (const error of [new Error("other"), new TypeError("x"), "text", undefined, wrapped]) {
    assertStrictEquals(snapshotError("a.db", error), error);
  }
});

test("openSnapshotFile() names a lock file that is not one", (path) => {
  Deno.writeTextFileSync(`${path}.lock`, "12345\n");
  const error = assertThrows(() => openSnapshotFile(path, false), Error);
  assertEquals(error.message, `Cannot lock "${path}.lock": not a SQLite database`);
  assertInstanceOf(error.cause, Error);
});

test(
  "a user without rights reads a snapshot in any folder, and cannot write to it",
  async (path, directory) => {
    createSnapshot(path, "https://a.test/");
    Deno.removeSync(`${path}.lock`);
    Deno.chmodSync(path, 0o444);
    Deno.chmodSync(directory, 0o777);
    const refusal = `Cannot open "${path}": `;
    assertEquals(await result("write-as-guest", path), `${refusal}read-only file`);
    assertEquals(await result("read-as-guest", path), ["https://a.test/"]);
    for (const name of namesIn(directory)) {
      if (name !== "site.db") Deno.removeSync(`${directory}/${name}`);
    }
    Deno.chmodSync(directory, 0o555);
    assertEquals(await result("read-as-guest", path), ["https://a.test/"]);
    assertEquals(await result("write-as-guest", path), `${refusal}read-only file`);
    const noAccess = "no permission to read it, or to create files in its folder";
    const newPath = `${directory}/new.db`;
    assertEquals(await result("write-as-guest", newPath), `Cannot open "${newPath}": ${noAccess}`);
    assertEquals(namesIn(directory), ["site.db"]);
    Deno.chmodSync(path, 0o000);
    assertEquals(await result("read-as-guest", path), `${refusal}${noAccess}`);
  },
  { ignore: Deno.build.os === "windows" },
);

test("a user who cannot write to the lock does not get it", async (path, directory) => {
  createSnapshot(path, "https://a.test/");
  Deno.chmodSync(path, 0o666);
  Deno.chmodSync(`${path}.lock`, 0o444);
  Deno.chmodSync(directory, 0o777);
  const refusal = `Cannot lock "${path}.lock": read-only file`;
  assertEquals(await result("write-as-guest", path), refusal);
}, { ignore: Deno.build.os === "windows" });

test("openSnapshotFile() names the permission of Deno that is missing", async (path) => {
  createSnapshot(path, "https://a.test/");
  async function resultWith(action: string, ...permissions: string[]): Promise<unknown> {
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-prompt", ...permissions, PROGRAM, action, path],
    }).output();
    return JSON.parse(new TextDecoder().decode(stdout));
  }
  const required = (access: string, name: string) =>
    `Cannot open "${path}": Requires ${access} access to "${name}", ` +
    `run again with the --allow-${access} flag`;
  assertEquals(await resultWith("read"), required("read", path));
  const readable = `--allow-read=${path}`;
  assertEquals(await resultWith("read", readable), ["https://a.test/"]);
  assertEquals(await resultWith("write", readable), required("write", path));
  const both = [`--allow-read=${path},${path}.lock`, `--allow-write=${path},${path}.lock`];
  assertEquals(await resultWith("write", readable, both[1]!), required("read", `${path}.lock`));
  assertEquals(await resultWith("write", ...both), ["https://a.test/"]);
});

Deno.test("openSnapshotFile() throws where the runtime has no SQLite", async () => {
  for (const readOnly of [false, true]) {
    const reason = "SQLite needs Deno, Node 22.13 or later, or Bun";
    await withoutBuiltins(() => assertFails("site.db", reason, readOnly));
  }
});
