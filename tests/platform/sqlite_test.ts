import { assert, assertEquals, assertInstanceOf, assertThrows } from "@std/assert";
import process from "node:process";
import {
  type Database,
  fileExists,
  hasLog,
  isSqliteError,
  linkedFile,
  openDatabase,
  sqliteFault,
  tryRemoveFile,
} from "../../src/platform/sqlite.ts";
import { withFolder } from "../disk/with_folder.ts";
import { withoutBuiltins } from "./without_builtins.ts";

function testInDirectory(
  name: string,
  test: (directory: string) => void,
  { ignore = false } = {},
): void {
  Deno.test(name, { ignore }, () => withFolder({}, test));
}

function namesIn(directory: string): string[] {
  return [...Deno.readDirSync(directory)].map(({ name }) => name).sort();
}

function pragma(database: Database, name: string): unknown {
  return Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
}

Deno.test("openDatabase() returns a database whose statements bind and return values", () => {
  const database = openDatabase(":memory:");
  database.exec("CREATE TABLE t (a INTEGER PRIMARY KEY, b)");
  const insert = database.prepare("INSERT INTO t (b) VALUES (?)");
  const values = [null, 1.5, "é", new Uint8Array([0, 255])];
  for (const value of values) insert.run(value);
  assertEquals({ ...insert.run("last") }, { changes: 1, lastInsertRowid: 5 });
  const select = database.prepare("SELECT b FROM t WHERE a <= ? ORDER BY a");
  assertEquals(select.all(4).map(({ b }) => b), values);
  assertEquals(Array.from(select.iterate(4), ({ b }) => b), values);
  assertEquals(select.get(4)?.b, null);
  assertEquals(select.get(0), undefined);
  database.close();
});

testInDirectory("openDatabase() sets what the defaults of the runtimes differ in", (directory) => {
  for (const readOnly of [false, true]) {
    const database = openDatabase(`${directory}/a.db`, { readOnly });
    assertEquals([pragma(database, "busy_timeout"), pragma(database, "foreign_keys")], [1000, 0]);
    database.close();
  }
  const impatient = openDatabase(":memory:", { busyTimeout: 0 });
  assertEquals(pragma(impatient, "busy_timeout"), 0);
  impatient.close();
});

testInDirectory(
  "openDatabase() opens an immutable database without files beside it",
  (directory) => {
    const path = `${directory}/50% #1?.db`;
    const writer = openDatabase(path);
    writer.exec("PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)");
    assert(hasLog(path));
    writer.close();
    assert(!hasLog(path));
    const reader = openDatabase(path, { readOnly: true, immutable: true });
    assertEquals(reader.prepare("SELECT a FROM t").get()?.a, 1);
    assertEquals(namesIn(directory), ["50% #1?.db"]);
    assertThrows(() => reader.exec("DELETE FROM t"));
    reader.close();
  },
);

testInDirectory(
  "openDatabase() says which file or folder is missing, and creates nothing",
  (directory) => {
    Deno.writeTextFileSync(`${directory}/file`, "");
    const cases: [path: string, readOnly: boolean, reason: string][] = [
      [directory, false, "it is a folder"],
      [directory, true, "it is a folder"],
      [`${directory}/a.db`, true, "no such file"],
      [`${directory}/none/a.db`, true, "no such file"],
      [`${directory}/none/a.db`, false, "no such folder"],
      [`${directory}/file/a.db`, false, "no such folder"],
    ];
    for (const [path, readOnly, reason] of cases) {
      const error = assertThrows(() => openDatabase(path, { readOnly }), Error);
      assertEquals(error.message, reason);
      assertInstanceOf(error.cause, Error);
    }
    assertEquals(namesIn(directory), ["file"]);
  },
);

Deno.test("openDatabase() throws where the runtime has no SQLite", async () => {
  const message = "SQLite needs Deno, Node 22.13 or later, or Bun";
  await withoutBuiltins(() => {
    assertEquals(assertThrows(() => openDatabase(":memory:"), Error).message, message);
    assertEquals([fileExists("deno.json"), hasLog("a.db"), linkedFile("a")], [false, false, "a"]);
    tryRemoveFile("deno.json");
  });
  // as in workerd
  class DatabaseSync {
    constructor() {
      throw new TypeError("Illegal constructor");
    }
  }
  const { getBuiltinModule } = process;
  process.getBuiltinModule = (() => ({ DatabaseSync })) as unknown as typeof getBuiltinModule;
  try {
    assertEquals(assertThrows(() => openDatabase(":memory:"), Error).message, message);
  } finally {
    process.getBuiltinModule = getBuiltinModule;
  }
});

testInDirectory("sqliteFault() classifies errors of SQLite", (directory) => {
  const path = `${directory}/a.db`;
  const faults: Record<string, string> = {};
  function attempt(name: string, database: Database, sql: string): void {
    const error = assertThrows(() => database.exec(sql), Error);
    assert(isSqliteError(error), name);
    faults[name] = sqliteFault(error);
  }
  const database = openDatabase(path);
  database.exec("CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(20000)); BEGIN EXCLUSIVE");
  const other = openDatabase(path, { busyTimeout: 0 });
  attempt("locked by another connection", other, "BEGIN EXCLUSIVE");
  other.close();
  database.exec("COMMIT; PRAGMA max_page_count = 1");
  attempt("larger than permitted", database, "INSERT INTO t VALUES (zeroblob(20000))");
  attempt("invalid statement", database, "SELEC 1");
  database.close();
  const reader = openDatabase(path, { readOnly: true });
  attempt("opened for reading", reader, "DELETE FROM t");
  reader.close();
  Deno.truncateSync(path, 8192);
  const truncated = openDatabase(path);
  attempt("truncated", truncated, "SELECT * FROM t");
  truncated.close();
  Deno.writeTextFileSync(path, "This is a text. ".repeat(100));
  const text = openDatabase(path);
  attempt("text", text, "SELECT 1 FROM sqlite_schema");
  text.close();
  assertEquals(faults, {
    "locked by another connection": "locked",
    "larger than permitted": "full",
    "invalid statement": "other",
    "opened for reading": "read-only",
    "truncated": "corrupt",
    "text": "not-a-database",
  });
  for (const error of [new Error("other"), "text", undefined]) {
    assertEquals([sqliteFault(error), isSqliteError(error)], ["other", false]);
  }
});

testInDirectory("linkedFile() resolves symbolic links to files that exist", (directory) => {
  const [file, link, dangling] = ["a.db", "b.db", "c.db"].map((name) => `${directory}/${name}`);
  Deno.writeTextFileSync(file!, "");
  Deno.symlinkSync("a.db", link!);
  Deno.symlinkSync("none.db", dangling!);
  assertEquals(linkedFile(file!), file);
  assertEquals(linkedFile(link!), Deno.realPathSync(file!));
  assertEquals(linkedFile(dangling!), dangling);
}, { ignore: Deno.build.os === "windows" });

testInDirectory(
  "tryRemoveFile() removes a file, and ignores what cannot be removed",
  (directory) => {
    Deno.mkdirSync(`${directory}/folder`);
    Deno.writeTextFileSync(`${directory}/a.db`, "");
    for (const name of ["a.db", "a.db", "folder"]) tryRemoveFile(`${directory}/${name}`);
    assertEquals(namesIn(directory), ["folder"]);
  },
);
