/** sitemap.js (npm `sitemap`): its stream from XML to sitemap items. @module */

import { Buffer } from "node:buffer";
import { Readable } from "node:stream";
import { XMLToSitemapItemStream } from "sitemap";
import type { BenchPage, Contender } from "../contender.ts";
import { changeFrequencyOf, dateOf, emptyPage, priorityOf } from "./page_builder.ts";

/** Items of its stream, as far as pages need them. */
interface SitemapItem {
  readonly url: string;
  readonly lastmod?: string;
  readonly changefreq?: string;
  readonly priority?: number;
  readonly img: readonly { readonly url: string; readonly title?: string }[];
  readonly links: readonly { readonly lang: string; readonly url: string }[];
  readonly news?: {
    readonly title: string;
    readonly publication_date: string;
    readonly publication: { readonly name: string; readonly language: string };
  };
}

/** Its parser needs a `Buffer`. */
function* asBuffers(chunks: Iterable<Uint8Array>): Generator<Buffer> {
  for (const chunk of chunks) yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
}

function pageOf(item: SitemapItem): BenchPage {
  const page = emptyPage();
  page.url = item.url;
  page.lastModified = item.lastmod === undefined ? undefined : dateOf(item.lastmod);
  page.changeFrequency = changeFrequencyOf(item.changefreq);
  page.priority = item.priority ?? priorityOf(undefined);
  if (item.img.length > 0) {
    page.images = item.img.map((image) => ({ loc: image.url, title: image.title }));
  }
  if (item.news !== undefined) {
    page.newsStory = {
      title: item.news.title,
      publishDate: dateOf(item.news.publication_date),
      publicationName: item.news.publication.name,
      publicationLanguage: item.news.publication.language,
    };
  }
  if (item.links.length > 0) {
    page.alternates = item.links.map((link) => ({ hreflang: link.lang, href: link.url }));
  }
  return page;
}

/** sitemap.js; it reads only urlsets. */
export const contender: Contender = {
  name: "sitemap.js",
  kinds: ["plain", "rich", "non-ascii"],
  async read(_kind, chunks, sink) {
    const items = Readable.from(asBuffers(chunks)).pipe(
      new XMLToSitemapItemStream({ logger: false }),
    );
    for await (const item of items) sink(pageOf(item as SitemapItem));
  },
};
