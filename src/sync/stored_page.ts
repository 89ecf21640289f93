/**
 * Pages of a snapshot, and how they are compared.
 *
 * @module
 */

import { timeOfDate } from "../data/date.ts";
import { DEFAULT_PRIORITY } from "../data/page.ts";
import { isRecord } from "../data/page_json.ts";
import type { ListedPage, StoredValues } from "../data/page_row.ts";

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

/** Whether two pages have the same values. An absent priority equals the default. */
export function sameValues(one: StoredValues, other: StoredValues): boolean {
  return (one.priority ?? DEFAULT_PRIORITY) === (other.priority ?? DEFAULT_PRIORITY) &&
    one.changefreq === other.changefreq &&
    (one.lastmod === other.lastmod || isSameTime(one.lastmod, other.lastmod)) &&
    (one.extensions === other.extensions || canonical(one) === canonical(other));
}

/** Whether dates are the same instant, perhaps at another precision. */
function isSameTime(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && timeOfDate(one) === timeOfDate(other);
}

/** Returns extensions as JSON in which the order of elements in their sitemap does not matter. */
function canonical({ extensions }: StoredValues): string {
  return JSON.stringify(
    JSON.parse(extensions ?? "null"),
    (_key, value) => isRecord(value) ? Object.fromEntries(Object.entries(value).sort()) : value,
  );
}
