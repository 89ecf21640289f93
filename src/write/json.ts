import type { SitemapRef } from "../data/events.ts";
import { objectJson } from "./json_text.ts";
import {
  byteWriterStream,
  isEvent,
  pageOf,
  type TextFormat,
  type WriterChunk,
  type WriterInput,
} from "./text_stream.ts";

/**
 * Writes pages or events as NDJSON: one line of JSON each, as UTF-8.
 *
 * A line is that of `JSON.stringify()`, with terminal control characters as `\u` escapes. Events can be
 * replayed: `fromNdjson()` reads them, and `collect()` builds the same tree from them.
 *
 * @example
 * ```ts
 * import { toNdjson, toReadableStream } from "@sitetree/sitetree/write";
 * import { assertEquals } from "@std/assert";
 *
 * const pages = [{ url: "https://example.com/", lastModified: "2005-01-01" }];
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

export function ndjsonFormat(): TextFormat<WriterInput> {
  let lastRef: SitemapRef | undefined;
  let after = "";
  return {
    write(input) {
      if (!isEvent(input) || input.type !== "page") return objectJson(input, "\n");
      // the pages of a sitemap share one ref
      if (input.sitemap !== lastRef) {
        lastRef = input.sitemap;
        after = `,"sitemap":${objectJson(lastRef)}}\n`;
      }
      return `{"type":"page","page":${objectJson(input.page, after)}`;
    },
  };
}

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
  return byteWriterStream(jsonFormat(pageJson));
}

/** `jsonOf` returns `undefined` for what is ignored. */
export function jsonFormat<Input>(
  jsonOf: (input: Input) => string | undefined,
): TextFormat<Input> {
  let before = "\n";
  return {
    head: "[",
    write(input) {
      const json = jsonOf(input);
      if (json === undefined) return "";
      const text = before + json;
      before = ",\n";
      return text;
    },
    end() {
      return before === "\n" ? "]\n" : "\n]\n";
    },
  };
}

function pageJson(input: WriterInput): string | undefined {
  const page = pageOf(input);
  return page && objectJson(page);
}
