/**
 * `urlset`: pages with what the extensions say about them.
 *
 * @module
 */

import { parseDate } from "../date.ts";
import { CHANGE_FREQUENCIES, DEFAULT_PRIORITY } from "../page.ts";
import type { ChangeFrequency, SitemapPageFields } from "../page.ts";
import { type Entries, quoted } from "./entries.ts";
import { ALTERNATE, type AlternateDraft } from "./extensions/alternate.ts";
import { IMAGE, type ImageDraft } from "./extensions/image.ts";
import { NEWS, type NewsDraft } from "./extensions/news.ts";
import { VIDEO, type VideoDraft } from "./extensions/video.ts";
import type { ElementSpec, ElementTable, RecordFormat, Warn } from "./record_format.ts";

/** Parts of the namespaces that mean sitemaps. */
export const SITEMAP_NAMESPACES: readonly string[] = ["/sitemap/"];

const PRIORITY_REGEXP = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const FREQUENCIES: ReadonlySet<string> = new Set(CHANGE_FREQUENCIES);

interface UrlDraft extends NewsDraft, ImageDraft, VideoDraft, AlternateDraft {
  loc?: string;
  lastModified?: number;
  changeFrequency?: ChangeFrequency;
  priority?: number;
}

/** A priority as a number from 0 to 1; `undefined` where it cannot be read. */
export function parsePriority(value: string): number | undefined {
  if (!PRIORITY_REGEXP.test(value)) return undefined;
  const priority = Number(value) + 0;
  return priority >= 0 && priority <= 1 ? priority : undefined;
}

/** A change frequency in any case; `undefined` where it is none. */
export function parseChangeFrequency(value: string): ChangeFrequency | undefined {
  const word = value.toLowerCase();
  return FREQUENCIES.has(word) ? word as ChangeFrequency : undefined;
}

function setLastModified(draft: UrlDraft, value: string, _element: unknown, warn: Warn): void {
  delete draft.lastModified;
  const time = parseDate(value);
  if (time === time) draft.lastModified = time;
  else warn("bad-date", `Date ${quoted(value)} cannot be read`);
}

function setChangeFrequency(draft: UrlDraft, value: string, _element: unknown, warn: Warn): void {
  delete draft.changeFrequency;
  const word = parseChangeFrequency(value);
  if (word !== undefined) draft.changeFrequency = word;
  else warn("bad-changefreq", `Change frequency ${quoted(value)} is unknown`);
}

function setPriority(draft: UrlDraft, value: string, _element: unknown, warn: Warn): void {
  const priority = parsePriority(value);
  draft.priority = priority ?? DEFAULT_PRIORITY;
  if (priority === undefined) {
    warn("bad-priority", `Priority ${quoted(value)} is no number from 0 to 1`);
  }
}

const TABLE: ElementTable<UrlDraft> = new Map<string, ElementSpec<UrlDraft>>([
  ["own:url", {
    entry: true,
    children: new Map<string, ElementSpec<UrlDraft>>([
      ["own:loc", { value: (draft, value) => void (draft.loc = value) }],
      ["own:lastmod", { value: setLastModified }],
      ["own:changefreq", { value: setChangeFrequency }],
      ["own:priority", { value: setPriority }],
      ["news:news", NEWS],
      ["image:image", IMAGE],
      ["video:video", VIDEO],
      ["xhtml:link", ALTERNATE],
    ]),
  }],
]);

function addPage(entries: Entries, draft: UrlDraft, line: number): void {
  const fields: { -readonly [K in keyof SitemapPageFields]?: SitemapPageFields[K] } = {};
  if (draft.priority !== undefined) fields.priority = draft.priority;
  if (draft.lastModified !== undefined) fields.lastModified = draft.lastModified;
  if (draft.changeFrequency !== undefined) fields.changeFrequency = draft.changeFrequency;
  if (draft.newsStory !== undefined) fields.newsStory = draft.newsStory;
  if (draft.images !== undefined) fields.images = draft.images;
  if (draft.videos !== undefined) fields.videos = draft.videos;
  if (draft.alternates !== undefined) fields.alternates = draft.alternates;
  entries.page(draft.loc, fields, line);
}

function emptyDraft(): UrlDraft {
  return {};
}

/** The format `urlset`, for one document. */
export function urlsetFormat(entries: Entries, line: () => number): RecordFormat<UrlDraft> {
  // named first, see `XmlDocumentReader`
  const finish = (draft: UrlDraft) => addPage(entries, draft, line());
  return { table: TABLE, tellsMisplaced: true, draft: emptyDraft, finish };
}
