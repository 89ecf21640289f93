/** Sitemaps, and sites that are not there. @module */

/** Returns a sitemap of pages, each a path or a URL, with a date after a space. */
export function urlset(...pages: string[]): string {
  return `<urlset>${elements("url", pages)}</urlset>`;
}

/** Returns an index of sitemaps, each a path or a URL, with a date after a space. */
export function index(...sitemaps: string[]): string {
  return `<sitemapindex>${elements("sitemap", sitemaps)}</sitemapindex>`;
}

function elements(name: string, entries: readonly string[]): string {
  return entries.map((entry) => {
    const [loc, date] = entry.split(" ");
    const lastmod = date === undefined ? "" : `<lastmod>${date}</lastmod>`;
    return `<${name}><loc>${loc}</loc>${lastmod}</${name}>`;
  }).join("");
}

/** Returns a robots.txt that declares sitemaps. */
export function robots(...sitemaps: string[]): string {
  return sitemaps.map((url) => `Sitemap: ${url}\n`).join("");
}

/** Returns the URL of a port that refuses connections. */
export function closedUrl(): string {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return `http://127.0.0.1:${listener.addr.port}/`;
}
