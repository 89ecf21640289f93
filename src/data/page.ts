/**
 * Pages of sitemaps: plain data, without a class. `page_schema.ts` has the tables by which fields are
 * read, written and stored.
 *
 * @module
 */

/** Change frequency of a page: the seven words of `changefreq`. */
export type ChangeFrequency =
  | "always"
  | "hourly"
  | "daily"
  | "weekly"
  | "monthly"
  | "yearly"
  | "never";

/** Image of a page, by the image extension. */
export interface SitemapImage {
  /** URL of the image. */
  readonly loc: string;
  /** Text of `image:caption`. */
  readonly caption?: string;
  /** Place where it was taken, such as `Limerick, Ireland`. */
  readonly geoLocation?: string;
  /** Text of `image:title`. */
  readonly title?: string;
  /** URL of its license. */
  readonly license?: string;
}

/** News story of a page: by the news extension, an RSS item or an Atom entry. */
export interface NewsStory {
  /** Title of the story. */
  readonly title: string;
  /** Date of publication, in a form of `SitemapPage.lastModified`. */
  readonly publishDate?: string;
  /** Name of the publication. */
  readonly publicationName?: string;
  /** Language of the publication, such as `en` or `zh-cn`. */
  readonly publicationLanguage?: string;
  /** `Subscription` or `Registration` if access is restricted. */
  readonly access?: string;
  /** Genres, such as `PressRelease`. */
  readonly genres?: readonly string[];
  /** Keywords, from a list separated by commas. */
  readonly keywords?: readonly string[];
  /** Stock tickers, such as `NASDAQ:AMAT`. */
  readonly stockTickers?: readonly string[];
}

/** Video of a page, by the video extension. */
export interface SitemapVideo {
  /** URL of a thumbnail. */
  readonly thumbnailLoc?: string;
  /** Text of `video:title`. */
  readonly title?: string;
  /** Text of `video:description`. */
  readonly description?: string;
  /** URL of the video file. */
  readonly contentLoc?: string;
  /** URL of a player. */
  readonly playerLoc?: string;
  /** Duration in seconds. */
  readonly duration?: number;
  /** Date after which the video is unavailable, in a form of `SitemapPage.lastModified`. */
  readonly expirationDate?: string;
  /** Rating from 0 to 5. */
  readonly rating?: number;
  /** Number of views. */
  readonly viewCount?: number;
  /** Date of publication, in a form of `SitemapPage.lastModified`. */
  readonly publicationDate?: string;
  /** Whether it may be shown with safe search. */
  readonly familyFriendly?: boolean;
  /** Country codes of the countries in which alone it may, or may not, be shown. */
  readonly restriction?: {
    readonly relationship: "allow" | "deny";
    readonly values: readonly string[];
  };
  /** Platforms, of `web`, `mobile` and `tv`, on which alone it may, or may not, be shown. */
  readonly platform?: {
    readonly relationship: "allow" | "deny";
    readonly values: readonly string[];
  };
  /** Whether only subscribers can watch it. */
  readonly requiresSubscription?: boolean;
  /** Uploader of the video, and the URL of a page about the uploader. */
  readonly uploader?: { readonly name: string; readonly info?: string };
  /** Whether it is a live stream. */
  readonly live?: boolean;
  /** Tags, one for each `video:tag`. */
  readonly tags?: readonly string[];
  /** URL and title of the gallery that contains the video. */
  readonly gallery?: { readonly loc: string; readonly title?: string };
  /** Prices by currency (ISO 4217), `rent` or `purchase`, and resolution (`HD` or `SD`). */
  readonly prices?: readonly {
    readonly amount: number;
    readonly currency: string;
    readonly type?: string;
    readonly resolution?: string;
  }[];
}

/**
 * Page of a sitemap: plain data. Absent fields are absent.
 *
 * @example
 * ```ts
 * import type { SitemapPage } from "@sitetree/sitetree";
 * import { assert } from "@std/assert";
 *
 * const page: SitemapPage = { url: "https://example.com/", lastModified: "2024-05-01" };
 * assert(page.lastModified! >= "2024-05" && page.lastModified! < "2024-06");
 * ```
 */
export interface SitemapPage {
  /** URL of the page, as the sitemap writes it. */
  readonly url: string;
  /**
   * Date of the last change: `2024`, `2024-05`, `2024-05-01` or `2024-05-01T12:00:30.000Z`. Dates
   * compare as strings, a less precise one sorts before everything in it, and `new Date()` reads them.
   */
  readonly lastModified?: string;
  /** How often the page changes, by its sitemap. */
  readonly changeFrequency?: ChangeFrequency;
  /** Priority from 0 to 1, if the sitemap has a readable one; the protocol's default is 0.5. */
  readonly priority?: number;
  /** News story, by the news extension or a feed. */
  readonly newsStory?: NewsStory;
  /** Images on the page, by the image extension. */
  readonly images?: readonly SitemapImage[];
  /** Videos on the page, by the video extension. */
  readonly videos?: readonly SitemapVideo[];
  /** The page in other languages, by `xhtml:link`. */
  readonly alternates?: readonly {
    /** Language and region, or `x-default`. */
    readonly hreflang: string;
    /** URL of the page in that language. */
    readonly href: string;
  }[];
}

export const DEFAULT_PRIORITY = 0.5;

export type SitemapAlternate = NonNullable<SitemapPage["alternates"]>[number];

export type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export type PageValues = {
  readonly [K in Exclude<keyof SitemapPage, "url">]?: SitemapPage[K] | undefined;
};

export function definePage(url: string, values: PageValues): SitemapPage {
  const { lastModified, changeFrequency, priority } = values;
  const page: Mutable<SitemapPage> = { url };
  if (lastModified !== undefined) page.lastModified = lastModified;
  if (changeFrequency !== undefined) page.changeFrequency = changeFrequency;
  if (priority !== undefined) page.priority = priority;
  if (hasExtensions(values)) assignExtensions(page, values);
  return page;
}

export function hasExtensions(page: PageValues): boolean {
  return page.newsStory !== undefined || page.images !== undefined ||
    page.videos !== undefined || page.alternates !== undefined;
}

function assignExtensions(
  page: Mutable<SitemapPage>,
  { newsStory, images, videos, alternates }: PageValues,
): void {
  if (newsStory !== undefined) page.newsStory = newsStory;
  if (images !== undefined) page.images = images;
  if (videos !== undefined) page.videos = videos;
  if (alternates !== undefined) page.alternates = alternates;
}
