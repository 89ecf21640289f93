/**
 * Builds the package for JSR and tries to publish it.
 *
 * `deno publish --dry-run` resolves the `jsr:` imports of the package, and some machines reach npm
 * alone. So a server on loopback takes the place of JSR and serves the npm copies under their JSR
 * names. Those copies are JavaScript without types: whether the types of the real packages fit is
 * not checked.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { join } from "node:path";
import { run } from "./command.ts";
import { copyDocuments, MANIFEST, npmImport, ROOT } from "./manifest.ts";

/** `@std/fmt/colors`: a package of JSR and a path in it. */
const JSR_NAME = /^(@(?:std|libs)\/[^/]+)(\/.+)?$/;

/** Maps an import for the JSR package. Major versions on JSR are those of the npm copies. */
function jsrImport(name: string): string {
  const parts = JSR_NAME.exec(name);
  if (parts === null) return MANIFEST.imports[name] ?? "";
  const major = /\d+/.exec(npmImport(name).range)?.[0] ?? "";
  return `jsr:${parts[1]}@^${major}${parts[2] ?? ""}`;
}

/** A package as JSR serves it, with the files of an npm package. */
interface ServedPackage {
  readonly folder: string;
  readonly version: string;
  readonly exports: Record<string, string>;
  readonly manifest: Record<string, { size: number; checksum: string }>;
}

/** Sizes and checksums of the modules below a folder, by their path with a leading slash. */
async function fileManifest(folder: string, path = ""): Promise<ServedPackage["manifest"]> {
  const manifest: ServedPackage["manifest"] = {};
  for await (const { name, isDirectory } of Deno.readDir(folder + path)) {
    const file = `${path}/${name}`;
    if (isDirectory) {
      Object.assign(manifest, await fileManifest(folder, file));
    } else if (/\.m?js$/.test(name)) {
      const bytes = await Deno.readFile(folder + file);
      const hash = createHash("sha256").update(bytes).digest("hex");
      manifest[file] = { size: bytes.length, checksum: `sha256-${hash}` };
    }
  }
  return manifest;
}

/** Packages of JSR by name, with an export for each imported name. */
async function servedPackages(
  names: readonly string[],
  nodeModules: string,
): Promise<Map<string, ServedPackage>> {
  const packages = new Map<string, ServedPackage>();
  for (const name of names) {
    const [, jsrName, path = ""] = JSR_NAME.exec(name) ?? [];
    if (jsrName === undefined) continue;
    const npm = npmImport(name);
    const folder = join(nodeModules, npm.name);
    const { version, exports } = JSON.parse(
      await Deno.readTextFile(join(folder, "package.json")),
    );
    let served = packages.get(jsrName);
    if (served === undefined) {
      served = { folder, version, exports: {}, manifest: await fileManifest(folder) };
      packages.set(jsrName, served);
    }
    served.exports[`.${path}`] = exports[`.${npm.path}`] ?? `.${npm.path}`;
  }
  return packages;
}

/** Answers like JSR: `/@std/fmt/meta.json`, `/@std/fmt/1.4.0_meta.json`, `/@std/fmt/1.4.0/…`. */
async function answer(
  request: Request,
  packages: ReadonlyMap<string, ServedPackage>,
): Promise<Response> {
  const { pathname } = new URL(request.url);
  const [, name = "", rest = ""] = /^\/(@[^/]+\/[^/]+)\/(.+)$/.exec(pathname) ?? [];
  const served = packages.get(name);
  if (served === undefined) return new Response(null, { status: 404 });
  const { folder, version, exports, manifest } = served;
  if (rest === "meta.json") return Response.json({ versions: { [version]: {} } });
  if (rest === `${version}_meta.json`) return Response.json({ exports, manifest });
  const file = rest.slice(version.length);
  if (!(file in manifest)) return new Response(null, { status: 404 });
  return new Response(await Deno.readFile(folder + file), {
    headers: { "content-type": "text/javascript" },
  });
}

/** Tries to publish a package whose dependencies a server on loopback has. */
async function dryRun(
  folder: string,
  packages: ReadonlyMap<string, ServedPackage>,
): Promise<void> {
  const { npmCache } = JSON.parse(await run([Deno.execPath(), "info", "--json"], { cwd: ROOT }));
  const cache = await Deno.makeTempDir({ prefix: "sitetree-jsr-" });
  await Deno.symlink(npmCache, join(cache, "npm"));
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    (request) => answer(request, packages),
  );
  try {
    await run([Deno.execPath(), "publish", "--dry-run", "--allow-dirty", "--quiet"], {
      cwd: folder,
      env: { DENO_DIR: cache, JSR_URL: `http://127.0.0.1:${server.addr.port}/` },
    });
  } finally {
    await server.shutdown();
    await Deno.remove(cache, { recursive: true });
  }
}

/** Copies the files of a folder and of the folders below it. */
async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copyFolder(join(from, name), join(to, name));
    else await Deno.copyFile(join(from, name), join(to, name));
  }
}

/**
 * Writes the package for JSR into a folder and tries to publish it.
 *
 * @param folder Folder to write, which does not exist.
 * @param names Names of the import map that the sources use.
 * @param nodeModules Folder with the npm packages of those names.
 */
export async function packJsr(
  folder: string,
  names: readonly string[],
  nodeModules: string,
): Promise<void> {
  const { name, version, description, license, exports, compilerOptions } = MANIFEST;
  const imports = Object.fromEntries(names.map((name) => [name, jsrImport(name)]));
  await copyFolder(join(ROOT, "src"), join(folder, "src"));
  // page.gen.ts has the pages, bundled
  await Deno.remove(join(folder, "src", "report", "page"), { recursive: true });
  await Deno.copyFile(join(ROOT, "mod.ts"), join(folder, "mod.ts"));
  await copyDocuments(folder);
  const manifest = { name, version, description, license, exports, imports };
  const config = { ...manifest, compilerOptions, lock: false };
  await Deno.writeTextFile(
    join(folder, "deno.json"),
    `${JSON.stringify(config, undefined, 2)}\n`,
  );
  await dryRun(folder, await servedPackages(names, nodeModules));
}
