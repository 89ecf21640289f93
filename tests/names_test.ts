import { assert, assertEquals } from "@std/assert";
import { COMMAND_NAMES, lastWord } from "../src/cli/commands.ts";
import { houseSources } from "./support/house.ts";
import { exportsOf, repeatedNames, unusedExports } from "./support/names.ts";

/** Names that can be imported from all entry points together. */
const MAX_NAMES = 139;

/** Sources that only a tool uses, with the tool. */
const OF_TOOLS: readonly (readonly [path: string, tool: string])[] = [
  ["src/platform/load_pako_static.ts", "tools/pack.ts"],
];

/** Functions of commands, which the command line finds by the last words of their names. */
const FUNCTIONS = COMMAND_NAMES.map(lastWord);

const ROOT = new URL("../", import.meta.url);
const { exports } = JSON.parse(Deno.readTextFileSync(new URL("deno.json", ROOT)));
const ENTRY_POINTS = (Object.values(exports) as string[]).map((path) => path.replace("./", ""));
const SOURCES = houseSources();

Deno.test(`at most ${MAX_NAMES} names are public, each in one entry point`, () => {
  const names = new Map(ENTRY_POINTS.map((path) => [path, exportsOf(SOURCES.get(path)!)]));
  assertEquals(repeatedNames(names), []);
  const count = [...names.values()].flat().length;
  assert(count <= MAX_NAMES, `${count} names are public`);
  assert(count > MAX_NAMES - 5, `the limit can be lowered to ${count}`);
});

Deno.test("every export is public or used by another source", () => {
  for (const [path, tool] of OF_TOOLS) {
    assert(Deno.readTextFileSync(new URL(tool, ROOT)).includes(path), `"${tool}" uses "${path}"`);
  }
  const kept = OF_TOOLS.map(([path]) => path);
  const unused = unusedExports(SOURCES, [...ENTRY_POINTS, ...kept]);
  assertEquals(unused.filter((use) => !FUNCTIONS.some((name) => use.endsWith(`#${name}`))), []);
});

Deno.test("exportsOf() reads declarations and lists, but no comment", () => {
  const source = `
export const A: number = 1;
export async function* b() {}
export abstract class C {}
export interface D { readonly e: string }
export type F = string;
export { g, type H } from "./g.ts";
export type { I as J } from "./i.ts";
export {
  k as l,
};
// export const m = 1;
/**
 * export const n = 1;
 */
const o = 1;
import { p } from "./p.ts";
`;
  const names = ["A", "b", "C", "D", "F", "g", "H", "J", "l"];
  assertEquals(exportsOf(source), names);
});

Deno.test("unusedExports() finds planted ones, and only those", () => {
  const sources = new Map([
    ["mod.ts", 'export { a } from "./src/a.ts";'],
    ["src/a.ts", "export const a = 1;\nexport const unused = a;"],
    ["src/b.ts", "export type B = 1;\nexport const c = 1, d = 2;\nexport function e() {}"],
    ["src/c.ts", 'import { type B, c as other } from "./b.ts";\nexport { e } from "./b.ts";'],
    ["src/d.ts", 'import * as all from "./e.ts";\nall.f(await import("./f.ts"));'],
    ["src/e.ts", "export const f = 1;\nexport const g = 1;"],
    ["src/f.ts", "export const all = 1;\nexport const h = 1;"],
  ]);
  assertEquals(unusedExports(sources, ["mod.ts"]), [
    "src/a.ts#unused",
    "src/c.ts#e",
    "src/e.ts#g",
    "src/f.ts#h",
  ]);
});

Deno.test("repeatedNames() finds names of two entry points", () => {
  const names = new Map([["a.ts", ["A", "B"]], ["b.ts", ["B", "C"]], ["c.ts", ["D"]]]);
  assertEquals(repeatedNames(names), ["B"]);
});
