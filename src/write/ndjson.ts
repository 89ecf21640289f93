/**
 * Pages and events as NDJSON.
 *
 * @module
 */

import { isoDate } from "../data/date.ts";
import type { SitemapRef } from "../data/events.ts";
import { hasExtensions, isPriorityGiven, SitemapPage } from "../data/page.ts";
import { EXTENSIONS, type Field, LAST_MODIFIED, precisionAt } from "../data/page_schema.ts";
import { escapeControlsInJson } from "./escape.ts";
import {
  byteWriterStream,
  isEvent,
  type TextFormat,
  type WriterChunk,
  type WriterInput,
} from "./text_stream.ts";

/**
 * Returns a page as JSON: that of `JSON.stringify(page)`, but without a priority that was not given,
 * and with dates at their precision, those of stories and videos after their other fields.
 *
 * @param sitemapUrl URL of the sitemap that lists the page, to be added as `sitemap`.
 */
export function pageToJsonText(page: SitemapPage, sitemapUrl?: string): string {
  const { lastModifiedTime, changeFrequency } = page;
  let json = `{"url":${JSON.stringify(page.url)}`;
  if (isPriorityGiven(page)) json += `,"priority":${JSON.stringify(page.priority)}`;
  if (lastModifiedTime !== undefined) {
    json += `,"lastModified":"${isoDate(lastModifiedTime, precisionAt(page, LAST_MODIFIED))}"`;
  }
  if (changeFrequency !== undefined) {
    json += `,"changeFrequency":${JSON.stringify(changeFrequency)}`;
  }
  json += extensionsToJsonText(page);
  if (sitemapUrl !== undefined) json += `,"sitemap":${JSON.stringify(sitemapUrl)}`;
  return json + "}";
}

/** Returns the extensions of a page as the members of a JSON object, each after a comma. */
export function extensionsToJsonText(page: SitemapPage): string {
  let json = "";
  if (!hasExtensions(page)) return json;
  for (const { name, record } of EXTENSIONS) {
    const value = page[name as keyof SitemapPage];
    if (value === undefined) continue;
    json += `,"${name}":${JSON.stringify(preciseRecords(value, record!.dates))}`;
  }
  return json;
}

/** Returns a record, or a list of them, with dates at their precision. */
function preciseRecords(value: unknown, dates: readonly Field[]): unknown {
  if (dates.length === 0) return value;
  if (Array.isArray(value)) return value.map((record) => preciseRecord(record, dates));
  return preciseRecord(value as object, dates);
}

function preciseRecord(record: object, dates: readonly Field[]): object {
  const fields: Record<string, unknown> = { ...record };
  for (const date of dates) {
    const time = fields[date.property];
    if (time === undefined) continue;
    fields[date.name] = isoDate(time as number, precisionAt(record, date));
    // JSON omits it
    fields[date.property] = undefined;
  }
  return fields;
}

/**
 * Writes pages or events as NDJSON: one line of JSON each, as UTF-8.
 *
 * A line has the data of `JSON.stringify()`, without a priority that was not given and with dates at
 * the precision that was given. Events can be replayed: `fromNdjson()` reads them, and `collect()`
 * builds the same tree from them. Terminal control characters are written as `\u` escapes.
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

/** Text format of {@linkcode toNdjson}. */
export function ndjsonFormat(): TextFormat<WriterInput> {
  let lastRef: SitemapRef | undefined;
  let lastRefJson = "";
  return {
    write(input) {
      if (input instanceof SitemapPage) return line(pageToJsonText(input));
      if (!isEvent(input) || input.type !== "page" || !(input.page instanceof SitemapPage)) {
        return line(JSON.stringify(input));
      }
      // the pages of a sitemap share one ref
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
