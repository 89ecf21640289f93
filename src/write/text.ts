/**
 * Pages as text, one URL a line.
 *
 * @module
 */

import { byteWriterStream } from "./text_stream.ts";
import { encodeWhitespace } from "./escape.ts";
import { pageOf, type WriterChunk, type WriterInput } from "./text_stream.ts";

/**
 * Writes the URLs of pages, one a line, as UTF-8: a text sitemap.
 *
 * White space and control characters in a URL are percent-encoded, so that no URL makes two lines.
 *
 * @example
 * ```ts
 * import { SitemapPage } from "@sitetree/sitetree";
 * import { toReadableStream, toText } from "@sitetree/sitetree/write";
 * import { assertEquals } from "@std/assert";
 *
 * const pages = [new SitemapPage({ url: "https://example.com/a b" })];
 * const text = toReadableStream(pages).pipeThrough(toText());
 * assertEquals(await new Response(text).text(), "https://example.com/a%20b\n");
 * ```
 *
 * @returns A stream of pages or events in, one by one or in batches, bytes out.
 */
export function toText(): TransformStream<WriterChunk, Uint8Array<ArrayBuffer>> {
  return byteWriterStream<WriterInput>({
    write(input) {
      const page = pageOf(input);
      return page === undefined ? "" : encodeWhitespace(page.url) + "\n";
    },
  });
}
