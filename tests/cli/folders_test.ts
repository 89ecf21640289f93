/** Folders as sites: whose they are, and what is read of them. @module */

import { assertEquals, assertMatch } from "@std/assert";
import { gzipSync } from "node:zlib";
import { type Files, withFolder } from "../disk/with_folder.ts";
import { redirect } from "../support/fault_server.ts";
import { HAS_PERMISSIONS, runCli } from "./run_cli.ts";
import { index, robots, urlset } from "./sites.ts";
import { transcripts } from "./transcript.ts";

const HOME = "https://example.com/";

/** A built site with a robots.txt and an index of a gzipped and of a plain sitemap. */
const SITE: Files = {
  "dist/robots.txt": robots(`${HOME}maps/index.xml`),
  "dist/maps/index.xml": index(`${HOME}maps/1.xml.gz`, `${HOME}maps/2.xml?v=1`),
  "dist/maps/1.xml.gz": gzipSync(urlset(`${HOME}one`)),
  "dist/maps/2.xml": urlset(`${HOME}two`),
};

const PAGES = urlset("/relative", "https://pages.test/a", "https://other.test/");
const OF_SITE = urlset("https://www.example.org/a");

transcripts("folders", {
  site: { files: SITE },
  named: {
    files: {
      "robots/robots.txt": robots("https://robots.test/x"),
      "robots/sitemap.xml": PAGES,
      "relative-robots/robots.txt": robots("/x.xml"),
      "relative-robots/sitemap.xml": PAGES,
      "empty-robots/robots.txt": "User-agent: *",
      "empty-robots/sitemap.xml": PAGES,
      "gzipped/sitemap.xml.gz": gzipSync(PAGES),
      "known-index/sitemap.xml": urlset("/a"),
      "known-index/sitemap_index.xml": index("https://index.test:81/a.xml"),
      "index/sitemap-index.xml": index("/a.xml", "https://index.test:81/b"),
      "text/sitemap.txt": "/a\nhttps://pages.test/b\n",
    },
  },
  asked: {
    files: {
      "site/robots.txt": robots("https://www.example.org/sitemap.xml"),
      "site/sitemap.xml": OF_SITE,
      "cdn/robots.txt": robots("https://cdn.example.org/sitemap.xml"),
      "cdn/sitemap.xml": OF_SITE,
      "sitemap/sitemap.xml": urlset("https://a.test/"),
      "relative/sitemap.xml": urlset("/a", "/b"),
      "other/other.xml": urlset("https://a.test/"),
    },
  },
  bad: {
    files: {
      ...SITE,
      "pages/index.html": "<html></html>",
      "pages/sitemap.txt": "/relative\n",
      "secret.xml": urlset(`${HOME}secret`),
      "links/sitemap.xml": { link: "../secret.xml" },
      "links/maps": { link: "../dist/maps" },
      "outside/sitemap.xml": index(
        "https://cdn.example.com/a.xml",
        "http://127.0.0.1/b.xml",
        `${HOME}c.xml`,
      ),
      "pages.ndjson": '{"url":"https://example.com/"}\n',
    },
  },
  not_read: { files: SITE },
  content: {
    files: {
      ...SITE,
      "slow/robots.txt": "User-agent: *\nCrawl-delay: 86400\n",
      "slow/maps/index.xml": urlset(`${HOME}one`),
      "other/sitemap.xml": index("https://cdn.example.com/a.xml"),
      "other/a.xml": urlset(`${HOME}one`),
    },
  },
  map_origin: {
    sites: {
      preview: {
        "/robots.txt": robots(`${HOME}a.xml`),
        "/a.xml": redirect("{{origin}}/b.xml"),
        "/b.xml": urlset(`${HOME}one`),
      },
    },
  },
});

Deno.test("a folder is read without permission for the network, and files outside are not read", {
  ignore: !HAS_PERMISSIONS,
}, () =>
  withFolder({ ...SITE, "dist/maps/3.xml": urlset(`${HOME}three`) }, async (cwd) => {
    const permissions = [`--allow-read=${cwd}/dist`];
    const { code, stdout } = await runCli(["ls", "-f", "pages", "./dist"], { cwd, permissions });
    assertEquals([code, stdout], [0, `${HOME}one\n${HOME}two\n`]);
    const denied = await runCli(["ls", "-f", "pages", "./dist"], { cwd, permissions: [] });
    assertEquals(denied.code, 1);
    assertMatch(denied.stderr, /Cannot read ".\/dist": no permission to read files/);
  }));
