/**
 * Pages as one JSON array.
 *
 * @module
 */

import { escapeControlsInJson } from "./escape.ts";
import {
  byteWriterStream,
  pageOf,
  sitemapOf,
  type TextFormat,
  type WriterChunk,
  type WriterInput,
} from "./text_stream.ts";

/**
 * Writes pages as one JSON array, a page per line, as UTF-8. Without pages it is `[]`.
 *
 * @example
 * ```ts
 * import { toJson, toReadableStream } from "@sitetree/sitetree/write";
 * import { assertEquals } from "@std/assert";
 *
 * const pages = [{ url: "https://example.com/" }];
 * const json = toReadableStream(pages).pipeThrough(toJson());
 * assertEquals(await new Response(json).json(), [{ url: "https://example.com/" }]);
 * ```
 *
 * @returns A stream of pages or events in, one by one or in batches, bytes out.
 */
export function toJson(): TransformStream<WriterChunk, Uint8Array<ArrayBuffer>> {
  return byteWriterStream(jsonFormat());
}

/** Options of {@linkcode jsonFormat}. */
export interface JsonOptions {
  /** Whether a page of an event has the URL of its sitemap as `sitemap`. Default: false. */
  readonly sitemap?: boolean;
}

/** Text format of {@linkcode toJson}. */
export function jsonFormat({ sitemap = false }: JsonOptions = {}): TextFormat<WriterInput> {
  let before = "\n";
  return {
    head: "[",
    write(input) {
      const page = pageOf(input);
      if (page === undefined) return "";
      const listed = sitemap ? { ...page, sitemap: sitemapOf(input)?.url } : page;
      const text = before + escapeControlsInJson(JSON.stringify(listed));
      before = ",\n";
      return text;
    },
    end() {
      return before === "\n" ? "]\n" : "\n]\n";
    },
  };
}
