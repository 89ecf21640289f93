/**
 * The manifest of the module, `deno.json`, and what its import map means outside Deno.
 *
 * @module
 */

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import config from "../deno.json" with { type: "json" };
import { run } from "./command.ts";

/** Folder of the module. */
export const ROOT: string = fileURLToPath(new URL("..", import.meta.url));

/** The parts of `deno.json` that packages are made of. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
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

/**
 * Copies the documentation and the licence into a package that has all other files. Links to files
 * that it does not have become plain text.
 */
export async function copyDocuments(folder: string): Promise<void> {
  await Deno.mkdir(join(folder, "docs"), { recursive: true });
  const names = [...Deno.readDirSync(join(ROOT, "docs"))].map(({ name }) => join("docs", name));
  const pages = ["README.md", "CHANGELOG.md", ...names.filter((name) => name.endsWith(".md"))];
  for (const name of ["LICENSE", ...pages]) {
    await Deno.copyFile(join(ROOT, name), join(folder, name));
  }
  for (const page of pages) {
    const path = join(folder, page);
    await Deno.writeTextFile(path, withoutDeadLinks(await Deno.readTextFile(path), dirname(path)));
  }
}

/** Copies the examples into a package. */
export async function copyExamples(folder: string): Promise<void> {
  const examples = join("docs", "examples");
  await Deno.mkdir(join(folder, examples), { recursive: true });
  for await (const { name } of Deno.readDir(join(ROOT, examples))) {
    await Deno.copyFile(join(ROOT, examples, name), join(folder, examples, name));
  }
}

/** A fenced block of code, a link or a picture. */
const LINK_REGEXP = /^ *```[^]*?^ *```[ \t]*$|!?\[([^\]]*)\]\(([^)\s]+)\)/gm;

function withoutDeadLinks(markdown: string, folder: string): string {
  return markdown.replace(LINK_REGEXP, (link, label?: string, target = "") => {
    const isFile = label !== undefined && !/^(?:[a-z]+:|#)/i.test(target);
    return isFile && !existsSync(join(folder, target.replace(/#.*/, ""))) ? label : link;
  });
}
