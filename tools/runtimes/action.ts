/**
 * Runs the action of `.github/actions/check` as GitHub does, with the package of the registry.
 *
 * @module
 */

import { ROOT } from "../bench/bench_data.ts";
import { run } from "../command.ts";
import { assertSame } from "./checks.ts";

const ACTION = new URL(".github/actions/check/action.yml", ROOT);

/** The step of an action: its script, and its variables by the input that each one has. */
interface Step {
  readonly script: string;
  readonly inputs: ReadonlyMap<string, string>;
}

/** Reads the only step of the action. */
async function readStep(): Promise<Step> {
  const text = await Deno.readTextFile(ACTION);
  const [, script = ""] = /^ {6}run: \|\n((?: {8}.*\n)+)/m.exec(text) ?? [];
  const variables = text.matchAll(/^ {8}([A-Z]+): \$\{\{ inputs\.([a-z]+) \}\}$/gm);
  const inputs = new Map([...variables].map(([, name = "", input = ""]) => [input, name]));
  assertSame([...inputs.keys()], ["version", "command"], "inputs");
  return { script: script.replace(/^ {8}/gm, ""), inputs };
}

/** Returns a sitemap of one page. */
function sitemap(lastmod: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://example.com/</loc><lastmod>${lastmod}</lastmod></url>
</urlset>
`;
}

/** Checks a build folder by the action in an empty folder: once as it should be, once broken. */
export async function checkAction(cwd: string, env: Record<string, string>): Promise<void> {
  const { script, inputs } = await readStep();
  const given: Record<string, string> = {
    version: "latest",
    command: `check 'build $(touch x) folder' --url https://example.com/\n-f github`,
  };
  const variables = [...inputs].map(([input, name]) => [name, given[input]!]);
  const command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script] as const;
  const options = { cwd, env: { ...env, ...Object.fromEntries(variables) } };
  const folder = `${cwd}/build $(touch x) folder`;
  await Deno.mkdir(folder);
  await Deno.writeTextFile(`${folder}/robots.txt`, "Sitemap: https://example.com/sitemap.xml\n");
  await Deno.writeTextFile(`${folder}/sitemap.xml`, sitemap("2024-05-01"));
  assertSame(
    await run(command, options),
    "Checked https://example.com/: no problems in 1 sitemap, 1 page\n",
    "healthy",
  );
  await Deno.writeTextFile(`${folder}/sitemap.xml`, sitemap("soon"));
  const problem = await run(command, options).catch((error: Error) => error.message);
  const expected =
    "::error file=build $(touch x) folder/sitemap.xml,line=3,title=lastmod-invalid::";
  if (!problem.includes("exit code 11") || !problem.includes(expected)) throw new Error(problem);
  assertSame([...Deno.readDirSync(cwd)].length, 1, "files");
}
