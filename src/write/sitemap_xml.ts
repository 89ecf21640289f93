/**
 * Pages as an XML sitemap.
 *
 * @module
 */

import { byteWriterStream, type TextFormat } from "./byte_writer_stream.ts";
import { urlsetFormat } from "./document_format.ts";
import { pageOf, type WriterChunk, type WriterInput } from "./input.ts";

/** Options of {@linkcode toSitemapXml}. */
export interface SitemapXmlOptions {
  /** Whether every element has its line, indented. Default: false, a line for each page. */
  readonly pretty?: boolean;
  /**
   * Whether all of it is valid by the schemas of sitemaps.org and of the extensions, whatever the
   * pages hold. Addresses that are no URIs are percent-encoded, and pages without an http(s) URL of
   * less than 2,048 characters left out; so is what lacks something that its extension requires: a
   * story without publication, a video without thumbnail. A year or month is written as its first
   * day. Default: false, all that can be read back is written.
   */
  readonly strict?: boolean;
}

/**
 * Writes pages as one XML sitemap, as UTF-8: a `urlset` with the extensions for news, images,
 * videos and alternates.
 *
 * The output is well-formed whatever the pages hold: characters that XML forbids are
 * percent-encoded in URLs and left out elsewhere. Nothing is invented: a priority that was not
 * given is omitted, dates have the precision that was given, and a story without a date is left
 * out, since the news extension wants one. What extensions lack otherwise is written as it is,
 * unless `strict` is asked for. A sitemap may have 50,000 URLs and 50 MB, and at least one URL;
 * `writeSitemapSet()` keeps to that.
 *
 * @example
 * ```ts
 * import { SitemapPage } from "@sitetree/sitetree";
 * import { toReadableStream, toSitemapXml } from "@sitetree/sitetree/write";
 * import { assertStringIncludes } from "@std/assert";
 *
 * const pages = [new SitemapPage({ url: "https://example.com/?a&b", priority: 0.8 })];
 * const xml = toReadableStream(pages).pipeThrough(toSitemapXml());
 * assertStringIncludes(
 *   await new Response(xml).text(),
 *   "<url><loc>https://example.com/?a&amp;b</loc><priority>0.8</priority></url>",
 * );
 * ```
 *
 * @param options How it is laid out.
 * @returns A stream of pages or events in, one by one or in batches, bytes out.
 */
export function toSitemapXml(
  options: SitemapXmlOptions = {},
): TransformStream<WriterChunk, Uint8Array<ArrayBuffer>> {
  return byteWriterStream(sitemapXmlFormat(options));
}

/** How {@linkcode toSitemapXml} writes. */
export function sitemapXmlFormat(options: SitemapXmlOptions): TextFormat<WriterInput> {
  const { pretty = false, strict = false } = options;
  const format = urlsetFormat(pretty, strict);
  return {
    head: format.head,
    write(input) {
      const page = pageOf(input);
      return page === undefined ? "" : format.entry(page);
    },
    end: () => format.tail,
  };
}
