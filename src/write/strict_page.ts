/**
 * Addresses as a sitemap may list them.
 *
 * @module
 */

import { type DatePrecision, TO_DAY } from "../data/calendar.ts";
import { createStory, type NewsStory, publishPrecision } from "../data/news_story.ts";
import {
  createPage,
  isPriorityGiven,
  lastModifiedPrecision,
  PRIORITY_GIVEN,
  type SitemapAlternate,
  type SitemapImage,
  type SitemapPage,
} from "../data/page.ts";
import {
  createVideo,
  expirationPrecision,
  packPrecision,
  publicationPrecision,
  type SitemapVideo,
  type VideoRestriction,
  type VideoUploader,
} from "../data/sitemap_video.ts";
import { trimSpace } from "../data/url.ts";
import { xmlText } from "./xml.ts";

/** The protocol: less than 2,048 characters. */
const MAX_LENGTH = 2047;

/** Characters of a URI of RFC 3986, and letters and digits that IRIs of RFC 3987 have besides. */
const NAME = String.raw`[\p{L}\p{M}\p{N}\-._~!$&'()*+,;=]|%[\da-f]{2}`;
const REST = String.raw`${NAME}|[:@/?]`;

/** An http(s) URL in which nothing has to be encoded, with a name for its host. */
const PLAIN_REGEXP = new RegExp(
  `^https?://(?:(?:${NAME}|:)*@)?(?:${NAME})+(?::\\d+)?(?:[/?](?:${REST})*)?(?:#(?:${REST})*)?$`,
  "iu",
);

/** What the URL parser leaves as it is and a URI cannot hold. */
const NOT_IN_URIS_REGEXP = /[[\]|\\^{}`]|%(?![\da-f]{2})/gi;

/**
 * An address that the schema of sitemaps takes, with the meaning of the one given: as it is if it
 * can stand so, else parsed and percent-encoded.
 *
 * @returns `undefined` for what is no http(s) URL, and for one that is too long.
 */
export function validAddress(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  const valid = PLAIN_REGEXP.test(address) ? address : encoded(url);
  return valid.length > MAX_LENGTH ? undefined : valid;
}

/** The parser has dealt with the host, which may have brackets, and with most of the rest. */
function encoded({ href, protocol, host }: URL): string {
  const authority = protocol.length + 2;
  const path = href.indexOf("/", authority);
  const userInfo = encodeRest(href.slice(authority, path - host.length));
  const rest = encodeRest(href.slice(path));
  const fragment = rest.indexOf("#") + 1;
  return `${protocol}//${userInfo}${host}` +
    (fragment === 0 ? rest : rest.slice(0, fragment) + rest.slice(fragment).replaceAll("#", "%23"));
}

function encodeRest(text: string): string {
  return text.replace(NOT_IN_URIS_REGEXP, encodeURIComponent);
}

// MERGED: Pages as the sitemap protocol and the publishers of its extensions want them.

/** What the image extension allows for a page. */
const MAX_IMAGES = 1000;
/** What the video extension allows for a video. */
const MAX_TAGS = 32;
const MAX_DESCRIPTION = 2048;
const MAX_SECONDS = 28_800;
const MAX_RATING = 5;
/** What the news extension allows for a story. */
const MAX_TICKERS = 5;

const MAX_FRACTION_DIGITS = 15;

const ACCESSES: ReadonlySet<string> = new Set(["Subscription", "Registration"]);
const PLATFORMS: ReadonlySet<string> = new Set(["web", "mobile", "tv"]);
const LANGUAGE_REGEXP = /^(?:[a-z]{2,3}|zh-cn|zh-tw)$/;
const TICKER_REGEXP = /^\w+:\w+$/;
const COUNTRY_REGEXP = /^[A-Z]{2}$/;

/**
 * What of a page can be written validly: addresses percent-encoded where a URI asks for it, values
 * without what XML forbids, and nothing that lacks what its extension requires.
 *
 * @returns `undefined` if the page itself has no address that is valid.
 */
export function strictPage(page: SitemapPage): SitemapPage | undefined {
  const url = validAddress(page.url);
  if (url === undefined) return undefined;
  const newsStory = page.newsStory && strictStory(page.newsStory);
  const images = valid(page.images, strictImage)?.slice(0, MAX_IMAGES);
  const videos = valid(page.videos, strictVideo);
  const alternates = valid(page.alternates, strictAlternate);
  const given = isPriorityGiven(page) ? PRIORITY_GIVEN : 0;
  return createPage({
    url,
    priority: rounded(page.priority),
    lastModified: page.lastModifiedTime,
    changeFrequency: page.changeFrequency,
    ...(newsStory === undefined ? {} : { newsStory }),
    ...(images === undefined ? {} : { images }),
    ...(videos === undefined ? {} : { videos }),
    ...(alternates === undefined ? {} : { alternates }),
  }, given | toDay(lastModifiedPrecision(page)));
}

/** Not every schema has dates without day: those are written as their first day. */
function toDay(precision: DatePrecision): DatePrecision {
  return precision > TO_DAY ? TO_DAY : precision;
}

/** The items that are valid, `undefined` where none is. */
function valid<T>(
  items: readonly T[] | undefined,
  strict: (item: T) => T | undefined,
): T[] | undefined {
  const kept = items?.map(strict).filter((item) => item !== undefined);
  return kept === undefined || kept.length === 0 ? undefined : kept;
}

/** Text that XML can hold, `undefined` for none. */
function text(value: string | undefined): string | undefined {
  const cleaned = value === undefined ? "" : trimSpace(xmlText(value));
  return cleaned === "" ? undefined : cleaned;
}

function texts(values: readonly string[]): string[] {
  return values.map(text).filter((value) => value !== undefined);
}

function address(value: string | undefined): string | undefined {
  return value === undefined ? undefined : validAddress(value);
}

function strictAlternate(alternate: SitemapAlternate): SitemapAlternate | undefined {
  const hreflang = text(alternate.hreflang);
  const href = address(alternate.href);
  return hreflang === undefined || href === undefined ? undefined : { hreflang, href };
}

function strictImage(image: SitemapImage): SitemapImage | undefined {
  const loc = address(image.loc);
  if (loc === undefined) return undefined;
  return present({
    loc,
    caption: text(image.caption),
    geoLocation: text(image.geoLocation),
    title: text(image.title),
    license: address(image.license),
  });
}

/** A story needs a publication with name and language, a title and a date. */
function strictStory(story: NewsStory): NewsStory | undefined {
  const title = text(story.title);
  const publicationName = text(story.publicationName);
  const publicationLanguage = text(story.publicationLanguage)?.toLowerCase();
  if (title === undefined || publicationName === undefined) return undefined;
  if (publicationLanguage === undefined || !LANGUAGE_REGEXP.test(publicationLanguage)) {
    return undefined;
  }
  const tickers = texts(story.stockTickers).filter((ticker) => TICKER_REGEXP.test(ticker));
  return createStory({
    title,
    publicationName,
    publicationLanguage,
    publishDate: story.publishTime,
    ...(story.access !== undefined && ACCESSES.has(story.access) ? { access: story.access } : {}),
    genres: texts(story.genres),
    keywords: texts(story.keywords),
    stockTickers: tickers.slice(0, MAX_TICKERS),
  }, toDay(publishPrecision(story)));
}

/** A video needs a thumbnail, a title, a description, and the address of its file or player. */
function strictVideo(video: SitemapVideo): SitemapVideo | undefined {
  const thumbnailLoc = address(video.thumbnailLoc);
  const title = text(video.title);
  const description = text(video.description);
  const contentLoc = address(video.contentLoc);
  const playerLoc = address(video.playerLoc);
  if (thumbnailLoc === undefined || title === undefined || description === undefined) {
    return undefined;
  }
  if (contentLoc === undefined && playerLoc === undefined) return undefined;
  const fields = present({
    thumbnailLoc,
    title,
    description: [...description].slice(0, MAX_DESCRIPTION).join(""),
    contentLoc,
    playerLoc,
    duration: within(video.duration, 1, MAX_SECONDS, Number.isInteger),
    expirationDate: video.expirationTime,
    rating: within(video.rating && rounded(video.rating), 0, MAX_RATING),
    viewCount: within(video.viewCount, 0, Number.MAX_SAFE_INTEGER, Number.isInteger),
    publicationDate: video.publicationTime,
    familyFriendly: video.familyFriendly,
    restriction: strictRestriction(video.restriction, (value) => COUNTRY_REGEXP.test(value)),
    platform: strictRestriction(video.platform, (value) => PLATFORMS.has(value)),
    requiresSubscription: video.requiresSubscription,
    uploader: strictUploader(video.uploader),
    live: video.live,
    tags: valid(video.tags, text)?.slice(0, MAX_TAGS),
  });
  const expiration = toDay(expirationPrecision(video));
  return createVideo(fields, packPrecision(expiration, toDay(publicationPrecision(video))));
}

/** None of it if one value is unknown: a shorter list would allow or deny something else. */
function strictRestriction(
  restriction: VideoRestriction | undefined,
  isKnown: (value: string) => boolean,
): VideoRestriction | undefined {
  if (restriction === undefined) return undefined;
  const { relationship, values } = restriction;
  const isRelationship = relationship === "allow" || relationship === "deny";
  return isRelationship && values.length > 0 && values.every(isKnown) ? restriction : undefined;
}

function strictUploader(uploader: VideoUploader | undefined): VideoUploader | undefined {
  const name = text(uploader?.name);
  return name === undefined ? undefined : present({ name, info: address(uploader?.info) });
}

function within(
  value: number | undefined,
  min: number,
  max: number,
  isAllowed: (value: number) => boolean = Number.isFinite,
): number | undefined {
  return value !== undefined && value >= min && value <= max && isAllowed(value)
    ? value
    : undefined;
}

/** XML Schema wants 18 digits of a decimal understood, and no more. */
function rounded(value: number): number {
  return Number(value.toFixed(MAX_FRACTION_DIGITS));
}

/** The fields that have a value. */
function present<T extends object>(fields: T): Present<T> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Present<T>;
}

/** Fields that may be `undefined` may be absent instead. */
type Present<T> =
  & { [K in keyof T as undefined extends T[K] ? never : K]: T[K] }
  & { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> };
