/**
 * The bundled site of `sitetree demo`: a bakery, a museum and a shop, with every format that
 * sitetree reads, one dead link and one defect that gets repaired.
 *
 * @module
 */

/** Stands for the origin that the site is served from. */
export const ORIGIN_PLACEHOLDER = "{{origin}}";

const SITEMAP = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const NEWS = 'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"';
const IMAGE = 'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"';
const VIDEO = 'xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"';
const XHTML = 'xmlns:xhtml="http://www.w3.org/1999/xhtml"';

const ROBOTS = `# The Two Mills: bakery, museum and shop
User-agent: *
Disallow: /basket/

Sitemap: {{origin}}/sitemap_index.xml
Sitemap: {{origin}}/sitemaps/feeds-and-shop.xml
`;

const INDEX = `<?xml version="1.0" encoding="UTF-8"?>
<sitemapindex ${SITEMAP}>
  <sitemap>
    <loc>{{origin}}/sitemaps/pages.xml</loc>
    <lastmod>2024-05-02T09:00:00+02:00</lastmod>
  </sitemap>
  <sitemap>
    <loc>{{origin}}/sitemaps/news.xml.gz</loc>
    <lastmod>2024-05-03</lastmod>
  </sitemap>
  <sitemap>
    <loc>{{origin}}/sitemaps/languages.xml</loc>
  </sitemap>
</sitemapindex>
`;

const PAGES = `<?xml version="1.0" encoding="UTF-8"?>
<urlset ${SITEMAP}>
  <url>
    <loc>{{origin}}/</loc>
    <lastmod>2024-05-02T09:00:00+02:00</lastmod>
    <changefreq>daily</changefreq>
    <priority>1.0</priority>
  </url>
  <url>
    <loc>{{origin}}/about</loc>
    <lastmod>2023-11-20</lastmod>
    <changefreq>yearly</changefreq>
    <priority>0.4</priority>
  </url>
  <url>
    <loc>{{origin}}/museum/opening-hours?season=summer&amp;day=all</loc>
    <lastmod>2024-04-01T08:30:00Z</lastmod>
    <changefreq>monthly</changefreq>
    <priority>0.8</priority>
  </url>
  <url>
    <loc>{{origin}}/museum/how-a-millstone-is-dressed</loc>
    <lastmod>2022</lastmod>
    <changefreq>never</changefreq>
  </url>
</urlset>
`;

const GZIPPED_NEWS = `<?xml version="1.0" encoding="UTF-8"?>
<urlset ${SITEMAP} ${NEWS} ${IMAGE}>
  <url>
    <loc>{{origin}}/news/wheel-turns-again</loc>
    <news:news>
      <news:publication>
        <news:name>The Two Mills Courier</news:name>
        <news:language>en</news:language>
      </news:publication>
      <news:genres>PressRelease, Blog</news:genres>
      <news:publication_date>2024-05-03T07:15:00+02:00</news:publication_date>
      <news:title>After forty years, the upper wheel turns again</news:title>
      <news:keywords>mill, restoration, water power</news:keywords>
    </news:news>
    <image:image>
      <image:loc>{{origin}}/images/upper-wheel.jpg</image:loc>
      <image:caption>The upper wheel on the day of its first turn</image:caption>
    </image:image>
  </url>
  <url>
    <loc>{{origin}}/news/rye-harvest</loc>
    <lastmod>2024-04-28</lastmod>
    <news:news>
      <news:publication>
        <news:name>The Two Mills Courier</news:name>
        <news:language>en</news:language>
      </news:publication>
      <news:publication_date>2024-04-27</news:publication_date>
      <news:title>Rye &amp; spelt: what this year&#8217;s harvest brings</news:title>
    </news:news>
  </url>
</urlset>
`;

const LANGUAGES = `<?xml version="1.0" encoding="UTF-8"?>
<urlset ${SITEMAP} ${XHTML} ${VIDEO}>
  <url>
    <loc>{{origin}}/en/bread</loc>
    <xhtml:link rel="alternate" hreflang="en" href="{{origin}}/en/bread"/>
    <xhtml:link rel="alternate" hreflang="de" href="{{origin}}/de/brot"/>
  </url>
  <url>
    <loc>{{origin}}/de/brot</loc>
    <xhtml:link rel="alternate" hreflang="en" href="{{origin}}/en/bread"/>
    <xhtml:link rel="alternate" hreflang="de" href="{{origin}}/de/brot"/>
  </url>
  <url>
    <loc>{{origin}}/en/videos/sourdough-in-ten-minutes</loc>
    <video:video>
      <video:thumbnail_loc>{{origin}}/images/sourdough.jpg</video:thumbnail_loc>
      <video:title>Sourdough in ten minutes</video:title>
      <video:description>Ten minutes of work, two days of waiting.</video:description>
      <video:content_loc>{{origin}}/videos/sourdough.mp4</video:content_loc>
      <video:duration>600</video:duration>
    </video:video>
  </url>
</urlset>
`;

const FEEDS_AND_SHOP = `<?xml version="1.0" encoding="UTF-8"?>
<sitemapindex ${SITEMAP}>
  <sitemap><loc>{{origin}}/blog/feed.rss</loc></sitemap>
  <sitemap><loc>{{origin}}/recipes/feed.atom</loc></sitemap>
  <sitemap><loc>{{origin}}/sitemaps/trails.txt</loc></sitemap>
  <sitemap><loc>{{origin}}/sitemaps/shop.xml</loc></sitemap>
  <!-- the archive moved in 2020, this line did not -->
  <sitemap><loc>{{origin}}/sitemaps/archive-2019.xml</loc></sitemap>
</sitemapindex>
`;

const BLOG = `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0">
  <channel>
    <title>The miller's log</title>
    <link>{{origin}}/blog/</link>
    <description>Notes from the lower mill</description>
    <item>
      <title>Why we still grind on stone</title>
      <link>{{origin}}/blog/why-stone</link>
      <pubDate>Mon, 15 Apr 2024 06:30:00 GMT</pubDate>
    </item>
    <item>
      <title>High water &amp;amp; low flour</title>
      <guid>{{origin}}/blog/high-water</guid>
      <pubDate>Tue, 09 Jan 2024 20:05:00 +0100</pubDate>
    </item>
  </channel>
</rss>
`;

const RECIPES = `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <title>Recipes</title>
  <id>tag:two-mills,2020:recipes</id>
  <updated>2024-04-20T12:00:00Z</updated>
  <entry>
    <title>Spelt rolls</title>
    <id>tag:two-mills,2024:spelt-rolls</id>
    <link rel="alternate" type="text/html" href="{{origin}}/recipes/spelt-rolls"/>
    <updated>2024-04-21T08:00:00Z</updated>
  </entry>
  <entry>
    <title>Rye and honey cake</title>
    <id>tag:two-mills,2023:honey-cake</id>
    <link href="{{origin}}/recipes/honey-cake"/>
    <updated>2023-12-06T16:45:00+01:00</updated>
  </entry>
</feed>
`;

const TRAILS = `{{origin}}/trails/river-walk
{{origin}}/trails/mill-to-mill
`;

// The bare `&` is the defect that gets repaired.
const SHOP = `<?xml version="1.0" encoding="UTF-8"?>
<urlset ${SITEMAP}>
  <url>
    <loc>{{origin}}/shop/item?id=7&size=500g</loc>
    <changefreq>weekly</changefreq>
  </url>
  <url>
    <loc>{{origin}}/shop/item?id=8&amp;size=1kg</loc>
    <changefreq>weekly</changefreq>
  </url>
</urlset>
`;

// Declared nowhere: only a known path leads here.
const UNDECLARED_NEWS = `<?xml version="1.0" encoding="UTF-8"?>
<urlset ${SITEMAP} ${NEWS}>
  <url>
    <loc>{{origin}}/news/night-of-the-open-mills</loc>
    <news:news>
      <news:publication>
        <news:name>The Two Mills Courier</news:name>
        <news:language>en</news:language>
      </news:publication>
      <news:publication_date>2024-05-04T05:00:00Z</news:publication_date>
      <news:title>Tonight: the night of the open mills</news:title>
    </news:news>
  </url>
</urlset>
`;

/** A document of the site. */
export interface DemoDocument {
  /** Its Content-Type. */
  readonly contentType: string;
  /** Its text, before gzip. */
  readonly text: string;
}

const XML = "application/xml";

/** The documents of the site by path. Those whose path ends in `.gz` are served gzipped. */
export const DEMO_SITE: Readonly<Record<string, DemoDocument>> = {
  "/robots.txt": { contentType: "text/plain; charset=utf-8", text: ROBOTS },
  "/sitemap_index.xml": { contentType: XML, text: INDEX },
  "/sitemaps/pages.xml": { contentType: XML, text: PAGES },
  "/sitemaps/news.xml.gz": { contentType: "application/gzip", text: GZIPPED_NEWS },
  "/sitemaps/languages.xml": { contentType: XML, text: LANGUAGES },
  "/sitemaps/feeds-and-shop.xml": { contentType: XML, text: FEEDS_AND_SHOP },
  "/blog/feed.rss": { contentType: "application/rss+xml", text: BLOG },
  "/recipes/feed.atom": { contentType: "application/atom+xml", text: RECIPES },
  "/sitemaps/trails.txt": { contentType: "text/plain; charset=utf-8", text: TRAILS },
  "/sitemaps/shop.xml": { contentType: XML, text: SHOP },
  "/sitemap_news.xml": { contentType: XML, text: UNDECLARED_NEWS },
};
