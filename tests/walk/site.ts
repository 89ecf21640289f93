/** Scripted sites: responses by path, and the documents in them. @module */

import { type Answer, redirect, ScriptedFetch, status, text } from "../http/scripted_fetch.ts";

export const HOME = "https://site.test/";

/** A response: a document, `-> target` for a redirect, a status, or a function. */
export type Page = string | number | Answer;

/**
 * A scripted site: responses by path, or by URL on other hosts; several are used in turn, the last
 * one repeatedly. `/control` is the random path that cannot exist, `*` every other URL.
 */
export type Pages = Readonly<Record<string, Page | readonly Page[]>>;

/** Returns a `fetch` for a scripted site at {@linkcode HOME}; `now` dates its requests. */
export function siteFetch(pages: Pages, now?: () => number): ScriptedFetch {
  const script = Object.entries(pages)
    .map(([path, page]) => [short(path), [page].flat().map(toAnswer)]);
  return new ScriptedFetch(Object.fromEntries(script), now, short);
}

function toAnswer(page: Page): Answer {
  if (typeof page === "number") return status(page);
  if (typeof page !== "string") return page;
  return page.startsWith("-> ") ? redirect(page.slice(3)) : text(page);
}

/** Name of the path that cannot exist, which is random. */
const CONTROL_REGEXP = /^\/[0-9a-f]{13}\.xml$/;

/** Returns the path of a URL of a scripted site; any other URL is returned unchanged. */
export function short(url: string): string {
  const path = url.startsWith(HOME) ? url.slice(HOME.length - 1) : url;
  return CONTROL_REGEXP.test(path) ? "/control" : path;
}

/** Returns the URL of a path of a scripted site; any other text is returned unchanged. */
export function at(path: string): string {
  return path.startsWith("/") ? HOME.slice(0, -1) + path : path;
}

/** Returns an index of these addresses; paths are those of {@linkcode HOME}. */
export function index(...urls: string[]): string {
  return `<sitemapindex>${
    urls.map((url) => `<sitemap><loc>${at(url)}</loc></sitemap>`).join("")
  }</sitemapindex>`;
}

/** Returns a urlset of these addresses; paths are those of {@linkcode HOME}. */
export function urlset(...urls: string[]): string {
  return `<urlset>${urls.map(entry).join("")}</urlset>`;
}

export function entry(url: string): string {
  return `<url><loc>${at(url)}</loc></url>`;
}

/** Returns a robots.txt that declares these sitemaps; paths are those of {@linkcode HOME}. */
export function robots(...urls: string[]): string {
  return urls.map((url) => `Sitemap: ${at(url)}\n`).join("");
}

/** Returns numbered names, such as `/0.xml`, `/1.xml`. */
export function numbered(count: number, nameOf: (at: number) => string): string[] {
  return Array.from({ length: count }, (_, at) => nameOf(at));
}

/** Returns sitemaps with one page each, which is named after the sitemap. */
export function sitemapsAt(paths: readonly string[]): Record<string, string> {
  return Object.fromEntries(paths.map((path) => [path, urlset(path)]));
}
