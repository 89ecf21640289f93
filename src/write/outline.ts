/**
 * Colours for a terminal, by ANSI escapes.
 *
 * @module
 */

import { format as formatBytes } from "@std/fmt/bytes";
import type {
  FinishedEvent,
  InvalidEvent,
  SitemapLeftEvent,
  SitemapRef,
  SitemapType,
  TreeEvent,
} from "../data/events.ts";
import { count, excerpt, grouped } from "../data/text.ts";
import { escapeControls } from "./escape.ts";
import {
  byteWriterStream,
  isEvent,
  type TextFormat,
  type WriterChunk,
  type WriterInput,
} from "./text_stream.ts";

/** Paints text. */
export interface Paint {
  /** For what matters less. */
  readonly dim: (text: string) => string;
  /** For what went wrong. */
  readonly red: (text: string) => string;
  /** For what went well. */
  readonly green: (text: string) => string;
  /** For what went half well. */
  readonly yellow: (text: string) => string;
}

/** Leaves text as it is. */
export const PLAIN: Paint = { dim: same, red: same, green: same, yellow: same };

/** Paints for a terminal, whatever the environment says: the caller has decided. */
export const TERMINAL_COLORS: Paint = {
  dim: (text) => `\x1b[2m${text}\x1b[22m`,
  red: (text) => `\x1b[31m${text}\x1b[39m`,
  green: (text) => `\x1b[32m${text}\x1b[39m`,
  yellow: (text) => `\x1b[33m${text}\x1b[39m`,
};

function same(text: string): string {
  return text;
}

// MERGED: What the lines of an outline say.

/** Names of the types of sitemap. */
export const SITEMAP_KINDS: Readonly<Record<SitemapType, string>> = {
  IndexWebsiteSitemap: "website",
  IndexRobotsTxtSitemap: "robots.txt",
  IndexXmlSitemap: "index",
  PagesXmlSitemap: "XML",
  PagesTextSitemap: "text",
  PagesRssSitemap: "RSS",
  PagesAtomSitemap: "Atom",
  InvalidSitemap: "invalid",
};

/** Such as `/sitemap.xml (XML)`. */
export function sitemapText(url: string, type: SitemapType, paint: Paint): string {
  // A replayed event may say anything.
  return `${url} ${paint.dim(`(${SITEMAP_KINDS[type] ?? escapeControls(String(type))})`)}`;
}

/** Such as `/old.xml: 404 Not Found (http-status)`, or `/new.xml (not fetched)`. */
export function invalidText(url: string, { code, reason }: InvalidEvent, paint: Paint): string {
  // Nobody wanted it fetched: nothing is wrong with it.
  if (code === "unfetched") return `${escapeControls(url)} ${paint.dim("(not fetched)")}`;
  return paint.red(escapeControls(`${url}: ${excerpt(reason)} (${code})`));
}

/** Such as `2 pages, 44 B, 1 warning, cut short`. */
export function leftText(event: SitemapLeftEvent, children: number): string {
  const isIndex = event.sitemap.type.startsWith("Index");
  const warnings = Object.values(event.warnings).reduce((sum, number) => sum + number, 0);
  const parts = [isIndex ? count(children, "sitemap") : count(event.pages, "page")];
  if (event.bytes > 0) parts.push(formatBytes(event.bytes));
  if (warnings > 0) parts.push(count(warnings, "warning"));
  if (!event.complete) parts.push("cut short");
  return parts.join(", ");
}

/** Such as `complete: 3 sitemaps, 12 pages, 0.4 s`. Those not fetched count as invalid elsewhere. */
export function verdictText(event: FinishedEvent, unfetched: number, paint: Paint): string {
  const { sitemaps, pages, warnings, durationMs } = event.stats;
  const invalid = event.stats.invalid - unfetched;
  const parts = [count(sitemaps, "sitemap"), count(pages, "page")];
  if (unfetched > 0) parts.push(`${grouped(unfetched)} not fetched`);
  if (invalid > 0) parts.push(`${grouped(invalid)} invalid`);
  if (warnings > 0) parts.push(count(warnings, "warning"));
  parts.push(`${(durationMs / 1000).toFixed(1)} s`);
  return `${verdictColor(event, paint)(escapeControls(event.verdict))}: ${parts.join(", ")}`;
}

function verdictColor({ verdict }: FinishedEvent, paint: Paint): (text: string) => string {
  if (verdict === "complete") return paint.green;
  return verdict === "partial" ? paint.yellow : paint.red;
}

// MERGED: The tree as it grows, drawn as lines of text.

/** Options of {@linkcode toOutline}. */
export interface OutlineOptions {
  /** Whether colours are used, by ANSI escapes. Default: false. */
  readonly color?: boolean;
  /**
   * Whether URLs go without what they all begin with: true for the address of the root as the
   * events give it, or the text to strip. Default: false.
   */
  readonly stripUrl?: boolean | string;
}

/**
 * Draws the events of a walk as a tree of text lines that grows as they come, as UTF-8.
 *
 * A sitemap ends with a line that counts what it held, and so needs no knowledge of what is still
 * to come. Where events of several sitemaps come in turn, a sitemap's line is drawn again with an
 * ellipsis. Pages that are no events make a line each. Control characters from outside are shown,
 * never written.
 *
 * @example
 * ```ts
 * import { parseSitemap } from "@sitetree/sitetree";
 * import { toOutline, toReadableStream } from "@sitetree/sitetree/write";
 * import { assertStringIncludes } from "@std/assert";
 *
 * const events = parseSitemap("https://example.com/a\nhttps://example.com/b\n", {
 *   url: "https://example.com/sitemap.txt",
 * });
 * const outline = toReadableStream(events).pipeThrough(toOutline());
 * assertStringIncludes(
 *   await new Response(outline).text(),
 *   `https://example.com/sitemap.txt (text)
 * ├ https://example.com/a
 * ├ https://example.com/b
 * └ 2 pages, 44 B
 * `,
 * );
 * ```
 *
 * @param options Colours, and what to strip.
 * @returns A stream of events or pages in, one by one or in batches, bytes out.
 */
export function toOutline(
  options: OutlineOptions = {},
): TransformStream<WriterChunk, Uint8Array<ArrayBuffer>> {
  return byteWriterStream(outlineFormat(options));
}

/** How {@linkcode toOutline} writes. */
export function outlineFormat(options: OutlineOptions): TextFormat<WriterInput> {
  const outline = new Outline(options);
  return { write: (input) => outline.draw(input) };
}

/** A sitemap that was entered and not left yet. */
interface OpenSitemap {
  readonly ref: SitemapRef;
  readonly depth: number;
  /** Sitemaps below it, unusable ones included. */
  children: number;
}

class Outline {
  readonly #paint: Paint;
  readonly #open = new Map<number, OpenSitemap>();
  readonly #stripRoot: boolean;
  #prefix: string | undefined;
  /** Listed sitemaps that nobody wanted fetched. */
  #unfetched = 0;
  /** The sitemap that the next line belongs to, if nothing else is said. */
  #current: number | null = null;

  constructor(options: OutlineOptions) {
    const { color = false, stripUrl = false } = options;
    this.#paint = color ? TERMINAL_COLORS : PLAIN;
    this.#stripRoot = stripUrl === true;
    if (typeof stripUrl === "string") this.#prefix = withoutSlash(stripUrl);
  }

  /** The lines that an event or a page adds. */
  draw(input: WriterInput): string {
    return isEvent(input) ? this.#drawEvent(input) : `${this.#url(input.url)}\n`;
  }

  #drawEvent(event: TreeEvent): string {
    switch (event.type) {
      case "sitemap-entered":
        return this.#enter(event.sitemap).lines;
      case "page": {
        const { lines, sitemap } = this.#resume(event.sitemap);
        return lines + this.#line(sitemap.depth + 1, this.#url(event.page.url));
      }
      case "invalid": {
        const { lines, depth } = this.#below(event.sitemap.parent);
        if (event.code === "unfetched") this.#unfetched++;
        const text = invalidText(this.#address(event.sitemap), event, this.#paint);
        return lines + this.#line(depth, text);
      }
      case "sitemap-left": {
        const { lines, sitemap } = this.#resume(event.sitemap);
        this.#open.delete(event.sitemap.id);
        this.#current = event.sitemap.parent;
        const text = this.#paint.dim(leftText(event, sitemap.children));
        return lines + this.#line(sitemap.depth + 1, text, "└ ");
      }
      case "finished":
        return `${verdictText(event, this.#unfetched, this.#paint)}\n`;
      case "warning":
        // Counted when the sitemap is left.
        return "";
    }
  }

  #enter(ref: SitemapRef, ellipsis = ""): { lines: string; sitemap: OpenSitemap } {
    if (this.#stripRoot) this.#prefix ??= withoutSlash(ref.url);
    const { lines, depth } = this.#below(ref.parent);
    const sitemap = { ref, depth, children: 0 };
    this.#open.set(ref.id, sitemap);
    this.#current = ref.id;
    return { lines: lines + this.#line(depth, this.#header(ref) + ellipsis), sitemap };
  }

  /** Counts a sitemap below another, and gets the lines and the depth that it needs. */
  #below(parent: number | null): { lines: string; depth: number } {
    const above = parent === null ? undefined : this.#open.get(parent);
    if (above === undefined) return { lines: "", depth: 0 };
    above.children += 1;
    return { lines: this.#resume(above.ref).lines, depth: above.depth + 1 };
  }

  /** Gets back to a sitemap, with a line that says so if others were drawn in between. */
  #resume(ref: SitemapRef): { lines: string; sitemap: OpenSitemap } {
    const sitemap = this.#open.get(ref.id);
    // A selection of events may lack the one that entered it.
    if (sitemap === undefined) return this.#enter(ref, " …");
    if (this.#current === ref.id) return { lines: "", sitemap };
    this.#current = ref.id;
    return { lines: this.#line(sitemap.depth, `${this.#header(ref)} …`), sitemap };
  }

  #header(ref: SitemapRef): string {
    return sitemapText(this.#address(ref), ref.type, this.#paint);
  }

  /** The address of a sitemap, such as `/a.xml`, or `/old.xml → /new.xml` if it was redirected. */
  #address({ url, requestedUrl }: SitemapRef): string {
    const address = this.#url(url);
    return requestedUrl === undefined ? address : `${this.#url(requestedUrl)} → ${address}`;
  }

  #line(depth: number, text: string, branch = "├ "): string {
    if (depth === 0) return `${text}\n`;
    return `${this.#paint.dim("│ ".repeat(depth - 1) + branch)}${text}\n`;
  }

  /** A URL without its prefix and without control characters. */
  #url(url: string): string {
    const prefix = this.#prefix;
    if (prefix === undefined || !url.startsWith(prefix)) return escapeControls(url);
    const rest = url.slice(prefix.length);
    // A prefix that ends inside a host name is none: `https://example.com.test/`.
    return escapeControls(/^[/?#]/.test(rest) ? rest : rest === "" ? "/" : url);
  }
}

function withoutSlash(url: string): string {
  return url.endsWith("/") ? url.slice(0, -1) : url;
}
