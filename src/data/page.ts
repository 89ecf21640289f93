/**
 * Page of a sitemap, with its news story and videos.
 *
 * Pages, stories and videos keep dates as milliseconds since 1970 and create a `Date` when one is asked
 * for. Spreading one (`{ ...page }`) therefore loses its dates; `toJSON()` keeps them as ISO strings.
 *
 * Private flags record whether the priority was given and how precise the dates are, for the writers.
 *
 * @module
 */

import { toDate, toMilliseconds } from "./calendar.ts";
import { isoDate } from "./date.ts";
import { inspectAs, shownDate } from "./inspect.ts";
import {
  assignFields,
  type ChangeFrequency,
  dateFlags,
  defineFlags,
  type Field,
  flagsIn,
  NEWS_STORY,
  type NewsStoryFields,
  PAGE,
  plainFields,
  type SitemapAlternate,
  type SitemapImage,
  type SitemapPageFields,
  type SitemapVideoFields,
  VIDEO,
} from "./page_schema.ts";

/** Priority of a page that gives none. */
export const DEFAULT_PRIORITY = 0.5;

/** Flag of a page whose priority was given; the precision of its date is in the lower bits. */
export const PRIORITY_GIVEN = 4;

/**
 * Page of a sitemap. Absent fields are absent.
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
  /** URL of the page, as the sitemap writes it. */
  readonly url: string;
  /** Priority from 0 to 1; 0.5 unless given. */
  readonly priority: number;
  /** Time of the last change in milliseconds since 1970; absent if unknown. */
  declare readonly lastModifiedTime?: number;
  /** Change frequency. */
  declare readonly changeFrequency?: ChangeFrequency;
  /** News story, by the news extension or a feed. */
  declare readonly newsStory?: NewsStory;
  /** Images on the page. */
  declare readonly images?: readonly SitemapImage[];
  /** Videos on the page. */
  declare readonly videos?: readonly SitemapVideo[];
  /** The page in other languages. */
  declare readonly alternates?: readonly SitemapAlternate[];
  readonly #flags: number;

  static {
    defineFlags<SitemapPage>(this, function () {
      return #flags in this ? this.#flags : undefined;
    });
    inspectAs(this, "SitemapPage", (page) => {
      const fields = plainFields<SitemapPageFields>(page, PAGE, shownDate);
      const { priority: _, ...others } = fields;
      return isPriorityGiven(page) ? fields : others;
    });
  }

  /** Creates a page from its fields, also from those that `toJSON()` wrote. */
  constructor(fields: SitemapPageFields);
  constructor(
    fields: SitemapPageFields,
    flags: number = flagsOf(fields),
    url: string = fields.url,
  ) {
    this.#flags = flags;
    this.url = url;
    this.priority = fields.priority ?? DEFAULT_PRIORITY;
    const { lastModified } = fields;
    // the reader gives numbers, which need no call
    const lastModifiedTime = typeof lastModified === "number"
      ? lastModified
      : toMilliseconds(lastModified);
    if (lastModifiedTime === lastModifiedTime) this.lastModifiedTime = lastModifiedTime;
    if (fields.changeFrequency !== undefined) this.changeFrequency = fields.changeFrequency;
    if (hasExtensions(fields)) assignExtensions(this, fields);
  }

  /** Date of the last change; a new `Date` at each call. */
  get lastModified(): Date | undefined {
    return toDate(this.lastModifiedTime);
  }

  /** Returns the page as plain data, dates as ISO strings. */
  toJSON(): SitemapPageFields {
    const { newsStory, videos } = this;
    return {
      ...plainFields<SitemapPageFields>(this, PAGE, isoTime),
      ...(newsStory && { newsStory: newsStory.toJSON() }),
      ...(videos && { videos: videos.map((video) => video.toJSON()) }),
    };
  }
}

const NO_STRINGS: readonly string[] = Object.freeze([]);

/**
 * News story of a page: by the news extension, an RSS item or an Atom entry.
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
  readonly title!: string;
  /** Time of publication in milliseconds since 1970; absent if unknown. */
  declare readonly publishTime?: number;
  /** Name of the publication. */
  declare readonly publicationName?: string;
  /** Language of the publication. */
  declare readonly publicationLanguage?: string;
  /** `Subscription` or `Registration` if access is restricted. */
  declare readonly access?: string;
  /** Genres, such as `PressRelease`. */
  readonly genres: readonly string[] = NO_STRINGS;
  /** Keywords. */
  readonly keywords: readonly string[] = NO_STRINGS;
  /** Stock tickers, such as `NASDAQ:AMAT`. */
  readonly stockTickers: readonly string[] = NO_STRINGS;
  #flags: number;

  static {
    defineFlags<NewsStory>(this, function (flags) {
      if (!(#flags in this)) return undefined;
      return flags === undefined ? this.#flags : this.#flags = flags;
    });
    inspectAs(this, "NewsStory", (story) => {
      const fields = Object.entries(plainFields<object>(story, NEWS_STORY, shownDate));
      return Object.fromEntries(
        fields.filter(([, value]) => value !== NO_STRINGS),
      );
    });
  }

  /** Creates a story from its fields. */
  constructor(fields: NewsStoryFields);
  constructor(fields: NewsStoryFields, flags: number = dateFlags(fields, NEWS_STORY)) {
    this.#flags = flags;
    assignFields(this, fields, NEWS_STORY);
  }

  /** Date of publication; a new `Date` at each call. */
  get publishDate(): Date | undefined {
    return toDate(this.publishTime);
  }

  /** Returns the story as plain data, dates as ISO strings. */
  toJSON(): NewsStoryFields {
    return plainFields(this, NEWS_STORY, isoTime);
  }
}

/** Fields of a video, with its dates in milliseconds since 1970. */
export interface SitemapVideo
  extends Readonly<Omit<SitemapVideoFields, "expirationDate" | "publicationDate">> {
  /** Time after which it is unavailable, in milliseconds since 1970. */
  readonly expirationTime?: number;
  /** Time of publication in milliseconds since 1970. */
  readonly publicationTime?: number;
}

/**
 * Video of a page, by the video extension.
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
  #flags: number;

  static {
    defineFlags<SitemapVideo>(this, function (flags) {
      if (!(#flags in this)) return undefined;
      return flags === undefined ? this.#flags : this.#flags = flags;
    });
    inspectAs(this, "SitemapVideo", (video) => plainFields(video, VIDEO, shownDate));
  }

  /** Creates a video from its fields. */
  constructor(fields: SitemapVideoFields);
  constructor(fields: SitemapVideoFields, flags: number = dateFlags(fields, VIDEO)) {
    this.#flags = flags;
    assignFields(this, fields, VIDEO);
  }

  /** Date after which it is unavailable; a new `Date` at each call. */
  get expirationDate(): Date | undefined {
    return toDate(this.expirationTime);
  }

  /** Date of publication; a new `Date` at each call. */
  get publicationDate(): Date | undefined {
    return toDate(this.publicationTime);
  }

  /** Returns the video as plain data, dates as ISO strings. */
  toJSON(): SitemapVideoFields {
    return plainFields(this, VIDEO, isoTime);
  }
}

/** A class whose constructor takes flags, which its declaration hides. */
type Flagged<Fields, Instance> = new (fields: Fields, flags: number) => Instance;

/** The type without `readonly`, for an object that is being filled. */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Fields of a page without its URL. */
export type PageValues = Omit<SitemapPageFields, "url">;

const FlaggedPage = SitemapPage as new (fields: object, flags: number, url: string) => SitemapPage;

/** Creates a page with the precision of its date and {@linkcode PRIORITY_GIVEN}. */
export function createPage(url: string, fields: PageValues, flags: number): SitemapPage {
  return new FlaggedPage(fields, flags, url);
}

/** Creates a story whose date has the precision in `flags`. */
export function createStory(fields: NewsStoryFields, flags: number): NewsStory {
  return new (NewsStory as Flagged<NewsStoryFields, NewsStory>)(fields, flags);
}

/** Creates the value of an extension from its fields; `flags` hold the precision of its dates. */
export function createExtension({ name }: Field, fields: object, flags: number): object {
  if (name === "newsStory") return createStory(fields as NewsStoryFields, flags);
  if (name !== "videos") return fields;
  return new (SitemapVideo as Flagged<SitemapVideoFields, SitemapVideo>)(fields, flags);
}

/** Whether a page has fields other than those of the sitemap protocol itself. */
export function hasExtensions(page: SitemapPage | SitemapPageFields): boolean {
  return page.newsStory !== undefined || page.images !== undefined ||
    page.videos !== undefined || page.alternates !== undefined;
}

function assignExtensions(
  page: Mutable<SitemapPage>,
  { newsStory, images, videos, alternates }: SitemapPageFields,
): void {
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

/** Returns the precision of the date of a page, and {@linkcode PRIORITY_GIVEN}. */
export function pageFlags(page: SitemapPage): number {
  return flagsIn(page) ?? flagsOf(page);
}

/** Whether the priority of a page was given. */
export function isPriorityGiven(page: SitemapPage): boolean {
  return (pageFlags(page) & PRIORITY_GIVEN) !== 0;
}

function flagsOf(fields: SitemapPageFields): number {
  return (fields.priority === undefined ? 0 : PRIORITY_GIVEN) | dateFlags(fields, PAGE);
}

function isoTime(time: number): string {
  return isoDate(time);
}
