/**
 * Builds the packages to publish, below `dist/`: `npm/` and its tarball, `jsr/`, and the source
 * maps of the npm package in `maps/`.
 *
 * The sources import `@std/…` and `@libs/xml` by their JSR names, which the import map of
 * `deno.json` maps to copies on npm. The npm package bundles those copies; the JSR package depends
 * on the packages of JSR.
 *
 * Usage: `deno task pack`
 *
 * @module
 */

import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Rolldown } from "npm:tsdown@0.22.11";
import { manualPage } from "../src/cli/man.ts";
import { run } from "./command.ts";
import {
  copyDocuments,
  copyExamples,
  importedNames,
  MANIFEST,
  npmImport,
  ROOT,
} from "./manifest.ts";
import { packJsr } from "./pack_jsr.ts";

const DIST = join(ROOT, "dist");
const NPM = join(DIST, "npm");
const MAPS = join(DIST, "maps");
const JSR = join(DIST, "jsr");

/** Oldest version of Node that is supported. */
const NODE = "20.19";

/** Packages that are not bundled; installed if possible, for `--proxy` on Node. */
const OPTIONAL = ["undici"];

/** Packages that are not bundled; users of PostgreSQL install them. */
const PEERS = ["pg"];

/** Packages that are not bundled. */
const EXTERNAL = [...OPTIONAL, ...PEERS];

/**
 * Modules that the package imports by condition: the inflater for runtimes without zlib is loaded
 * when needed, and statically where `import()` is forbidden (service workers) or where bundlers
 * would split it off.
 */
const LAZY_PAKO = "src/platform/load_pako.ts";
const STATIC_PAKO = "src/platform/load_pako_static.ts";
const PAKO_NAME = "#load-pako";

/** Conditions of runtimes that may lack zlib. */
const STATIC_CONDITIONS = ["browser", "worker", "workerd"];

/** Name of an entry point's file, `./store` or `./src/platform/load_pako.ts`, without extension. */
function entryName(path: string): string {
  return path === "." ? "index" : basename(path, ".ts");
}

/** Bundles the entry points. Returns the files of all modules in the bundle. */
async function bundle(nodeModules: string): Promise<string[]> {
  const entry = Object.fromEntries([
    ...Object.entries(MANIFEST.exports).map(([key, path]) => [entryName(key), path]),
    ...[LAZY_PAKO, STATIC_PAKO].map((path) => [entryName(path), path]),
  ]);
  const resolve: Rolldown.Plugin = {
    name: "import-map",
    resolveId(source, importer) {
      if (importer === undefined) return;
      if (source.endsWith(`/${basename(LAZY_PAKO)}`)) return { id: PAKO_NAME, external: true };
      if (!(source in MANIFEST.imports) || EXTERNAL.includes(source)) return;
      const { name, path } = npmImport(source);
      return this.resolve(name + path, join(nodeModules, "importer.js"), { skipSelf: true });
    },
  };
  const bundles = await build({
    config: false,
    tsconfig: false,
    cwd: ROOT,
    entry,
    outDir: join(NPM, "dist"),
    format: "esm",
    platform: "neutral",
    target: `node${NODE}`,
    dts: { generator: "oxc", entry: Object.values(MANIFEST.exports).map((path) => path.slice(2)) },
    sourcemap: "hidden",
    outputOptions: {
      comments: { annotation: true, jsdoc: false, legal: true },
      chunkFileNames: ({ name }) => {
        // that of `src/sync/sync.ts` must not take the name of the entry point
        if (name.endsWith(".d")) return `shared_${name}.ts`;
        // the chunk of `mod.ts` has the name of its folder, which differs between machines
        return name === basename(ROOT) ? "library.js" : `${name}.js`;
      },
    },
    outExtensions: () => ({ js: ".js", dts: ".d.ts" }),
    deps: { neverBundle: [/^node:/, ...EXTERNAL], onlyBundle: false },
    inputOptions: {
      resolve: { mainFields: ["module", "main"] },
      experimental: { attachDebugInfo: "none" },
    },
    // pako has all of zlib in one module: a table of the other half is made with this class
    treeshake: { manualPureFunctions: ["Config"] },
    plugins: [resolve],
    logLevel: "warn",
    failOnWarn: true,
  });
  const chunks = bundles.flatMap((one) => one.chunks).filter((chunk) => chunk.type === "chunk");
  return chunks.flatMap((chunk) => chunk.moduleIds);
}

/** The manifest of the npm package. */
function packageJson(): Record<string, unknown> {
  const target = (name: string) => ({ types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` });
  const lazy = `./dist/${entryName(LAZY_PAKO)}.js`;
  const eager = `./dist/${entryName(STATIC_PAKO)}.js`;
  return {
    name: MANIFEST.name,
    version: MANIFEST.version,
    description: MANIFEST.description,
    keywords: ["sitemap", "sitemaps", "robots.txt", "crawler", "seo", "xml", "streaming", "cli"],
    license: MANIFEST.license,
    type: "module",
    sideEffects: false,
    engines: { node: `>=${NODE}` },
    bin: { sitetree: "./dist/bin.js" },
    man: ["./man/sitetree.1"],
    files: ["dist", "man", "docs", "CHANGELOG.md", "THIRD-PARTY-LICENSES.txt"],
    // the default for a name with a scope is a private package
    publishConfig: { access: "public" },
    exports: Object.fromEntries(
      Object.keys(MANIFEST.exports).map((key) => [key, target(entryName(key))]),
    ),
    imports: {
      [PAKO_NAME]: {
        ...Object.fromEntries(STATIC_CONDITIONS.map((condition) => [condition, eager])),
        default: lazy,
      },
    },
    optionalDependencies: Object.fromEntries(
      OPTIONAL.map((name) => [name, npmImport(name).range]),
    ),
    peerDependencies: Object.fromEntries(
      PEERS.map((name) => [name, `^${npmImport(name).range}`]),
    ),
    peerDependenciesMeta: Object.fromEntries(
      PEERS.map((name) => [name, { optional: true }]),
    ),
  };
}

const BIN = `#!/usr/bin/env node
import { main } from "./cli.js";

await main();
`;

/** Text of the licence of a package, from its licence file or from the header of a module. */
async function licenseText(folder: string, module: string): Promise<string> {
  for await (const { name } of Deno.readDir(folder)) {
    if (/^licen[cs]e/i.test(name)) return await Deno.readTextFile(join(folder, name));
  }
  // deno-std has no licence file
  const header = /^\/\/ (Copyright .*) MIT license/.exec(await Deno.readTextFile(module));
  if (header === null) throw new Error(`No licence found in "${folder}"`);
  const own = await Deno.readTextFile(join(ROOT, "LICENSE"));
  return own.replace(/^Copyright .*$/m, header[1] ?? "");
}

/** Folder of the package that a module of the bundle comes from, none for our own modules. */
function packageFolder(module: string): string | undefined {
  // helpers of the bundler
  if (module.startsWith("\0")) {
    return join(fileURLToPath(import.meta.resolve("npm:rolldown@1.2.15")), "../..");
  }
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(module)?.[0];
}

/** Licence notices of the packages that modules of the bundle come from. */
async function licenseNotices(modules: readonly string[]): Promise<string> {
  const notices = new Map<string, string>();
  for (const module of modules) {
    const folder = packageFolder(module);
    if (folder === undefined || notices.has(folder)) continue;
    const { name, version } = JSON.parse(await Deno.readTextFile(join(folder, "package.json")));
    const text = await licenseText(folder, module);
    notices.set(folder, `${name} ${version}\n\n${text.trim()}\n`);
  }
  return [
    "This package contains code of the following packages.\n",
    ...[...notices.values()].sort(),
  ]
    .join(`\n${"-".repeat(80)}\n\n`);
}

/** Moves the source maps out of the package. */
async function moveMaps(): Promise<void> {
  await Deno.mkdir(MAPS, { recursive: true });
  for await (const { name } of Deno.readDir(join(NPM, "dist"))) {
    if (name.endsWith(".map")) await Deno.rename(join(NPM, "dist", name), join(MAPS, name));
  }
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}

/** Writes the npm package and its tarball. */
async function packNpm(nodeModules: string): Promise<void> {
  const modules = await bundle(nodeModules);
  await moveMaps();
  await Deno.writeTextFile(join(NPM, "dist", "bin.js"), BIN, { mode: 0o755 });
  await Deno.mkdir(join(NPM, "man"), { recursive: true });
  await Deno.writeTextFile(join(NPM, "man", "sitetree.1"), manualPage());
  await Deno.writeTextFile(
    join(NPM, "package.json"),
    `${JSON.stringify(packageJson(), undefined, 2)}\n`,
  );
  await Deno.writeTextFile(join(NPM, "THIRD-PARTY-LICENSES.txt"), await licenseNotices(modules));
  await copyExamples(NPM);
  await copyDocuments(NPM);
  await run(["npm", "pack", "--pack-destination", DIST], { cwd: NPM });
}

/** Installs the packages of the import map into a new folder, in the versions of `deno.lock`. */
async function installImports(names: readonly string[]): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "sitetree-pack-" });
  const imports = Object.fromEntries(names.map((name) => [name, MANIFEST.imports[name]]));
  await Deno.writeTextFile(join(folder, "deno.json"), JSON.stringify({ imports }));
  await Deno.copyFile(join(ROOT, "deno.lock"), join(folder, "deno.lock"));
  await run([Deno.execPath(), "install", "--node-modules-dir=auto"], { cwd: folder });
  return folder;
}

if (import.meta.main) {
  const names = await importedNames();
  for (const folder of [NPM, MAPS, JSR]) {
    await Deno.remove(folder, { recursive: true }).catch(ignoreMissing);
  }
  const staging = await installImports(names);
  try {
    await packNpm(staging);
    await packJsr(JSR, names, join(staging, "node_modules"));
  } finally {
    await Deno.remove(staging, { recursive: true });
  }
  console.log(`Built npm and JSR packages of ${MANIFEST.name} ${MANIFEST.version} in dist/`);
}
