/**
 * A page of a sitemap, with what the extensions say about it.
 *
 * Dates are kept as milliseconds since 1970 and handed out as `Date` by getters of the prototype:
 * an own `Date` per page costs 120 to 400 ns. Spreading a page (`{ ...page }`) therefore loses its
 * dates; `toJSON()` keeps them, as ISO strings.
 *
 * @module
 */

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

/** A point in time: a `Date`, milliseconds since 1970, or an ISO string as `toJSON()` writes it. */
export type Time = Date | number | string;

/** The priority of a page that gives none. */
export const DEFAULT_PRIORITY = 0.5;

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

/** A list of countries or platforms where a video may or may not be shown. */
export interface VideoRestriction {
  /** Whether the list allows or denies. */
  readonly relationship: "allow" | "deny";
  /** Country codes, or `web`, `mobile`, `tv`. */
  readonly values: readonly string[];
}

/** Who put a video up. */
export interface VideoUploader {
  /** Name of the uploader. */
  readonly name: string;
  /** Address of a page about the uploader. */
  readonly info?: string;
}

/** What a {@linkcode NewsStory} is made of. */
export interface NewsStoryFields {
  /** Title of the story. */
  readonly title: string;
  /** When it was published. */
  readonly publishDate?: Time | undefined;
  /** Name of the publication. */
  readonly publicationName?: string;
  /** Language of the publication. */
  readonly publicationLanguage?: string;
  /** `Subscription` or `Registration` where the story is not open to all. */
  readonly access?: string;
  /** Genres, such as `PressRelease`. */
  readonly genres?: readonly string[];
  /** Keywords. */
  readonly keywords?: readonly string[];
  /** Stock tickers, such as `NASDAQ:AMAT`. */
  readonly stockTickers?: readonly string[];
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const NO_STRINGS: readonly string[] = Object.freeze([]);

/** Milliseconds since 1970, `NaN` where there is no readable time. */
function toMilliseconds(time: Time | undefined): number {
  if (typeof time === "number") return time;
  if (time === undefined) return NaN;
  return typeof time === "string" ? Date.parse(time) : time.getTime();
}

function toDate(milliseconds: number | undefined): Date | undefined {
  return milliseconds === undefined ? undefined : new Date(milliseconds);
}

function toIsoString(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/**
 * What the news extension, an RSS item or an Atom entry says about a page.
 *
 * @example
 * ```ts
 * import { NewsStory } from "@sitetree/sitetree";
 * import { assertEquals } from "@std/assert";
 *
 * const story = new NewsStory({ title: "Two mills, one river", publishDate: "2008-12-23" });
 * assertEquals(story.publishDate?.getUTCFullYear(), 2008);
 * ```
 */
export class NewsStory {
  /** Title of the story. */
  readonly title: string;
  /** When it was published, in milliseconds since 1970; absent where unknown. */
  declare readonly publishTime?: number;
  /** Name of the publication. */
  declare readonly publicationName?: string;
  /** Language of the publication. */
  declare readonly publicationLanguage?: string;
  /** `Subscription` or `Registration` where the story is not open to all. */
  declare readonly access?: string;
  /** Genres, such as `PressRelease`. */
  readonly genres: readonly string[];
  /** Keywords. */
  readonly keywords: readonly string[];
  /** Stock tickers, such as `NASDAQ:AMAT`. */
  readonly stockTickers: readonly string[];

  /** Makes a story of its fields. */
  constructor(fields: NewsStoryFields) {
    this.title = fields.title;
    const publishTime = toMilliseconds(fields.publishDate);
    if (publishTime === publishTime) this.publishTime = publishTime;
    if (fields.publicationName !== undefined) this.publicationName = fields.publicationName;
    if (fields.publicationLanguage !== undefined) {
      this.publicationLanguage = fields.publicationLanguage;
    }
    if (fields.access !== undefined) this.access = fields.access;
    this.genres = fields.genres ?? NO_STRINGS;
    this.keywords = fields.keywords ?? NO_STRINGS;
    this.stockTickers = fields.stockTickers ?? NO_STRINGS;
  }

  /** When it was published; a new `Date` at each call. */
  get publishDate(): Date | undefined {
    return toDate(this.publishTime);
  }

  /** The story as plain data, dates as ISO strings. */
  toJSON(): NewsStoryFields {
    return storyToJson(this);
  }
}

/** What a {@linkcode SitemapVideo} is made of. */
export interface SitemapVideoFields {
  /** Address of a thumbnail. */
  readonly thumbnailLoc?: string;
  /** Title of the video. */
  readonly title?: string;
  /** What it shows. */
  readonly description?: string;
  /** Address of the video file. */
  readonly contentLoc?: string;
  /** Address of a player. */
  readonly playerLoc?: string;
  /** Length in seconds. */
  readonly duration?: number;
  /** When it will be gone. */
  readonly expirationDate?: Time | undefined;
  /** Rating from 0 to 5. */
  readonly rating?: number;
  /** How often it was seen. */
  readonly viewCount?: number;
  /** When it was published. */
  readonly publicationDate?: Time | undefined;
  /** Whether it may be shown with safe search. */
  readonly familyFriendly?: boolean;
  /** Countries where it may or may not be shown. */
  readonly restriction?: VideoRestriction;
  /** Platforms where it may or may not be shown. */
  readonly platform?: VideoRestriction;
  /** Whether it takes a subscription. */
  readonly requiresSubscription?: boolean;
  /** Who put it up. */
  readonly uploader?: VideoUploader;
  /** Whether it is a live stream. */
  readonly live?: boolean;
  /** Tags. */
  readonly tags?: readonly string[];
}

/**
 * A video of a page, by the video extension.
 *
 * @example
 * ```ts
 * import { SitemapVideo } from "@sitetree/sitetree";
 * import { assertEquals } from "@std/assert";
 *
 * const video = new SitemapVideo({ title: "Bread", duration: 600 });
 * assertEquals(JSON.stringify(video), '{"title":"Bread","duration":600}');
 * ```
 */
export class SitemapVideo {
  /** Address of a thumbnail. */
  declare readonly thumbnailLoc?: string;
  /** Title of the video. */
  declare readonly title?: string;
  /** What it shows. */
  declare readonly description?: string;
  /** Address of the video file. */
  declare readonly contentLoc?: string;
  /** Address of a player. */
  declare readonly playerLoc?: string;
  /** Length in seconds. */
  declare readonly duration?: number;
  /** When it will be gone, in milliseconds since 1970. */
  declare readonly expirationTime?: number;
  /** Rating from 0 to 5. */
  declare readonly rating?: number;
  /** How often it was seen. */
  declare readonly viewCount?: number;
  /** When it was published, in milliseconds since 1970. */
  declare readonly publicationTime?: number;
  /** Whether it may be shown with safe search. */
  declare readonly familyFriendly?: boolean;
  /** Countries where it may or may not be shown. */
  declare readonly restriction?: VideoRestriction;
  /** Platforms where it may or may not be shown. */
  declare readonly platform?: VideoRestriction;
  /** Whether it takes a subscription. */
  declare readonly requiresSubscription?: boolean;
  /** Who put it up. */
  declare readonly uploader?: VideoUploader;
  /** Whether it is a live stream. */
  declare readonly live?: boolean;
  /** Tags. */
  declare readonly tags?: readonly string[];

  /** Makes a video of its fields. */
  constructor(fields: SitemapVideoFields) {
    const { expirationDate, publicationDate, ...rest } = fields;
    Object.assign(this, rest);
    const expirationTime = toMilliseconds(expirationDate);
    if (expirationTime === expirationTime) this.expirationTime = expirationTime;
    const publicationTime = toMilliseconds(publicationDate);
    if (publicationTime === publicationTime) this.publicationTime = publicationTime;
  }

  /** When it will be gone; a new `Date` at each call. */
  get expirationDate(): Date | undefined {
    return toDate(this.expirationTime);
  }

  /** When it was published; a new `Date` at each call. */
  get publicationDate(): Date | undefined {
    return toDate(this.publicationTime);
  }

  /** The video as plain data, dates as ISO strings. */
  toJSON(): SitemapVideoFields {
    return videoToJson(this);
  }
}

/** What a {@linkcode SitemapPage} is made of, and what its `toJSON()` writes. */
export interface SitemapPageFields {
  /** Address of the page, as the sitemap writes it. */
  readonly url: string;
  /** From 0 to 1. Default: 0.5. */
  readonly priority?: number;
  /** When the page last changed. */
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

/**
 * A page of a sitemap. Absent fields are absent.
 *
 * The dates are getters of the prototype, so spreading a page loses them; `toJSON()` keeps them.
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

  /** Makes a page of its fields, also of what `toJSON()` wrote. */
  constructor(fields: SitemapPageFields) {
    this.url = fields.url;
    this.priority = fields.priority ?? DEFAULT_PRIORITY;
    const lastModifiedTime = toMilliseconds(fields.lastModified);
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

function storyToJson(story: NewsStory): NewsStoryFields {
  const { title, publishTime, ...rest } = story;
  return {
    title,
    ...(publishTime === undefined ? {} : { publishDate: toIsoString(publishTime) }),
    ...rest,
  };
}

function videoToJson(video: SitemapVideo): SitemapVideoFields {
  const { expirationTime, publicationTime, ...rest } = video;
  return {
    ...rest,
    ...(expirationTime === undefined ? {} : { expirationDate: toIsoString(expirationTime) }),
    ...(publicationTime === undefined ? {} : { publicationDate: toIsoString(publicationTime) }),
  };
}

function pageToJson(page: SitemapPage): SitemapPageFields {
  const { url, priority, lastModifiedTime, newsStory, videos, ...rest } = page;
  return {
    url,
    priority,
    ...(lastModifiedTime === undefined ? {} : { lastModified: toIsoString(lastModifiedTime) }),
    ...rest,
    ...(newsStory === undefined ? {} : { newsStory: newsStory.toJSON() }),
    ...(videos === undefined ? {} : { videos: videos.map((video) => video.toJSON()) }),
  };
}
