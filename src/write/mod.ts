/**
 * Writers: pages or the events of a walk in, bytes out.
 *
 * Each returns a `TransformStream`. Pages go in one by one or, faster, in the batches of `batches()`;
 * UTF-8 comes out in blocks of 128 KiB, or smaller ones as soon as a slow source pauses, to be
 * piped into a file or the body of a response. A slow sink holds back the walk.
 *
 * | writer | output | input |
 * | --- | --- | --- |
 * | {@linkcode toNdjson} | a line of JSON each | pages, events |
 * | {@linkcode toJson} | one array | pages |
 * | {@linkcode toCsv} | a row each, columns by name | pages; events add `sitemap`, `sitemap.*` |
 * | {@linkcode toText} | a URL per line | pages |
 * | {@linkcode toSitemapXml} | a sitemap with all extensions | pages |
 * | {@linkcode toOutline} | the tree as it grows | events |
 *
 * CSV and XML have dates without milliseconds that are zero. Writers of pages accept events and ignore
 * all but pages.
 * {@linkcode fromNdjson} and {@linkcode pagesFromNdjson} read the output of {@linkcode toNdjson}.
 * {@linkcode toReadableStream} turns an iterable into a stream.
 *
 * Text of sitemaps is untrusted. Writers escape it, so that it cannot forge a line, a cell or an
 * element, nor send control characters to a terminal.
 *
 * @example All pages into a file
 * ```ts ignore
 * import { pages } from "@sitetree/sitetree";
 * import { toNdjson, toReadableStream } from "@sitetree/sitetree/write";
 *
 * const file = await Deno.open("pages.ndjson", { write: true, create: true });
 * await toReadableStream(pages("https://example.com/").batches())
 *   .pipeThrough(toNdjson()).pipeTo(file.writable);
 * ```
 *
 * @example Save a walk and replay it
 * ```ts ignore
 * import { collect, walk } from "@sitetree/sitetree";
 * import { fromNdjson, toNdjson, toReadableStream } from "@sitetree/sitetree/write";
 *
 * const events = toReadableStream(walk("https://example.com/").batches());
 * const saved = await new Response(events.pipeThrough(toNdjson())).blob();
 * const tree = await collect(saved.stream().pipeThrough(fromNdjson()));
 * ```
 *
 * @module
 */

export { type CsvOptions, toCsv } from "./csv.ts";
export { fromNdjson, pagesFromNdjson } from "./from_ndjson.ts";
export { toJson, toNdjson } from "./json.ts";
export { type OutlineOptions, toOutline } from "./outline.ts";
export { toText } from "./text.ts";
export { toReadableStream, type WriterChunk } from "./text_stream.ts";
export { toSitemapXml } from "./xml.ts";
