/**
 * Runs the checks on a runtime with `node:` modules and a file system.
 *
 * Takes the origin of the smoke site; prints the results as JSON and ends by itself, so that a timer
 * or connection that keeps the process alive is noticed.
 *
 * @module
 */

import { collect, walk } from "@sitetree/sitetree";
import process from "node:process";
import { assertSame, type Check, runChecks } from "./checks.ts";
import { expectedPages, smokeChecks } from "./smoke.ts";

function serverChecks(origin: string): Record<string, Check> {
  return {
    ...smokeChecks(origin),
    "collect() keeps the pages of a tree on disk": async () => {
      const options = { sitemaps: [`${origin}/large.xml.gz`] };
      const tree = await collect(walk(origin, options), { onDisk: true });
      try {
        const urls = Array.from(tree.allPages(), (page) => page.url);
        assertSame(urls, await expectedPages(origin, "/large.xml.gz"), "pages");
      } finally {
        tree[Symbol.dispose]();
      }
    },
  };
}

console.log(JSON.stringify(await runChecks(serverChecks(process.argv[2]!))));
