import { assert, assertEquals } from "@std/assert";
import {
  circularImports,
  houseSources,
  importsOf,
  roomOf,
  ruleViolations,
  runtimeImports,
  type Sources,
  upwardImports,
  withoutComments,
} from "./support/house.ts";

function importsIn(sources: Sources): Map<string, string[]> {
  return new Map([...sources].map(([path, source]) => [path, importsOf(path, source)]));
}

Deno.test("no file imports upward", () => {
  const sources = houseSources();
  const imports = importsIn(sources);
  assertEquals(upwardImports(imports), []);
  const relative = [...imports.values()].flat().filter((target) => target.startsWith("src/"));
  assert(relative.length > 20, "the imports were read");
  assertEquals(
    relative.filter((target) => !sources.has(target)),
    [],
    "every import leads to a file",
  );
});

Deno.test("no files import each other in a circle", () => {
  assertEquals(circularImports(importsIn(houseSources())), []);
});

Deno.test("only the platform uses a runtime's own parts, and no file exports by star or has an empty name", () => {
  assertEquals(ruleViolations(houseSources()), []);
});

Deno.test("the library imports no module that only some runtimes have, and pako only when needed", () => {
  const sources = houseSources();
  const pending = [
    "mod.ts",
    "src/check/mod.ts",
    "src/report/mod.ts",
    "src/robots/mod.ts",
    "src/tree/store.ts",
    "src/write/mod.ts",
  ];
  const reached = new Set<string>();
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    const source = sources.get(path);
    if (reached.has(path) || source === undefined) continue;
    reached.add(path);
    pending.push(...importsOf(path, source));
    assertEquals([path, runtimeImports(path, source)], [path, []]);
  }
  assert(reached.has("src/platform/load_pako.ts"), "the platform was reached");
  assert(!reached.has("src/platform/load_pako_static.ts"), "only the npm package imports it");
});

Deno.test("importsOf() reads every form of import and no comment", () => {
  const source = `
    import type { A } from "./a.ts"; // import "./comment.ts";
    import B, {
      type C,
    } from '../b/c.ts';
    import "./effect.ts";
    export { d } from "@std/streams";
    const late = await import("./late.ts");
    const any = "*/*", link = "https://x.test/"; /* import x from "./block.ts" */
    /**
     * import { e } from "@sitetree/sitetree";
     */
  `;
  assertEquals(importsOf("src/xml/x.ts", source), [
    "src/xml/a.ts",
    "src/b/c.ts",
    "src/xml/effect.ts",
    "@std/streams",
    "src/xml/late.ts",
  ]);
  assertEquals(withoutComments(`a("/*", '//') /* b */ // c`), `a("/*", '//')  `);
});

Deno.test("roomOf() names the folder below src, or the entry point", () => {
  const rooms = ["src/data/url.ts", "src/check/pages/prober.ts", "mod.ts", "src/cli/check/text.ts"];
  assertEquals(rooms.map(roomOf), ["src/data", "src/check/pages", "mod.ts", "src/cli"]);
});

Deno.test("upwardImports() finds planted ones", () => {
  const faultsOf = (path: string, target: string) => upwardImports(new Map([[path, [target]]]));
  const refused: [string, string][] = [
    ["src/data/url.ts", "src/xml/scanner.ts"],
    ["src/data/batches.ts", "src/walk/event_stream.ts"],
    ["src/bytes/window.ts", "src/xml/scanner.ts"],
    ["src/bytes/transcode.ts", "src/http/fetcher.ts"],
    ["src/xml/scanner.ts", "src/formats/urlset.ts"],
    ["src/formats/urlset.ts", "src/walk/walk.ts"],
    ["src/robots/robots.ts", "src/walk/walk.ts"],
    ["src/tree/collect.ts", "src/write/json.ts"],
    ["src/write/json.ts", "src/tree/collect.ts"],
    ["src/tree/page_list.ts", "src/write/csv.ts"],
    ["src/walk/walk.ts", "src/tree/sitemap_tree.ts"],
    ["src/walk/walk.ts", "mod.ts"],
    ["src/platform/timers.ts", "src/http/private_address.ts"],
    ["src/xml/scanner.ts", "src/platform/text.ts"],
    ["src/write/csv.ts", "@sitetree/sitetree"],
    ["mod.ts", "src/cli/main.ts"],
    ["mod.ts", "src/check/pages/prober.ts"],
    ["src/check/checker.ts", "src/check/pages/prober.ts"],
    ["src/check/checker.ts", "src/http/fetcher.ts"],
    ["src/check/checker.ts", "src/walk/walk.ts"],
    ["src/check/checker.ts", "src/check/formats/text.ts"],
    ["src/check/formats/sarif.ts", "src/platform/host.ts"],
    ["src/check/pages/prober.ts", "src/platform/timers.ts"],
  ];
  for (const [path, target] of refused) {
    assertEquals(faultsOf(path, target), [`"${path}" must not import "${target}"`]);
  }
  const allowed: [string, string][] = [
    ["src/xml/scanner.ts", "src/xml/references.ts"],
    ["src/xml/scanner.ts", "src/bytes/window.ts"],
    ["src/formats/urlset.ts", "src/formats/entries.ts"],
    ["src/formats/urlset.ts", "src/xml/scanner.ts"],
    ["src/robots/robots.ts", "src/formats/lines.ts"],
    ["src/tree/collect.ts", "src/tree/page_list.ts"],
    ["src/tree/sitemap_tree.ts", "src/walk/walk.ts"],
    ["src/cli/main.ts", "mod.ts"],
    ["src/http/status.ts", "@std/http/status"],
    ["src/bytes/window.ts", "src/platform/text.ts"],
    ["src/bytes/page_log.ts", "src/platform/temporary_file.ts"],
    ["src/cli/main.ts", "src/platform/host.ts"],
    ["src/check/mod.ts", "src/check/pages/prober.ts"],
    ["src/check/pages/prober.ts", "src/walk/verdict.ts"],
    ["src/check/pages/prober.ts", "src/check/answer_rules.ts"],
    ["src/check/formats/text.ts", "src/write/layout.ts"],
    ["src/report/findings.ts", "src/check/checker.ts"],
  ];
  for (const [path, target] of allowed) assertEquals(faultsOf(path, target), []);
  assertEquals(faultsOf("src/attic/a.ts", "src/data/url.ts"), [
    '"src/attic/a.ts" is in an unknown folder',
  ]);
});

Deno.test("circularImports() finds planted ones, and only those", () => {
  const imports = new Map([
    ["a.ts", ["b.ts", "c.ts"]],
    ["b.ts", ["c.ts"]],
    ["c.ts", ["d.ts"]],
    ["d.ts", ["b.ts"]],
    ["self.ts", ["self.ts"]],
  ]);
  assertEquals(circularImports(imports), [
    ["b.ts", "c.ts", "d.ts", "b.ts"],
    ["self.ts", "self.ts"],
  ]);
  const diamond = new Map([["a.ts", ["b.ts", "c.ts"]], ["b.ts", ["d.ts"]], ["c.ts", ["d.ts"]]]);
  assertEquals(circularImports(diamond), []);
});

Deno.test("ruleViolations() finds planted faults, and lets only the platform use a runtime's own parts", () => {
  const faulty = new Map([
    ["src/http/utils.ts", ""],
    ["src/http/helpers.ts", ""],
    ["src/tree/index.ts", ""],
    ["src/types.ts", ""],
    ["src/xml/camelCase.ts", ""],
    ["src/url.ts", 'export * from "./date.ts";'],
    ["src/codes.ts", 'export type * from "./date.ts";'],
    ["src/date.ts", "export enum Day { Monday }"],
    ["src/data/b.ts", "const { promise } = Promise.withResolvers<void>();"],
    ["src/bytes/a.ts", "Deno.readFile(path)"],
    ["src/cli/a.ts", "const { args } = Deno;"],
    ["src/cli/b.ts", "globalThis.Deno?.exit()"],
    ["src/cli/c.ts", "process.exit()"],
    ["src/cli/d.ts", "`${process.pid}`"],
    ["src/http/a.ts", 'if (typeof Bun === "undefined") return;'],
    ["src/store/a.ts", "Buffer.from(bytes)"],
    ["src/store/b.ts", 'import { readSync } from "node:fs";'],
    ["src/store/c.ts", 'const fs = await import("node:fs");'],
    ["src/store/d.ts", 'import pako from "npm:pako@3";'],
    ["src/walk/b.ts", 'console.log("x")'],
  ]);
  assertEquals(ruleViolations(faulty).map((fault) => fault.split('"')[1]), [...faulty.keys()]);
  const fine = new Map([
    ["src/cli/main.ts", 'console.log(args, "Deno.args")'],
    ["src/cli/words.ts", 'options.process.run({ process: "node:fs", Buffer: 1 })'],
    ["src/platform/x.ts", 'Deno.env.get("x"); import fs from "node:fs";'],
    ["src/cli/e.ts", "`process ${pid} of Deno`"],
    ["src/store/f.ts", 'import type { Stats } from "node:fs";'],
    ["src/store/e.ts", 'type Fs = typeof import("node:fs");'],
    ["src/bytes/c.ts", "// Deno.readFile would do\n/** console.log() */ const denoise = 1;"],
  ]);
  assertEquals(ruleViolations(fine), []);
});
