import { DAY } from "../data/calendar.ts";
import type { SitemapPage, SitemapVideo } from "../data/page.ts";
import { isNewsLanguage } from "./languages.ts";
import type { SitemapState } from "./sitemap_state.ts";

const MAX_IMAGES = 1000;
const MAX_DESCRIPTION = 2048;
/** Eight hours, in seconds. */
const MAX_DURATION = 28_800;
const MAX_RATING = 5;
const MAX_TAGS = 32;
/** Length of a date without a time. */
const DAY_LENGTH = 10;

type Faults = readonly (readonly [isFault: boolean, fault: string])[];

/** The earliest time and date of a story that is not too old. */
export interface OldestNews {
  readonly time: string;
  readonly date: string;
}

/** News may be two days old, and a date without a time is that of any zone. */
export function oldestNews(now: Date): OldestNews {
  const iso = (days: number) => new Date(Number(now) - days * DAY).toISOString();
  return { time: iso(2), date: iso(3).slice(0, DAY_LENGTH) };
}

export function judgeExtensions(
  state: SitemapState,
  page: SitemapPage,
  oldest: OldestNews | undefined,
): void {
  const { url, images = [], videos = [] } = page;
  judgeNews(state, page, oldest);
  if (images.length > MAX_IMAGES) {
    state.report("image-limits", "many", { url, value: `${images.length} images` });
  }
  for (const { loc, caption, geoLocation, title, license } of images) {
    if ((caption ?? geoLocation ?? title ?? license) === undefined) continue;
    state.report("image-limits", "removed", { url, value: loc });
  }
  for (const video of videos) {
    const value = textOf(videoFaults(video, url));
    if (value !== "") state.report("video-fields", "fields", { url, value });
  }
}

function judgeNews(
  state: SitemapState,
  { url, newsStory }: SitemapPage,
  oldest: OldestNews | undefined,
): void {
  if (newsStory === undefined) return;
  state.news++;
  const { publicationName, publicationLanguage: language, publishDate } = newsStory;
  const value = textOf([
    [publicationName === undefined, "no publication name"],
    [language === undefined, "no language"],
    [publishDate === undefined, "no publication date"],
    [language !== undefined && !isNewsLanguage(language), `language ${language}`],
  ]);
  if (value !== "") state.report("news-fields", "missing", { url, value });
  if (oldest === undefined || publishDate === undefined) return;
  if (publishDate < (publishDate.length > DAY_LENGTH ? oldest.time : oldest.date)) {
    state.report("news-limits", "old", { url, value: publishDate });
  }
}

function videoFaults(video: SitemapVideo, url: string): Faults {
  const { thumbnailLoc, title, description, contentLoc, playerLoc, duration, rating, tags } = video;
  return [
    [thumbnailLoc === undefined, "no thumbnail"],
    [title === undefined, "no title"],
    [description === undefined, "no description"],
    [(contentLoc ?? playerLoc) === undefined, "neither content nor player"],
    [(description?.length ?? 0) > MAX_DESCRIPTION, "description over 2,048 characters"],
    [duration !== undefined && (duration < 1 || duration > MAX_DURATION), `duration ${duration} s`],
    [rating !== undefined && (rating < 0 || rating > MAX_RATING), `rating ${rating}`],
    [(tags?.length ?? 0) > MAX_TAGS, "more than 32 tags"],
    [contentLoc === url || playerLoc === url, "URL of the video is that of the page"],
  ];
}

function textOf(faults: Faults): string {
  return faults.filter(([isFault]) => isFault).map(([, fault]) => fault).join(", ");
}
