/**
 * Pages or events as NDJSON, one line of JSON each.
 *
 * @module
 */

import type { SitemapRef } from "../events.ts";
import { SitemapPage } from "../page.ts";
import { byteWriterStream, type TextFormat } from "./byte_writer_stream.ts";
import { escapeControlsInJson } from "./escape.ts";
import { isEvent, type WriterChunk, type WriterInput } from "./input.ts";
import { pageToJsonText } from "./page_json.ts";

/**
 * Writes pages or events as NDJSON: one line of JSON each, as UTF-8.
 *
 * The lines are what `JSON.stringify()` gives, but for a priority that was not given, which is
 * omitted, and dates, which have the precision that was given. Events can be replayed:
 * `fromNdjson()` reads them back, and `collect` makes the same tree of them. Characters that a
 * terminal would obey are written as `\u` escapes.
 *
 * @example
 * ```ts
 * import { SitemapPage } from "@sitetree/sitetree";
 * import { toNdjson, toReadableStream } from "@sitetree/sitetree/write";
 * import { assertEquals } from "@std/assert";
 *
 * const pages = [new SitemapPage({ url: "https://example.com/", lastModified: "2005-01-01" })];
 * const lines = toReadableStream(pages).pipeThrough(toNdjson());
 * assertEquals(
 *   await new Response(lines).text(),
 *   '{"url":"https://example.com/","lastModified":"2005-01-01"}\n',
 * );
 * ```
 *
 * @returns A stream of pages or events in, one by one or in batches, bytes out.
 */
export function toNdjson(): TransformStream<WriterChunk, Uint8Array<ArrayBuffer>> {
  return byteWriterStream(ndjsonFormat());
}

/** How {@linkcode toNdjson} writes. */
export function ndjsonFormat(): TextFormat<WriterInput> {
  let lastRef: SitemapRef | undefined;
  let lastRefJson = "";
  return {
    write(input) {
      if (input instanceof SitemapPage) return line(pageToJsonText(input));
      if (!isEvent(input) || input.type !== "page" || !(input.page instanceof SitemapPage)) {
        return line(JSON.stringify(input));
      }
      // The pages of a sitemap share one ref.
      if (input.sitemap !== lastRef) {
        lastRef = input.sitemap;
        lastRefJson = JSON.stringify(lastRef);
      }
      return line(`{"type":"page","page":${pageToJsonText(input.page)},"sitemap":${lastRefJson}}`);
    },
  };
}

function line(json: string): string {
  return escapeControlsInJson(json) + "\n";
}
