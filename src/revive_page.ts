/**
 * Pages that went through JSON become pages again.
 *
 * @module
 */

import { type ChangeFrequency, SitemapPage, type SitemapPageFields } from "./page.ts";
import {
  type Check,
  checkList,
  checkRecord,
  checkThat,
  type Fault,
  FLAG,
  NUMBER,
  TEXT,
} from "./fault.ts";

const FREQUENCIES: Readonly<Record<ChangeFrequency, true>> = {
  always: true,
  hourly: true,
  daily: true,
  weekly: true,
  monthly: true,
  yearly: true,
  never: true,
};

const TEXTS = checkList(TEXT);
/** Whatever `new Date()` makes a date of. */
const TIME = checkThat((value) =>
  (typeof value === "string" || typeof value === "number" || value instanceof Date) &&
  !Number.isNaN(new Date(value).getTime())
);

const RESTRICTION = checkRecord({
  relationship: checkThat((value) => value === "allow" || value === "deny"),
  values: TEXTS,
});

const VIDEO = checkRecord({}, {
  thumbnailLoc: TEXT,
  title: TEXT,
  description: TEXT,
  contentLoc: TEXT,
  playerLoc: TEXT,
  duration: NUMBER,
  expirationDate: TIME,
  rating: NUMBER,
  viewCount: NUMBER,
  publicationDate: TIME,
  familyFriendly: FLAG,
  restriction: RESTRICTION,
  platform: RESTRICTION,
  requiresSubscription: FLAG,
  uploader: checkRecord({ name: TEXT }, { info: TEXT }),
  live: FLAG,
  tags: TEXTS,
});

/** Checks what a page of `toJSON()` must be like. */
export const checkPage: Check = checkRecord({ url: TEXT }, {
  priority: NUMBER,
  lastModified: TIME,
  changeFrequency: checkThat((value) =>
    typeof value === "string" && Object.hasOwn(FREQUENCIES, value)
  ),
  newsStory: checkRecord({ title: TEXT }, {
    publishDate: TIME,
    publicationName: TEXT,
    publicationLanguage: TEXT,
    access: TEXT,
    genres: TEXTS,
    keywords: TEXTS,
    stockTickers: TEXTS,
  }),
  images: checkList(checkRecord({ loc: TEXT }, {
    caption: TEXT,
    geoLocation: TEXT,
    title: TEXT,
    license: TEXT,
  })),
  videos: checkList(VIDEO),
  alternates: checkList(checkRecord({ hreflang: TEXT, href: TEXT })),
});

/**
 * A page of what its `toJSON()` wrote; a page stays what it is.
 *
 * @param value The page, or its plain data.
 * @param error Makes what is thrown if the data is not that of a page.
 */
export function revivePage(value: unknown, error: (fault: Fault) => TypeError): SitemapPage {
  if (value instanceof SitemapPage) return value;
  const fault = checkPage(value);
  if (fault !== undefined) throw error(fault);
  return new SitemapPage(value as SitemapPageFields);
}
