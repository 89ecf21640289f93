/**
 * The columns that a CSV table of pages can have.
 *
 * @module
 */

import type { DatePrecision } from "../date_precision.ts";
import type { SitemapRef } from "../events.ts";
import { publishPrecision } from "../news_story.ts";
import { isPriorityGiven, lastModifiedPrecision, type SitemapPage } from "../page.ts";
import {
  expirationPrecision,
  publicationPrecision,
  type SitemapVideo,
  type VideoRestriction,
} from "../sitemap_video.ts";
import { isoDate } from "../iso_date.ts";

/** What stands in a cell before quoting. A list becomes one cell, its items joined. */
export type CsvValue = string | number | boolean | undefined | readonly CsvValue[];

/** Gets the cell of a page; `sitemap` is the one that lists it, where events tell. */
export type CellReader = (page: SitemapPage, sitemap: SitemapRef | undefined) => CsvValue;

/** The name of a column. Those of images, videos and alternates hold a list each. */
export type CsvColumn =
  | "url"
  | "priority"
  | "lastModified"
  | "changeFrequency"
  | `newsStory.${
    | "title"
    | "publishDate"
    | "publicationName"
    | "publicationLanguage"
    | "access"
    | "genres"
    | "keywords"
    | "stockTickers"}`
  | `images.${"loc" | "caption" | "geoLocation" | "title" | "license"}`
  | `videos.${
    | "thumbnailLoc"
    | "title"
    | "description"
    | "contentLoc"
    | "playerLoc"
    | "duration"
    | "expirationDate"
    | "rating"
    | "viewCount"
    | "publicationDate"
    | "familyFriendly"
    | "restriction"
    | "platform"
    | "requiresSubscription"
    | "uploader"
    | "uploaderInfo"
    | "live"
    | "tags"}`
  | `alternates.${"hreflang" | "href"}`
  | "sitemap"
  | `sitemap.${keyof SitemapRef}`;

const COLUMNS: Readonly<Record<CsvColumn, CellReader>> = {
  "url": (page) => page.url,
  "priority": (page) => isPriorityGiven(page) ? page.priority : undefined,
  "lastModified": (page) => date(page.lastModifiedTime, lastModifiedPrecision(page)),
  "changeFrequency": (page) => page.changeFrequency,
  "newsStory.title": (page) => page.newsStory?.title,
  "newsStory.publishDate": ({ newsStory }) =>
    newsStory && date(newsStory.publishTime, publishPrecision(newsStory)),
  "newsStory.publicationName": (page) => page.newsStory?.publicationName,
  "newsStory.publicationLanguage": (page) => page.newsStory?.publicationLanguage,
  "newsStory.access": (page) => page.newsStory?.access,
  "newsStory.genres": (page) => page.newsStory?.genres,
  "newsStory.keywords": (page) => page.newsStory?.keywords,
  "newsStory.stockTickers": (page) => page.newsStory?.stockTickers,
  "images.loc": (page) => page.images?.map((image) => image.loc),
  "images.caption": (page) => page.images?.map((image) => image.caption),
  "images.geoLocation": (page) => page.images?.map((image) => image.geoLocation),
  "images.title": (page) => page.images?.map((image) => image.title),
  "images.license": (page) => page.images?.map((image) => image.license),
  "videos.thumbnailLoc": videoColumn((video) => video.thumbnailLoc),
  "videos.title": videoColumn((video) => video.title),
  "videos.description": videoColumn((video) => video.description),
  "videos.contentLoc": videoColumn((video) => video.contentLoc),
  "videos.playerLoc": videoColumn((video) => video.playerLoc),
  "videos.duration": videoColumn((video) => video.duration),
  "videos.expirationDate": videoColumn((video) =>
    date(video.expirationTime, expirationPrecision(video))
  ),
  "videos.rating": videoColumn((video) => video.rating),
  "videos.viewCount": videoColumn((video) => video.viewCount),
  "videos.publicationDate": videoColumn((video) =>
    date(video.publicationTime, publicationPrecision(video))
  ),
  "videos.familyFriendly": videoColumn((video) => video.familyFriendly),
  "videos.restriction": videoColumn((video) => restriction(video.restriction)),
  "videos.platform": videoColumn((video) => restriction(video.platform)),
  "videos.requiresSubscription": videoColumn((video) => video.requiresSubscription),
  "videos.uploader": videoColumn((video) => video.uploader?.name),
  "videos.uploaderInfo": videoColumn((video) => video.uploader?.info),
  "videos.live": videoColumn((video) => video.live),
  "videos.tags": videoColumn((video) => video.tags?.join(", ")),
  "alternates.hreflang": (page) => page.alternates?.map((alternate) => alternate.hreflang),
  "alternates.href": (page) => page.alternates?.map((alternate) => alternate.href),
  "sitemap": (_page, sitemap) => sitemap?.url,
  "sitemap.id": (_page, sitemap) => sitemap?.id,
  "sitemap.type": (_page, sitemap) => sitemap?.type,
  "sitemap.url": (_page, sitemap) => sitemap?.url,
  "sitemap.requestedUrl": (_page, sitemap) => sitemap?.requestedUrl,
  "sitemap.level": (_page, sitemap) => sitemap?.level,
  "sitemap.parent": (_page, sitemap) => sitemap?.parent ?? undefined,
  "sitemap.index": (_page, sitemap) => sitemap?.index,
  "sitemap.lastModified": (_page, sitemap) => sitemap?.lastModified,
};

/** The names of all columns. */
export const CSV_COLUMNS: readonly CsvColumn[] = Object.keys(COLUMNS) as CsvColumn[];

/** Gets the reader of a column, `undefined` if there is no such column. */
export function cellReader(column: string): CellReader | undefined {
  return Object.hasOwn(COLUMNS, column) ? COLUMNS[column as CsvColumn] : undefined;
}

function videoColumn(read: (video: SitemapVideo) => CsvValue): CellReader {
  return (page) => page.videos?.map(read);
}

function date(milliseconds: number | undefined, precision: DatePrecision): string | undefined {
  return milliseconds === undefined ? undefined : isoDate(milliseconds, precision);
}

/** Such as `allow: DE FR`. */
function restriction(restriction: VideoRestriction | undefined): string | undefined {
  return restriction && `${restriction.relationship}: ${restriction.values.join(" ")}`;
}
