import { PageLog } from "../bytes/page_log.ts";
import { INVALID_CODES, type InvalidCode } from "../data/codes.ts";
import type { SitemapLeftEvent, SitemapRef, Verdict, WalkStats } from "../data/events.ts";
import type { SitemapPage } from "../data/page.ts";
import { checkPage, COUNTS, DATE, VERDICT } from "../data/json_checks.ts";
import {
  checkRecord,
  checkThat,
  checkWord,
  faultError,
  FLAG,
  joinPaths,
  type Place,
  TEXT,
  within,
} from "../data/checks.ts";
import { LoggedPages, NO_PAGES, type PageList } from "./page_list.ts";
import { createSitemap, InvalidSitemap, type Sitemap } from "./sitemaps.ts";

/** JSON of a node before its pages and children are checked. */
interface NodeJson {
  readonly type: string;
  readonly url: string;
  readonly requestedUrl?: string;
  readonly lastModified?: string;
  readonly foundBy?: NonNullable<SitemapRef["foundBy"]>;
  readonly verdict?: Verdict;
  readonly stats?: WalkStats;
  readonly complete?: boolean;
  readonly warnings?: SitemapLeftEvent["warnings"];
  readonly pages?: readonly unknown[] | null;
  readonly subSitemaps?: readonly unknown[] | null;
}

const LIST = checkThat("an array", (value) => value === null || Array.isArray(value));

const checkNode = checkRecord({ url: TEXT, type: TEXT }, {
  requestedUrl: TEXT,
  lastModified: DATE,
  foundBy: TEXT,
  verdict: VERDICT,
  stats: COUNTS,
  complete: FLAG,
  warnings: COUNTS,
  pages: LIST,
  subSitemaps: LIST,
});

const checkInvalid = checkRecord({
  code: checkWord(Object.keys(INVALID_CODES)),
  reason: TEXT,
});

interface Pending {
  readonly value: unknown;
  /** Path of the node, such as `subSitemaps[3]`; empty for the root. */
  readonly path: string;
  readonly siblings: Sitemap[];
}

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
  const log = new PageLog("memory");
  const top: Sitemap[] = [];
  const value = typeof json === "string" ? parseJson(json) : json;
  const pending: Pending[] = [{ value, path: "", siblings: top }];
  // Breadth first over a growing list: a deep tree takes no stack.
  for (const next of pending) {
    const node = readNode(next, log);
    next.siblings.push(node.sitemap);
    for (const child of node.children) pending.push(child);
  }
  log.flush();
  return top[0]!;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new TypeError("Cannot load sitemap: invalid JSON", { cause: error });
  }
}

function readNode(
  { value, path }: Pending,
  log: PageLog,
): { sitemap: Sitemap; children: Pending[] } {
  const fault = checkNode(value);
  if (fault !== undefined) throw loadError(path, fault);
  const { type, url, requestedUrl, lastModified, foundBy, ...node } = value as NodeJson;
  const { verdict, stats, complete, warnings } = node;
  const subSitemaps: Sitemap[] = [];
  const children = (node.subSitemaps ?? []).map((child, index) => (
    { value: child, path: joinPaths(path, `subSitemaps[${index}]`), siblings: subSitemaps }
  ));
  const fields = {
    url,
    requestedUrl,
    lastModified,
    foundBy,
    verdict,
    stats,
    complete,
    warnings,
    pages: readPages(node.pages ?? [], path, log),
    subSitemaps,
    store: path === "" ? log : undefined,
  };
  const sitemap = createSitemap(type, fields);
  if (sitemap !== undefined) return { sitemap, children };
  if (type !== "InvalidSitemap") throw loadError(path, { path: "type", value: type });
  const invalidFault = checkInvalid(value);
  if (invalidFault !== undefined) throw loadError(path, invalidFault);
  const { code, reason } = value as { readonly code: InvalidCode; readonly reason: string };
  return { sitemap: new InvalidSitemap({ ...fields, code, reason }), children };
}

function readPages(values: readonly unknown[], path: string, log: PageLog): PageList {
  if (values.length === 0) return NO_PAGES;
  const pages = new LoggedPages(log);
  for (const [index, value] of values.entries()) {
    const fault = checkPage(value);
    if (fault !== undefined) throw loadError(path, within(`pages[${index}]`, fault));
    pages.append(value as SitemapPage);
  }
  return pages;
}

function loadError(path: string, fault: Place): TypeError {
  return faultError("Cannot load sitemap", within(path, fault));
}
