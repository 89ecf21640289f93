/**
 * The runtimes that are tested, and their installation from npm into `dist/runtimes/`.
 *
 * @module
 */

import { ROOT } from "../bench/bench_data.ts";

/** A program from npm. */
interface Program {
  readonly version: string;
  /** Package of the program for a platform, without its version. */
  readonly packageFor: (platform: Platform) => string;
  /** Path of the program in its package. */
  readonly path: string;
}

interface Platform {
  readonly os: "linux" | "darwin";
  readonly arch: "x64" | "arm64";
}

/** A runtime with `node:` modules. */
export const SERVER_RUNTIMES = [
  "bun",
  "node20",
  "node22",
  "node24",
  "node26",
  "deno-oldest",
  "deno",
] as const;

/** Name of a runtime with `node:` modules. */
export type ServerRuntime = typeof SERVER_RUNTIMES[number];

/** Name of any runtime. */
export type RuntimeName = ServerRuntime | "workerd" | "chromium";

/** Pinned versions, all of them on npm for Linux and macOS, x64 and arm64. */
const PROGRAMS: Readonly<Record<ServerRuntime | "workerd", Program>> = {
  // the lowest version of `engines`
  "node20": node("20.19.0"),
  "node22": node("22.23.3"),
  "node24": node("24.21.0"),
  "node26": node("26.10.0"),
  "bun": {
    version: "1.4.4",
    packageFor: ({ os, arch }) => `@oven/bun-${os}-${arch === "arm64" ? "aarch64" : arch}`,
    path: "bin/bun",
  },
  // the oldest version on npm for all platforms that passes
  "deno-oldest": deno("2.2.3"),
  "deno": deno("2.9.5"),
  "workerd": {
    version: "1.20261104.1",
    packageFor: ({ os, arch }) => `@cloudflare/workerd-${os}-${arch === "x64" ? "64" : arch}`,
    path: "bin/workerd",
  },
};

function node(version: string): Program {
  return { version, packageFor: ({ os, arch }) => `node-${os}-${arch}`, path: "bin/node" };
}

function deno(version: string): Program {
  return {
    version,
    packageFor: ({ os, arch }) => `@deno/${os}-${arch}${os === "linux" ? "-glibc" : ""}`,
    path: "deno",
  };
}

/** A program that cannot be installed on this machine. */
export class NotInstallable extends Error {
  override name = "NotInstallable";
}

function platform(): Platform {
  const { os, arch } = Deno.build;
  if (os !== "linux" && os !== "darwin") throw new NotInstallable(`No package for ${os}`);
  return { os, arch: arch === "aarch64" ? "arm64" : "x64" };
}

/** Returns the pinned version of a program. */
export function versionOf(name: keyof typeof PROGRAMS): string {
  return PROGRAMS[name].version;
}

/** Installations by name, finished or not. */
const installations = new Map<string, Promise<string>>();

/** Installs a program or Chromium unless it is there, once; returns its path. */
export function install(name: RuntimeName): Promise<string> {
  let installation = installations.get(name);
  if (installation === undefined) {
    installation = name === "chromium" ? installChromium() : installProgram(name);
    installations.set(name, installation);
    // the checks that need it report the error
    installation.catch(() => {});
  }
  return installation;
}

async function installProgram(name: keyof typeof PROGRAMS): Promise<string> {
  const { version, packageFor, path } = PROGRAMS[name];
  const packageName = packageFor(platform());
  const folder = new URL(`dist/runtimes/${name}-${version}/`, ROOT).pathname;
  const program = `${folder}node_modules/${packageName}/${path}`;
  if (await exists(program)) return program;
  await Deno.mkdir(folder, { recursive: true });
  // a project of its own, or npm looks for one in the folders above
  await Deno.writeTextFile(`${folder}package.json`, '{ "private": true }\n');
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"];
  const { success, stderr } = await new Deno.Command("npm", {
    args: [...args, "--no-save", `${packageName}@${version}`],
    cwd: folder,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  if (success && await exists(program)) return program;
  throw new NotInstallable(
    `Cannot install "${packageName}@${version}": ${new TextDecoder().decode(stderr).trim()}`,
  );
}

/** Installs Debian's Chromium where that is possible. */
async function installChromium(): Promise<string> {
  const path = "/usr/bin/chromium";
  if (await exists(path)) return path;
  const apt = "/usr/bin/apt-get";
  if (!await exists(apt) || Deno.uid() !== 0) {
    throw new NotInstallable(`No "${path}", and no "${apt}" or no right to install it`);
  }
  for (const args of [["update"], ["install", "--yes", "--no-install-recommends", "chromium"]]) {
    const { success, stderr } = await new Deno.Command(apt, {
      args: ["--quiet", ...args],
      env: { DEBIAN_FRONTEND: "noninteractive" },
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).output();
    if (!success) throw new NotInstallable(new TextDecoder().decode(stderr).trim());
  }
  return path;
}

async function exists(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
