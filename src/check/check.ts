import { inBatches } from "../data/batches.ts";
import type { TreeEvent } from "../data/events.ts";
import { Checker } from "./checker.ts";
import type { CheckResult } from "./finding.ts";
import type { CheckOptions } from "./options.ts";

/**
 * Judges the events of a walk, a parse, a saved walk or a snapshot by the rules of sitemaps. Makes no
 * request and reads no clock. Memory does not grow with the number of pages: counts that would need
 * all URLs are exact up to a million pages, then estimated.
 *
 * @param events events of any source, by batches where it has them
 * @param options time of the check, rules and severities
 * @returns a promise that rejects with the error of the events, if these fail
 * @throws {TypeError} If an option is unknown or invalid.
 *
 * @example
 * ```ts
 * import { check } from "@sitetree/sitetree/check";
 * import { parseSitemap } from "@sitetree/sitetree";
 * import { assertEquals } from "@std/assert";
 *
 * const xml = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
 *   <url><loc>https://example.com/a#top</loc><lastmod>2024-05-01</lastmod></url>
 * </urlset>`;
 * const events = parseSitemap(xml, { url: "https://example.com/sitemap.xml" });
 * const { findings, counts } = await check(events, { now: "2024-06-01" });
 * assertEquals(counts.warning, 1);
 * assertEquals(findings[0]?.message, "1 URL with a fragment");
 * ```
 */
export async function check(
  events: AsyncIterable<TreeEvent> | Iterable<TreeEvent>,
  options: CheckOptions = {},
): Promise<CheckResult> {
  const checker = new Checker(options);
  for await (const batch of inBatches(events)) {
    for (const event of batch) checker.add(event);
  }
  return checker.result();
}
