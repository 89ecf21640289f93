/**
 * Starts contenders in separate processes.
 *
 * The peers are pinned in `peers/deno.json` and locked in `peers/deno.lock`, apart from the module,
 * so that nothing but a benchmark ever installs them. Contenders that share a process need both
 * import maps: they are merged into `bench-data/peers/deno.json`, with a `node_modules` beside it
 * that Node reads too. After changing a pin, run a benchmark and copy `bench-data/peers/deno.lock`
 * back to `peers/deno.lock`.
 *
 * @module
 */

import { DATA_FOLDER, ROOT } from "./bench_data.ts";

const BENCH_FOLDER: URL = new URL("./", import.meta.url);
const PEERS_FOLDER: URL = new URL("peers/", DATA_FOLDER);
const CONFIG: URL = new URL("deno.json", PEERS_FOLDER);

type ImportMap = Record<string, string>;

/** Returns the import map of a configuration, its relative targets resolved. */
export async function importsOf(config: URL): Promise<ImportMap> {
  const { imports } = JSON.parse(await Deno.readTextFile(config)) as { imports: ImportMap };
  return Object.fromEntries(
    Object.entries(imports).map(([name, target]) => [
      name,
      target.startsWith(".") ? new URL(target, config).href : target,
    ]),
  );
}

/** The versions of the peers, by package. */
export async function peerVersions(): Promise<ImportMap> {
  const imports = await importsOf(new URL("peers/deno.json", BENCH_FOLDER));
  return Object.fromEntries(
    Object.values(imports).map((target) => {
      const at = target.lastIndexOf("@");
      return [target.slice("npm:".length, at), target.slice(at + 1)];
    }),
  );
}

/** Installs the peers, once for each set of pins. */
export async function installPeers(): Promise<void> {
  const imports = {
    ...await importsOf(new URL("deno.json", ROOT)),
    ...await importsOf(new URL("peers/deno.json", BENCH_FOLDER)),
  };
  const config = JSON.stringify({ imports, nodeModulesDir: "auto" }, null, 2);
  const installed = await Deno.readTextFile(CONFIG).catch(() => undefined);
  if (installed === config) return;
  console.error("installing the peers into bench-data/peers/");
  await Deno.mkdir(PEERS_FOLDER, { recursive: true });
  await Deno.copyFile(
    new URL("peers/deno.lock", BENCH_FOLDER),
    new URL("deno.lock", PEERS_FOLDER),
  );
  // under another name until complete, so that an interrupted install is repeated
  const unfinished = new URL("install.json", PEERS_FOLDER);
  await Deno.writeTextFile(unfinished, config);
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["install", "--quiet", "--config", unfinished.pathname],
    cwd: PEERS_FOLDER,
  }).spawn().status;
  if (!success) throw new Error("Cannot install the peers");
  await Deno.rename(unfinished, CONFIG);
}

/** Whether Node is installed. */
export async function hasNode(): Promise<boolean> {
  try {
    return (await new Deno.Command("node", { args: ["--version"] }).output()).success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Returns the command for a script of this folder in Deno, with the peers installed. */
export function denoCommand(
  script: string,
  args: readonly string[],
  stdin: "inherit" | "piped" = "inherit",
): Deno.Command {
  return new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--allow-all",
      "--no-check",
      "--config",
      CONFIG.pathname,
      "--v8-flags=--expose-gc",
      new URL(script, BENCH_FOLDER).pathname,
      ...args,
    ],
    stdin,
    stdout: "piped",
    stderr: "inherit",
  });
}

/** Returns the command for a script of `peers/` in Node, copied beside the installed packages. */
export async function nodeCommand(script: string, args: readonly string[]): Promise<Deno.Command> {
  for await (const { name } of Deno.readDir(new URL("peers/", BENCH_FOLDER))) {
    if (!name.endsWith(".mjs")) continue;
    await Deno.copyFile(new URL(`peers/${name}`, BENCH_FOLDER), new URL(name, PEERS_FOLDER));
  }
  return new Deno.Command("node", {
    args: [new URL(script, PEERS_FOLDER).pathname, ...args],
    stdout: "piped",
    stderr: "inherit",
  });
}

/** Runs a command and returns the JSON that it prints. */
export async function resultOf<T>(command: Deno.Command): Promise<T> {
  const { success, stdout } = await command.output();
  if (!success) throw new Error("A process of the benchmark failed; see above");
  return JSON.parse(new TextDecoder().decode(stdout)) as T;
}
