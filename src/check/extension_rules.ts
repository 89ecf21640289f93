import type { SitemapPage, SitemapVideo } from "../data/page.ts";
import type { Findings } from "./findings.ts";
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

/** `oldest` are the earliest time and date that are not too old. */
export function judgeNews(
  findings: Findings,
  state: SitemapState,
  { url, newsStory }: SitemapPage,
  oldest: { readonly time: string; readonly date: string } | undefined,
): void {
  if (newsStory === undefined) return;
  const { publicationName, publicationLanguage, publishDate } = newsStory;
  state.news++;
  const faults = [
    ...(publicationName === undefined ? ["no publication name"] : []),
    ...(publicationLanguage === undefined ? ["no language"] : []),
    ...(publishDate === undefined ? ["no publication date"] : []),
  ];
  if (publicationLanguage !== undefined && !isNewsLanguage(publicationLanguage)) {
    faults.push(`language ${publicationLanguage}`);
  }
  if (faults.length > 0) {
    findings.report(state, "news-fields", "missing", { url, value: faults.join(", ") });
  }
  if (oldest === undefined || publishDate === undefined) return;
  if (publishDate < (publishDate.length > DAY_LENGTH ? oldest.time : oldest.date)) {
    findings.report(state, "news-limits", "old", { url, value: publishDate });
  }
}

export function judgeImages(
  findings: Findings,
  state: SitemapState,
  { url, images = [] }: SitemapPage,
): void {
  if (images.length > MAX_IMAGES) {
    findings.report(state, "image-limits", "many", { url, value: `${images.length} images` });
  }
  for (const { loc, caption, geoLocation, title, license } of images) {
    if ((caption ?? geoLocation ?? title ?? license) === undefined) continue;
    findings.report(state, "image-limits", "removed", { url, value: loc });
  }
}

export function judgeVideos(
  findings: Findings,
  state: SitemapState,
  { url, videos = [] }: SitemapPage,
): void {
  for (const video of videos) {
    const faults = videoFaults(video, url);
    if (faults.length === 0) continue;
    findings.report(state, "video-fields", "fields", { url, value: faults.join(", ") });
  }
}

function videoFaults(video: SitemapVideo, url: string): string[] {
  const { thumbnailLoc, title, description, contentLoc, playerLoc, duration, rating, tags } = video;
  const faults: readonly (readonly [isFault: boolean, fault: string])[] = [
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
  return faults.filter(([isFault]) => isFault).map(([, fault]) => fault);
}
