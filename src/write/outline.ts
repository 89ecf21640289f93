/**
 * The tree as it grows, drawn as lines of text.
 *
 * @module
 */

import type { SitemapRef, TreeEvent } from "../events.ts";
import { byteWriterStream, type TextFormat } from "./byte_writer_stream.ts";
import { escapeControls } from "./escape.ts";
import { isEvent, type WriterChunk, type WriterInput } from "./input.ts";
import { invalidText, leftText, sitemapText, verdictText } from "./outline_text.ts";
import { type Paint, PLAIN, TERMINAL_COLORS } from "./paint.ts";

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
