/**
 * A temporary folder with the package installed from the loopback registry, and the scripts of the
 * checks next to it.
 *
 * @module
 */

import config from "../../deno.json" with { type: "json" };
import { ROOT } from "../bench/bench_data.ts";
import { bundle } from "./bundle.ts";
import { Postgres } from "../../src/sync/postgres.ts";
import { run } from "../command.ts";
import { startPostgres, type TestPostgres } from "../../tests/support/postgres.ts";
import { NotInstallable } from "./install.ts";
import { configuredRegistry, LoopbackRegistry, type ServedPackage } from "./registry.ts";
import type { Report } from "./report.ts";

/** Scripts for runtimes with `node:` modules. */
const SCRIPTS = ["conformance", "proxied", "smoke_fleet", "smoke_server"];

/** What a workspace is made of. */
export interface WorkspaceOptions {
  readonly tarball: string;
  /** Folder of the conformance cases. */
  readonly cases: string;
  readonly report: Report;
  /** Whether the folder stays. */
  readonly keep: boolean;
}

/** An installed package and everything to check it. */
export class Workspace implements AsyncDisposable {
  /** Temporary folder of everything. */
  readonly temporary: string;
  /** The package that is installed. */
  readonly tarball: string;
  readonly report: Report;
  readonly casesFolder: string;
  readonly registry: LoopbackRegistry;
  readonly #keep: boolean;
  #postgres: Promise<TestPostgres> | undefined;

  private constructor(options: WorkspaceOptions, temporary: string, registry: LoopbackRegistry) {
    this.tarball = options.tarball;
    this.report = options.report;
    this.casesFolder = options.cases;
    this.#keep = options.keep;
    this.temporary = temporary;
    this.registry = registry;
  }

  /** Starts the registry and installs the package; throws if that fails. */
  static async open(options: WorkspaceOptions): Promise<Workspace> {
    const served = await servedPackage(options.tarball);
    const registry = new LoopbackRegistry(served, await configuredRegistry());
    const workspace = new Workspace(options, await Deno.makeTempDir(), registry);
    try {
      await workspace.#install(served.manifest);
    } catch (error) {
      await workspace[Symbol.asyncDispose]();
      throw error;
    }
    return workspace;
  }

  async #install({ name, peerDependencies = {} }: ServedPackage["manifest"]): Promise<void> {
    await Deno.mkdir(this.folder);
    const manifest = { private: true, type: "module" };
    await Deno.writeTextFile(`${this.folder}/package.json`, JSON.stringify(manifest));
    const peers = Object.entries(peerDependencies).map(([peer, range]) => `${peer}@${range}`);
    await run(["npm", "install", "--no-audit", "--no-fund", name, ...peers], {
      cwd: this.folder,
      env: this.environment("install"),
    });
    for (const script of SCRIPTS) {
      const text = await bundle({ script: `tools/runtimes/${script}.ts`, folder: this.folder });
      await Deno.writeTextFile(`${this.folder}/${script}.js`, text);
    }
  }

  /** Folder in which the package is installed. */
  get folder(): string {
    return `${this.temporary}/installed`;
  }

  /** Program of the package. */
  get bin(): string {
    return `${this.folder}/node_modules/.bin/sitetree`;
  }

  /** Returns the text of all conformance cases but those of some names, as an array. */
  async cases(without: readonly string[] = []): Promise<string> {
    const cases: string[] = [];
    for await (const { name } of Deno.readDir(this.casesFolder)) {
      if (!name.endsWith(".json") || without.includes(name)) continue;
      cases.push(await Deno.readTextFile(`${this.casesFolder}/${name}`));
    }
    return `[${cases.join(",")}]`;
  }

  /** Creates an empty folder. */
  async emptyFolder(name: string): Promise<string> {
    const folder = `${this.temporary}/${name}`;
    await Deno.mkdir(folder, { recursive: true });
    return folder;
  }

  /** Returns variables that make package managers use the registry, with empty caches. */
  environment(name: string): Record<string, string> {
    const cache = `${this.temporary}/cache-${name}`;
    return {
      "npm_config_registry": this.registry.url,
      "NPM_CONFIG_REGISTRY": this.registry.url,
      "npm_config_cache": `${cache}/npm`,
      "BUN_INSTALL_CACHE_DIR": `${cache}/bun`,
      "DENO_DIR": `${cache}/deno`,
      "DENO_NO_UPDATE_CHECK": "1",
      "NO_COLOR": "1",
    };
  }

  /** Creates a database on a server for all runtimes, which the first call starts; returns its URL. */
  async database(name: string): Promise<string> {
    this.#postgres ??= startPostgres();
    const server = await this.#postgres;
    const database = await Postgres.open(server.url, { connections: 1 });
    try {
      await database.query(`create database "${name}"`);
    } finally {
      await database.close();
    }
    const url = new URL(server.url);
    url.pathname = `/${name}`;
    return url.href;
  }

  /** Installs a runtime; returns undefined and reports it as skipped if it is not available. */
  async installed<T>(runtime: string, install: () => Promise<T>): Promise<T | undefined> {
    try {
      return await install();
    } catch (error) {
      if (!(error instanceof NotInstallable)) throw error;
      this.report.skip(runtime, error.message);
      return undefined;
    }
  }

  /** Stops the servers and removes the folder. */
  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#postgres)?.[Symbol.asyncDispose]();
    await this.registry[Symbol.asyncDispose]();
    if (this.#keep) console.log(`Kept ${this.temporary}`);
    else await Deno.remove(this.temporary, { recursive: true });
  }
}

async function servedPackage(path: string): Promise<ServedPackage> {
  const manifest = await run(["tar", "-xzOf", path, "package/package.json"]);
  return { manifest: JSON.parse(manifest), tarball: await Deno.readFile(path) };
}

/** Packs the library; returns the path of the npm package. */
export async function packLibrary(): Promise<string> {
  await run([Deno.execPath(), "task", "pack"], { cwd: ROOT.pathname });
  const { name, version } = config;
  const file = `${name.slice(1).replace("/", "-")}-${version}.tgz`;
  return new URL(`dist/${file}`, ROOT).pathname;
}
