/**
 * The programs of workers: from the source on Deno, and from the package on Node.
 *
 * @module
 */

import { run } from "../command.ts";
import { versionOf } from "../runtimes/install.ts";
import { packLibrary } from "../runtimes/workspace.ts";
import type { Programs } from "./rounds.ts";

const ROOT = new URL("../../", import.meta.url);
/** Program of a worker. */
export const WORKER = "tools/chaos/worker.ts";
/** Files of a worker. */
const WORKER_FILES = ["worker.ts", "mapped_fetch.ts"];

/** Returns the command of workers on Deno from the source in a folder. */
export function denoCommand(root: URL): Programs["commands"][number] {
  return [
    ...[Deno.execPath(), "run", "--no-check", "--frozen", "--allow-all"] as const,
    new URL(WORKER, root).href,
    moduleOf(root).href,
  ];
}

/** Returns the module of fleets below a folder. */
export function moduleOf(root: URL): URL {
  return new URL("src/fleet/mod.ts", root);
}

/** Installs the package in a folder, and returns the command of workers on Node that use it. */
export async function nodeCommand(
  folder: string,
  tarball: string | undefined,
): Promise<Programs["commands"][number]> {
  const path = tarball ?? await packLibrary();
  const manifest = JSON.parse(await run(["tar", "-xzOf", path, "package/package.json"]));
  const peers = Object.entries(manifest.peerDependencies).map(([name, range]) =>
    `${name}@${range}`
  );
  await Deno.writeTextFile(`${folder}/package.json`, '{ "private": true, "type": "module" }\n');
  // not where other checks install it at the same time
  const node = `node-${Deno.build.os}-${Deno.build.arch === "aarch64" ? "arm64" : "x64"}`;
  const packages = [path, ...peers, `${node}@${versionOf("node22")}`];
  await run(["npm", "install", "--no-audit", "--no-fund", ...packages], { cwd: folder });
  for (const file of WORKER_FILES) {
    await Deno.copyFile(new URL(`tools/chaos/${file}`, ROOT), `${folder}/${file}`);
  }
  const program = `${folder}/node_modules/${node}/bin/node`;
  return [program, `${folder}/worker.ts`, `${manifest.name}/fleet`];
}
