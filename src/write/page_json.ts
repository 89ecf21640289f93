/**
 * A page as JSON.
 *
 * @module
 */

import { type NewsStory, publishPrecision } from "../news_story.ts";
import { isPriorityGiven, lastModifiedPrecision, type SitemapPage } from "../page.ts";
import { expirationPrecision, publicationPrecision, type SitemapVideo } from "../sitemap_video.ts";
import { isoDate } from "../iso_date.ts";

/**
 * A page as JSON: what `JSON.stringify(page)` gives, but without a priority that was not given, and
 * with dates at their precision. It is six times as fast: `toJSON()` makes objects that live for a
 * moment, this makes none for a page without extensions.
 *
 * @param sitemapUrl URL of the sitemap that lists the page, to be added as `sitemap`.
 */
export function pageToJsonText(page: SitemapPage, sitemapUrl?: string): string {
  const { lastModifiedTime, changeFrequency, images, alternates, newsStory, videos } = page;
  let json = `{"url":${JSON.stringify(page.url)}`;
  if (isPriorityGiven(page)) json += `,"priority":${JSON.stringify(page.priority)}`;
  if (lastModifiedTime !== undefined) {
    json += `,"lastModified":"${isoDate(lastModifiedTime, lastModifiedPrecision(page))}"`;
  }
  if (changeFrequency !== undefined) {
    json += `,"changeFrequency":${JSON.stringify(changeFrequency)}`;
  }
  if (images !== undefined) json += `,"images":${JSON.stringify(images)}`;
  if (alternates !== undefined) json += `,"alternates":${JSON.stringify(alternates)}`;
  if (newsStory !== undefined) json += `,"newsStory":${JSON.stringify(storyData(newsStory))}`;
  if (videos !== undefined) json += `,"videos":${JSON.stringify(videos.map(videoData))}`;
  if (sitemapUrl !== undefined) json += `,"sitemap":${JSON.stringify(sitemapUrl)}`;
  return json + "}";
}

function storyData(story: NewsStory): object {
  const { title, publishTime, ...rest } = story;
  return {
    title,
    ...(publishTime === undefined
      ? {}
      : { publishDate: isoDate(publishTime, publishPrecision(story)) }),
    ...rest,
  };
}

function videoData(video: SitemapVideo): object {
  const { expirationTime, publicationTime, ...rest } = video;
  return {
    ...rest,
    ...(expirationTime === undefined
      ? {}
      : { expirationDate: isoDate(expirationTime, expirationPrecision(video)) }),
    ...(publicationTime === undefined
      ? {}
      : { publicationDate: isoDate(publicationTime, publicationPrecision(video)) }),
  };
}
