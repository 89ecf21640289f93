/**
 * Sitemaps and pages nested by tabs, and the stripping of addresses.
 *
 * @module
 */

import type { TreeEvent } from "../data/events.ts";
import type { TextFormat } from "./text_stream.ts";
import { encodeWhitespace, escapeControls } from "./escape.ts";

/** Makes an address shorter, or leaves it. */
export type ShortenUrl = (url: string) => string;

/** Takes the origin of a site off the addresses that begin with it; the slash after it stays. */
export function stripOrigin(site: URL): ShortenUrl {
  const { origin } = site;
  return (url) => {
    if (!url.startsWith(origin)) return url;
    const rest = url.slice(origin.length);
    // One that goes on inside the host name is of another site: `https://example.com.test/`.
    return rest === "" ? "/" : /^[/?#]/.test(rest) ? rest : url;
  };
}

/** Leaves an address as it is. */
export function keepUrl(url: string): string {
  return url;
}

/** A line for each sitemap, a tab deeper than the one above it, and for each page in it. */
export function tabtreeFormat(shorten: ShortenUrl): TextFormat<TreeEvent> {
  let rootLevel: number | undefined;
  function line(level: number, url: string): string {
    return `${"\t".repeat(Math.max(0, level - rootLevel!))}${escapeControls(url)}\n`;
  }
  return {
    write(event) {
      switch (event.type) {
        case "sitemap-entered":
        case "invalid": {
          const { level, url } = event.sitemap;
          const isRoot = rootLevel === undefined;
          rootLevel ??= level;
          // The root keeps the origin that the others omit.
          return line(level, isRoot ? url : shorten(url));
        }
        case "page":
          return line(event.sitemap.level + 1, shorten(event.page.url));
        default:
          return "";
      }
    },
  };
}

/** A URL a line. */
export function pagesFormat(shorten: ShortenUrl): TextFormat<TreeEvent> {
  return {
    write: (event) => event.type === "page" ? `${encodeWhitespace(shorten(event.page.url))}\n` : "",
  };
}
