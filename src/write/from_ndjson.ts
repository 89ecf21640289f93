/**
 * What events that went through JSON must be like.
 *
 * @module
 */

import { TextLineStream, toTransformStream } from "@std/streams";
import type { SitemapType, TreeEvent, Verdict, WalkStats } from "../data/events.ts";
import { SitemapPage, type SitemapPageFields } from "../data/page.ts";
import {
  type Check,
  checkPage,
  checkRecord,
  checkThat,
  type Fault,
  faultText,
  FLAG,
  isRecord,
  NUMBER,
  show,
  TEXT,
  within,
} from "../data/page_json.ts";
import { pageOf } from "./text_stream.ts";

const WHOLE = checkThat(Number.isSafeInteger);

const SITEMAP_TYPES: Readonly<Record<SitemapType, true>> = {
  IndexWebsiteSitemap: true,
  IndexRobotsTxtSitemap: true,
  IndexXmlSitemap: true,
  PagesXmlSitemap: true,
  PagesTextSitemap: true,
  PagesRssSitemap: true,
  PagesAtomSitemap: true,
  InvalidSitemap: true,
};

const VERDICTS: Readonly<Record<Verdict, true>> = {
  complete: true,
  partial: true,
  blocked: true,
  none: true,
};

const STATS: Readonly<Record<keyof WalkStats, Check>> = {
  sitemaps: NUMBER,
  pages: NUMBER,
  invalid: NUMBER,
  warnings: NUMBER,
  bytes: NUMBER,
  requests: NUMBER,
  retries: NUMBER,
  probes: NUMBER,
  durationMs: NUMBER,
};

const SITEMAP = checkRecord({
  id: WHOLE,
  type: oneOf(SITEMAP_TYPES),
  url: TEXT,
  level: WHOLE,
  parent: checkThat((value) => value === null || Number.isSafeInteger(value)),
  index: WHOLE,
}, { requestedUrl: TEXT, lastModified: TEXT });

/** Codes may be any text, since a later version may have more of them. */
const EVENTS: Readonly<Record<TreeEvent["type"], Check>> = {
  "sitemap-entered": checkRecord({ sitemap: SITEMAP }),
  "page": checkRecord({ page: checkPage, sitemap: SITEMAP }),
  "invalid": checkRecord({ sitemap: SITEMAP, code: TEXT, reason: TEXT }),
  "warning": checkRecord({ code: TEXT, message: TEXT, sitemap: SITEMAP }, { line: NUMBER }),
  "sitemap-left": checkRecord({
    sitemap: SITEMAP,
    pages: NUMBER,
    bytes: NUMBER,
    complete: FLAG,
    warnings: checkCounts,
  }),
  "finished": checkRecord({ verdict: oneOf(VERDICTS), stats: checkRecord(STATS) }),
};

/** Whether a value names a kind of event. */
export function isEventType(type: unknown): type is TreeEvent["type"] {
  return typeof type === "string" && Object.hasOwn(EVENTS, type);
}

/** Checks the fields of an event of a known kind. */
export function checkEvent(type: TreeEvent["type"], event: unknown): Fault | undefined {
  return EVENTS[type](event);
}

function oneOf(words: Readonly<Record<string, true>>): Check {
  return checkThat((value) => typeof value === "string" && Object.hasOwn(words, value));
}

function checkCounts(value: unknown): Fault | undefined {
  if (!isRecord(value)) return { path: "", value };
  for (const [name, count] of Object.entries(value)) {
    const fault = NUMBER(count);
    if (fault !== undefined) return within(name, fault);
  }
  return undefined;
}

// MERGED: NDJSON back to events or pages.

/**
 * Reads events back that `toNdjson()` wrote, pages being `SitemapPage` again. Empty lines are
 * passed over, and so are fields and codes that this version does not know. A line that is no event
 * makes the stream fail with a `SyntaxError` that names the line and what is wrong with it.
 *
 * @example Replay a saved walk
 * ```ts
 * import { fromNdjson } from "@sitetree/sitetree/write";
 * import { assertEquals } from "@std/assert";
 *
 * const saved = new Blob([
 *   '{"type":"sitemap-entered","sitemap":{"id":0,"type":"PagesTextSitemap",' +
 *   '"url":"https://example.com/sitemap.txt","level":0,"parent":null,"index":0}}\n',
 * ]);
 * const events = await Array.fromAsync(saved.stream().pipeThrough(fromNdjson()));
 * assertEquals(events.map((event) => event.type), ["sitemap-entered"]);
 * ```
 *
 * @returns A stream of bytes or text in, events out.
 */
export function fromNdjson(): TransformStream<Uint8Array | string, TreeEvent> {
  return lineReader((value) => {
    const event = eventOf(value);
    return event.type === "page" ? { ...event, page: new SitemapPage(event.page) } : event;
  });
}

/**
 * Reads pages back that `toNdjson()` wrote, whether it was given pages or events; of other events
 * nothing comes out. A line that is neither makes the stream fail with a `SyntaxError`.
 *
 * @example
 * ```ts
 * import { pagesFromNdjson } from "@sitetree/sitetree/write";
 * import { assertEquals } from "@std/assert";
 *
 * const saved = new Blob(['{"url":"https://example.com/","lastModified":"2005-01-01"}\n']);
 * for await (const page of saved.stream().pipeThrough(pagesFromNdjson())) {
 *   assertEquals(page.lastModified?.getUTCFullYear(), 2005);
 * }
 * ```
 *
 * @returns A stream of bytes or text in, pages out.
 */
export function pagesFromNdjson(): TransformStream<Uint8Array | string, SitemapPage> {
  return lineReader((value) => {
    if ("type" in value) return pageOf(eventOf(value));
    refuse(checkPage(value));
    return new SitemapPage(value as unknown as SitemapPageFields);
  });
}

/** The object in a line, before it is looked at. */
type LineValue = Readonly<Record<string, unknown>>;

function eventOf(value: LineValue): TreeEvent {
  const { type } = value;
  if (!isEventType(type)) throw new TypeError(`unknown event type ${show(type)}`);
  refuse(checkEvent(type, value));
  return value as unknown as TreeEvent;
}

function refuse(fault: Fault | undefined): void {
  if (fault !== undefined) throw new TypeError(faultText(fault));
}

/** Lines of JSON in, what `revive` makes of them out. */
function lineReader<Output>(
  revive: (value: LineValue) => Output | undefined,
): TransformStream<Uint8Array | string, Output> {
  const text = textStream();
  const lines: ReadableStream<string> = text.readable.pipeThrough(new TextLineStream());
  const values: ReadableStream<Output> = lines.pipeThrough(toTransformStream(
    async function* (source: ReadableStream<string>): AsyncGenerator<Output> {
      let number = 0;
      for await (const line of source) {
        number += 1;
        // JSON knows nothing of the byte order mark that editors put first.
        const json = number === 1 && line.startsWith("\ufeff") ? line.slice(1) : line;
        if (json.trim() === "") continue;
        const value = readLine(json, number, revive);
        if (value !== undefined) yield value;
      }
    },
  ));
  return { writable: text.writable, readable: values };
}

/** Text or UTF-8 in, text out. */
function textStream(): TransformStream<Uint8Array | string, string> {
  // Byte order marks are kept here: Deno's decoder drops one at the start of any chunk.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return new TransformStream({
    transform(chunk, controller) {
      const text = typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
      if (text !== "") controller.enqueue(text);
    },
    flush(controller) {
      const text = decoder.decode();
      if (text !== "") controller.enqueue(text);
    },
  });
}

function readLine<Output>(
  json: string,
  number: number,
  revive: (value: LineValue) => Output | undefined,
): Output | undefined {
  try {
    const value: unknown = JSON.parse(json);
    if (!isRecord(value)) throw new TypeError(`expected an object, got ${show(value)}`);
    return revive(value);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SyntaxError(`Cannot read line ${number}: ${reason}`, { cause: error });
  }
}
