/**
 * Checks of data that came from JSON: each tells the first place that is not as it should be.
 *
 * @module
 */

import { type ChangeFrequency, SitemapPage, type SitemapPageFields } from "./page.ts";
import { excerpt } from "./text.ts";

/** A value that is not as it should be, and the way to it from where the check began. */
export interface Fault {
  /** The way to the value, such as `images[2].loc`; empty for where the check began. */
  readonly path: string;
  /** The value. */
  readonly value: unknown;
}

/** Looks at a value and returns what is wrong with it, if anything is. */
export type Check = (value: unknown) => Fault | undefined;

const MAX_SHOWN_LENGTH = 60;

/** A check by a predicate. */
export function checkThat(holds: (value: unknown) => boolean): Check {
  return (value) => holds(value) ? undefined : { path: "", value };
}

/** A check that the value is a string. */
export const TEXT: Check = checkThat((value) => typeof value === "string");

/** A check that the value is a number. */
export const NUMBER: Check = checkThat((value) => typeof value === "number");

/** A check that the value is a boolean. */
export const FLAG: Check = checkThat((value) => typeof value === "boolean");

/** A check that the value is an array of items that each pass. */
export function checkList(item: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return { path: "", value };
    for (const [index, member] of value.entries()) {
      const fault = item(member);
      if (fault !== undefined) return within(`[${index}]`, fault);
    }
    return undefined;
  };
}

/**
 * A check that the value is an object whose `required` and, where they are there, `optional` fields
 * pass. Other fields may be there: a later version may have written them.
 */
export function checkRecord(
  required: Readonly<Record<string, Check>>,
  optional: Readonly<Record<string, Check>> = {},
): Check {
  return (value) => {
    if (!isRecord(value)) return { path: "", value };
    return checkFields(value, required, true) ?? checkFields(value, optional, false);
  };
}

function checkFields(
  value: Readonly<Record<string, unknown>>,
  checks: Readonly<Record<string, Check>>,
  required: boolean,
): Fault | undefined {
  for (const name in checks) {
    const field = value[name];
    if (field === undefined && !required) continue;
    const fault = checks[name]!(field);
    if (fault !== undefined) return within(name, fault);
  }
  return undefined;
}

/** Whether a value is an object with fields. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The same fault, seen from one step further out. */
export function within(step: string, { path, value }: Fault): Fault {
  const joint = path === "" || path.startsWith("[") ? "" : ".";
  return { path: `${step}${joint}${path}`, value };
}

/** The error that tells a fault. `failure` says what failed, such as `Cannot load sitemap`. */
export function faultError(failure: string, fault: Fault): TypeError {
  return new TypeError(`${failure}: ${faultText(fault)}`);
}

/** Describes a fault, such as `"images[2].loc" is null`. */
export function faultText({ path, value }: Fault): string {
  const place = path === "" ? "the value" : `"${excerpt(path)}"`;
  return `${place} is ${show(value)}`;
}

/** Shows a value in a message, shortened. */
export function show(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value === "function") return "a function";
  if (typeof value !== "string") return String(value);
  const shown = JSON.stringify(value);
  return shown.length > MAX_SHOWN_LENGTH ? `${shown.slice(0, MAX_SHOWN_LENGTH)}…"` : shown;
}

// MERGED: Pages that went through JSON become pages again.

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
