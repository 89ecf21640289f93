/**
 * Pages as rows of a snapshot, and how they are compared.
 *
 * @module
 */

import { timeOfDate } from "../data/date.ts";
import {
  type ChangeFrequency,
  DEFAULT_PRIORITY,
  hasExtensions,
  type SitemapPage,
} from "../data/page.ts";

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
  const { url, lastModified, priority, changeFrequency, ...extensions } = page;
  return {
    url,
    lastmod: lastModified ?? null,
    priority: priority ?? null,
    changefreq: changeFrequency ?? null,
    extensions: hasExtensions(page) ? JSON.stringify(extensions) : null,
  };
}

/** Returns the page of a row. */
export function pageOf(url: string, values: StoredValues): SitemapPage {
  const { lastmod, priority, changefreq, extensions } = values;
  return {
    url,
    ...(lastmod !== null && { lastModified: lastmod }),
    ...(changefreq !== null && { changeFrequency: changefreq }),
    ...(priority !== null && { priority }),
    ...(extensions !== null && JSON.parse(extensions)),
  };
}

/** Whether two pages have the same values. An absent priority equals the default. */
export function sameValues(one: StoredValues, other: StoredValues): boolean {
  return (one.priority ?? DEFAULT_PRIORITY) === (other.priority ?? DEFAULT_PRIORITY) &&
    one.changefreq === other.changefreq &&
    (one.lastmod === other.lastmod || isSameTime(one.lastmod, other.lastmod)) &&
    one.extensions === other.extensions;
}

/** Whether dates are the same instant, perhaps at another precision. */
function isSameTime(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && timeOfDate(one) === timeOfDate(other);
}
