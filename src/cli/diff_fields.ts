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

export function parseFields(text: string): readonly PageField[] {
  return text === "none" ? [] : listed(text);
}
