/** The lanes of `tools/test.ts`: what each needs, and that they are all tests, each once. @module */

import { assert, assertEquals } from "@std/assert";
import { existsSync } from "node:fs";
import { filesOf, groupsOf, SLOW_FILES, STORE_FILES, testFiles } from "../tools/test.ts";
import { houseSources, importsOf, withoutTypeImports } from "./support/house.ts";

const ROOT = new URL("../", import.meta.url);

/** Modules of tests that need a program which Deno does not bring along. */
const PROGRAMS = [
  "tests/support/browser.ts",
  "tests/support/pgbouncer.ts",
  "tests/support/postgres.ts",
  "tests/write/schema_validation.ts",
  "tests/cli/shells.ts",
];

/** Where snapshots are tested, which may be in PostgreSQL. */
const STORES = "tests/sync/stores.ts";

/** A source with more than types. */
const CODE_REGEXP = /^(?:export\s+)?(?:async\s+|abstract\s+)?(?:function|class|const|let|var)\b/m;

function sourceOf(path: string): string {
  return Deno.readTextFileSync(new URL(path, ROOT));
}

const IMPORTS = new Map<string, readonly string[]>();

function importsIn(path: string): readonly string[] {
  let imports = IMPORTS.get(path);
  if (imports === undefined) {
    // tests of imports have some that lead nowhere
    const source = existsSync(new URL(path, ROOT)) ? sourceOf(path) : "";
    IMPORTS.set(path, imports = importsOf(path, withoutTypeImports(source)));
  }
  return imports;
}

/** Returns what a file imports at run time, through modules in the given folders. */
function reachedFrom(path: string, folders: readonly string[]): Set<string> {
  const reached = new Set<string>();
  const pending = [path];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    if (!folders.includes(next.split("/", 1)[0]!) || next === STORES) continue;
    pending.push(...importsIn(next));
  }
  return reached;
}

// the coverage that Deno reports leaves out what no test loads
Deno.test("tests load every source file with code", () => {
  // as a process, and in a browser
  const programs = ["src/cli/main.ts", "src/report/page/main.ts"];
  const folders = ["mod.ts", "src", "tests", "tools"];
  const loaded = new Set(
    [...testFiles(), ...programs].flatMap((path) => [...reachedFrom(path, folders)]),
  );
  const missing = [...houseSources()].filter(([path, source]) =>
    !loaded.has(path) && CODE_REGEXP.test(withoutTypeImports(source))
  );
  assertEquals(missing.map(([path]) => path), []);
});

Deno.test("the lanes are all tests, and only those of stores are in both", () => {
  const fast = filesOf("fast"), slow = filesOf("slow");
  assertEquals([...new Set([...fast, ...slow])].sort(), testFiles());
  assertEquals(fast.filter((path) => slow.includes(path)), Object.keys(STORE_FILES).sort());
  assertEquals(new Set(slow).size, slow.length);
});

Deno.test("each file of the fast lane is in one group of its folder", () => {
  const fast = filesOf("fast"), groups = groupsOf(fast);
  assertEquals(groups.flatMap(([, files]) => files).sort(), fast.sort());
  assertEquals(new Set(groups.map(([name]) => name)).size, groups.length);
  for (const [name, files] of groups) {
    const folders = new Set(files.map((path) => path.slice(0, path.lastIndexOf("/"))));
    assertEquals([name, folders.size], [name, 1]);
  }
});

Deno.test("a file of a store has no test outside of the lanes", () => {
  const files = testFiles().filter((path) => /= inEachStore\(/.test(sourceOf(path)));
  assertEquals(files, Object.keys(STORE_FILES).sort());
  for (const path of files) assert(!sourceOf(path).includes("Deno.test"), path);
});

// large packages are not in deno.json, and have a lock of their own
Deno.test("the fast lane needs no other program, and no large package", () => {
  for (const path of filesOf("fast")) {
    const ofTests = reachedFrom(path, ["tests"]);
    const all = reachedFrom(path, ["mod.ts", "src", "tests", "tools"]);
    assertEquals([path, PROGRAMS.filter((module) => ofTests.has(module))], [path, []]);
    const large = [...all].filter((specifier) => specifier.startsWith("npm:"));
    assertEquals([path, large], [path, []]);
  }
  const found = reachedFrom("tests/report/page_test.ts", ["tests"]);
  assert(
    [...found].some((specifier) => specifier.startsWith("npm:")) &&
      found.has("tests/support/browser.ts"),
  );
});

Deno.test("deno.lock has only the packages of deno.json, and types", () => {
  const { specifiers } = JSON.parse(sourceOf("deno.lock")) as { specifiers: object };
  const names = Object.keys(specifiers).map((specifier) => /^npm:(@?[^@]+)/.exec(specifier)?.[1]);
  const imports: Record<string, string> = JSON.parse(sourceOf("deno.json")).imports;
  const listed = Object.values(imports).map((specifier) => /^npm:(@?[^@]+)/.exec(specifier)?.[1]);
  assertEquals(names.filter((name) => !name!.startsWith("@types/") && !listed.includes(name)), []);
});

Deno.test("a file is in the slow lane for a program, or for 5 CPU seconds or more", () => {
  for (const [path, [seconds, reason]] of Object.entries(SLOW_FILES)) {
    assert(reason !== "time" || seconds >= 5, path);
  }
});
