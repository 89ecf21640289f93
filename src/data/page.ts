/**
 * A page of a sitemap, with what the extensions say about it.
 *
 * Dates are kept as milliseconds since 1970 and handed out as `Date` by getters of the prototype:
 * an own `Date` per page costs 120 to 400 ns. Spreading a page (`{ ...page }`) therefore loses its
 * dates; `toJSON()` keeps them, as ISO strings.
 *
 * Private flags keep whether the priority was given and how precise the date is, for the writers.
 *
 * @module
 */

import { type DatePrecision, PRECISION_MASK, precisionOf } from "./calendar.ts";
import { inspectAs, shownDate } from "./inspect.ts";
import { NewsStory, type NewsStoryFields } from "./news_story.ts";
import { SitemapVideo, type SitemapVideoFields } from "./sitemap_video.ts";
import { isoDate } from "./date.ts";
import { type Time, toDate, toMilliseconds } from "./calendar.ts";

/** The seven words of `changefreq`. */
export type ChangeFrequency =
  | "always"
  | "hourly"
  | "daily"
  | "weekly"
  | "monthly"
  | "yearly"
  | "never";

/** All of them, from the most to the least frequent. */
export const CHANGE_FREQUENCIES: readonly ChangeFrequency[] = [
  "always",
  "hourly",
  "daily",
  "weekly",
  "monthly",
  "yearly",
  "never",
];

/** The priority of a page that gives none. */
export const DEFAULT_PRIORITY = 0.5;

/** Flag of a page whose priority was given; the precision of its date is in the lower bits. */
export const PRIORITY_GIVEN = 4;

/** An image of a page, by the image extension. */
export interface SitemapImage {
  /** Address of the image. */
  readonly loc: string;
  /** Caption of the image. */
  readonly caption?: string;
  /** Where it was taken, such as `Limerick, Ireland`. */
  readonly geoLocation?: string;
  /** Title of the image. */
  readonly title?: string;
  /** Address of its license. */
  readonly license?: string;
}

/** The same page in another language, by `xhtml:link`. */
export interface SitemapAlternate {
  /** Language and region, or `x-default`. */
  readonly hreflang: string;
  /** Address of the page in that language. */
  readonly href: string;
}

/** What a {@linkcode SitemapPage} is made of, and what its `toJSON()` writes. */
export interface SitemapPageFields {
  /** Address of the page, as the sitemap writes it. */
  readonly url: string;
  /** From 0 to 1. Default: 0.5. */
  readonly priority?: number;
  /** When the page last changed. Writers keep the precision of a string such as `2024-05`. */
  readonly lastModified?: Time | undefined;
  /** How often it changes. */
  readonly changeFrequency?: ChangeFrequency | undefined;
  /** What the news extension or the feed says. */
  readonly newsStory?: NewsStoryFields;
  /** Images on the page. */
  readonly images?: readonly SitemapImage[];
  /** Videos on the page. */
  readonly videos?: readonly SitemapVideoFields[];
  /** The page in other languages. */
  readonly alternates?: readonly SitemapAlternate[];
}

/** Reads the private flags of a page; set by its class. */
let readFlags: (page: SitemapPage) => number;

/**
 * A page of a sitemap. Absent fields are absent.
 *
 * The dates are getters of the prototype, so spreading a page loses them; `toJSON()` keeps them.
 *
 * Writers omit a priority that was not given, and write dates at the precision that was given;
 * `toJSON()` fills in both.
 *
 * @example
 * ```ts
 * import { SitemapPage } from "@sitetree/sitetree";
 * import { assertEquals } from "@std/assert";
 *
 * const page = new SitemapPage({ url: "https://example.com/", lastModified: "2005-01-01" });
 * assertEquals(page.priority, 0.5);
 * assertEquals(page.lastModified?.getUTCFullYear(), 2005);
 * assertEquals(JSON.parse(JSON.stringify(page)).lastModified, "2005-01-01T00:00:00.000Z");
 * ```
 */
export class SitemapPage {
  /** Address of the page, as the sitemap writes it. */
  readonly url: string;
  /** From 0 to 1; 0.5 unless given. */
  readonly priority: number;
  /** When the page last changed, in milliseconds since 1970; absent where unknown. */
  declare readonly lastModifiedTime?: number;
  /** How often it changes. */
  declare readonly changeFrequency?: ChangeFrequency;
  /** What the news extension or the feed says. */
  declare readonly newsStory?: NewsStory;
  /** Images on the page. */
  declare readonly images?: readonly SitemapImage[];
  /** Videos on the page. */
  declare readonly videos?: readonly SitemapVideo[];
  /** The page in other languages. */
  declare readonly alternates?: readonly SitemapAlternate[];
  readonly #flags: number;

  static {
    // a page of another copy of this module has no flags that this one can read
    readFlags = (page) => #flags in page ? page.#flags : flagsOf(page);
    inspectAs(this, "SitemapPage", describePage);
  }

  /** Makes a page of its fields, also of what `toJSON()` wrote. */
  constructor(fields: SitemapPageFields);
  constructor(fields: SitemapPageFields, flags: number = flagsOf(fields)) {
    this.#flags = flags;
    this.url = fields.url;
    this.priority = fields.priority ?? DEFAULT_PRIORITY;
    const { lastModified } = fields;
    // parsers give numbers, and a call into another file is some nanoseconds
    const lastModifiedTime = typeof lastModified === "number"
      ? lastModified
      : toMilliseconds(lastModified);
    if (lastModifiedTime === lastModifiedTime) this.lastModifiedTime = lastModifiedTime;
    if (fields.changeFrequency !== undefined) this.changeFrequency = fields.changeFrequency;
    // apart from the rest, so that the common page is made in a few nanoseconds
    if (hasExtensions(fields)) addExtensions(this, fields);
  }

  /** When the page last changed; a new `Date` at each call. */
  get lastModified(): Date | undefined {
    return toDate(this.lastModifiedTime);
  }

  /** The page as plain data, dates as ISO strings. */
  toJSON(): SitemapPageFields {
    return pageToJson(this);
  }
}

/** The constructor as parsers and stores call it, with flags instead of what the fields imply. */
const FlaggedPage = SitemapPage as new (fields: SitemapPageFields, flags: number) => SitemapPage;

/** Makes a page with flags: {@linkcode PRIORITY_GIVEN} and the precision of its date. */
export function createPage(fields: SitemapPageFields, flags: number): SitemapPage {
  return new FlaggedPage(fields, flags);
}

/** Whether the priority of a page was given. */
export function isPriorityGiven(page: SitemapPage): boolean {
  return (readFlags(page) & PRIORITY_GIVEN) !== 0;
}

/** Returns the precision of the date of a page. */
export function lastModifiedPrecision(page: SitemapPage): DatePrecision {
  return (readFlags(page) & PRECISION_MASK) as DatePrecision;
}

function flagsOf({ priority, lastModified }: SitemapPageFields): number {
  return (priority === undefined ? 0 : PRIORITY_GIVEN) | precisionOf(lastModified);
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function hasExtensions(fields: SitemapPageFields): boolean {
  return fields.newsStory !== undefined || fields.images !== undefined ||
    fields.videos !== undefined || fields.alternates !== undefined;
}

function addExtensions(page: Mutable<SitemapPage>, fields: SitemapPageFields): void {
  const { newsStory, images, videos, alternates } = fields;
  if (newsStory !== undefined) {
    page.newsStory = newsStory instanceof NewsStory ? newsStory : new NewsStory(newsStory);
  }
  if (images !== undefined) page.images = images;
  if (videos !== undefined) {
    page.videos = videos.map((video) =>
      video instanceof SitemapVideo ? video : new SitemapVideo(video)
    );
  }
  if (alternates !== undefined) page.alternates = alternates;
}

function pageToJson(page: SitemapPage): SitemapPageFields {
  const { url, priority, lastModifiedTime, newsStory, videos, ...rest } = page;
  return {
    url,
    priority,
    ...(lastModifiedTime === undefined ? {} : { lastModified: isoDate(lastModifiedTime) }),
    ...rest,
    ...(newsStory === undefined ? {} : { newsStory: newsStory.toJSON() }),
    ...(videos === undefined ? {} : { videos: videos.map((video) => video.toJSON()) }),
  };
}

function describePage(page: SitemapPage): object {
  const { url, priority, lastModifiedTime, ...rest } = page;
  return {
    url,
    ...(isPriorityGiven(page) ? { priority } : {}),
    ...(lastModifiedTime === undefined
      ? {}
      : { lastModified: shownDate(lastModifiedTime, lastModifiedPrecision(page)) }),
    ...rest,
  };
}
