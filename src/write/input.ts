/**
 * What the writers take: pages, plain data of pages, or the events of a walk.
 *
 * @module
 */

import type { SitemapRef, TreeEvent } from "../events.ts";
import { SitemapPage, type SitemapPageFields } from "../page.ts";

/** Anything a writer takes. Events other than `page` are passed over by writers of pages. */
export type WriterInput = SitemapPage | SitemapPageFields | TreeEvent;

/** A chunk in the stream of a writer: one input, or a batch of them, which costs less. */
export type WriterChunk = WriterInput | readonly WriterInput[];

/** Tells an event from a page: only events have a `type`. */
export function isEvent(input: WriterInput): input is TreeEvent {
  return "type" in input;
}

/** The page that `input` is or carries, `undefined` for any other event. */
export function pageOf(input: WriterInput): SitemapPage | undefined {
  if (input instanceof SitemapPage) return input;
  if (!isEvent(input)) return new SitemapPage(input);
  if (input.type !== "page") return undefined;
  const page: SitemapPage | SitemapPageFields = input.page;
  // An event that went through JSON has the page's plain data.
  return page instanceof SitemapPage ? page : new SitemapPage(page);
}

/** The sitemap that lists the page of `input`, `undefined` unless that is an event with a page. */
export function sitemapOf(input: WriterInput): SitemapRef | undefined {
  return isEvent(input) && input.type === "page" ? input.sitemap : undefined;
}
