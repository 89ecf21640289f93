/**
 * The manifest of the module, `deno.json`, and what its import map means outside Deno.
 *
 * @module
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import config from "../deno.json" with { type: "json" };
import { run } from "./command.ts";

/** Folder of the module. */
export const ROOT: string = fileURLToPath(new URL("..", import.meta.url));

/** The parts of `deno.json` that packages are made of. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly imports: Readonly<Record<string, string>>;
  readonly compilerOptions: Readonly<Record<string, boolean>>;
}

/** The manifest of the module. */
export const MANIFEST: Manifest = config;

/** An npm package in the import map. */
export interface NpmImport {
  readonly name: string;
  readonly range: string;
  /** Path inside the package with a leading slash, empty for its main module. */
  readonly path: string;
}

/** Splits what a name is mapped to, `npm:deno-std@^1.4.0/fmt/colors.js`. */
export function npmImport(name: string): NpmImport {
  const target = MANIFEST.imports[name] ?? "";
  const parts = /^npm:((?:@[^/]+\/)?[^@/]+)@([^/]+)(\/.+)?$/.exec(target);
  if (parts === null) throw new Error(`Cannot map "${name}" to npm: it is mapped to "${target}"`);
  return { name: parts[1] ?? "", range: parts[2] ?? "", path: parts[3] ?? "" };
}

/** Names of the import map that the entry points import, directly or not. */
export async function importedNames(): Promise<string[]> {
  const names = new Set<string>();
  const entries = Object.values(MANIFEST.exports);
  const graphs = await Promise.all(
    entries.map((entry) => run([Deno.execPath(), "info", "--json", entry], { cwd: ROOT })),
  );
  for (const graph of graphs) {
    const { modules } = JSON.parse(graph) as {
      modules: { specifier: string; dependencies?: { specifier: string }[] }[];
    };
    for (const module of modules) {
      if (!module.specifier.startsWith("file:")) continue;
      for (const { specifier } of module.dependencies ?? []) {
        if (specifier in MANIFEST.imports) names.add(specifier);
      }
    }
  }
  return [...names].sort();
}

/** Copies the documentation and the licence into a package. */
export async function copyDocuments(folder: string): Promise<void> {
  for (const name of ["README.md", "CHANGELOG.md", "LICENSE"]) {
    await Deno.copyFile(join(ROOT, name), join(folder, name));
  }
  await Deno.mkdir(join(folder, "docs"), { recursive: true });
  for await (const { name } of Deno.readDir(join(ROOT, "docs"))) {
    if (!name.endsWith(".md")) continue;
    await Deno.copyFile(join(ROOT, "docs", name), join(folder, "docs", name));
  }
}
