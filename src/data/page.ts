/**
 * Page of a sitemap, with its extensions.
 *
 * Pages keep dates as milliseconds since 1970 and create a `Date` when one is asked for. Spreading a
 * page (`{ ...page }`) therefore loses its dates; `toJSON()` keeps them as ISO strings.
 *
 * Private flags record whether the priority was given and how precise the date is, for the writers.
 *
 * @module
 */

import { toDate, toMilliseconds } from "./calendar.ts";
import { isoDate } from "./date.ts";
import { inspectAs, shownDate } from "./inspect.ts";
import { createStory, NewsStory } from "./news_story.ts";
import {
  type ChangeFrequency,
  type Data,
  dateFlags,
  defineFlags,
  EXTENSIONS,
  type Field,
  flagsIn,
  type NewsStoryFields,
  PAGE,
  plainFields,
  type SitemapAlternate,
  type SitemapImage,
  type SitemapPageFields,
  type SitemapVideoFields,
} from "./page_schema.ts";
import { createVideo, SitemapVideo } from "./sitemap_video.ts";

/** Priority of a page that gives none. */
export const DEFAULT_PRIORITY = 0.5;

/** Flag of a page whose priority was given; the precision of its date is in the lower bits. */
export const PRIORITY_GIVEN = 4;

/** Flag of a page without extensions. */
export const PLAIN = 8;

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
    defineFlags<SitemapPage>(this, (page) => #flags in page ? page.#flags : undefined);
    inspectAs(this, "SitemapPage", (page) => {
      const { priority, ...rest } = plainFields(page, PAGE, shownDate);
      const { url, ...others } = rest;
      return isPriorityGiven(page) ? { url, priority, ...others } : rest;
    });
  }

  /** Creates a page from its fields, also from those that `toJSON()` wrote. */
  constructor(fields: SitemapPageFields);
  constructor(fields: SitemapPageFields, flags: number = flagsOf(fields)) {
    this.url = fields.url;
    this.priority = fields.priority ?? DEFAULT_PRIORITY;
    const { lastModified } = fields;
    // the reader gives numbers, which need no call
    const lastModifiedTime = typeof lastModified === "number"
      ? lastModified
      : toMilliseconds(lastModified);
    if (lastModifiedTime === lastModifiedTime) this.lastModifiedTime = lastModifiedTime;
    if (fields.changeFrequency !== undefined) this.changeFrequency = fields.changeFrequency;
    const isPlain = (flags & PLAIN) !== 0 || !assignExtensions(this, fields);
    this.#flags = isPlain ? flags | PLAIN : flags;
  }

  /** Date of the last change; a new `Date` at each call. */
  get lastModified(): Date | undefined {
    return toDate(this.lastModifiedTime);
  }

  /** Returns the page as plain data, dates as ISO strings. */
  toJSON(): SitemapPageFields {
    const fields = plainFields<Record<string, unknown>>(this, PAGE, (time) => isoDate(time));
    for (const { name } of EXTENSIONS) {
      if (fields[name] !== undefined) fields[name] = mapRecords(fields[name], toPlain);
    }
    return fields as unknown as SitemapPageFields;
  }
}

/** The constructor with its internal parameter. */
const FlaggedPage = SitemapPage as new (fields: SitemapPageFields, flags: number) => SitemapPage;

/** Creates a page with the precision of its date, {@linkcode PRIORITY_GIVEN} and {@linkcode PLAIN}. */
export function createPage(fields: SitemapPageFields, flags: number): SitemapPage {
  return new FlaggedPage(fields, flags);
}

/** Creates the value of an extension from its fields; `flags` hold the precision of its dates. */
export function createExtension({ name }: Field, fields: object, flags: number): object {
  if (name === "newsStory") return createStory(fields as NewsStoryFields, flags);
  return name === "videos" ? createVideo(fields, flags) : fields;
}

/** Creates the value of an extension for the reader to fill. */
export function emptyExtension(field: Field): Record<string, unknown> {
  return createExtension(field, {}, 0) as Record<string, unknown>;
}

/** Whether the priority of a page was given. */
export function isPriorityGiven(page: SitemapPage): boolean {
  return ((flagsIn(page) ?? flagsOf(page)) & PRIORITY_GIVEN) !== 0;
}

/** Returns the extensions that a page has. */
export function extensionsOf(page: SitemapPage): readonly Field[] {
  if ((flagsIn(page) ?? 0) & PLAIN) return NO_EXTENSIONS;
  return EXTENSIONS.filter(({ name }) => (page as unknown as Data)[name] !== undefined);
}

const NO_EXTENSIONS: readonly Field[] = [];
const EXTENSION_NAMES = EXTENSIONS.map(({ name }) => name);

function flagsOf(fields: SitemapPageFields): number {
  return (fields.priority === undefined ? 0 : PRIORITY_GIVEN) | dateFlags(fields, PAGE);
}

/** Assigns the extensions among the fields; returns whether there are any. */
function assignExtensions(page: SitemapPage, fields: SitemapPageFields): boolean {
  let isExtended = false;
  for (const name of EXTENSION_NAMES) {
    const value = (fields as unknown as Data)[name];
    if (value === undefined) continue;
    (page as unknown as Record<string, unknown>)[name] = revive(name, value);
    isExtended = true;
  }
  return isExtended;
}

function revive(name: string, value: unknown): unknown {
  if (name === "newsStory") {
    return value instanceof NewsStory ? value : new NewsStory(value as NewsStoryFields);
  }
  if (name !== "videos") return value;
  return (value as readonly SitemapVideoFields[]).map((video) =>
    video instanceof SitemapVideo ? video : new SitemapVideo(video)
  );
}

/** Calls a function for a record, or for each record of a list. */
function mapRecords(value: unknown, change: (record: unknown) => unknown): unknown {
  return Array.isArray(value) ? value.map(change) : change(value);
}

function toPlain(record: unknown): unknown {
  return record instanceof NewsStory || record instanceof SitemapVideo ? record.toJSON() : record;
}
