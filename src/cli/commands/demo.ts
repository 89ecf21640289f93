import { type HttpReply, serveHttp } from "../../platform/http_server.ts";
import type { Arguments } from "../arguments.ts";
import { requireNet } from "../run/permissions.ts";
import { Site } from "../../source/site.ts";
import { walkSettings } from "../run/walk_settings.ts";
import { PageFilter } from "../run/selection.ts";
import { openSession, type Session } from "../run/session.ts";
import { eventWriter } from "./ls.ts";

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  atom: "application/atom+xml",
  gz: "application/gzip",
  rss: "application/rss+xml",
  txt: "text/plain; charset=utf-8",
  xml: "application/xml",
};

export async function demo(args: Arguments): Promise<number> {
  await requireNet(new URL("http://127.0.0.1/"));
  using session = await openSession(args);
  const stop = new AbortController();
  const options = { port: 0, hostname: "127.0.0.1", signal: stop.signal };
  const { port, closed } = await serveHttp(({ path, host }) => reply(path, host), options);
  try {
    return await walkDemo(args, session, new URL(`http://127.0.0.1:${port}`));
  } finally {
    stop.abort();
    await closed;
  }
}

async function walkDemo(args: Arguments, session: Session, site: URL): Promise<number> {
  const head = `A small site at ${site.href}, walked by "sitetree ls --strip-url":\n\n`;
  await session.output.write(new TextEncoder().encode(head));
  const format = { format: "tree", stripUrl: true } as const;
  const settings = walkSettings(args);
  return await session.run({
    settings,
    operands: [new Site([site], settings.options)],
    filter: new PageFilter(),
    writer: await eventWriter(format, session.output, site, session.color),
    moreAdvice: () => ['"sitetree ls URL" walks a site of yours'],
  });
}

async function reply(path: string, host: string): Promise<HttpReply> {
  const text = demoSite(`http://${host}`)[path];
  const headers = {
    "content-type": CONTENT_TYPES[path.slice(path.lastIndexOf(".") + 1)] ?? "text/plain",
  };
  if (text === undefined) return { status: 404, headers, body: "Not found\n" };
  return { status: 200, headers, body: path.endsWith(".gz") ? await gzip(text) : text };
}

async function gzip(text: string): Promise<Uint8Array> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const XML = '<?xml version="1.0" encoding="UTF-8"?>';
const SITEMAP = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const NEWS = 'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"';
const XHTML = 'xmlns:xhtml="http://www.w3.org/1999/xhtml"';
const ATOM = 'xmlns="http://www.w3.org/2005/Atom"';

/**
 * Returns the documents of the site by path, before gzip: a sitemap of every format that sitetree
 * reads, one defect that is repaired, and one sitemap that only a known path leads to.
 */
function demoSite(origin: string): Readonly<Record<string, string>> {
  return {
    "/robots.txt": `# The Two Mills: bakery, museum and shop
User-agent: *
Disallow: /basket/

Sitemap: ${origin}/sitemap_index.xml
Sitemap: ${origin}/sitemaps/feeds-and-shop.xml
`,
    "/sitemap_index.xml": `${XML}
<sitemapindex ${SITEMAP}>
  <sitemap><loc>${origin}/sitemaps/pages.xml</loc><lastmod>2024-05-02</lastmod></sitemap>
  <sitemap><loc>${origin}/sitemaps/news.xml.gz</loc><lastmod>2024-05-03</lastmod></sitemap>
  <sitemap><loc>${origin}/sitemaps/languages.xml</loc></sitemap>
</sitemapindex>
`,
    "/sitemaps/pages.xml": `${XML}
<urlset ${SITEMAP}>
  <url><loc>${origin}/</loc><lastmod>2024-05-02T09:00:00+02:00</lastmod></url>
  <url><loc>${origin}/about</loc><lastmod>2023-11-20</lastmod><priority>0.4</priority></url>
  <url><loc>${origin}/museum/opening-hours?season=summer&amp;day=all</loc></url>
  <url><loc>${origin}/museum/how-a-millstone-is-dressed</loc><lastmod>2022</lastmod></url>
</urlset>
`,
    "/sitemaps/news.xml.gz": `${XML}
<urlset ${SITEMAP} ${NEWS}>
  <url>
    <loc>${origin}/news/wheel-turns-again</loc>
    <news:news>
      <news:publication_date>2024-05-03T07:15:00+02:00</news:publication_date>
      <news:title>After forty years, the upper wheel turns again</news:title>
    </news:news>
  </url>
  <url><loc>${origin}/news/rye-harvest</loc><lastmod>2024-04-27</lastmod></url>
</urlset>
`,
    "/sitemaps/languages.xml": `${XML}
<urlset ${SITEMAP} ${XHTML}>
  <url>
    <loc>${origin}/en/bread</loc>
    <xhtml:link rel="alternate" hreflang="de" href="${origin}/de/brot"/>
  </url>
  <url>
    <loc>${origin}/de/brot</loc>
    <xhtml:link rel="alternate" hreflang="en" href="${origin}/en/bread"/>
  </url>
</urlset>
`,
    "/sitemaps/feeds-and-shop.xml": `${XML}
<sitemapindex ${SITEMAP}>
  <sitemap><loc>${origin}/blog/feed.rss</loc></sitemap>
  <sitemap><loc>${origin}/recipes/feed.atom</loc></sitemap>
  <sitemap><loc>${origin}/sitemaps/trails.txt</loc></sitemap>
  <sitemap><loc>${origin}/sitemaps/shop.xml</loc></sitemap>
</sitemapindex>
`,
    "/blog/feed.rss": `${XML}
<rss version="2.0">
  <channel>
    <item>
      <title>Why we still grind on stone</title>
      <link>${origin}/blog/why-stone</link>
      <pubDate>Mon, 15 Apr 2024 06:30:00 GMT</pubDate>
    </item>
    <item><guid>${origin}/blog/high-water</guid></item>
  </channel>
</rss>
`,
    "/recipes/feed.atom": `${XML}
<feed ${ATOM}>
  <entry>
    <title>Spelt rolls</title>
    <link rel="alternate" type="text/html" href="${origin}/recipes/spelt-rolls"/>
    <updated>2024-04-21T08:00:00Z</updated>
  </entry>
  <entry><link href="${origin}/recipes/honey-cake"/></entry>
</feed>
`,
    "/sitemaps/trails.txt": `${origin}/trails/river-walk
${origin}/trails/mill-to-mill
`,
    // the bare `&` is the defect
    "/sitemaps/shop.xml": `${XML}
<urlset ${SITEMAP}>
  <url><loc>${origin}/shop/item?id=7&size=500g</loc></url>
  <url><loc>${origin}/shop/item?id=8&amp;size=1kg</loc></url>
</urlset>
`,
    "/sitemap_news.xml": `${XML}
<urlset ${SITEMAP}>
  <url><loc>${origin}/news/night-of-the-open-mills</loc></url>
</urlset>
`,
  };
}
