/**
 * One XML sitemap, within the limits of the sitemap protocol.
 *
 * @module
 */

import type { EventFormat } from "./event_writer.ts";
import { Failure } from "./failure.ts";

/** URLs of a sitemap, by sitemaps.org. */
const MAX_URLS = 50_000;
/** Uncompressed bytes of a sitemap, by sitemaps.org. */
const MAX_BYTES = 52_428_800;

const NOT_ASCII_REGEXP = /[^\0-\x7f]/;

/** Returns an XML format that throws a {@linkcode Failure} once a sitemap would be too large. */
export function limitedSitemap(format: EventFormat): EventFormat {
  const encoder = new TextEncoder();
  const bytesOf = (text: string) =>
    NOT_ASCII_REGEXP.test(text) ? encoder.encode(text).length : text.length;
  let urls = 0;
  let bytes = bytesOf(format.head ?? "") + bytesOf(format.end?.() ?? "");
  return {
    ...format,
    write(event) {
      const text = format.write(event);
      if (text === "") return "";
      bytes += bytesOf(text);
      if (++urls > MAX_URLS) throw tooLarge("50,000 URLs");
      if (bytes > MAX_BYTES) throw tooLarge("50 MB (52,428,800 bytes)");
      return text;
    },
  };
}

function tooLarge(limit: string): Failure {
  return new Failure(
    `Cannot write one XML sitemap: more than ${limit}`,
    "use --split DIR to write several sitemaps and their index",
  );
}
