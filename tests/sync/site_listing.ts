/**
 * What a scripted site lists, by its script alone: it gives the expectations that rows of tables
 * need not spell.
 *
 * @module
 */

import { DEFAULT_PRIORITY } from "../../src/data/page.ts";
import { at, type Reply, replyAt, short, type Site } from "./scripted_site.ts";
import type { RunOptions } from "./sync_history.ts";

/** A sitemap of a site, as far as its body arrives. */
interface ScriptedSitemap {
  readonly body: string;
  /** Entries as XML, by URL; the first of each. */
  readonly pages: ReadonlyMap<string, string>;
  readonly children: readonly string[];
  readonly validator: string | undefined;
}

/** A page that a site lists, and the first sitemap that does. */
interface ListedPage {
  readonly url: string;
  readonly sitemap: string;
  /** Entry as XML. */
  readonly entry: string;
}

export class SiteListing {
  /** Sitemaps that robots.txt, given ones and known paths lead to, by path, in document order. */
  readonly #sitemaps = new Map<string, ScriptedSitemap>();

  /** Sitemaps that are listed, or given, and respond with an error. */
  readonly failed: Set<string> = new Set();

  constructor(site: Site, { sitemaps, useKnownPaths }: RunOptions) {
    const known = useKnownPaths ? Object.keys(site).filter((path) => /^\/sitemap/.test(path)) : [];
    for (const root of ["/robots.txt", ...known]) {
      if (sitemaps === undefined) this.#visit(site, at(root), true);
    }
    for (const given of sitemaps ?? []) this.#visit(site, String(given));
  }

  #visit(site: Site, url: string, isProbe = false): void {
    const path = short(new URL(url).href);
    if (this.#sitemaps.has(path)) return;
    const reply = finalReply(site, path);
    if (!isProbe && (reply.status ?? 200) >= 400) this.failed.add(path);
    const sitemap = sitemapOf(reply);
    if (sitemap === undefined) return;
    this.#sitemaps.set(path, sitemap);
    for (const child of sitemap.children) this.#visit(site, child);
  }

  #pages(): ListedPage[] {
    const listed = new Map<string, ListedPage>();
    for (const [sitemap, { pages }] of this.#sitemaps) {
      for (const [url, entry] of pages) {
        if (!listed.has(url)) listed.set(url, { url, sitemap, entry });
      }
    }
    return [...listed.values()];
  }

  /** Events of a first run that reads everything, as `outline()` formats them. */
  added(): string[] {
    const pages = this.#pages();
    const lines = pages.map(({ url, sitemap }) => `added ${short(url)} in ${sitemap}`);
    return [...lines, `complete +${pages.length}`];
  }

  /** Pages as `pageLines()` formats them, by path. */
  pageLines(): Map<string, string> {
    return new Map(
      this.#pages().map(({ url, sitemap, entry }) => {
        const values = [...entry.matchAll(/<(lastmod|priority)>(.*?)</g)]
          .filter(([, name, value]) => name !== "priority" || Number(value) !== DEFAULT_PRIORITY)
          .map(([, name, value]) => `${name}=${value}`);
        const path = short(url);
        return [path, [`${path} in ${sitemap}`, ...values].join(" ")];
      }),
    );
  }

  /**
   * Returns the sitemaps with the body that was read last, `/s.xml 2 same-bytes`, and notes in
   * `read` those that are read now. As in outlines, a robots.txt without validators is omitted.
   */
  unchanged(read: Map<string, string>): string[] {
    const lines: string[] = [];
    for (const [path, { body, pages, children, validator }] of this.#sitemaps) {
      if (pages.size + children.length === 0) continue;
      const isWhole = /^Sitemap: |<\/(?:urlset|sitemapindex)>$/.test(body);
      const version = `${validator} ${body}`;
      const isOmitted = path === "/robots.txt" && validator === undefined;
      if (isWhole && read.get(path) === version && !isOmitted) {
        const by = validator === undefined ? "same-bytes" : "not-modified";
        lines.push(`${path} ${pages.size} ${by}`);
      }
      // one that is truncated is read again
      read.set(path, isWhole ? version : "");
    }
    return lines;
  }
}

/** Returns the response of a path, after redirects. */
function finalReply(site: Site, path: string): Reply {
  const reply = replyAt(site, path);
  const { redirect = path } = reply;
  return redirect === path ? reply : finalReply(site, redirect);
}

/** Returns the sitemap of a response; `undefined` without a body. */
function sitemapOf(
  { body = "", status = 200, cut = 1, etag, lastModified }: Reply,
): ScriptedSitemap | undefined {
  const arrived = String(body).slice(0, Math.floor(body.length * cut));
  if (arrived === "" || status !== 200) return undefined;
  const entries = [...arrived.matchAll(/<url><loc>(.*?)<\/loc>.*?<\/url>/g)];
  const children = arrived.matchAll(/(?:^Sitemap: |<sitemap><loc>)([^\s<]+)[\n<]/gm);
  return {
    body: arrived,
    // of two entries with one URL, the first is set last
    pages: new Map(entries.toReversed().map(([entry, url]) => [url!, entry])),
    children: [...children].map(([, url]) => url!),
    validator: etag ?? lastModified,
  };
}
