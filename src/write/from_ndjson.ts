import { TextLineStream, toTransformStream } from "@std/streams";
import { messageOf } from "../data/errors.ts";
import {
  type Check,
  checkList,
  checkRecord,
  checkThat,
  checkWord,
  type Fault,
  faultText,
  FLAG,
  isRecord,
  NUMBER,
  show,
  TEXT,
} from "../data/checks.ts";
import type { TreeEvent, WalkStats } from "../data/events.ts";
import type { SitemapPage } from "../data/page.ts";
import { checkPage, COUNTS, DATE, VERDICT } from "../data/json_checks.ts";
import { SITEMAP_KINDS } from "../data/sitemap_kinds.ts";
import { pageOf } from "./text_stream.ts";

const WHOLE = checkThat("a whole number", Number.isSafeInteger);

const STATS = {
  ...{ sitemaps: NUMBER, pages: NUMBER, invalid: NUMBER, warnings: NUMBER, bytes: NUMBER },
  ...{ requests: NUMBER, retries: NUMBER, probes: NUMBER, durationMs: NUMBER },
} satisfies Readonly<Record<keyof WalkStats, Check>>;

const SITEMAP = checkRecord({
  id: WHOLE,
  type: checkWord(Object.keys(SITEMAP_KINDS)),
  url: TEXT,
  level: WHOLE,
  parent: checkThat("a whole number", (value) => value === null || Number.isSafeInteger(value)),
  index: WHOLE,
}, { requestedUrl: TEXT, lastModified: DATE, foundBy: TEXT });

const STEP = checkRecord(
  { step: TEXT, url: TEXT, sitemaps: NUMBER, reason: TEXT },
  { status: NUMBER, code: TEXT },
);

const RESPONSE = checkRecord(
  { status: NUMBER, redirects: NUMBER },
  { contentType: TEXT, contentEncoding: TEXT },
);

/** Codes may be any text, since a later version may have more of them. */
const EVENTS: Readonly<Record<TreeEvent["type"], Check>> = {
  "sitemap-entered": checkRecord({ sitemap: SITEMAP }, { response: RESPONSE }),
  "page": checkRecord({ page: checkPage, sitemap: SITEMAP }),
  "invalid": checkRecord(
    { sitemap: SITEMAP, code: TEXT, reason: TEXT },
    { status: NUMBER, response: RESPONSE },
  ),
  "warning": checkRecord(
    { code: TEXT, message: TEXT, sitemap: SITEMAP },
    { line: NUMBER, status: NUMBER },
  ),
  "note": checkRecord({ code: TEXT, message: TEXT, sitemap: SITEMAP }, { line: NUMBER }),
  "sitemap-left": checkRecord(
    { sitemap: SITEMAP, pages: NUMBER, bytes: NUMBER, complete: FLAG, warnings: COUNTS },
    { notes: COUNTS, durationMs: NUMBER },
  ),
  "finished": checkRecord(
    { verdict: VERDICT, stats: checkRecord(STATS) },
    {
      source: TEXT,
      limited: checkThat("true", (value) => value === true),
      endedBy: TEXT,
      endedAt: DATE,
      robots: checkRecord({ code: TEXT }, { status: NUMBER }),
      discovery: checkList(STEP),
    },
  ),
};

/**
 * Reads events that `toNdjson()` wrote, with pages as `SitemapPage` again. Empty lines and unknown
 * fields are ignored, unknown codes are accepted. A line that is not an event errors the stream with
 * a `SyntaxError` that contains the line number and the reason.
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
  return lineReader(eventOf);
}

/**
 * Reads pages that `toNdjson()` wrote, from pages or events; other events are ignored. A line that
 * is neither errors the stream with a `SyntaxError`.
 *
 * @example
 * ```ts
 * import { pagesFromNdjson } from "@sitetree/sitetree/write";
 * import { assertEquals } from "@std/assert";
 *
 * const saved = new Blob(['{"url":"https://example.com/","lastModified":"2005-01-01"}\n']);
 * for await (const page of saved.stream().pipeThrough(pagesFromNdjson())) {
 *   assertEquals(page.lastModified, "2005-01-01");
 * }
 * ```
 *
 * @returns A stream of bytes or text in, pages out.
 */
export function pagesFromNdjson(): TransformStream<Uint8Array | string, SitemapPage> {
  return lineReader((value) => {
    if ("type" in value) return pageOf(eventOf(value));
    throwIf(checkPage(value));
    return value as unknown as SitemapPage;
  });
}

type LineValue = Readonly<Record<string, unknown>>;

function eventOf(value: LineValue): TreeEvent {
  const { type } = value;
  if (typeof type !== "string" || !Object.hasOwn(EVENTS, type)) {
    throw new TypeError(`unknown event type ${show(type)}`);
  }
  throwIf(EVENTS[type as TreeEvent["type"]](value));
  if (type !== "finished") return value as unknown as TreeEvent;
  // earlier versions did not report these
  const { source = "walk", discovery = [] } = value;
  return { ...value, source, discovery } as unknown as TreeEvent;
}

function throwIf(fault: Fault | undefined): void {
  if (fault !== undefined) throw new TypeError(faultText(fault));
}

function lineReader<Output>(
  revive: (value: LineValue) => Output | undefined,
): TransformStream<Uint8Array | string, Output> {
  async function* values(lines: ReadableStream<string>): AsyncGenerator<Output> {
    let number = 0;
    for await (const line of lines) {
      number++;
      // editors write a byte order mark, which is not JSON
      const json = number === 1 ? line.replace(/^\ufeff/, "") : line;
      const value = json.trim() === "" ? undefined : readLine(json, number, revive);
      if (value !== undefined) yield value;
    }
  }
  const { writable, readable } = toTransformStream(texts);
  const lines: ReadableStream<string> = readable.pipeThrough(new TextLineStream());
  return { writable, readable: lines.pipeThrough(toTransformStream(values)) };
}

async function* texts(chunks: ReadableStream<Uint8Array | string>): AsyncGenerator<string> {
  // kept, since Deno's decoder drops a byte order mark at the start of any chunk
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for await (const chunk of chunks) {
    yield typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
  }
  yield decoder.decode();
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
    const reason = messageOf(error);
    throw new SyntaxError(`Cannot read line ${number}: ${reason}`, { cause: error });
  }
}
