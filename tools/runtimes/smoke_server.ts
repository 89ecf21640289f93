/**
 * Runs the checks on a runtime with `node:` modules and a file system.
 *
 * Takes the origin of the smoke site; prints the results as JSON and ends by itself, so that a timer
 * or connection that keeps the process alive is noticed.
 *
 * @module
 */

import { collect, walk } from "@sitetree/sitetree";
import { folderFetch } from "@sitetree/sitetree/disk";
import { openSource } from "@sitetree/sitetree/source";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import process from "node:process";
import { gzipSync } from "node:zlib";
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
    "walk() reads a body without its Content-Encoding, or refuses it": async () => {
      const found: unknown[] = [];
      for (const encoding of ["gzip", "br"]) {
        const sitemaps = [`${origin}/misencoded/${encoding}`];
        const codes: string[] = [];
        let pages = 0;
        // `fetch` of Node 20 and 22 may leave such a body pending
        const options = { sitemaps, timeout: 1000, retries: 20, retryDelay: 0 };
        for await (const event of walk(origin, options)) {
          if (event.type === "page") pages++;
          if (event.type === "warning" || event.type === "invalid") codes.push(event.code);
        }
        found.push([pages, ...codes]);
      }
      // Deno before 2.8.3 decodes every body, and hides that
      const sound = await fetch(`${origin}/encoded.xml`);
      await sound.arrayBuffer();
      const isDeno = "Deno" in globalThis && sound.headers.has("content-encoding");
      const isRead = isDeno || "Bun" in globalThis;
      const expected = isRead ? [3, "content-encoding"] : [0, "network", "content-encoding"];
      assertSame(found, [expected, expected], "pages and codes");
    },
    "folderFetch() reads a folder, and nothing outside of it": async () => {
      const home = "https://example.com/docs/";
      const folder = mkdtempSync(`${tmpdir()}/smoke-`);
      try {
        const lines = Array.from({ length: 20_000 }, (_, at) => `${home}${at}\n`).join("");
        const declared = ["a.txt.gz", "passwd.xml", "missing.xml"].map((name) => home + name);
        writeFileSync(`${folder}/robots.txt`, `Sitemap: ${declared.join("\nSitemap: ")}\n`);
        writeFileSync(`${folder}/a.txt.gz`, gzipSync(lines));
        writeFileSync(`${folder}/sitemap.txt`, lines);
        symlinkSync("/etc/passwd", `${folder}/passwd.xml`);
        const options = { fetch: folderFetch(folder, home), normalizeHomepageUrl: false };
        const found: Record<string, unknown> = {};
        for await (const event of walk(home, options)) {
          if (event.type !== "sitemap-left" && event.type !== "invalid") continue;
          const name = event.sitemap.url.slice(home.length);
          found[name] = event.type === "invalid" ? event.reason : event.pages;
        }
        const none = "404 not in the folder";
        assertSame(found, {
          "a.txt.gz": 20_000,
          "passwd.xml": none,
          "missing.xml": none,
          "robots.txt": 0,
          "sitemap.txt": 20_000,
          "": 0,
        }, "sitemaps");
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
    "openSource() reads a folder, a gzipped file and a site": async () => {
      const home = "https://example.com/";
      const folder = mkdtempSync(`${tmpdir()}/smoke-`);
      try {
        writeFileSync(`${folder}/robots.txt`, `Sitemap: ${home}a.txt.gz\n`);
        writeFileSync(`${folder}/a.txt.gz`, gzipSync(`${home}a\n`));
        const found: unknown[] = [];
        for (const word of [folder, `${folder}/a.txt.gz`, `${origin}/partial/whole.txt`]) {
          const source = openSource(word, { retryDelay: 0 });
          let pages = 0;
          for await (const event of source) if (event.type === "page") pages++;
          found.push([source.kind, pages]);
        }
        assertSame(found, [["folder", 1], ["file", 1], ["sitemap", 2]], "kinds and pages");
      } finally {
        rmSync(folder, { recursive: true });
      }
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
