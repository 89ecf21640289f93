/**
 * Runs the examples, and the code of the documentation, as users copy them: next to an installed
 * package, and unchanged.
 *
 * @module
 */

import { ROOT } from "../bench/bench_data.ts";
import { codeBlocks, documents } from "../../tests/docs/markdown.ts";
import { serveSite } from "../../tests/support/fixture_server.ts";
import { type Command, run } from "../command.ts";
import { bundle } from "./bundle.ts";

/** Runs the tests of `docs/examples` on a runtime; `folder` has the package. */
export async function checkExamples(command: Command, folder: string): Promise<void> {
  const copies = `${folder}/examples`;
  await Deno.mkdir(copies, { recursive: true });
  for await (const { name } of Deno.readDir(new URL("docs/examples/", ROOT))) {
    await Deno.copyFile(new URL(`docs/examples/${name}`, ROOT), `${copies}/${name}`);
  }
  const options = ["--quiet", "--allow-all", "--no-check"];
  await run([Deno.execPath(), "test", ...options, "tests/docs/examples_test.ts"], {
    cwd: ROOT.pathname,
    env: {
      "SITETREE_RUNTIME": JSON.stringify(command),
      "SITETREE_EXAMPLES": copies,
      "NO_COLOR": "1",
    },
  });
}

/**
 * Runs each block of TypeScript in the documentation, one after the other in one folder.
 *
 * @param preload returns the command that runs a file after a module
 */
export async function checkBlocks(
  preload: (module: string) => Command,
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const cwd = await Deno.makeTempDir({ dir: folder });
  await using server = serveSite("demo", { origin: "https://example.com" });
  const module = `${cwd}/example_fetch.mjs`;
  await Deno.writeTextFile(
    module,
    await bundle({ script: "tests/support/example_fetch.ts", folder }),
  );
  const blocks = documents().flatMap(({ path, text }) =>
    codeBlocks(text).filter(({ tag }) => tag === "ts").map(({ code }) => ({ path, code }))
  );
  for (const [at, { path, code }] of blocks.entries()) {
    const file = `${cwd}/${at}.ts`;
    await Deno.writeTextFile(file, code);
    try {
      await run([...preload(module), file], {
        cwd,
        env: { ...env, "SITETREE_EXAMPLE_SERVER": server.url },
      });
    } catch (error) {
      throw new Error(`${path}:\n${code}\n${(error as Error).message}`);
    }
  }
  if (server.requests.length === 0) throw new Error("No block has walked the site");
}
