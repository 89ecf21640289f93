/**
 * Times the packed library against saxes on every runtime with `node:` modules, each time in one
 * process, and prints the ratios.
 *
 * @module
 */

import { bundle, stop } from "../runtimes/bundle.ts";
import { type Command, run } from "../command.ts";
import { install, SERVER_RUNTIMES, type ServerRuntime, versionOf } from "../runtimes/install.ts";
import { ROOT } from "./bench_data.ts";
import { geometricMean } from "./head_to_head.ts";
import { importsOf } from "./launch.ts";
import type { ShapeTime } from "./shape_times.ts";
import type { ShapesOptions } from "./shapes_bench.ts";
import { count, figure, table } from "./table.ts";

/** Shapes that are timed unless others are asked for. */
const SHAPES = [
  "plain",
  "only loc",
  "non-ASCII paths",
  "hreflang, other order",
  "all extensions",
  "sitemapindex",
  "RSS, rich",
];

function commandOf(name: ServerRuntime, program: string, script: string): Command {
  return name.startsWith("deno")
    ? [program, "run", "--allow-all", "--v8-flags=--expose-gc", script]
    : [program, "--expose-gc", script];
}

/** Installs the package and saxes next to the script; returns its path. */
async function prepared(tarball: string, folder: string): Promise<string> {
  const imports = await importsOf(new URL("deno.json", ROOT));
  const peers = ["saxes", "entities"].map((name) => imports[name]!.slice("npm:".length));
  await Deno.writeTextFile(`${folder}/package.json`, '{ "private": true, "type": "module" }\n');
  await run(["npm", "install", "--no-audit", "--no-fund", tarball, ...peers], { cwd: folder });
  const script = `${folder}/shape_times.js`;
  await Deno.writeTextFile(script, await bundle({ script: "tools/bench/shape_times.ts", folder }));
  await stop();
  return script;
}

/** Prints the table of all runtimes for the package in a tarball. */
export async function benchRuntimes(tarball: string, options: ShapesOptions): Promise<void> {
  const only = options.only.length > 0 ? options.only : SHAPES;
  const task = JSON.stringify({ ...options, only });
  const folder = await Deno.makeTempDir();
  const columns: { title: string; times: ShapeTime[] }[] = [];
  try {
    const script = await prepared(await Deno.realPath(tarball), folder);
    for (const name of SERVER_RUNTIMES) {
      console.error(`  ${name} …`);
      const command = commandOf(name, await install(name), script);
      const title = `${name.match(/^[a-z]+/)![0]} ${versionOf(name)}`;
      columns.push({
        title,
        times: JSON.parse(await run([...command, task], { timeout: 300_000 })),
      });
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  console.log(
    `\n## Runtimes: up to ${count(options.pages)} pages each, ratio to saxes without namespaces ` +
      "in the same process, and MB/s\n",
  );
  if (options.quick) return console.log("The pages of all shapes are identical on all runtimes");
  const cell = ({ saxes, ours, bytes }: ShapeTime) =>
    `×${figure(saxes / ours)} (${figure(bytes / 1e6 / ours)})`;
  const rows = columns[0]!.times.map(({ name }, at) => [
    name,
    ...columns.map(({ times }) => cell(times[at]!)),
  ]);
  const means = columns.map(({ times }) =>
    `×${figure(geometricMean(times.map(({ saxes, ours }) => saxes / ours)))}`
  );
  console.log(table(["", ...columns.map(({ title }) => title)], [...rows, ["mean", ...means]]));
}
