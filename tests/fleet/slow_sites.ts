/**
 * Sites without a server, which take their time.
 *
 * @module
 */

/** Number of sitemaps of a site, and of pages of a sitemap. */
export const SHAPE = { sitemaps: 6, pages: 700 } as const;

/** Returns homepages, and a function that answers requests for them. */
export function slowSites(
  count: number,
  delay = 50,
): { readonly homepages: string[]; readonly fetch: (url: string) => Promise<Response> } {
  const homepages = Array.from({ length: count }, (_, at) => `http://site${at}.test/`);
  const fetch = async (address: string) => {
    await new Promise((resolve) => setTimeout(resolve, delay));
    return answer(new URL(address));
  };
  return { homepages, fetch };
}

function answer({ origin, pathname }: URL): Response {
  const [, sitemap] = /^\/s(\d+)\.xml$/.exec(pathname) ?? [];
  if (sitemap !== undefined) {
    const pages = Array.from({ length: SHAPE.pages }, (_, at) => `${origin}/${sitemap}/${at}`);
    return new Response(`<urlset>${pages.map(entry("url")).join("")}</urlset>`);
  }
  if (pathname !== "/sitemap.xml") return new Response(null, { status: 404 });
  const sitemaps = Array.from({ length: SHAPE.sitemaps }, (_, at) => `${origin}/s${at}.xml`);
  return new Response(`<sitemapindex>${sitemaps.map(entry("sitemap")).join("")}</sitemapindex>`);
}

function entry(name: string): (url: string) => string {
  return (url) => `<${name}><loc>${url}</loc></${name}>`;
}
