/**
 * The fields of pages that `--fields` names.
 *
 * @module
 */

import type { PageField } from "../sync/mod.ts";
import { listOf } from "./values.ts";

const FIELDS: Readonly<Record<PageField, string>> = {
  lastModified: "the date",
  changeFrequency: "how often it changes",
  priority: "the priority",
  newsStory: "the news story",
  images: "images",
  videos: "videos",
  alternates: "the page in other languages",
};

/** Values of the option, with their meanings. */
export const DIFF_FIELDS: Readonly<Record<string, string>> = {
  ...FIELDS,
  none: "only whether there is such a page",
};

/** Names that the sitemap protocol has for fields. */
const ALIASES: ReadonlyMap<string, PageField> = new Map([
  ["lastmod", "lastModified"],
  ["changefreq", "changeFrequency"],
  ["hreflang", "alternates"],
]);

const NAMES = Object.keys(FIELDS) as PageField[];
const listed = listOf("field", NAMES, `expected ${NAMES.join(", ")}, or none`, ALIASES);

/** Returns the fields of a comma-separated list, or of the word `none`. */
export function parseFields(text: string): readonly PageField[] {
  return text === "none" ? [] : listed(text);
}
