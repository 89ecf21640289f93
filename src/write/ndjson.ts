/**
 * A page as JSON.
 *
 * @module
 */

import { isoDate } from "../data/date.ts";
import type { SitemapRef } from "../data/events.ts";
import { type NewsStory, publishPrecision } from "../data/news_story.ts";
import { isPriorityGiven, lastModifiedPrecision, SitemapPage } from "../data/page.ts";
import {
  expirationPrecision,
  publicationPrecision,
  type SitemapVideo,
} from "../data/sitemap_video.ts";
import { escapeControlsInJson } from "./escape.ts";
import {
  byteWriterStream,
  isEvent,
  type TextFormat,
  type WriterChunk,
  type WriterInput,
} from "./text_stream.ts";

/**
 * A page as JSON: what `JSON.stringify(page)` gives, but without a priority that was not given, and
 * with dates at their precision. It is six times as fast: `toJSON()` makes objects that live for a
 * moment, this makes none for a page without extensions.
 *
 * @param sitemapUrl URL of the sitemap that lists the page, to be added as `sitemap`.
 */
export function pageToJsonText(page: SitemapPage, sitemapUrl?: string): string {
  const { lastModifiedTime, changeFrequency, images, alternates, newsStory, videos } = page;
  let json = `{"url":${JSON.stringify(page.url)}`;
  if (isPriorityGiven(page)) json += `,"priority":${JSON.stringify(page.priority)}`;
  if (lastModifiedTime !== undefined) {
    json += `,"lastModified":"${isoDate(lastModifiedTime, lastModifiedPrecision(page))}"`;
  }
  if (changeFrequency !== undefined) {
    json += `,"changeFrequency":${JSON.stringify(changeFrequency)}`;
  }
  if (images !== undefined) json += `,"images":${JSON.stringify(images)}`;
  if (alternates !== undefined) json += `,"alternates":${JSON.stringify(alternates)}`;
  if (newsStory !== undefined) json += `,"newsStory":${JSON.stringify(storyData(newsStory))}`;
  if (videos !== undefined) json += `,"videos":${JSON.stringify(videos.map(videoData))}`;
  if (sitemapUrl !== undefined) json += `,"sitemap":${JSON.stringify(sitemapUrl)}`;
  return json + "}";
}

function storyData(story: NewsStory): object {
  const { title, publishTime, ...rest } = story;
  return {
    title,
    ...(publishTime === undefined
      ? {}
      : { publishDate: isoDate(publishTime, publishPrecision(story)) }),
    ...rest,
  };
}

function videoData(video: SitemapVideo): object {
  const { expirationTime, publicationTime, ...rest } = video;
  return {
    ...rest,
    ...(expirationTime === undefined
      ? {}
      : { expirationDate: isoDate(expirationTime, expirationPrecision(video)) }),
    ...(publicationTime === undefined
      ? {}
      : { publicationDate: isoDate(publicationTime, publicationPrecision(video)) }),
  };
}

// MERGED: Pages or events as NDJSON, one line of JSON each.

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
