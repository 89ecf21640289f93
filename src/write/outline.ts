import {
  type FinishedEvent,
  type InvalidEvent,
  isCounted,
  type PageEvent,
  type SitemapLeftEvent,
  type SitemapRef,
  type TreeEvent,
} from "../data/events.ts";
import { checkNames } from "../data/option_rules.ts";
import { SITEMAP_KINDS } from "../data/sitemap_kinds.ts";
import { count, excerpt, grouped } from "../data/text.ts";
import { size, walkFigures } from "../data/words.ts";
import { endingStyle, type Paint, painter } from "./ansi.ts";
import { escapeControls } from "./escape.ts";
import { keepUrl, type ShortenUrl, stripPrefix } from "./text.ts";
import {
  byteWriterStream,
  isEvent,
  type TextFormat,
  type WriterChunk,
  type WriterInput,
} from "./text_stream.ts";

/** Colors and extent of the tree that {@linkcode toOutline} draws. */
export interface OutlineOptions {
  /** Whether ANSI colors are used. Default: false. */
  readonly color?: boolean;
  /**
   * Whether the common beginning of URLs is stripped: true for the URL of the root, or the text to
   * strip. Default: false.
   */
  readonly stripUrl?: boolean | string;
  /** Pages of each sitemap that are drawn; the others are counted. Default: all. */
  readonly maxPages?: number;
}

/**
 * Draws the events of a walk as a tree of text lines that grows as they arrive, as UTF-8.
 *
 * A sitemap ends with a line that counts its entries, so that a line never depends on later events.
 * If events of several sitemaps are interleaved, the line of a sitemap is repeated with an ellipsis.
 * Pages that are not events make a line each. Control characters are escaped.
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
 * @param options Colors, the beginning of URLs to strip, and the pages to draw.
 * @returns A stream of events or pages in, one by one or in batches, bytes out.
 * @throws {TypeError} If an option is unknown.
 */
export function toOutline(
  options: OutlineOptions = {},
): TransformStream<WriterChunk, Uint8Array<ArrayBuffer>> {
  checkNames({ color: true, maxPages: true, stripUrl: true }, options);
  return byteWriterStream(outlineFormat(options));
}

export function outlineFormat(options: OutlineOptions): TextFormat<WriterInput> {
  const outline = new Outline(options);
  return { write: (input) => outline.draw(input) };
}

interface OpenSitemap {
  readonly ref: SitemapRef;
  readonly depth: number;
  /** Number of sitemaps below it, including invalid ones, without robots.txt of the site. */
  children: number;
  hasRobots: boolean;
  pages: number;
}

class Outline {
  readonly #paint: Paint;
  readonly #maxPages: number;
  readonly #open = new Map<number, OpenSitemap>();
  #stripsRoot: boolean;
  #shorten: ShortenUrl = keepUrl;
  #unfetched = 0;
  /** Id of the sitemap of the next line. */
  #current: number | null = null;
  #lines = "";

  constructor({ color = false, stripUrl = false, maxPages = Infinity }: OutlineOptions) {
    this.#paint = painter(color);
    this.#maxPages = maxPages;
    this.#stripsRoot = stripUrl === true;
    if (typeof stripUrl === "string") this.#shorten = stripPrefix(stripUrl);
  }

  draw(input: WriterInput): string {
    if (isEvent(input)) this.#drawEvent(input);
    else this.#addLine(0, this.#url(input.url));
    const lines = this.#lines;
    this.#lines = "";
    return lines;
  }

  #drawEvent(event: TreeEvent): void {
    switch (event.type) {
      case "sitemap-entered":
        this.#enter(event.sitemap);
        return;
      case "page":
        return this.#drawPage(event);
      case "invalid":
        if (event.code === "unfetched") this.#unfetched++;
        return this.#addLine(this.#depthBelow(event.sitemap.parent), this.#invalidText(event));
      case "sitemap-left": {
        const sitemap = this.#resume(event.sitemap);
        if (sitemap.pages > this.#maxPages) {
          const more = `… ${grouped(sitemap.pages - this.#maxPages)} more`;
          this.#addLine(sitemap.depth + 1, this.#paint("dim", more));
        }
        this.#open.delete(event.sitemap.id);
        this.#current = event.sitemap.parent;
        const text = this.#paint("dim", leftText(event, sitemap));
        return this.#addLine(sitemap.depth + 1, text, "└ ");
      }
      case "finished":
        return this.#addLine(0, this.#verdictText(event));
      case "warning":
      case "note":
        // counted when the sitemap is left
        return;
    }
  }

  #drawPage({ page, sitemap }: PageEvent): void {
    const known = this.#open.get(sitemap.id);
    // a page that is not drawn repeats no line either
    const isDrawn = (known?.pages ?? 0) < this.#maxPages;
    const open = known === undefined || isDrawn ? this.#resume(sitemap) : known;
    open.pages++;
    if (isDrawn) this.#addLine(open.depth + 1, this.#url(page.url));
  }

  #enter(ref: SitemapRef, ellipsis = ""): OpenSitemap {
    if (this.#stripsRoot) {
      this.#shorten = stripPrefix(ref.url);
      this.#stripsRoot = false;
    }
    const above = ref.parent === null ? undefined : this.#open.get(ref.parent);
    const depth = this.#depthBelow(ref.parent);
    const sitemap = { ref, depth, children: 0, hasRobots: false, pages: 0 };
    if (above !== undefined && !isCounted(ref)) {
      above.children--;
      above.hasRobots = true;
    }
    this.#open.set(ref.id, sitemap);
    this.#current = ref.id;
    this.#addLine(sitemap.depth, this.#sitemapText(ref) + ellipsis);
    return sitemap;
  }

  /** Counts a sitemap below its parent, whose line is repeated if needed. Returns its depth. */
  #depthBelow(parent: number | null): number {
    const above = parent === null ? undefined : this.#open.get(parent);
    if (above === undefined) return 0;
    above.children++;
    return this.#resume(above.ref).depth + 1;
  }

  /** Repeats its line if others were drawn in between. */
  #resume(ref: SitemapRef): OpenSitemap {
    const sitemap = this.#open.get(ref.id);
    // a selection of events may lack the one that entered it
    if (sitemap === undefined) return this.#enter(ref, " …");
    if (this.#current !== ref.id) this.#addLine(sitemap.depth, `${this.#sitemapText(ref)} …`);
    this.#current = ref.id;
    return sitemap;
  }

  #addLine(depth: number, text: string, branch = "├ "): void {
    if (depth > 0) this.#lines += this.#paint("dim", "│ ".repeat(depth - 1) + branch);
    this.#lines += `${text}\n`;
  }

  /** Such as `/a.xml (XML)`, or `/old.xml → /new.xml (XML)` after a redirect. */
  #sitemapText(ref: SitemapRef): string {
    // a replayed event may have any type
    const kind = SITEMAP_KINDS[ref.type] ?? escapeControls(String(ref.type));
    return `${this.#sitemapUrl(ref)} ${this.#paint("dim", `(${kind})`)}`;
  }

  /** Such as `/old.xml: 404 Not Found (http-status)`, or `/new.xml (not fetched)`. */
  #invalidText({ sitemap, code, reason }: InvalidEvent): string {
    const url = this.#sitemapUrl(sitemap);
    if (code === "unfetched") return `${url} ${this.#paint("dim", "(not fetched)")}`;
    return this.#paint("red", `${url}: ${escapeControls(`${excerpt(reason)} (${code})`)}`);
  }

  /** Such as `complete: 3 sitemaps, 12 pages, 0.4 s`. */
  #verdictText({ verdict, stats }: FinishedEvent): string {
    const notFetched = this.#unfetched;
    // the statistics count those that were not fetched as invalid
    const figures = { ...stats, notFetched, invalid: stats.invalid - notFetched };
    const ending = this.#paint(endingStyle(verdict), escapeControls(verdict));
    return `${ending}: ${walkFigures(figures, stats.durationMs)}`;
  }

  #sitemapUrl({ url, requestedUrl }: SitemapRef): string {
    const declared = requestedUrl === undefined ? "" : `${this.#url(requestedUrl)} → `;
    return declared + this.#url(url);
  }

  #url(url: string): string {
    return escapeControls(this.#shorten(url));
  }
}

/** Such as `2 pages, 44 B, 1 warning, cut short`, or `robots.txt, 1 sitemap`. */
function leftText(event: SitemapLeftEvent, { children, hasRobots }: OpenSitemap): string {
  const isIndex = event.sitemap.type.startsWith("Index");
  const warnings = Object.values(event.warnings).reduce((sum, number) => sum + number, 0);
  const parts = hasRobots ? ["robots.txt"] : [];
  if (!isIndex) parts.push(count(event.pages, "page"));
  else if (!hasRobots || children > 0) parts.push(count(children, "sitemap"));
  if (event.bytes > 0) parts.push(size(event.bytes));
  if (warnings > 0) parts.push(count(warnings, "warning"));
  if (!event.complete) parts.push("cut short");
  return parts.join(", ");
}
