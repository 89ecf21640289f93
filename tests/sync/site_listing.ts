/**
 * What a scripted site lists, by its script alone: it gives the expectations that rows of tables
 * need not spell.
 *
 * @module
 */

import { DEFAULT_PRIORITY } from "../../src/data/page.ts";
import { at, type Reply, short, type Site } from "./scripted_site.ts";
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

  constructor(site: Site, { sitemaps, useKnownPaths }: RunOptions) {
    const known = useKnownPaths ? Object.keys(site).filter((path) => /^\/sitemap/.test(path)) : [];
    const roots = (sitemaps ?? ["/robots.txt", ...known]).map((root) => at(String(root)));
    for (const root of roots) this.#visit(site, root);
  }

  #visit(site: Site, url: string): void {
    const path = short(new URL(url).href);
    const sitemap = this.#sitemaps.has(path) ? undefined : sitemapOf(replyOf(site, path));
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

/** Returns the response of a path, after redirects; `undefined` without a body. */
function replyOf(site: Site, path: string): Reply | undefined {
  const found = site[path];
  if (typeof found === "string") return { body: found };
  const { redirect, status = 200 } = found ?? { status: 404 };
  if (redirect !== undefined && redirect !== path) return replyOf(site, redirect);
  return status === 200 ? found : undefined;
}

function sitemapOf(reply: Reply | undefined): ScriptedSitemap | undefined {
  const { body = "", cut = 1, etag, lastModified } = reply ?? {};
  const arrived = String(body).slice(0, Math.floor(body.length * cut));
  if (arrived === "") return undefined;
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
