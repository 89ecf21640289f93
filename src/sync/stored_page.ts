/**
 * Pages as rows of a snapshot, and how they are compared.
 *
 * @module
 */

import { toMilliseconds } from "../data/calendar.ts";
import { isoDate } from "../data/date.ts";
import { DEFAULT_PRIORITY, isPriorityGiven, SitemapPage } from "../data/page.ts";
import {
  type ChangeFrequency,
  LAST_MODIFIED,
  precisionAt,
  type SitemapPageFields,
} from "../data/page_schema.ts";
import { extensionsToJsonText } from "../write/ndjson.ts";

/** Values of a page that may change, as columns. */
export interface StoredValues {
  /** Date at the precision that was given. */
  readonly lastmod: string | null;
  /** NULL unless given. */
  readonly priority: number | null;
  /** NULL unless given. */
  readonly changefreq: ChangeFrequency | null;
  /** JSON of news story, images, videos and alternates; NULL if there are none. */
  readonly extensions: string | null;
}

/** A page as a sitemap lists it. */
export interface ListedPage extends StoredValues {
  /** Its URL. */
  readonly url: string;
}

/** A row of the table `page`. */
export interface StoredPage extends ListedPage {
  /** Its number. */
  readonly id: number;
  /** Id of the first sitemap that lists it. */
  readonly sitemap: number;
  /** Run in which it was added. */
  readonly added: number;
  /** Run that gave it these values. */
  readonly changed: number;
  /** Run in which its sitemap dropped it. */
  readonly dropped: number | null;
}

/** Returns a page as columns. */
export function listedPage(page: SitemapPage): ListedPage {
  const { url, lastModifiedTime, changeFrequency } = page;
  const extensions = extensionsToJsonText(page);
  return {
    url,
    lastmod: lastModifiedTime === undefined
      ? null
      : isoDate(lastModifiedTime, precisionAt(page, LAST_MODIFIED)),
    priority: isPriorityGiven(page) ? page.priority : null,
    changefreq: changeFrequency ?? null,
    extensions: extensions === "" ? null : `{${extensions.slice(1)}}`,
  };
}

/** Returns the page of a row. */
export function pageOf(url: string, values: StoredValues): SitemapPage {
  return new SitemapPage(fieldsOf(url, values));
}

/** Returns the fields of the page of a row. */
export function fieldsOf(url: string, values: StoredValues): SitemapPageFields {
  const { lastmod, priority, changefreq, extensions } = values;
  return {
    url,
    ...(priority !== null && { priority }),
    ...(lastmod !== null && { lastModified: lastmod }),
    ...(changefreq !== null && { changeFrequency: changefreq }),
    ...(extensions !== null && JSON.parse(extensions)),
  };
}

/** Whether two pages have the same values. An absent priority equals the default. */
export function sameValues(one: StoredValues, other: StoredValues): boolean {
  return (one.priority ?? DEFAULT_PRIORITY) === (other.priority ?? DEFAULT_PRIORITY) &&
    one.changefreq === other.changefreq &&
    (one.lastmod === other.lastmod || isSameTime(one.lastmod, other.lastmod)) &&
    (one.extensions === other.extensions || isSameExtensions(one, other));
}

/** Whether dates are the same instant, perhaps at another precision. */
function isSameTime(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && toMilliseconds(one) === toMilliseconds(other);
}

function isSameExtensions(one: StoredValues, other: StoredValues): boolean {
  if (one.extensions === null || other.extensions === null) return false;
  return extensionsJson(one) === extensionsJson(other);
}

/** Returns extensions as JSON with full dates. */
function extensionsJson({ extensions }: StoredValues): string {
  const values = { lastmod: null, priority: null, changefreq: null, extensions };
  return JSON.stringify(pageOf("", values));
}
