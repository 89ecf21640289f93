/** Responses of scripted sites. @module */

import { type Answer, text } from "../http/scripted_fetch.ts";

export function urlset(...urls: readonly string[]): Answer {
  return text(`<urlset>${urls.map((url) => `<url><loc>${url}</loc></url>`).join("")}</urlset>`);
}

export function index(...urls: readonly string[]): Answer {
  const sitemaps = urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`);
  return text(`<sitemapindex>${sitemaps.join("")}</sitemapindex>`);
}

export function robots(...urls: readonly string[]): Answer {
  return text(urls.map((url) => `Sitemap: ${url}\n`).join(""));
}

/** Returns the responses of a site by its sitemaps and their pages, all of them paths without `/`. */
export function siteOf(
  home: string,
  sitemaps: Readonly<Record<string, readonly string[]>>,
): Record<string, Answer> {
  const urls = (paths: readonly string[]) => paths.map((path) => home + path);
  return Object.fromEntries([
    [`${home}robots.txt`, robots(...urls(Object.keys(sitemaps)))],
    ...Object.entries(sitemaps).map(([path, pages]) => [home + path, urlset(...urls(pages))]),
  ]);
}

/** Returns a response with a validator, and 304 for those who have it. */
export function conditional(etag: string, answer: Answer): Answer {
  return async (url, init) => {
    const headers = { etag };
    if (new Headers(init.headers).get("if-none-match") === etag) {
      return new Response(null, { status: 304, headers });
    }
    return new Response(await (await answer(url, init)).text(), { headers });
  };
}
