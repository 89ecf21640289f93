/**
 * The columns of `-f csv`, described for `--columns help`.
 *
 * @module
 */

import { CSV_COLUMNS, type CsvColumn } from "../write/csv_columns.ts";

const MEANINGS: Readonly<Record<CsvColumn, string>> = {
  "url": "URL of the page",
  "priority": "priority from 0 to 1",
  "lastModified": "date of the last change",
  "changeFrequency": "how often it changes, from always to never",
  "newsStory.title": "title of the news story",
  "newsStory.publishDate": "date of the story",
  "newsStory.publicationName": "name of the newspaper or site",
  "newsStory.publicationLanguage": "language of the publication",
  "newsStory.access": "Subscription or Registration",
  "newsStory.genres": "genres of the story",
  "newsStory.keywords": "keywords of the story",
  "newsStory.stockTickers": "stock tickers of companies in the story",
  "images.loc": "URLs of the images",
  "images.caption": "captions of the images",
  "images.geoLocation": "places of the images",
  "images.title": "titles of the images",
  "images.license": "URLs of the licenses of the images",
  "videos.thumbnailLoc": "URLs of the thumbnails of the videos",
  "videos.title": "titles of the videos",
  "videos.description": "descriptions of the videos",
  "videos.contentLoc": "URLs of the video files",
  "videos.playerLoc": "URLs of the video players",
  "videos.duration": "durations of the videos in seconds",
  "videos.expirationDate": "dates after which the videos are gone",
  "videos.rating": "ratings of the videos from 0 to 5",
  "videos.viewCount": "number of views of the videos",
  "videos.publicationDate": "dates of publication of the videos",
  "videos.familyFriendly": "whether the videos are for all ages",
  "videos.restriction": "countries where the videos are shown or not",
  "videos.platform": "platforms where the videos are shown or not",
  "videos.requiresSubscription": "whether the videos require a subscription",
  "videos.uploader": "names of the uploaders of the videos",
  "videos.uploaderInfo": "URLs about the uploaders of the videos",
  "videos.live": "whether the videos are live streams",
  "videos.tags": "tags of the videos",
  "alternates.hreflang": "languages of the page in other languages",
  "alternates.href": "URLs of the page in other languages",
  "sitemap": "URL of the sitemap that lists the page",
  "sitemap.id": "number of the sitemap within the walk",
  "sitemap.type": "type of the sitemap, such as PagesXmlSitemap",
  "sitemap.url": "the same as sitemap",
  "sitemap.requestedUrl": "URL that was declared, if it redirects",
  "sitemap.level": "level of the sitemap in the tree",
  "sitemap.parent": "number of the sitemap above it",
  "sitemap.index": "position of the sitemap in the one above it",
  "sitemap.lastModified": "date of the sitemap according to its index",
};

/** Returns the names of all columns with their meanings, a line each. */
export function columnsHelp(): string {
  const width = Math.max(...CSV_COLUMNS.map((name) => name.length));
  return CSV_COLUMNS.map((name) => `${name.padEnd(width)}  ${MEANINGS[name]}\n`).join("");
}
