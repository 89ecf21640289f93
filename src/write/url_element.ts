/**
 * A page as the `url` element of a sitemap, with every extension that is read.
 *
 * The order of elements is that of the schemas of sitemaps.org and Google.
 *
 * @module
 */

import type { DatePrecision } from "../date_precision.ts";
import { type NewsStory, publishPrecision } from "../news_story.ts";
import {
  CHANGE_FREQUENCIES,
  type ChangeFrequency,
  isPriorityGiven,
  lastModifiedPrecision,
  type SitemapAlternate,
  type SitemapImage,
  type SitemapPage,
} from "../page.ts";
import {
  expirationPrecision,
  publicationPrecision,
  type SitemapVideo,
  type VideoRestriction,
} from "../sitemap_video.ts";
import { decimal } from "./decimal.ts";
import { isoDate } from "../iso_date.ts";
import {
  escapeAttribute,
  escapeText,
  escapeTitle,
  escapeUrl,
  escapeUrlAttribute,
} from "./xml_escape.ts";
import type { XmlMarkup } from "./xml_markup.ts";

/** The namespace of sitemaps and indexes. */
export const SITEMAP_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9";

/** The namespaces of a `urlset`, as attributes of the root. */
export const URLSET_NAMESPACES: Readonly<Record<string, string>> = {
  "@xmlns": SITEMAP_NAMESPACE,
  "@xmlns:xhtml": "http://www.w3.org/1999/xhtml",
  "@xmlns:news": "http://www.google.com/schemas/sitemap-news/0.9",
  "@xmlns:image": "http://www.google.com/schemas/sitemap-image/1.1",
  "@xmlns:video": "http://www.google.com/schemas/sitemap-video/1.1",
};

/** Parents that the prefix does not tell. */
const PARENTS: Readonly<Record<string, string>> = {
  "url": "urlset",
  "xhtml:link": "url",
  "news:news": "url",
  "image:image": "url",
  "video:video": "url",
  "news:name": "news:publication",
  "news:language": "news:publication",
};

/** The seven words, to themselves: anything else is not written, and nothing is escaped. */
const FREQUENCIES: ReadonlyMap<string | undefined, ChangeFrequency> = new Map(
  CHANGE_FREQUENCIES.map((word) => [word, word]),
);

/** The first and the last moment that `xsd:dateTime` can write with four digits for the year. */
const FIRST_TIME = Date.parse("0001-01-01T00:00:00.000Z");
const LAST_TIME = Date.parse("9999-12-31T23:59:59.999Z");

/** The name of the element around an element of a `urlset`. */
export function parentInUrlset(name: string): string | undefined {
  if (name === "urlset") return undefined;
  const colon = name.indexOf(":");
  return PARENTS[name] ?? (colon < 0 ? "url" : `${name.slice(0, colon)}:${name.slice(0, colon)}`);
}

/** Writes a page as a `url` element; nothing for a page without address. */
export function urlElement(markup: XmlMarkup, page: SitemapPage): string {
  const { images, videos, alternates, newsStory, priority } = page;
  const location = markup.text("loc", url(page.url));
  if (location === "") return "";
  let children = location +
    markup.text("lastmod", date(page.lastModifiedTime, lastModifiedPrecision(page))) +
    markup.text("changefreq", FREQUENCIES.get(page.changeFrequency));
  if (isPriorityGiven(page) && priority >= 0 && priority <= 1) {
    children += markup.text("priority", decimal(priority));
  }
  if (alternates !== undefined) {
    for (const alternate of alternates) children += alternateElement(markup, alternate);
  }
  if (newsStory !== undefined) children += newsElement(markup, newsStory);
  if (images !== undefined) { for (const image of images) children += imageElement(markup, image); }
  if (videos !== undefined) { for (const video of videos) children += videoElement(markup, video); }
  return markup.container("url", children);
}

/** Nothing for an alternate without language or address, which says nothing. */
function alternateElement(markup: XmlMarkup, alternate: SitemapAlternate): string {
  const hreflang = escapeAttribute(alternate.hreflang);
  const href = escapeUrlAttribute(alternate.href);
  return hreflang === "" || href === "" ? "" : markup.alternate("xhtml:link", hreflang, href);
}

/** Nothing for a story without title or date, as feeds have them: the extension wants both. */
function newsElement(markup: XmlMarkup, story: NewsStory): string {
  const publishDate = date(story.publishTime, publishPrecision(story));
  const title = escapeTitle(story.title);
  if (publishDate === undefined || title === "") return "";
  const publication = markup.text("news:name", text(story.publicationName)) +
    markup.text("news:language", text(story.publicationLanguage));
  return markup.container(
    "news:news",
    (publication && markup.container("news:publication", publication)) +
      markup.text("news:access", text(story.access)) +
      markup.text("news:genres", text(story.genres.join(", "))) +
      markup.text("news:publication_date", publishDate) +
      markup.text("news:title", title) +
      markup.text("news:keywords", text(story.keywords.join(", "))) +
      markup.text("news:stock_tickers", text(story.stockTickers.join(", "))),
  );
}

/** Nothing for an image without address. */
function imageElement(markup: XmlMarkup, image: SitemapImage): string {
  const location = markup.text("image:loc", url(image.loc));
  if (location === "") return "";
  return markup.container(
    "image:image",
    location +
      markup.text("image:caption", text(image.caption)) +
      markup.text("image:geo_location", text(image.geoLocation)) +
      markup.text("image:title", text(image.title)) +
      markup.text("image:license", url(image.license)),
  );
}

function videoElement(markup: XmlMarkup, video: SitemapVideo): string {
  let children = markup.text("video:thumbnail_loc", url(video.thumbnailLoc)) +
    markup.text("video:title", text(video.title)) +
    markup.text("video:description", text(video.description)) +
    markup.text("video:content_loc", url(video.contentLoc)) +
    markup.text("video:player_loc", url(video.playerLoc)) +
    markup.text("video:duration", number(video.duration)) +
    markup.text("video:expiration_date", date(video.expirationTime, expirationPrecision(video))) +
    markup.text("video:rating", number(video.rating)) +
    markup.text("video:view_count", number(video.viewCount)) +
    markup.text("video:publication_date", date(video.publicationTime, publicationPrecision(video)));
  for (const tag of video.tags ?? []) children += markup.text("video:tag", text(tag));
  children += markup.text("video:family_friendly", yesOrNo(video.familyFriendly)) +
    restrictionElement(markup, "video:restriction", video.restriction) +
    markup.text("video:requires_subscription", yesOrNo(video.requiresSubscription)) +
    uploaderElement(markup, video) +
    restrictionElement(markup, "video:platform", video.platform) +
    markup.text("video:live", yesOrNo(video.live));
  return markup.container("video:video", children);
}

function restrictionElement(
  markup: XmlMarkup,
  name: string,
  restriction: VideoRestriction | undefined,
): string {
  if (restriction === undefined) return "";
  const values = escapeText(restriction.values.join(" "));
  if (values === "") return "";
  const relationship = escapeAttribute(restriction.relationship);
  return markup.textWithAttribute(name, "relationship", relationship, values);
}

function uploaderElement(markup: XmlMarkup, { uploader }: SitemapVideo): string {
  const name = "video:uploader";
  if (uploader === undefined) return "";
  const title = escapeText(uploader.name);
  const info = escapeUrlAttribute(uploader.info ?? "");
  if (title === "" || info === "") return markup.text(name, title);
  return markup.textWithAttribute(name, "info", info, title);
}

function text(value: string | undefined): string | undefined {
  return value === undefined ? undefined : escapeText(value);
}

function url(value: string | undefined): string | undefined {
  return value === undefined ? undefined : escapeUrl(value);
}

/** None of the numbers of the extensions can be negative. */
function number(value: number | undefined): string | undefined {
  return value === undefined || value < 0 ? undefined : decimal(value);
}

function yesOrNo(value: boolean | undefined): string | undefined {
  return value === undefined ? undefined : value ? "yes" : "no";
}

function date(time: number | undefined, precision: DatePrecision): string | undefined {
  const isWritable = time !== undefined && time >= FIRST_TIME && time <= LAST_TIME;
  return isWritable ? isoDate(time, precision) : undefined;
}
