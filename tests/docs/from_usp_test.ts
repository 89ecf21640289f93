/** Runs the names of `docs/from-usp.md`. @module */

import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  BlockedError,
  type ChangeFrequency,
  collect,
  type Fetch,
  IndexRobotsTxtSitemap,
  IndexWebsiteSitemap,
  IndexXmlSitemap,
  InvalidSitemap,
  type NewsStory,
  pages,
  PagesAtomSitemap,
  PagesRssSitemap,
  PagesTextSitemap,
  PagesXmlSitemap,
  parseSitemap,
  type Sitemap,
  sitemapFromJson,
  sitemapFromString,
  type SitemapImage,
  type SitemapPage,
  sitemapTreeForHomepage,
  type TreeEvent,
  walk,
  type WalkOptions,
} from "../../mod.ts";
import { fromNdjson, toNdjson } from "../../src/write/mod.ts";
import { ALL_PERMISSIONS, runCli } from "../cli/run_cli.ts";
import { FaultServer, status } from "../support/fault_server.ts";
import { type FixtureServer, serveSite } from "../support/fixture_server.ts";
import { readText, section, tableRows } from "./markdown.ts";

const URLSET = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
  xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"
  xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"
  xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"
  xmlns:xhtml="http://www.w3.org/1999/xhtml">
<url><loc>https://site.test/a</loc><lastmod>2024-05-01</lastmod><changefreq>daily</changefreq>
<priority>0.8</priority>
<image:image><image:loc>https://site.test/a.png</image:loc><image:caption>c</image:caption>
<image:geo_location>g</image:geo_location><image:title>t</image:title>
<image:license>https://site.test/l</image:license></image:image>
<video:video><video:thumbnail_loc>https://site.test/t.png</video:thumbnail_loc>
<video:title>t</video:title><video:description>d</video:description></video:video>
<news:news><news:publication><news:name>n</news:name><news:language>en</news:language>
</news:publication><news:publication_date>2024-05-01</news:publication_date><news:title>t</news:title>
<news:access>Subscription</news:access><news:genres>Blog</news:genres><news:keywords>k</news:keywords>
<news:stock_tickers>NASDAQ:A</news:stock_tickers></news:news>
<xhtml:link rel="alternate" hreflang="de" href="https://site.test/de/a"/></url>
<url><loc>https://site.test/b</loc></url></urlset>`;

/** The site of all rows. */
let site: FixtureServer;

async function tree(options: WalkOptions = {}): Promise<IndexWebsiteSitemap> {
  return await sitemapTreeForHomepage(site.url, options);
}

/** Returns what is different with options: the paths that were requested. */
async function requested(options: WalkOptions): Promise<Set<string>> {
  const before = site.requests.length;
  await tree(options);
  return new Set(site.requests.slice(before).map(({ path }) => path));
}

async function firstPage(): Promise<SitemapPage> {
  const sitemap = await sitemapFromString(URLSET);
  assert(sitemap instanceof PagesXmlSitemap);
  return sitemap.pages.at(0)!;
}

async function typesOf(): Promise<Set<unknown>> {
  return new Set([...(await tree()).allSitemaps()].map(({ constructor }) => constructor));
}

async function assertFails(options: WalkOptions): Promise<void> {
  const root = await tree({ retries: 0, ...options });
  assertEquals(root.verdict, "blocked");
}

async function stdoutOf(...args: string[]): Promise<string> {
  const { stdout } = await runCli(args, { permissions: ALL_PERMISSIONS });
  return stdout;
}

/** A test of each row, by the name in USP. */
const ROWS: Readonly<Record<string, () => Promise<void>>> = {
  async "`sitemap_tree_for_homepage(url)`"() {
    const root = await sitemapTreeForHomepage(site.url);
    const urls = [...root.allPages()].map(({ url }) => url);
    assertEquals((await Array.fromAsync(pages(site.url))).map(({ url }) => url), urls);
    const events = await Array.fromAsync(walk(site.url));
    assertEquals(events.filter(({ type }) => type === "page").length, urls.length);
  },
  async "`sitemap_from_str(content)`"() {
    const sitemap = await sitemapFromString(URLSET);
    const events: TreeEvent[] = await Array.fromAsync(
      parseSitemap(new TextEncoder().encode(URLSET)),
    );
    const pages = events.flatMap((event) => event.type === "page" ? [event.page] : []);
    assertEquals([...sitemap.pages], pages);
  },
  async "`use_robots`, `use_known_paths`, `extra_known_paths`"() {
    assert(!(await requested({ useRobots: false })).has("/robots.txt"));
    assert(!(await requested({ useKnownPaths: false })).has("/sitemap.xml"));
    assert((await requested({ extraKnownPaths: ["extra.xml"] })).has("/extra.xml"));
  },
  async "`normalize_homepage_url`"() {
    const rootOf = async (normalizeHomepageUrl: boolean) =>
      (await sitemapTreeForHomepage(`${site.url}news/`, { normalizeHomepageUrl })).url;
    assertEquals([await rootOf(true), await rootOf(false)], [site.url, `${site.url}news/`]);
  },
  async "`recurse_callback(url, level, parent_urls)`"() {
    const seen: [string, number, readonly string[]][] = [];
    const root = await tree({
      recurseCallback(url, level, parentUrls) {
        seen.push([url, level, parentUrls]);
        return Promise.resolve(!url.endsWith("/pages.xml"));
      },
    });
    const index = `${site.url}sitemap_index.xml`;
    const [url, level, parents] = seen.find(([url]) => url.endsWith("/pages.xml"))!;
    assertEquals([level, parents.at(-1)], [1, index]);
    assert(![...root.allSitemaps()].some((sitemap) => sitemap.url === url));
  },
  async "`recurse_list_callback(urls, level, parent_urls)`"() {
    const lists: (readonly string[])[] = [];
    const root = await tree({
      useKnownPaths: false,
      recurseListCallback(urls, level) {
        lists.push(urls);
        return level === 0 ? [] : urls;
      },
    });
    assert(lists.some((urls) => urls.length > 0));
    assert([...root.allPages()].length < [...(await tree()).allPages()].length);
  },
  async "`AbstractSitemap`"() {
    const all: readonly Sitemap[] = [...(await tree()).allSitemaps()];
    for (const node of all) assert(typeof node.url === "string" && node.subSitemaps.length >= 0);
  },
  async "`AbstractIndexSitemap`, `AbstractPagesSitemap`"() {
    for (const { type, pages, subSitemaps } of (await tree()).allSitemaps()) {
      assert(type !== undefined && pages.length >= 0 && subSitemaps.length >= 0);
    }
  },
  async "`IndexWebsiteSitemap`, `IndexRobotsTxtSitemap`"() {
    const root = await tree();
    assert(root instanceof IndexWebsiteSitemap);
    assert((await typesOf()).has(IndexRobotsTxtSitemap));
  },
  async "`IndexXMLSitemap`, `PagesXMLSitemap`, `PagesRSSSitemap`"() {
    const types = await typesOf();
    for (const type of [IndexXmlSitemap, PagesXmlSitemap, PagesRssSitemap]) assert(types.has(type));
  },
  async "`PagesTextSitemap`, `PagesAtomSitemap`"() {
    const types = await typesOf();
    for (const type of [PagesTextSitemap, PagesAtomSitemap]) assert(types.has(type));
  },
  async "`InvalidSitemap`, `.reason`"() {
    const invalid = [...(await tree()).allSitemaps()].find((node) =>
      node instanceof InvalidSitemap
    )!;
    assertEquals([invalid.code, invalid.reason], ["http-status", "404 Not Found"]);
  },
  async "`.url`, `.pages`, `.sub_sitemaps`"() {
    const sitemap = await sitemapFromString(URLSET);
    const { url, pages, subSitemaps } = sitemap;
    assertEquals([typeof url, pages.length, subSitemaps.length], ["string", 2, 0]);
    assertEquals([...pages], [pages.at(0), pages.at(1)]);
  },
  async "`.all_pages()`, `.all_sitemaps()`"() {
    const root = await tree();
    assert([...root.allPages()].length > 10 && [...root.allSitemaps()].length > 5);
  },
  async "`.to_dict()`, `.to_dict(with_pages=False)`"() {
    const root = await tree();
    assert(JSON.stringify(root.toJSON()).includes('"pages":[{'));
    assert(!JSON.stringify(root.toJSON({ pages: false })).includes('"pages":[{'));
  },
  async "`pickle.dumps(tree)`, `pickle.loads(data)`"() {
    const root = await tree();
    const loaded = sitemapFromJson(JSON.parse(JSON.stringify(root)));
    assertEquals([...loaded.allPages()], [...root.allPages()]);
    const saved = ReadableStream.from(walk(site.url)).pipeThrough(toNdjson());
    const collected = await collect(saved.pipeThrough(fromNdjson()));
    assertEquals([...collected.allPages()], [...root.allPages()]);
  },
  async "pages swapped to temporary files"() {
    using root = await sitemapTreeForHomepage(site.url, { onDisk: true });
    assertEquals([...root.allPages()], [...(await tree()).allPages()]);
  },
  async "`SitemapPage`: `.url`, `.priority`"() {
    const { url, priority } = await firstPage();
    assertEquals([url, priority], ["https://site.test/a", 0.8]);
    const second = (await sitemapFromString(URLSET)).pages.at(1)!;
    assert(!("priority" in second));
  },
  async "`.last_modified`, `.change_frequency`"() {
    const { lastModified, changeFrequency } = await firstPage();
    assertEquals([lastModified, changeFrequency], ["2024-05-01", "daily"]);
  },
  async "`.news_story`, `.images`, `.alternates`"() {
    const { newsStory, images, alternates, videos } = await firstPage();
    assertEquals([newsStory?.title, images?.length, videos?.length], ["t", 1, 1]);
    assertEquals(alternates, [{ hreflang: "de", href: "https://site.test/de/a" }]);
  },
  async "`.to_dict()` of a page"() {
    const page = await firstPage();
    assertEquals(JSON.parse(JSON.stringify(page)), page);
  },
  async "`SitemapPageChangeFrequency`"() {
    const words: readonly ChangeFrequency[] = [
      ...["always", "hourly", "daily", "weekly", "monthly", "yearly", "never"] as const,
    ];
    for (const word of words) {
      const text = URLSET.replace("<changefreq>daily", `<changefreq>${word}`);
      assertEquals((await sitemapFromString(text)).pages.at(0)?.changeFrequency, word);
    }
  },
  async "`SitemapNewsStory`: `.title`, `.publish_date`, …"() {
    const story: NewsStory = (await firstPage()).newsStory!;
    assertEquals(story, {
      title: "t",
      publishDate: "2024-05-01",
      publicationName: "n",
      publicationLanguage: "en",
      access: "Subscription",
      genres: ["Blog"],
      keywords: ["k"],
      stockTickers: ["NASDAQ:A"],
    });
  },
  async "`SitemapImage`: `.loc`, `.caption`, `.geo_location`, …"() {
    const image: SitemapImage = (await firstPage()).images![0]!;
    const { loc, caption, geoLocation, title, license } = image;
    assertEquals(
      [loc, caption, geoLocation, title, license],
      ["https://site.test/a.png", "c", "g", "t", "https://site.test/l"],
    );
  },
  async "`AbstractWebClient`, `web_client=`"() {
    const asked: string[] = [];
    const custom: Fetch = (input, init) => {
      asked.push(String(input));
      return fetch(input, init);
    };
    await tree({ fetch: custom });
    assert(asked.includes(`${site.url}robots.txt`));
  },
  async "`RequestsWebClient.set_timeout(seconds)`"() {
    const pending: Fetch = (_input, init) =>
      new Promise((_, reject) =>
        init!.signal!.addEventListener("abort", () => reject(init!.signal!.reason))
      );
    await assertFails({ fetch: pending, timeout: 1, useKnownPaths: false });
    await assertFails({ fetch: pending, maxRequestTime: 1, useKnownPaths: false });
    assertEquals((await tree({ fetch: pending, deadline: 1 })).verdict, "partial");
  },
  async "`.set_proxies(proxies)`"() {
    await using proxy = new FaultServer({ "*": status(404) });
    await stdoutOf("ls", "-kr", "--homepage=never", "--proxy", proxy.url, "http://site.test/s.xml");
    assertEquals(proxy.requests[0]?.path, "http://site.test/s.xml");
  },
  async "`.set_max_response_data_length(bytes)`"() {
    const sitemap = await sitemapFromString(URLSET, { maxBytes: URLSET.length - 1 });
    assertEquals(sitemap.complete, false);
  },
  async "`RequestsWebClient(wait=…, random_wait=…)`"() {
    const paths = await requested({ wait: 3_600_000, randomWait: true, deadline: 100 });
    assertEquals([...paths], ["/robots.txt"]);
    const text = await stdoutOf("ls", "-f", "pages", "--wait=1ms", "--random-wait", site.url);
    assert(text.startsWith("http"));
  },
  async "`RequestsWebClient(session=…)`"() {
    await tree({ headers: { "X-Mill": "1" }, userAgent: "mill/1" });
    const { headers } = site.requests.at(-1)!;
    assertEquals([headers.get("x-mill"), headers.get("user-agent")], ["1", "mill/1"]);
  },
  async "`RequestsWebClient(verify=…)`"() {
    assert((await stdoutOf("ls", "-f", "pages", "--insecure", site.url)).startsWith("http"));
  },
  async "exceptions of `usp.exceptions`"() {
    const events = await Array.fromAsync(walk(site.url));
    assert(events.some(({ type }) => type === "invalid"));
    const broken = await Array.fromAsync(parseSitemap(URLSET.replace("</urlset>", "")));
    assert(broken.some(({ type }) => type === "warning"));
    await assertRejects(() => Array.fromAsync(walk("ftp://site.test/")), TypeError);
    await using closed = new FaultServer({ "*": status(403) });
    await assertRejects(() => Array.fromAsync(pages(closed.url)), BlockedError);
  },
  async "messages of `logging`"() {
    const phases = new Set<string>();
    await tree({ onRequest: ({ phase }) => void phases.add(phase) });
    assert(phases.has("request") && phases.has("response"));
    const path = await Deno.makeTempFile();
    try {
      for (const [level, found] of [["-v", "INFO"], ["-vv", "/robots.txt"]] as const) {
        await stdoutOf("ls", "-f", "pages", level, "-l", path, site.url);
        assert((await Deno.readTextFile(path)).includes(found), level);
      }
    } finally {
      await Deno.remove(path);
    }
  },
  async "`usp ls URL`"() {
    const bare = await stdoutOf("ls", site.url);
    assertEquals(bare, await stdoutOf("ls", "-f", "tree", site.url));
    const tabtree = await stdoutOf("ls", "-f", "tabtree", "-r", "-u", site.url);
    assert(tabtree.startsWith(`${site.url}\n\t/`) && !tabtree.includes("robots.txt"));
    const some = await stdoutOf("ls", "-f", "pages", "-k", site.url);
    assertEquals(some, await stdoutOf("ls", "--format=pages", "--no-known", site.url));
  },
};

Deno.test("every name of USP has the counterpart that the page says", async (t) => {
  const rows = tableRows(section(readText("docs/from-usp.md"), "Names"));
  assertEquals(rows.map(([name]) => name), Object.keys(ROWS));
  await using server = serveSite("demo");
  site = server;
  for (const [name, run] of Object.entries(ROWS)) await t.step(name, run);
});
