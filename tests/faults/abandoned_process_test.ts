import { assertEquals } from "@std/assert";
import { gzipSync } from "node:zlib";
import type { WalkOptions } from "../../mod.ts";
import {
  type Answer,
  FaultServer,
  type FaultSite,
  head,
  ok,
  silence,
} from "../support/fault_server.ts";

const PROGRAM = new URL("abandon.ts", import.meta.url);

const PAGES = Array.from({ length: 3000 }, (_, at) => `<url><loc>/page/${at}</loc></url>`);
const LONG = `<urlset>${PAGES.join("")}</urlset>`;
const CHILDREN = Array.from({ length: 9 }, (_, at) => `<sitemap><loc>/${at}.xml</loc></sitemap>`);

/** Returns an index of nine children, of which the first is long. */
function siteOf(other: Answer): FaultSite {
  return {
    "/robots.txt": ok("Sitemap: {{origin}}/index.xml\n"),
    "/index.xml": ok(`<sitemapindex>${CHILDREN.join("")}</sitemapindex>`),
    "/0.xml": ok(LONG),
    "*": other,
  };
}

const ENDLESS: Answer = async (wire) => {
  await wire.listen();
  await wire.send(head(200));
  await wire.send("<urlset>");
  for (let at = 0;; at++) {
    await wire.send(`<url><loc>/${at}</loc></url>`.repeat(2) + " ".repeat(16 * 1024));
  }
};
const ENDLESS_SITE: FaultSite = { ...siteOf(ENDLESS), "/0.xml": ENDLESS };

type Row = readonly [site: FaultSite, count: number, options?: WalkOptions];

const ROWS: Readonly<Record<string, Row>> = {
  "at its first event": [siteOf(ok(LONG)), 1],
  "among the pages of a chunk": [siteOf(ok(LONG)), 10],
  "in a later sitemap": [siteOf(ok(LONG)), 4000],
  "among compressed pages": [siteOf(ok(new Uint8Array(gzipSync(LONG)))), 4000],
  "with an hour to its deadline": [siteOf(ok(LONG)), 10, { deadline: 3_600_000 }],
  "in an endless body": [ENDLESS_SITE, 100],
  "in an endless body without prefetches": [ENDLESS_SITE, 100, { concurrency: 1 }],
  "in an endless body with an hour to its deadline": [ENDLESS_SITE, 100, { deadline: 3_600_000 }],
  "with bodies held back": [siteOf(silence(head(200), LONG)), 10],
  "with pending prefetches, once they time out": [
    siteOf(silence()),
    10,
    { timeout: 500, retries: 0 },
  ],
};

for (const [name, [site, count, options = {}]] of Object.entries(ROWS)) {
  Deno.test(`a process that abandons a walk ${name} exits by itself`, async () => {
    await using server = new FaultServer(site);
    const child = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "--no-check",
        "--allow-net",
        PROGRAM.href,
        server.url,
        String(count),
        JSON.stringify(options),
      ],
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    // ends a test that fails
    const timer = setTimeout(() => child.kill(), 60_000);
    const { code, stdout } = await child.output();
    clearTimeout(timer);
    assertEquals([code, new TextDecoder().decode(stdout)], [0, "forgotten\n"]);
    await server.idle();
  });
}
