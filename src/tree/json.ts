/**
 * Loads trees that were saved as JSON.
 *
 * @module
 */

import { INVALID_CODES, type InvalidCode } from "../data/codes.ts";
import { faultError, isRecord, within } from "../data/page_json.ts";
import { revivePage } from "../data/page_json.ts";
import { memoryStore } from "./page_list.ts";
import { NO_PAGES, type PageList } from "./page_list.ts";
import type { PageStore } from "./page_list.ts";
import { PageWriter } from "./page_list.ts";
import { createSitemap, isReadableType } from "./collect.ts";
import { InvalidSitemap, type Sitemap } from "./sitemaps.ts";

/** A node that is still to be loaded, and where it goes. */
interface Waiting {
  readonly value: unknown;
  /** The way to it, such as `subSitemaps[3]`; empty at the root. */
  readonly path: string;
  readonly siblings: Sitemap[];
}

/**
 * Loads the tree, or the part of one, that `toJSON()` saved.
 *
 * @param json What `JSON.stringify()` made of a sitemap, or the data that `toJSON()` returned.
 * @returns The sitemap, with all below it.
 * @throws {TypeError} If it is no such JSON; the message names the place.
 *
 * @example
 * ```ts
 * import { PagesXmlSitemap, SitemapPage, sitemapFromJson } from "@sitetree/sitetree";
 * import { assertEquals } from "@std/assert";
 *
 * const page = new SitemapPage({ url: "https://example.com/", lastModified: "2005-01-01" });
 * const sitemap = new PagesXmlSitemap({ url: "https://example.com/sitemap.xml", pages: [page] });
 * const loaded = sitemapFromJson(JSON.stringify(sitemap));
 * assertEquals(loaded.pages.at(0)?.lastModified, new Date("2005-01-01"));
 * ```
 */
export function sitemapFromJson(json: unknown): Sitemap {
  const store = memoryStore();
  const writer = new PageWriter(store);
  const top: Sitemap[] = [];
  const value = typeof json === "string" ? parseJson(json) : json;
  const waiting: Waiting[] = [{ value, path: "", siblings: top }];
  // The list grows while it is gone through, level by level, so depth costs no stack.
  for (const next of waiting) {
    const node = readNode(next, writer, next.path === "" ? store : undefined);
    next.siblings.push(node.sitemap);
    for (const child of node.children) waiting.push(child);
  }
  writer.flush();
  return top[0]!;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new TypeError("Cannot load sitemap: the text is no JSON", { cause: error });
  }
}

function readNode(
  { value, path }: Waiting,
  writer: PageWriter,
  store: PageStore | undefined,
): { sitemap: Sitemap; children: Waiting[] } {
  if (!isRecord(value)) throw loadError(path, value);
  const { type, url, code, reason } = value;
  if (typeof url !== "string") throw loadError(join(path, "url"), url);
  const subSitemaps: Sitemap[] = [];
  const children = readArray(value, "subSitemaps", path).map((child, index) => (
    { value: child, path: join(path, `subSitemaps[${index}]`), siblings: subSitemaps }
  ));
  const pages = readPages(readArray(value, "pages", path), path, writer);
  const fields = {
    url,
    ...readText(value, "requestedUrl", path),
    ...readText(value, "lastModified", path),
    pages,
    subSitemaps,
    ...(store && { store }),
  };
  if (isReadableType(type)) return { sitemap: createSitemap(type, fields), children };
  if (type !== "InvalidSitemap") throw loadError(join(path, "type"), type);
  if (!isInvalidCode(code)) throw loadError(join(path, "code"), code);
  if (typeof reason !== "string") throw loadError(join(path, "reason"), reason);
  return { sitemap: new InvalidSitemap({ ...fields, code, reason }), children };
}

/** The text in a field, as an object with that field; empty if it is absent. */
function readText<Name extends string>(
  value: Readonly<Record<string, unknown>>,
  name: Name,
  path: string,
): { readonly [N in Name]?: string } {
  const text = value[name];
  if (text === undefined) return {};
  if (typeof text !== "string") throw loadError(join(path, name), text);
  return { [name]: text } as { readonly [N in Name]: string };
}

/** The array in a field; absent, as `pages` may be, it counts as empty. */
function readArray(
  value: Readonly<Record<string, unknown>>,
  name: string,
  path: string,
): readonly unknown[] {
  const array = value[name] ?? [];
  if (!Array.isArray(array)) throw loadError(join(path, name), array);
  return array;
}

function readPages(values: readonly unknown[], path: string, writer: PageWriter): PageList {
  if (values.length === 0) return NO_PAGES;
  const pages = writer.open();
  for (const [index, value] of values.entries()) {
    const page = revivePage(value, (fault) => {
      const place = within(`pages[${index}]`, fault);
      return loadError(join(path, place.path), place.value);
    });
    writer.append(pages, page);
  }
  return pages;
}

function isInvalidCode(code: unknown): code is InvalidCode {
  return typeof code === "string" && Object.hasOwn(INVALID_CODES, code);
}

function join(path: string, step: string): string {
  return path === "" ? step : `${path}.${step}`;
}

function loadError(path: string, value: unknown): TypeError {
  return faultError("Cannot load sitemap", { path, value });
}
