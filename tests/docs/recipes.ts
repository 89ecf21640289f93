/**
 * Recipes of the documentation, and sites for them. Recipes run as the page has them; only hosts are
 * replaced by servers on loopback.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { openSnapshot, sync } from "../../src/sync/mod.ts";
import { type FixtureServer, type Route, serveRoutes } from "../support/fixture_server.ts";
import { codeBlocks, readText, ROOT, section } from "./markdown.ts";
import type { ProcessOutput } from "../support/process_output.ts";
import { runDeno } from "./shell.ts";

export const PAGE: string = "docs/recipes.md";

/** Returns the blocks of a recipe that have a tag, with other texts for hosts. */
export function blocksOf(
  heading: string,
  tag: string,
  hosts: Readonly<Record<string, string>> = {},
): string[] {
  const blocks = codeBlocks(section(readText(PAGE), heading)).filter((block) => block.tag === tag);
  assert(blocks.length > 0, `"${heading}" has a block "${tag}"`);
  return blocks.map(({ code }) => {
    let text = code;
    for (const [host, replacement] of Object.entries(hosts)) {
      assertStringIncludes(text, host);
      text = text.replaceAll(host, replacement);
    }
    return text;
  });
}

/** Whether programs are installed; says so where one is not. */
export function hasPrograms(...names: readonly string[]): boolean {
  const missing = names.filter((name) =>
    !new Deno.Command("bash", { args: ["-c", `type ${name}`], stdout: "null", stderr: "null" })
      .outputSync().success
  );
  if (missing.length > 0) console.log(`skipped: ${missing.join(" and ")} not installed`);
  return missing.length === 0;
}

/** Where the dependencies of recipes are, and where these are pinned. */
const IMPORTS_PATH = "tests/docs/recipe_imports.json", LOCK_PATH = "tests/docs/recipes.lock";

/**
 * Writes the configuration of this repository with the dependencies of recipes to a folder; returns the
 * options of Deno that use it. Tasks do not install these, which are large.
 */
export async function writeConfig(folder: string): Promise<string[]> {
  const { name, exports, imports, ...settings } = JSON.parse(readText("deno.json"));
  const own = Object.entries<string>(exports).map(([path, target]) =>
    [name + path.slice(1), new URL(target, ROOT).href] as const
  );
  const { compilerOptions, unstable } = settings;
  const config = {
    imports: { ...imports, ...JSON.parse(readText(IMPORTS_PATH)), ...Object.fromEntries(own) },
    ...{ compilerOptions, unstable },
  };
  await Deno.writeTextFile(`${folder}/deno.json`, JSON.stringify(config));
  const isUpdated = Deno.env.get("UPDATE_GOLDEN") === "1";
  return [
    `--config=${folder}/deno.json`,
    `--lock=${new URL(LOCK_PATH, ROOT).pathname}`,
    ...(isUpdated ? [] : ["--frozen"]),
  ];
}

export async function runProgram(source: string, folder: string): Promise<ProcessOutput> {
  const path = `${folder}/recipe.ts`;
  await Deno.writeTextFile(path, source);
  const options = ["--quiet", "--allow-all", ...await writeConfig(folder)];
  return await runDeno(["run", ...options, path], { folder });
}

/** Returns a sitemap; a page is its URL, and what its entry has besides. */
export function urlset(pages: Readonly<Record<string, string>> | readonly string[]): string {
  const entries = Array.isArray(pages)
    ? pages.map((url) => [url, ""])
    : Object.entries(pages as Record<string, string>);
  return `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${
    entries.map(([url, rest]) => `<url><loc>${url}</loc>${rest}</url>`).join("")
  }</urlset>`;
}

export const FORBIDDEN: Route = () => new Response("Forbidden", { status: 403 });

/** Serves sitemaps by their paths, which robots.txt names, and other paths by a route. */
export function serveSitemaps(
  sitemaps: Readonly<Record<string, (origin: string) => string>>,
  other: Route = () => undefined,
): FixtureServer {
  return serveRoutes({
    "*"(request, path) {
      const { origin } = new URL(request.url);
      if (path === "/robots.txt") {
        return new Response(Object.keys(sitemaps).map((at) => `Sitemap: ${at}\n`).join(""));
      }
      const sitemap = Object.hasOwn(sitemaps, path) ? sitemaps[path] : undefined;
      return sitemap === undefined ? other(request, path) : new Response(sitemap(origin));
    },
  });
}

export async function update(folder: string, url: string): Promise<void> {
  await using snapshot = await openSnapshot(`${folder}/site.db`);
  const events = await Array.fromAsync(sync(url, { snapshot, allowMassRemoval: true }));
  const last = events.at(-1);
  assertEquals(last?.type === "finished" && last.verdict, "complete");
}
