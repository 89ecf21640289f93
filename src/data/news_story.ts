/**
 * News story of a page, by the news extension or a feed.
 *
 * @module
 */

import { toDate, toMilliseconds } from "./calendar.ts";
import { isoDate } from "./date.ts";
import { inspectAs, shownDate } from "./inspect.ts";
import {
  dateFlags,
  defineFlags,
  NEWS_STORY,
  type NewsStoryFields,
  plainFields,
} from "./page_schema.ts";

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
  declare readonly title: string;
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
    defineFlags<NewsStory>(this, (story, flags) => {
      if (!(#flags in story)) return undefined;
      return flags === undefined ? story.#flags : story.#flags = flags;
    });
    inspectAs(this, "NewsStory", (story) => {
      const fields = Object.entries(plainFields(story, NEWS_STORY, shownDate));
      return Object.fromEntries(fields.filter(([, value]) => value !== NO_STRINGS));
    });
  }

  /** Creates a story from its fields. */
  constructor(fields: NewsStoryFields);
  constructor(fields: NewsStoryFields, flags: number = dateFlags(fields, NEWS_STORY)) {
    this.#flags = flags;
    const { title, publishDate } = fields;
    // every story of a feed has these and no others
    if (title !== undefined) this.title = title;
    if (publishDate !== undefined) {
      const publishTime = toMilliseconds(publishDate);
      if (publishTime === publishTime) this.publishTime = publishTime;
    }
    for (const name in fields) {
      if (name !== "title" && name !== "publishDate") {
        const value = fields[name as keyof NewsStoryFields];
        if (value !== undefined) (this as unknown as Record<string, unknown>)[name] = value;
      }
    }
  }

  /** Date of publication; a new `Date` at each call. */
  get publishDate(): Date | undefined {
    return toDate(this.publishTime);
  }

  /** Returns the story as plain data, dates as ISO strings. */
  toJSON(): NewsStoryFields {
    return plainFields<NewsStoryFields>(this, NEWS_STORY, (time) => isoDate(time));
  }
}

/** The constructor with its internal parameter. */
const FlaggedStory = NewsStory as new (fields: NewsStoryFields, flags: number) => NewsStory;

/** Creates a story whose date has the precision in `flags`. */
export function createStory(fields: NewsStoryFields, flags: number): NewsStory {
  return new FlaggedStory(fields, flags);
}
