/**
 * A page as text: `2024-05-01,0.8,daily,https://example.com/`, or JSON.
 *
 * @module
 */

import { type ChangeFrequency, definePage, type SitemapPage } from "./page.ts";
import { CHANGE_FREQUENCIES } from "./page_schema.ts";

/** Texts of priorities, without and with one of the frequencies. */
const HINTS: ReadonlyMap<ChangeFrequency | undefined, Map<number | undefined, string>> = new Map(
  [undefined, ...CHANGE_FREQUENCIES].map((frequency) => [frequency, new Map()]),
);
const MAX_HINTS = 100;

/** Returns what is before the URL in the record of a page without extensions. */
export function valuesText({ lastModified, priority, changeFrequency }: SitemapPage): string {
  const texts = HINTS.get(changeFrequency);
  let text = texts?.get(priority);
  if (text === undefined) {
    text = `,${priority ?? ""},${changeFrequency ?? ""},`;
    if (texts !== undefined && texts.size < MAX_HINTS) texts.set(priority, text);
  }
  return lastModified === undefined ? text : lastModified + text;
}

export function readRecord(record: string): SitemapPage {
  if (record.startsWith("{")) {
    const page: SitemapPage = JSON.parse(record);
    return definePage(page.url, page);
  }
  const date = record.indexOf(",");
  const priority = record.indexOf(",", date + 1);
  const frequency = record.indexOf(",", priority + 1);
  return definePage(record.slice(frequency + 1), {
    lastModified: date === 0 ? undefined : record.slice(0, date),
    priority: priority === date + 1 ? undefined : Number(record.slice(date + 1, priority)),
    changeFrequency: frequency === priority + 1
      ? undefined
      : record.slice(priority + 1, frequency) as ChangeFrequency,
  });
}
