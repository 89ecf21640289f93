/**
 * What must work on every runtime, browsers included; `smoke_site.ts` serves the site.
 *
 * @module
 */

import { collect, parseSitemap, type SitemapPage, type TreeEvent, walk } from "@sitetree/sitetree";
import { check } from "@sitetree/sitetree/check";
import { aggregate, renderReport, report } from "@sitetree/sitetree/report";
import { readRobots } from "@sitetree/sitetree/robots";
import {
  pagesFromNdjson,
  toNdjson,
  toReadableStream,
  toSitemapXml,
} from "@sitetree/sitetree/write";
import { assertSame, type Check } from "./checks.ts";

type SitemapSource = Parameters<typeof parseSitemap>[0];

/** What a walk of the smoke site must find. */
export interface SmokeExpectation {
  readonly verdict: string;
  /** The sitemaps of the index, in their order. */
  readonly sitemaps: readonly {
    readonly url: string;
    readonly type: string;
    readonly pages: readonly string[];
  }[];
}

/** Returns the checks of reading, walking and writing, for a site at an origin. */
export function smokeChecks(origin: string): Record<string, Check> {
  return {
    "parseSitemap() reads gzip members in 7-byte chunks": async () => {
      const bytes = await bytesAt(`${origin}/members.xml.gz`);
      const expected = await expectedPages(origin, "/members.xml.gz");
      assertSame(await urlsOf(inChunks(bytes, 7)), expected, "pages");
    },
    "parseSitemap() reads a large gzipped response": async () => {
      const response = await fetch(`${origin}/large.xml.gz`);
      assertSame(await urlsOf(response), await expectedPages(origin, "/large.xml.gz"), "pages");
    },
    "parseSitemap() stops a gzip bomb at its limit": async () => {
      const bytes = await bytesAt(`${origin}/bomb.xml.gz`);
      const codes: string[] = [];
      for await (const event of parseSitemap(bytes, { maxBytes: 1024 * 1024 })) {
        if (event.type === "invalid") codes.push(event.code);
      }
      assertSame(codes, ["too-large"], "codes");
    },
    "check() finds what is wrong with a sitemap": async () => {
      const xml = "<urlset><url><loc>/a#b</loc></url></urlset>";
      const events = parseSitemap(xml, { url: `${origin}/sitemap.xml`, notes: true });
      const { findings } = await check(events, { now: "2024-01-01" });
      const codes = findings.map(({ code }) => code);
      assertSame(codes, ["namespace", "loc-relative", "loc-fragment", "lastmod-missing"], "codes");
    },
    "report() renders what aggregate() folds": async () => {
      const xml = "<urlset><url><loc>/a</loc></url><url><loc>/</script><b></loc></url></urlset>";
      const events: TreeEvent[] = [];
      const source = parseSitemap(xml, { url: `${origin}/sitemap.xml`, notes: true });
      for await (const event of source) events.push(event);
      const options = { now: "2024-01-01" };
      const folded = await aggregate(events, options);
      assertSame(folded.totals.pages, 2, "pages");
      assertSame(renderReport(folded), await report(events, options), "HTML");
    },
    "walk() finds every page of a site": async () => {
      const expected = await expectation(origin);
      const found = new Map<number, { url: string; type: string; pages: string[] }>();
      let verdict: string | undefined;
      for await (const event of walk(origin)) {
        if (event.type === "finished") verdict = event.verdict;
        else if (event.type === "page") found.get(event.sitemap.id)!.pages.push(event.page.url);
        else if (event.type === "sitemap-entered" || event.type === "invalid") {
          const { id, url, type, level } = event.sitemap;
          if (level === 2) found.set(id, { url, type, pages: [] });
        }
      }
      for (const [at, sitemap] of [...found.values()].entries()) {
        const { url, type, pages = [] } = expected.sitemaps[at] ?? {};
        assertSame(sitemap.pages.length, pages.length, `pages of ${url}`);
        assertSame(sitemap, { url, type, pages }, "sitemap");
      }
      assertSame(found.size, expected.sitemaps.length, "number of sitemaps");
      assertSame(verdict, expected.verdict, "verdict");
    },
    "collect() builds the tree of a walk": async () => {
      const tree = await collect(walk(origin));
      const { sitemaps } = await expectation(origin);
      const [robots] = tree.subSitemaps;
      const [index] = robots!.subSitemaps;
      assertSame(
        index!.subSitemaps.map(({ url, type }) => [url, type]),
        sitemaps.map(({ url, type }) => [url, type]),
        "sitemaps",
      );
      const urls = Array.from(tree.allPages(), (page) => page.url);
      assertSame(urls, sitemaps.flatMap(({ pages }) => pages), "pages");
    },
    "readRobots() reads a stream in 7-byte chunks": async () => {
      const text = "User-agent: *\nDisallow: /*é$\nCrawl-delay: 1\nSitemap: /s.xml";
      const body = inChunks(new TextEncoder().encode(text), 7);
      const robots = await readRobots(body, { url: `${origin}/robots.txt` });
      assertSame(robots.sitemaps, [`${origin}/s.xml`], "sitemaps");
      const allowed = ["/caf%C3%A9", "/café?"].map((path) => robots.allows(path, "bot"));
      assertSame([...allowed, robots.crawlDelay("bot")], [false, true, 1000], "rules");
    },
    "toNdjson() writes what pagesFromNdjson() reads": async () => {
      const pages = await pagesOf(await fetch(`${origin}/plain.xml`));
      const bytes = toReadableStream(pages).pipeThrough(toNdjson());
      const copies: SitemapPage[] = [];
      await bytes.pipeThrough(pagesFromNdjson()).pipeTo(
        new WritableStream({ write: (page) => void copies.push(page) }),
      );
      assertSame(copies, pages, "pages");
    },
    "toSitemapXml() writes what parseSitemap() reads": async () => {
      const events = parseSitemap(await fetch(`${origin}/plain.xml`));
      const xml = toReadableStream(events.batches()).pipeThrough(toSitemapXml());
      const expected = await expectedPages(origin, "/plain.xml");
      assertSame(await urlsOf(await new Response(xml).text()), expected, "pages");
    },
  };
}

async function expectation(origin: string): Promise<SmokeExpectation> {
  return await (await fetch(`${origin}/expected.json`)).json();
}

/** Returns the URLs that a sitemap of the site has. */
export async function expectedPages(origin: string, path: string): Promise<readonly string[]> {
  const { sitemaps } = await expectation(origin);
  return sitemaps.find(({ url }) => url === origin + path)!.pages;
}

/** Returns the body of a URL. */
export async function bytesAt(url: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await (await fetch(url)).arrayBuffer());
}

async function pagesOf(source: SitemapSource): Promise<SitemapPage[]> {
  const pages: SitemapPage[] = [];
  for await (const event of parseSitemap(source) as AsyncIterable<TreeEvent>) {
    if (event.type === "page") pages.push(event.page);
  }
  return pages;
}

/** Returns the URLs of the pages of a document. */
export async function urlsOf(source: SitemapSource): Promise<string[]> {
  return (await pagesOf(source)).map((page) => page.url);
}

function inChunks(bytes: Uint8Array, size: number): ReadableStream<Uint8Array> {
  let offset = 0;
  return new ReadableStream({
    pull(controller) {
      if (offset >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(offset, offset + size));
      offset += size;
    },
  });
}
