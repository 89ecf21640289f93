/**
 * Plain text: a URL per line, or sitemaps and pages nested by tabs.
 *
 * @module
 */

import type { TreeEvent } from "../data/events.ts";
import { encodeWhitespace, escapeControls } from "./escape.ts";
import {
  byteWriterStream,
  pageOf,
  type TextFormat,
  type WriterChunk,
  type WriterInput,
} from "./text_stream.ts";

/**
 * Writes the URLs of pages, one per line, as UTF-8: a text sitemap.
 *
 * White space and control characters in a URL are percent-encoded, so that a URL is always one line.
 *
 * @example
 * ```ts
 * import { toReadableStream, toText } from "@sitetree/sitetree/write";
 * import { assertEquals } from "@std/assert";
 *
 * const pages = [{ url: "https://example.com/a b" }];
 * const text = toReadableStream(pages).pipeThrough(toText());
 * assertEquals(await new Response(text).text(), "https://example.com/a%20b\n");
 * ```
 *
 * @returns A stream of pages or events in, one by one or in batches, bytes out.
 */
export function toText(): TransformStream<WriterChunk, Uint8Array<ArrayBuffer>> {
  return byteWriterStream(pagesFormat(keepUrl));
}

export type ShortenUrl = (url: string) => string;

export function keepUrl(url: string): string {
  return url;
}

/** Removes a prefix such as the origin of a site; the slash after it is kept. */
export function stripPrefix(prefix: string): ShortenUrl {
  const start = prefix.replace(/\/$/, "");
  return (url) => {
    if (!url.startsWith(start)) return url;
    const rest = url.slice(start.length);
    // `https://example.com` is not a prefix of `https://example.com.test/`
    return rest === "" ? "/" : /^[/?#]/.test(rest) ? rest : url;
  };
}

export function pagesFormat(shorten: ShortenUrl): TextFormat<WriterInput> {
  return {
    write(input) {
      const page = pageOf(input);
      return page === undefined ? "" : `${encodeWhitespace(shorten(page.url))}\n`;
    },
  };
}

export function tabtreeFormat(shorten: ShortenUrl): TextFormat<TreeEvent> {
  let rootLevel: number | undefined;
  function line(level: number, url: string): string {
    return `${"\t".repeat(Math.max(0, level - rootLevel!))}${escapeControls(url)}\n`;
  }
  return {
    write(event) {
      switch (event.type) {
        case "sitemap-entered":
        case "invalid": {
          const { level, url } = event.sitemap;
          const isRoot = rootLevel === undefined;
          rootLevel ??= level;
          // the root keeps the origin that the others omit
          return line(level, isRoot ? url : shorten(url));
        }
        case "page":
          return line(event.sitemap.level + 1, shorten(event.page.url));
        default:
          return "";
      }
    },
  };
}
