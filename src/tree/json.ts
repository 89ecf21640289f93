import { PageLog } from "../bytes/page_log.ts";
import { INVALID_CODES } from "../data/codes.ts";
import type { SitemapRef, TreeEvent } from "../data/events.ts";
import type { SitemapPage } from "../data/page.ts";
import { checkPage, COUNTS, DATE, VERDICT } from "../data/json_checks.ts";
import {
  ANYTHING,
  type Check,
  checkList,
  checkRecord,
  checkWord,
  faultError,
  FLAG,
  joinPaths,
  TEXT,
  within,
} from "../data/checks.ts";
import { SITEMAP_KINDS } from "../data/sitemap_kinds.ts";
import { TreeBuilder } from "./collect.ts";
import type { Sitemap, SitemapJson } from "./sitemaps.ts";

/** JSON of a node whose children are not checked. */
interface NodeJson extends Partial<Omit<SitemapJson, "url" | "type" | "pages" | "subSitemaps">> {
  readonly type: SitemapJson["type"];
  readonly url: string;
  readonly pages?: readonly SitemapPage[] | null;
  readonly subSitemaps?: readonly unknown[] | null;
}

function checkLoaded(item: Check): Check {
  const list = checkList(item);
  return (value) => value === null ? undefined : list(value);
}

const checkNode = checkRecord({ url: TEXT, type: checkWord(Object.keys(SITEMAP_KINDS)) }, {
  requestedUrl: TEXT,
  lastModified: DATE,
  foundBy: TEXT,
  verdict: VERDICT,
  stats: COUNTS,
  complete: FLAG,
  warnings: COUNTS,
  pages: checkLoaded(checkPage),
  subSitemaps: checkLoaded(ANYTHING),
});

const checkInvalid = checkRecord({
  code: checkWord(Object.keys(INVALID_CODES)),
  reason: TEXT,
});

/**
 * Loads a tree, or a part of one, that `toJSON()` saved.
 *
 * @param json Output of `JSON.stringify()` for a sitemap, or the data that `toJSON()` returned.
 * @returns The sitemap with everything below it.
 * @throws {TypeError} If the JSON is not that of a sitemap; the message names the place.
 *
 * @example
 * ```ts
 * import { sitemapFromJson, sitemapFromString } from "@sitetree/sitetree";
 * import { assertEquals } from "@std/assert";
 *
 * const sitemap = await sitemapFromString("https://example.com/a\n");
 * assertEquals(sitemapFromJson(JSON.stringify(sitemap)).pages.at(0)?.url, "https://example.com/a");
 * ```
 */
export function sitemapFromJson(json: unknown): Sitemap {
  const builder = new TreeBuilder(new PageLog("memory"), true);
  const value = typeof json === "string" ? parseJson(json) : json;
  const pending: Pending[] = [{ value, path: "", parent: null, index: 0 }];
  // Breadth first over a growing list: a deep tree takes no stack.
  for (const [id, { value, path, parent, index }] of pending.entries()) {
    const node = checkedNode(value, path);
    addNode(builder, node, { id, level: 0, parent, index });
    for (const [index, value] of (node.subSitemaps ?? []).entries()) {
      pending.push({ value, path: joinPaths(path, `subSitemaps[${index}]`), parent: id, index });
    }
  }
  return builder.finish();
}

interface Pending extends Pick<SitemapRef, "parent" | "index"> {
  readonly value: unknown;
  /** Path of the node, such as `subSitemaps[3]`; empty for the root. */
  readonly path: string;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new TypeError("Cannot load sitemap: invalid JSON", { cause: error });
  }
}

function checkedNode(value: unknown, path: string): NodeJson {
  const fault = checkNode(value) ??
    ((value as NodeJson).type === "InvalidSitemap" ? checkInvalid(value) : undefined);
  if (fault !== undefined) throw faultError("Cannot load sitemap", within(path, fault));
  return value as NodeJson;
}

/** Adds what a walk would have reported of a node. */
function addNode(
  builder: TreeBuilder,
  { type, url, requestedUrl, lastModified, foundBy, ...node }: NodeJson,
  place: Pick<SitemapRef, "id" | "level" | "parent" | "index">,
): void {
  const { code, reason, verdict, stats, complete = false, warnings = {}, pages } = node;
  const sitemap = { type, url, requestedUrl, lastModified, foundBy, ...place } as SitemapRef;
  for (const page of pages ?? []) builder.add({ type: "page", page, sitemap });
  builder.add({ type: "sitemap-left", sitemap, pages: 0, bytes: 0, complete, warnings });
  if (type === "InvalidSitemap") {
    builder.add({ type: "invalid", sitemap, code: code!, reason: reason! });
  }
  if (place.parent === null) builder.add({ type: "finished", verdict, stats } as TreeEvent);
}
