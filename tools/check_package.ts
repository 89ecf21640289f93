/**
 * Checks the tarball of the npm package as its users meet it: `publint`, `attw`, a TypeScript
 * project, bundlers, and what it costs to install and to import.
 *
 * Usage: `deno run --allow-all tools/check_package.ts TARBALL`
 *
 * @module
 */

import { basename, dirname, join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import * as esbuild from "npm:esbuild@0.28.2";
import { publint } from "npm:publint@0.3.25";
import { formatMessage } from "npm:publint@0.3.25/utils";
import { rolldown } from "npm:rolldown@1.2.15";
import { LOCK, run } from "./command.ts";
import { MANIFEST, ROOT } from "./manifest.ts";

/** Compilers of the consumer project: the oldest that is supported, and the current one. */
const COMPILERS = { "typescript": "5.9", "typescript-7": "npm:typescript@7" };

/** Settings of the consumer project, `tsconfig.*.json`. */
const RESOLUTIONS = ["node16", "bundler"];

/** Kinds of declarations in `deno doc` that exist in types alone. */
const TYPE_KINDS = ["interface", "typeAlias"];

/** Target of a link in Markdown. */
const LINK_REGEXP = /\]\(([^)\s]+)\)/g;

/** Functions that are bundled for the web, by whether `import()` may load a part of them. */
const BUNDLED = { parseSitemap: false, walk: true };

/** Export conditions of the web: pages, workers, and workers of servers. */
const CONDITIONS = ["browser", "worker", "workerd"];

/** Most bytes of modules that an import of the library loads on Node. */
const MAX_IMPORTED_BYTES = 500_000;

/** Most bytes of modules that the command line loads before it knows the command. */
const MAX_STARTING_BYTES = 15_000;

/** Fresh processes that import the library. */
const IMPORT_RUNS = 7;

/** A bundle of one function. */
interface Bundle {
  /** Gzipped size of all files. */
  readonly bytes: number;
  /** Modules outside the bundle. */
  readonly externals: readonly string[];
  /** Files of the bundle that `import()` loads. */
  readonly lazy: readonly string[];
}

const BUNDLERS: Readonly<Record<string, typeof bundleWithRolldown>> = {
  rolldown: bundleWithRolldown,
  esbuild: bundleWithEsbuild,
};

function print(label: string, value: string): void {
  console.log(`${label.padEnd(44)} ${value.padStart(10)}`);
}

function printSize(label: string, bytes: number): void {
  print(label, `${(bytes / 1000).toFixed(1)} kB`);
}

/** Total size of the files below a path. */
async function sizeOf(path: string): Promise<number> {
  const info = await Deno.lstat(path);
  if (!info.isDirectory) return info.size;
  let size = 0;
  for await (const { name } of Deno.readDir(path)) size += await sizeOf(join(path, name));
  return size;
}

/** Runs `publint` with all its rules. */
async function lintPackage(tarball: string): Promise<void> {
  const { buffer } = await Deno.readFile(tarball);
  const { messages, pkg = {} } = await publint({ pack: { tarball: buffer }, strict: true });
  const lines = messages.map((message) => formatMessage(message, pkg, { color: false }));
  if (lines.length > 0) throw new Error(lines.join("\n"));
}

/** Checks that the package is described, and that the links of its documents resolve. */
async function checkDocuments(folder: string): Promise<void> {
  const manifest = JSON.parse(await Deno.readTextFile(join(folder, "package.json")));
  const { description = "", keywords = [] } = manifest;
  if (description === "" || keywords.length === 0) throw new Error("No description or keywords");
  const names = [...Deno.readDirSync(join(folder, "docs"))].map(({ name }) => join("docs", name));
  for (const page of ["README.md", "CHANGELOG.md", ...names].filter((name) => /\.md$/.test(name))) {
    const path = join(folder, page);
    for (const [, target = ""] of (await Deno.readTextFile(path)).matchAll(LINK_REGEXP)) {
      if (/^(?:[a-z]+:|#)/i.test(target)) continue;
      await Deno.stat(join(dirname(path), target.replace(/#.*/, "")))
        .catch(() => Promise.reject(new Error(`Dead link "${target}" in "${page}"`)));
    }
  }
}

/** Runs `attw`. The package has no CommonJS on purpose. */
async function checkTypeResolution(tarball: string): Promise<void> {
  const args = ["--profile", "esm-only", "--no-color", "--no-emoji", "--format", "ascii"];
  const tool = "npm:@arethetypeswrong/cli@0.18.5";
  await run([Deno.execPath(), "run", "--allow-all", "--frozen", LOCK, tool, tarball, ...args], {
    cwd: ROOT,
  });
}

/** Installs packages with npm into a new folder. */
async function install(folder: string, args: readonly string[]): Promise<void> {
  await Deno.mkdir(folder);
  await Deno.writeTextFile(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
  await run(["npm", "install", "--no-audit", "--no-fund", ...args], { cwd: folder });
}

/** Writes modules that name every export of every entry point. */
async function writeExports(folder: string): Promise<void> {
  for (const [key, path] of Object.entries(MANIFEST.exports)) {
    const json = await run([Deno.execPath(), "doc", "--json", path], { cwd: ROOT });
    const { nodes } = JSON.parse(json) as {
      nodes: Record<string, { symbols?: { name: string; declarations: { kind: string }[] }[] }>;
    };
    const names = Object.values(nodes).flatMap(({ symbols = [] }) => symbols)
      .map(({ name, declarations }) =>
        declarations.every(({ kind }) => TYPE_KINDS.includes(kind)) ? `type ${name}` : name
      );
    await Deno.writeTextFile(
      join(folder, `exports_of_${key === "." ? "index" : basename(key)}.ts`),
      `export { ${names.join(", ")} } from "${MANIFEST.name}${key.slice(1)}";\n`,
    );
  }
}

/** Compiles the consumer project with every compiler and every resolution. */
async function compileConsumer(folder: string): Promise<void> {
  const project = join(ROOT, "tests", "consumer");
  for await (const { name } of Deno.readDir(project)) {
    await Deno.copyFile(join(project, name), join(folder, name));
  }
  await writeExports(folder);
  for (const compiler of Object.keys(COMPILERS)) {
    const tsc = join(folder, "node_modules", compiler, "bin", "tsc");
    await Promise.all(
      RESOLUTIONS.map((resolution) =>
        run(["node", tsc, "--project", `tsconfig.${resolution}.json`], { cwd: folder })
      ),
    );
  }
}

/** Bundles a module with Rolldown, which makes a file of what `import()` loads. */
async function bundleWithRolldown(entry: string, condition: string): Promise<Bundle> {
  const build = await rolldown({
    input: entry,
    platform: "browser",
    resolve: { conditionNames: [condition, "import", "default"] },
    onLog(_level, log) {
      throw new Error(log.message);
    },
  });
  const { output } = await build.generate({ format: "esm", minify: true });
  await build.close();
  const chunks = output.filter((file) => file.type === "chunk");
  const names = new Set(chunks.map(({ fileName }) => fileName));
  return {
    bytes: chunks.reduce((bytes, { code }) => bytes + gzipSync(code).length, 0),
    externals: chunks.flatMap(({ imports }) => imports).filter((name) => !names.has(name)),
    lazy: chunks.flatMap(({ dynamicImports }) => dynamicImports),
  };
}

/** Bundles a module with esbuild into one file. */
async function bundleWithEsbuild(entry: string, condition: string): Promise<Bundle> {
  const { outputFiles, metafile } = await esbuild.build({
    entryPoints: [entry],
    bundle: true,
    format: "esm",
    platform: "browser",
    conditions: [condition],
    minify: true,
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  return {
    bytes: outputFiles.reduce((bytes, { contents }) => bytes + gzipSync(contents).length, 0),
    externals: imports.map(({ path }) => path),
    lazy: [],
  };
}

/** Bundles functions for the web: they need no other module and no compression of the runtime. */
async function checkBundles(folder: string): Promise<void> {
  for (const [name, mayLoad] of Object.entries(BUNDLED)) {
    const entry = join(folder, `bundle_${name}.js`);
    await Deno.writeTextFile(entry, `export { ${name} } from "${MANIFEST.name}";\n`);
    for (const [bundler, bundle] of Object.entries(BUNDLERS)) {
      for (const condition of CONDITIONS) {
        const { bytes, externals, lazy } = await bundle(entry, condition);
        const outside = mayLoad ? externals : [...externals, ...lazy];
        if (outside.length > 0) {
          throw new Error(`${bundler} leaves ${outside} out of ${name} for "${condition}"`);
        }
        if (condition === "browser") printSize(`${name}, bundled by ${bundler}, gzipped`, bytes);
      }
    }
  }
}

/** Checks how much an import loads on Node, and prints how long that takes, which depends on the machine. */
async function checkImport(folder: string): Promise<void> {
  const entry = join(folder, "import.js");
  await Deno.writeTextFile(entry, `export * from "${MANIFEST.name}";\n`);
  const { metafile: { outputs } } = await esbuild.build({
    entryPoints: [entry],
    bundle: true,
    // what `import()` loads has files of its own
    splitting: true,
    format: "esm",
    platform: "node",
    outdir: join(folder, "imported"),
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  const loaded = new Set(
    Object.keys(outputs).filter((name) => outputs[name]!.entryPoint?.endsWith("import.js")),
  );
  for (const name of loaded) {
    for (const { path, kind } of outputs[name]?.imports ?? []) {
      if (kind === "import-statement") loaded.add(path);
    }
  }
  const bytes = [...loaded].reduce((sum, name) => sum + (outputs[name]?.bytes ?? 0), 0);
  printSize("modules that an import loads", bytes);
  const script = `const start = performance.now();
await import("${MANIFEST.name}");
console.log(performance.now() - start);`;
  const times: number[] = [];
  while (times.length < IMPORT_RUNS) {
    times.push(Number(await run(["node", "--input-type=module", "-e", script], { cwd: folder })));
  }
  times.sort((a, b) => a - b);
  const version = (await run(["node", "--version"], { cwd: folder })).trim();
  print(`import on Node ${version}, median`, `${times[times.length >> 1]?.toFixed(1)} ms`);
  if (bytes > MAX_IMPORTED_BYTES) throw new Error(`An import loads ${bytes} bytes of modules`);
}

/** Checks how much the command line loads for `--version`. */
async function checkStart(folder: string): Promise<void> {
  const dist = join(folder, "node_modules", MANIFEST.name, "dist");
  const loaded = new Set(["bin.js"]);
  let bytes = 0;
  for (const name of loaded) {
    const source = await Deno.readTextFile(join(dist, name));
    bytes += source.length;
    for (const [, imported = ""] of source.matchAll(/^import [^;]*?"\.\/([^"]+)";$/gm)) {
      loaded.add(imported);
    }
  }
  printSize("modules that --version loads", bytes);
  if (loaded.size < 3 || bytes > MAX_STARTING_BYTES) throw new Error(`Loaded: ${[...loaded]}`);
}

/** Checks that the error of a proxy without the optional package names that package. */
async function checkMissingPackage(folder: string): Promise<void> {
  const bin = join(folder, "node_modules", ".bin", "sitetree");
  const message = await run([bin, "ls", "--proxy", "http://127.0.0.1:9", "http://site.test/"])
    .then(() => "No error", (error: Error) => error.message);
  if (!message.includes('package "undici" is not installed')) throw new Error(message);
}

/** The package without which `./fleet` cannot be imported. */
const FLEET_PACKAGE = "pg";

/** Checks that `./fleet` alone needs its package, which is not installed, and that it names it. */
async function checkFleetPackage(folder: string): Promise<void> {
  const path = join(folder, "node_modules", FLEET_PACKAGE);
  if (await Deno.stat(path).then(() => true, () => false)) {
    throw new Error(`"${FLEET_PACKAGE}" is installed with the package`);
  }
  const script = `for (const key of ${JSON.stringify(Object.keys(MANIFEST.exports))}) {
  const name = "${MANIFEST.name}" + key.slice(1);
  if (key !== "./fleet") await import(name);
  else await import(name).then(({ openFleet }) => openFleet("postgres://localhost/fleet")).then(
    () => console.log("No error"),
    (error) => console.log(error.message),
  );
}`;
  const message = await run(["node", "--input-type=module", "-e", script], { cwd: folder });
  if (!message.includes(`'${FLEET_PACKAGE}'`)) throw new Error(message);
}

async function checkPackage(tarball: string, folder: string): Promise<number> {
  const compilers = Object.entries(COMPILERS).map(([name, version]) => `${name}@${version}`);
  const consumer = join(folder, "consumer");
  const lean = join(folder, "lean");
  await install(lean, ["--omit=optional", tarball]);
  await install(join(folder, "full"), [tarball]);
  await install(consumer, [tarball, "@types/node@22", ...compilers]);

  printSize("package, packed", await sizeOf(tarball));
  printSize("package, unpacked", await sizeOf(join(lean, "node_modules", MANIFEST.name)));
  printSize("installed", await sizeOf(join(folder, "full", "node_modules")));
  printSize("installed without optional packages", await sizeOf(join(lean, "node_modules")));
  const checks: Record<string, () => Promise<void>> = {
    "publint": () => lintPackage(tarball),
    "documents": () => checkDocuments(join(lean, "node_modules", MANIFEST.name)),
    "attw": () => checkTypeResolution(tarball),
    "consumer project": () => compileConsumer(consumer),
    "bundles": () => checkBundles(lean),
    "missing optional package": () => checkMissingPackage(lean),
    "package of ./fleet": () => checkFleetPackage(join(folder, "full")),
    "import": () => checkImport(lean),
    "start": () => checkStart(lean),
  };
  let failures = 0;
  for (const [name, check] of Object.entries(checks)) {
    try {
      await check();
      print(name, "ok");
    } catch (error) {
      failures++;
      print(name, "failed");
      console.error(error instanceof Error ? error.message : error);
    }
  }
  return failures;
}

if (import.meta.main) {
  const [tarball] = Deno.args;
  if (tarball === undefined) throw new Error("Missing argument: the tarball to check");
  const folder = await Deno.makeTempDir({ prefix: "sitetree-check-" });
  try {
    const failures = await checkPackage(resolve(tarball), folder);
    Deno.exitCode = failures > 0 ? 1 : 0;
  } finally {
    await esbuild.stop();
    await Deno.remove(folder, { recursive: true });
  }
}
