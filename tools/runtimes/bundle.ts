/**
 * Bundles the scripts of the checks against an installed package.
 *
 * @module
 */

import { build, type Plugin } from "npm:esbuild@0.28.2";

export { stop } from "npm:esbuild@0.28.2";
import { ROOT } from "../bench/bench_data.ts";

/** What to bundle, and for which runtime. */
export interface BundleOptions {
  /** Path of the script in the repository. */
  readonly script: string;
  /** Folder in which the package is installed. */
  readonly folder: string;
  /** Conditions of `exports` and `imports`, or none to leave packages to the runtime. */
  readonly conditions?: readonly string[];
  /** Default: `esm`. */
  readonly format?: "esm" | "iife";
}

/** Replaces the source of the library by the package. */
const LIBRARY: Plugin = {
  name: "library",
  setup({ onResolve }) {
    onResolve(
      { filter: /^\.\.\/\.\.\/mod\.ts$/ },
      () => ({ path: "@sitetree/sitetree", external: true }),
    );
  },
};

/** Returns the text of a bundle. */
export async function bundle(options: BundleOptions): Promise<string> {
  const { script, folder, conditions, format = "esm" } = options;
  const { outputFiles } = await build({
    entryPoints: [new URL(script, ROOT).pathname],
    write: false,
    bundle: true,
    format,
    logLevel: "silent",
    nodePaths: [`${folder}/node_modules`],
    ...(conditions === undefined
      ? { platform: "node", packages: "external", target: "node20.19", plugins: [LIBRARY] }
      : { platform: "browser", conditions: [...conditions] }),
  });
  return outputFiles[0]!.text;
}
