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
    "walk() reads a partial response only if it is the whole": async () => {
      const outcomes: unknown[] = [];
      for (const name of ["whole", "once", "always", "middle"]) {
        const options = { sitemaps: [`${origin}/partial/${name}.txt`], retryDelay: 0 };
        let pages = 0, reason = "";
        for await (const event of walk(origin, options)) {
          if (event.type === "page") pages++;
          if (event.type === "warning") reason = event.code;
          if (event.type === "invalid") reason = event.code;
        }
        outcomes.push([name, pages, reason]);
      }
      const expected = [["whole", 2, ""], ["once", 2, ""], ["always", 1, "body-cut"]];
      assertSame(outcomes, [...expected, ["middle", 0, "network"]], "outcomes");
    },
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
