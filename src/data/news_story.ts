/**
 * What the news extension or a feed says about a page.
 *
 * @module
 */

import { type DatePrecision, precisionOf, TO_TIME } from "./calendar.ts";
import { inspectAs, shownDate } from "./inspect.ts";
import { isoDate } from "./date.ts";
import { type Time, toDate, toMilliseconds } from "./calendar.ts";

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

const NO_STRINGS: readonly string[] = Object.freeze([]);

/** Reads the private precision of a story; set by its class. */
let readPrecision: (story: NewsStory) => DatePrecision;

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
  readonly #precision: DatePrecision;

  static {
    readPrecision = (story) => #precision in story ? story.#precision : TO_TIME;
    inspectAs(this, "NewsStory", describeStory);
  }

  /** Makes a story of its fields. */
  constructor(fields: NewsStoryFields);
  constructor(
    fields: NewsStoryFields,
    precision: DatePrecision = precisionOf(fields.publishDate),
  ) {
    this.#precision = precision;
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

/** The constructor as parsers and stores call it. */
const PreciseStory = NewsStory as new (
  fields: NewsStoryFields,
  precision: DatePrecision,
) => NewsStory;

/** Makes a story whose date has the given precision. */
export function createStory(fields: NewsStoryFields, precision: DatePrecision): NewsStory {
  return new PreciseStory(fields, precision);
}

/** Returns the precision of the date of a story. */
export function publishPrecision(story: NewsStory): DatePrecision {
  return readPrecision(story);
}

function storyToJson(story: NewsStory): NewsStoryFields {
  const { title, publishTime, ...rest } = story;
  return {
    title,
    ...(publishTime === undefined ? {} : { publishDate: isoDate(publishTime) }),
    ...rest,
  };
}

function describeStory(story: NewsStory): object {
  const { title, publishTime, ...rest } = story;
  const lists = Object.entries(rest).filter(([, value]) => value.length > 0);
  return {
    title,
    ...(publishTime === undefined
      ? {}
      : { publishDate: shownDate(publishTime, readPrecision(story)) }),
    ...Object.fromEntries(lists),
  };
}
