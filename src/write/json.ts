import { objectJson } from "./json_text.ts";
import {
  byteWriterStream,
  pageOf,
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
