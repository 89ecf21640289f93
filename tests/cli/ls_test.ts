/** `sitetree ls`: formats, limits, filters, documents and messages. @module */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { FaultServer, head, raw, redirect, silence } from "../support/fault_server.ts";
import { inFolder } from "../support/in_folder.ts";
import { runCli } from "./run_cli.ts";
import { index, robots, urlset } from "./sites.ts";
import { answersOf, type Reply, type Site, transcripts } from "./transcript.ts";

const ALL = { permissions: ["--allow-all"] };

/** Adds the origin of the server to the paths of a sitemap. */
function absolute(document: string): string {
  return document.replaceAll("<loc>/", "<loc>{{origin}}/");
}

/** A site with news, a shop, and an index in a folder. */
const SITE: Site = {
  "/robots.txt": robots("{{origin}}/index.xml"),
  "/index.xml": absolute(index("/news.xml", "/shop.xml", "/deep/index.xml")),
  "/news.xml": absolute(urlset("/news/1 2024-05-01", "/news/2 2023-01-01", "/news/3")),
  "/shop.xml": absolute(urlset("/shop/1", "/shop/2 2024-06-01")),
  "/deep/index.xml": absolute(index("/deep/old.xml")),
  "/deep/old.xml": absolute(urlset("/old/1 2001-01-01")),
};

/** A site with a redirect, dates in its index, a dead link, a cut sitemap and a repeated page. */
const MIXED: Site = {
  "/robots.txt": robots("/old-index.xml"),
  "/old-index.xml": redirect("/index.xml", 301),
  "/index.xml": index("/a.xml 2024-05-01", "/dead.xml 2023-01", "/cut.xml"),
  "/a.xml": urlset("/1", "/2"),
  "/cut.xml": "<urlset><url><loc>/2</loc></url><url><loc>/3 & more</loc></url>",
};

/** A site of nine pages, in sitemaps of four and of one. */
const NINE = {
  "/robots.txt": robots("{{origin}}/index.xml", "{{origin}}/last.xml"),
  "/index.xml": absolute(index("/first.xml", "/second.xml")),
  "/first.xml": absolute(urlset("/1", "/2", "/3", "/4")),
  "/second.xml": absolute(urlset("/5", "/6", "/7", "/8")),
  "/last.xml": absolute(urlset("/9")),
};
const NINE_FILES = Object.entries({
  ...NINE,
  "/all.xml": absolute(urlset(..."123456789".split("").map((name) => `/${name}`))),
}).map(([path, text]) => [path.slice(1), text.replaceAll("{{origin}}", "http://nine.test")]);

const SMALL: Site = { "/robots.txt": robots("/s.xml"), "/s.xml": urlset("/one") };

transcripts("ls", {
  formats: { sites: { demo: "demo" } },
  terminal: { sites: { demo: "demo", small: SMALL, missing: {} } },
  log: { sites: { demo: "demo", small: SMALL } },
  usage: { sites: { mixed: MIXED } },
  rows: {
    sites: {
      mixed: MIXED,
      moved: {
        "/robots.txt": robots("/old.txt"),
        "/old.txt": redirect("/new.txt", 301),
        "/new.txt": "https://a.test/a\n",
      },
    },
  },
  limits: { sites: { site: SITE } },
  losses: {
    sites: {
      whole: SITE,
      broken: {
        ...SITE,
        "/index.xml": absolute(index("/gone.xml", "/news.xml", "/shop.xml", "/deep/index.xml")),
      },
    },
  },
  all_filtered: { sites: { site: SITE } },
  undated: { sites: { site: SITE } },
  include: {
    sites: {
      site: { ...SITE, "/sitemap.xml": urlset("/known") },
      other: {
        ...SITE,
        "/index.xml": absolute(index("/shop.xml", "/more.xml", "/news.xml")),
        "/more.xml": absolute(index("/more-news.xml", "/more-shop.xml")),
        "/more-news.xml": absolute(urlset("/news/4")),
        "/more-shop.xml": "<rss><channel><item><link>/shop/9</link></item></channel></rss>",
        // it is cancelled
        "/shop.xml": async (wire) => {
          await wire.send(`${head(200)}<urlset>`);
          for (;;) await wire.send(`<url><loc>/${"x".repeat(1000)}</loc></url>`);
        },
      },
      broken: {
        ...SITE,
        "/shop.xml": "<urlset><url><loc>/a & b</loc></url>",
        "/deep/old.xml": "https://a.test/1\n",
      },
      known: { "/sitemap.xml": urlset("/one"), "/sitemap_news.xml": urlset("/two") },
    },
  },
  max_pages: {
    sites: {
      nine: NINE,
      few: NINE,
      first: NINE,
      silent: { "/robots.txt": silence() },
    },
    files: Object.fromEntries(NINE_FILES),
  },
  documents: { permissions: ["--allow-read"] },
  advice: { sites: { polite: { "/robots.txt": "User-agent: *\n" }, empty: {} } },
});

Deno.test("ls shortens values in messages, but never a page", async () => {
  const long = "x".repeat(100_000);
  const url = `https://site.test/${long.slice(0, 5000)}`;
  const stdin = `<urlset><url><loc>${url}</loc><lastmod>${long}</lastmod></url>`;
  const args = ["ls", "-", "-vvv", "-f", "pages", `--url=https://site.test/${long}`];
  const { stdout, stderr } = await runCli(args, { stdin });
  assertEquals(stdout, `${url}\n`);
  assertMatch(stderr, /DEBUG page https:\/\/site\.test\/x+…\n/);
  for (const line of stderr.split("\n")) assert(line.length < 600, line.slice(0, 1000));
  const wrong = await runCli(["ls", `/no/${long}/such/file`], ALL);
  assertMatch(wrong.stderr, /^error: Cannot read "\/no\/x+…x+\/such\/file": /);
  assert(wrong.stderr.length < 2100);
});

// ------------------------------------------------------------------------- limits and exit codes

const LIMITS = {
  "none": [],
  "max-pages": ["--max-pages=3"],
  "max-sitemaps": ["--max-sitemaps=2"],
  "max-depth": ["--max-depth=1"],
  "deadline": ["--deadline=0s"],
} as const;

const CUT = raw(head(200, { "Content-Length": "999" }), urlset("/1").slice(0, -9));

/** A site whose first sitemap is given, and whose second leads one level down. */
function siteOf(first: Reply, more: Site = {}): Site {
  return {
    "/robots.txt": robots("/first.xml", "/index.xml", "/last.xml"),
    "/first.xml": first,
    "/index.xml": index("/deep.xml"),
    "/deep.xml": urlset("/3", "/4"),
    "/last.xml": urlset("/5", "/6"),
    ...more,
  };
}

const WELL = urlset("/1", "/2");
const KNOWN = index("/first.xml", "/deep.xml", "/last.xml");

/** Indexes down to a sitemap that is deeper than the default of `maxDepth`. */
const CHAIN: Site = Object.fromEntries(
  Array.from({ length: 11 }, (_, at) => [`/${at + 1}.xml`, index(`/${at + 2}.xml`)]),
);

const LOSSES: Readonly<Record<string, Site>> = {
  "nothing": siteOf(WELL),
  "an invalid sitemap": siteOf(404),
  "a truncated sitemap": siteOf(CUT),
  "an entry of an index": siteOf(index("mailto:a", "/deep.xml")),
  "a line of robots.txt": siteOf(WELL, {
    "/robots.txt": robots("mailto:a", "/first.xml", "/index.xml", "/last.xml"),
  }),
  "a sitemap at level 12": siteOf(index("/1.xml"), CHAIN),
  "robots.txt by 500": siteOf(WELL, { "/robots.txt": 500, "/sitemap.xml": KNOWN }),
  "robots.txt by 403": siteOf(WELL, { "/robots.txt": 403, "/sitemap.xml": KNOWN }),
  "all by 403": { "*": 403 },
  "all by 404": {},
};

/** What is lost; for each limit the verdict, and the exit codes of the site and of its saved events. */
const EXPECTED = `
what is lost | none | max-pages | max-sitemaps | max-depth | deadline
nothing | complete 0 0 | partial 0 0 | partial 0 0 | partial 0 0 | partial 3 3
an invalid sitemap | partial 3 3 | partial 3 3 | partial 3 3 | partial 3 3 | partial 3 3
a truncated sitemap | partial 3 3 | partial 3 3 | partial 3 3 | partial 3 3 | partial 3 3
an entry of an index | partial 3 3 | partial 3 3 | partial 3 3 | partial 3 3 | partial 3 3
a line of robots.txt | partial 3 3 | partial 3 3 | partial 3 3 | partial 3 3 | partial 3 3
a sitemap at level 12 | partial 3 3 | partial 3 3 | partial 0 0 | partial 0 0 | partial 3 3
robots.txt by 500 | partial 3 3 | partial 3 3 | partial 3 3 | partial 3 3 | partial 3 3
robots.txt by 403 | complete 0 0 | partial 0 0 | partial 0 0 | complete 0 0 | partial 3 3
all by 403 | blocked 5 5 | blocked 5 5 | blocked 5 5 | blocked 5 5 | partial 3 3
all by 404 | none 4 4 | none 4 4 | none 4 4 | none 4 4 | partial 3 3
`;

Deno.test("the exit code of a limit depends on what else is lost, on a site and in saved events", () =>
  inFolder(async (folder) => {
    const saved = `${folder}/walk.ndjson`;
    const rows = [`what is lost | ${Object.keys(LIMITS).join(" | ")}`];
    for (const [lost, site] of Object.entries(LOSSES)) {
      const cells = [lost];
      for (const limit of Object.values(LIMITS)) {
        await using server = new FaultServer(answersOf(site));
        const walk = ["ls", "-f", "events", "--concurrency=1", "--retries=0", ...limit];
        const { code, stdout } = await runCli([...walk, server.url], ALL);
        const { verdict } = JSON.parse(stdout.trimEnd().split("\n").at(-1)!);
        await Deno.writeTextFile(saved, stdout);
        const { code: again } = await runCli(["ls", "-f", "pages", saved], ALL);
        cells.push(`${verdict} ${code} ${again}`);
      }
      rows.push(cells.join(" | "));
    }
    assertEquals(`\n${rows.join("\n")}\n`, EXPECTED);
  }));
