/** Sitemaps, and sites that are not there. @module */

export function urlset(...paths: string[]): string {
  return `<urlset>${paths.map((path) => `<url><loc>${path}</loc></url>`).join("")}</urlset>`;
}

export function index(...paths: string[]): string {
  const entries = paths.map((path) => `<sitemap><loc>${path}</loc></sitemap>`);
  return `<sitemapindex>${entries.join("")}</sitemapindex>`;
}

/** Returns the URL of a port that refuses connections. */
export function closedUrl(): string {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return `http://127.0.0.1:${listener.addr.port}/`;
}
