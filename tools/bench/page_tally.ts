/**
 * Comparison of pages: a checksum over every field for whole documents, plain data for single pages.
 *
 * @module
 */

import type {
  BenchImage,
  BenchPage,
  BenchRestriction,
  BenchStory,
  BenchVideo,
} from "./contender.ts";

/** Mixed in for an absent text, so that it differs from an empty one. */
const ABSENT = 0x5bd1e995;

/** Counts pages and computes a checksum of them, so that contenders can be compared. */
export class PageTally {
  /** Pages seen. */
  pages = 0;
  /** Depends on every field and on the order. */
  checksum = 0;
  /** Sum of {@linkcode readFields}. */
  fields = 0;

  /** Adds one page. */
  add(page: BenchPage): void {
    this.pages++;
    this.fields += readFields(page);
    this.#addText(page.url);
    this.#addNumber(page.priority ?? 0.5);
    this.#addDate(page.lastModified);
    this.#addText(page.changeFrequency);
    if (page.newsStory !== undefined) this.#addStory(page.newsStory);
    this.#addNumber(page.images?.length);
    for (const image of page.images ?? []) this.#addImage(image);
    this.#addNumber(page.alternates?.length);
    for (const alternate of page.alternates ?? []) {
      this.#addText(alternate.hreflang);
      this.#addText(alternate.href);
    }
    this.#addNumber(page.videos?.length);
    for (const video of page.videos ?? []) this.#addVideo(video);
  }

  #addStory(story: BenchStory): void {
    this.#addText(story.title);
    this.#addDate(story.publishDate);
    this.#addText(story.publicationName);
    this.#addText(story.publicationLanguage);
    this.#addText(story.access);
    this.#addTexts(story.genres);
    this.#addTexts(story.keywords);
    this.#addTexts(story.stockTickers);
  }

  #addImage(image: BenchImage): void {
    this.#addText(image.loc);
    this.#addText(image.caption);
    this.#addText(image.geoLocation);
    this.#addText(image.title);
    this.#addText(image.license);
  }

  #addVideo(video: BenchVideo): void {
    this.#addText(video.thumbnailLoc);
    this.#addText(video.title);
    this.#addText(video.description);
    this.#addText(video.contentLoc);
    this.#addText(video.playerLoc);
    this.#addNumber(video.duration);
    this.#addDate(video.expirationDate);
    this.#addNumber(video.rating);
    this.#addNumber(video.viewCount);
    this.#addDate(video.publicationDate);
    this.#addFlag(video.familyFriendly);
    this.#addRestriction(video.restriction);
    this.#addRestriction(video.platform);
    this.#addFlag(video.requiresSubscription);
    this.#addText(video.uploader?.name);
    this.#addText(video.uploader?.info);
    this.#addFlag(video.live);
    this.#addTexts(video.tags);
  }

  #addRestriction(restriction: BenchRestriction | undefined): void {
    this.#addText(restriction?.relationship);
    this.#addTexts(restriction?.values);
  }

  #addTexts(texts: readonly string[] | undefined): void {
    this.#addNumber(texts?.length ?? 0);
    for (const text of texts ?? []) this.#addText(text);
  }

  #addDate(date: Date | string | undefined): void {
    this.#addNumber(instantOf(date)?.getTime());
  }

  #addFlag(flag: boolean | undefined): void {
    this.#addNumber(flag === undefined ? undefined : Number(flag));
  }

  #addNumber(value: number | undefined): void {
    // to a thousandth, as ratings and priorities have fractions
    const mixed = value === undefined ? ABSENT : Math.round(value * 1000) % 1_000_000_007;
    this.checksum = (Math.imul(this.checksum, 31) + mixed) | 0;
  }

  #addText(text: string | undefined): void {
    if (text === undefined) return this.#addNumber(undefined);
    // FNV-1a over UTF-16 units
    let hash = this.checksum ^ 0x811c9dc5;
    for (let at = 0; at < text.length; at++) {
      hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    }
    this.checksum = (hash + text.length) | 0;
  }
}

/**
 * Reads the fields of a page that most programs use, so that values which a reader makes late, or not
 * before they are read, are made within the time that is measured.
 *
 * @returns A number that depends on each of them, and is the same for dates as strings and as `Date`.
 */
export function readFields(page: BenchPage): number {
  const { url, lastModified, changeFrequency, priority = 0.5, images, alternates } = page;
  let sum = readText(url) + readDate(lastModified) + readText(changeFrequency) + priority;
  if (images !== undefined) {
    for (const { loc, title } of images) sum += readText(loc) + readText(title);
  }
  if (alternates !== undefined) {
    for (const { hreflang, href } of alternates) sum += readText(hreflang) + readText(href);
  }
  return sum;
}

/** Reads a character, so that V8 flattens a concatenation. */
function readText(text: string | undefined): number {
  if (text === undefined) return 0;
  return text.length * 128 + text.charCodeAt(text.length - 1);
}

function readDate(date: Date | string | undefined): number {
  if (date === undefined) return 0;
  return typeof date === "string" ? Number(date.charCodeAt(0) > 0) : Number(date.getTime() > 0);
}

function instantOf(date: Date | string | undefined): Date | undefined {
  return date === undefined ? undefined : new Date(date);
}

/** A page as JSON with its fields in one order and absent ones left out, to show what differs. */
export function pageJson(page: BenchPage): string {
  const { url, priority = 0.5, changeFrequency, newsStory, images, alternates, videos } = page;
  return JSON.stringify({
    url,
    priority,
    lastModified: instantOf(page.lastModified),
    changeFrequency,
    newsStory: newsStory && storyFields(newsStory),
    images: images?.map(({ loc, caption, geoLocation, title, license }) => ({
      loc,
      caption,
      geoLocation,
      title,
      license,
    })),
    alternates: alternates?.map(({ hreflang, href }) => ({ hreflang, href })),
    videos: videos?.map(videoFields),
  });
}

function storyFields(story: BenchStory): BenchStory {
  const { title, publicationName, publicationLanguage, access } = story;
  const lists = [story.genres ?? [], story.keywords ?? [], story.stockTickers ?? []];
  const [genres, keywords, stockTickers] = lists;
  return {
    title,
    publishDate: instantOf(story.publishDate),
    publicationName,
    publicationLanguage,
    access,
    genres,
    keywords,
    stockTickers,
  };
}

function videoFields(video: BenchVideo): BenchVideo {
  return {
    thumbnailLoc: video.thumbnailLoc,
    title: video.title,
    description: video.description,
    contentLoc: video.contentLoc,
    playerLoc: video.playerLoc,
    duration: video.duration,
    expirationDate: instantOf(video.expirationDate),
    rating: video.rating,
    viewCount: video.viewCount,
    publicationDate: instantOf(video.publicationDate),
    familyFriendly: video.familyFriendly,
    restriction: video.restriction,
    platform: video.platform,
    requiresSubscription: video.requiresSubscription,
    uploader: video.uploader,
    live: video.live,
    tags: video.tags,
  };
}
