/**
 * `urlset`: pages with their news, images, videos and alternates.
 *
 * @module
 */

import { type DatePrecision, TO_TIME } from "../data/calendar.ts";
import { createStory, type NewsStory, type NewsStoryFields } from "../data/news_story.ts";
import { CHANGE_FREQUENCIES, DEFAULT_PRIORITY, PRIORITY_GIVEN } from "../data/page.ts";
import type { ChangeFrequency, SitemapAlternate, SitemapImage } from "../data/page.ts";
import {
  createVideo,
  packPrecision,
  type SitemapVideo,
  type SitemapVideoFields,
  type VideoRestriction,
} from "../data/sitemap_video.ts";
import { decodeReferences } from "../xml/references.ts";
import type { ElementSpec, ElementTable, FinishedEntry, Format } from "./schema.ts";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Parts of the namespaces that mean sitemaps. */
export const SITEMAP_NAMESPACES: readonly string[] = ["/sitemap/"];

/** A page while it is read. */
interface UrlDraft {
  lastModified: number;
  /** Precision of `lastModified`. */
  precision: DatePrecision;
  changeFrequency: ChangeFrequency | undefined;
  priority: number;
  isPriorityGiven: boolean;
  /** Whether any of what follows is set. */
  isExtended: boolean;
  story: Mutable<Partial<NewsStoryFields>>;
  storyPrecision: DatePrecision;
  newsStory: NewsStory | undefined;
  image: Mutable<Partial<SitemapImage>>;
  images: SitemapImage[] | undefined;
  video: Mutable<SitemapVideoFields>;
  videoPrecision: Record<VideoDate, DatePrecision>;
  videos: SitemapVideo[] | undefined;
  alternates: SitemapAlternate[] | undefined;
  /** Attribute of the element that is read. */
  attribute: string;
}

// ------------------------------------------------------------------------------------------ core fields

const PRIORITY_REGEXP = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const SPACE = 0x20, POINT = 0x2e, ZERO = 0x30;
/** Digits of a number that is read from its bytes. */
const MAX_DIGITS = 9;

/** Reads `0.5`, `12` or `.75` from its bytes; returns NaN for any other form. */
function parseDecimalBytes(view: DataView, start: number, end: number): number {
  if (end - start > MAX_DIGITS) return NaN;
  let digits = 0, scale = 0, count = 0;
  for (let at = start; at < end; at++) {
    const digit = view.getUint8(at) - ZERO;
    if (digit >= 0 && digit <= 9) {
      digits = digits * 10 + digit;
      scale *= 10;
      count++;
    } else if (digit === POINT - ZERO && scale === 0) scale = 1;
    else return NaN;
  }
  // dividing rounds as reading the digits does
  return count === 0 ? NaN : scale > 1 ? digits / scale : digits;
}

/** Returns a priority as a number from 0 to 1; `undefined` if it cannot be read. */
export function parsePriority(value: string): number | undefined {
  if (!PRIORITY_REGEXP.test(value)) return undefined;
  const priority = Number(value) + 0;
  return priority >= 0 && priority <= 1 ? priority : undefined;
}

function setPriority(draft: UrlDraft, priority: number): true {
  draft.priority = priority;
  return draft.isPriorityGiven = true;
}

const PRIORITY: ElementSpec<UrlDraft> = {
  text(draft, value) {
    const priority = parsePriority(value);
    return priority !== undefined && setPriority(draft, priority);
  },
  bytes(draft, view, start, end) {
    const priority = parseDecimalBytes(view, start, end);
    return priority <= 1 && setPriority(draft, priority);
  },
  unreadable: ["bad-priority", "priority"],
};

/** Change frequencies by their first letter, which is unique. */
const BY_LETTER: readonly (FrequencyBytes | undefined)[] = byLetter(CHANGE_FREQUENCIES);

interface FrequencyBytes {
  readonly word: ChangeFrequency;
  readonly first: number;
  readonly last: number;
}

function byLetter(words: readonly ChangeFrequency[]): FrequencyBytes[] {
  const table: FrequencyBytes[] = [];
  for (const word of words) {
    const view = new DataView(new TextEncoder().encode(word).buffer);
    const first = view.getInt32(0, true), last = view.getInt32(word.length - 4, true);
    table[word.charCodeAt(0)] = { word, first, last };
  }
  return table;
}

/** Returns a change frequency in any case; `undefined` if it is none. */
export function parseChangeFrequency(value: string): ChangeFrequency | undefined {
  const word = value.toLowerCase();
  return CHANGE_FREQUENCIES.find((frequency) => frequency === word);
}

const CHANGE_FREQUENCY: ElementSpec<UrlDraft> = {
  text(draft, value) {
    const word = parseChangeFrequency(value);
    if (word !== undefined) draft.changeFrequency = word;
    return word !== undefined;
  },
  bytes(draft, view, start, end) {
    if (start === end) return false;
    const known = BY_LETTER[view.getUint8(start)];
    const isKnown = known !== undefined && known.word.length === end - start &&
      view.getInt32(start, true) === known.first && view.getInt32(end - 4, true) === known.last;
    if (isKnown) draft.changeFrequency = known.word;
    return isKnown;
  },
  unreadable: ["bad-changefreq", "change frequency"],
};

// ------------------------------------------------------------------------------------------------- news

function newsField(set: (story: UrlDraft["story"], value: string) => void): ElementSpec<UrlDraft> {
  return { text: (draft, value) => set(draft.story, value) };
}

function newsList(name: "genres" | "keywords" | "stockTickers"): ElementSpec<UrlDraft> {
  return { ...newsField((story, value) => story[name] = listOf(value)), separator: "," };
}

/** Splits a list at commas, trims its items and drops empty ones. */
function listOf(value: string): string[] {
  const items: string[] = [];
  for (let at = 0; at < value.length;) {
    const comma = value.indexOf(",", at);
    const end = comma < 0 ? value.length : comma;
    // most are separated by a comma and a blank
    const item = value.slice(value.charCodeAt(at) === SPACE ? at + 1 : at, end).trim();
    if (item !== "") items.push(item);
    at = end + 1;
  }
  return items;
}

const NEWS: ElementSpec<UrlDraft> = {
  open(draft) {
    draft.isExtended = true;
    draft.story = {};
  },
  children: {
    "news:publication": {
      children: {
        "news:name": newsField((story, value) => story.publicationName = value),
        "news:language": newsField((story, value) => story.publicationLanguage = value),
      },
    },
    // feeds escape titles twice
    "news:title": newsField((story, value) => story.title = decodeReferences(value)),
    "news:publication_date": {
      date(draft, time, precision) {
        draft.story.publishDate = time;
        draft.storyPrecision = precision;
      },
      unreadable: ["bad-date", "publication date"],
    },
    "news:access": newsField((story, value) => story.access = value),
    "news:genres": newsList("genres"),
    "news:keywords": newsList("keywords"),
    "news:stock_tickers": newsList("stockTickers"),
  },
  close(draft, element) {
    const { title, publishDate } = draft.story;
    if (title !== undefined && publishDate !== undefined) {
      draft.newsStory = createStory({ ...draft.story, title }, draft.storyPrecision);
    } else {
      element.warn("bad-news", "News story without title or readable date dropped");
    }
  },
};

// ----------------------------------------------------------------------------------------------- images

function imageField(name: keyof SitemapImage): ElementSpec<UrlDraft> {
  return { text: (draft, value) => void (draft.image[name] = value) };
}

const IMAGE: ElementSpec<UrlDraft> = {
  isList: true,
  open(draft) {
    draft.isExtended = true;
    draft.image = {};
  },
  children: {
    "image:loc": imageField("loc"),
    "image:caption": imageField("caption"),
    "image:geo_location": imageField("geoLocation"),
    "image:title": imageField("title"),
    "image:license": imageField("license"),
  },
  close(draft, element) {
    const { image } = draft;
    if (image.loc === undefined) element.warn("bad-image", "Image without address dropped");
    else (draft.images ??= []).push(image as SitemapImage);
  },
};

// ------------------------------------------------------------------------------------------- alternates

const ALTERNATE: ElementSpec<UrlDraft> = {
  isList: true,
  open(draft, element) {
    const rel = element.attribute("rel");
    if (rel !== "alternate" && rel.toLowerCase() !== "alternate") return;
    const hreflang = element.attribute("hreflang"), href = element.attribute("href");
    if (hreflang === "" || href === "") {
      return element.warn("bad-alternate", "Alternate without hreflang or href dropped");
    }
    draft.isExtended = true;
    (draft.alternates ??= []).push({ hreflang, href });
  },
};

// ----------------------------------------------------------------------------------------------- videos

type VideoText = "thumbnailLoc" | "title" | "description" | "contentLoc" | "playerLoc";
type VideoDate = "expirationDate" | "publicationDate";

const NUMBER_REGEXP = /^\d+(?:\.\d+)?$/;

/** A field of a video; `undefined` means that it cannot be read. */
function videoField<K extends keyof SitemapVideoFields>(
  name: K,
  read: (value: string, attribute: string) => SitemapVideoFields[K] | undefined,
  attribute = "",
): ElementSpec<UrlDraft> {
  const spec: ElementSpec<UrlDraft> = {
    text({ video, attribute }, value) {
      const result = read(value, attribute);
      if (result !== undefined) video[name] = result;
      return result !== undefined;
    },
    unreadable: ["bad-video", `video field "${name}"`],
  };
  return attribute === "" ? spec : {
    ...spec,
    open: (draft, element) => void (draft.attribute = element.attribute(attribute)),
  };
}

function videoText(name: VideoText): ElementSpec<UrlDraft> {
  return { text: (draft, value) => void (draft.video[name] = value) };
}

function videoDate(name: VideoDate): ElementSpec<UrlDraft> {
  return {
    date(draft, time, precision) {
      draft.video[name] = time;
      draft.videoPrecision[name] = precision;
    },
    unreadable: ["bad-video", `video field "${name}"`],
  };
}

function videoNumber(name: "duration" | "rating" | "viewCount"): ElementSpec<UrlDraft> {
  return {
    ...videoField(name, (value) => NUMBER_REGEXP.test(value) ? Number(value) : undefined),
    bytes({ video }, view, start, end) {
      const number = parseDecimalBytes(view, start, end);
      // a point is followed and preceded by digits
      if (number !== number || isPoint(view, start) || isPoint(view, end - 1)) return false;
      video[name] = number;
      return true;
    },
  };
}

function isPoint(view: DataView, at: number): boolean {
  return view.getUint8(at) === POINT;
}

function yesNo(value: string): boolean | undefined {
  const word = value.toLowerCase();
  if (word === "yes" || word === "true") return true;
  return word === "no" || word === "false" ? false : undefined;
}

function restriction(value: string, relationship: string): VideoRestriction | undefined {
  const word = relationship.toLowerCase();
  if (word !== "allow" && word !== "deny") return undefined;
  return { relationship: word, values: value.split(/\s+/) };
}

const VIDEO: ElementSpec<UrlDraft> = {
  isList: true,
  open(draft) {
    draft.isExtended = true;
    draft.video = {};
  },
  children: {
    "video:thumbnail_loc": videoText("thumbnailLoc"),
    "video:title": videoText("title"),
    "video:description": videoText("description"),
    "video:content_loc": videoText("contentLoc"),
    "video:player_loc": videoText("playerLoc"),
    "video:duration": videoNumber("duration"),
    "video:expiration_date": videoDate("expirationDate"),
    "video:rating": videoNumber("rating"),
    "video:view_count": videoNumber("viewCount"),
    "video:publication_date": videoDate("publicationDate"),
    "video:family_friendly": videoField("familyFriendly", yesNo),
    "video:restriction": {
      ...videoField("restriction", restriction, "relationship"),
      separator: " ",
    },
    "video:platform": { ...videoField("platform", restriction, "relationship"), separator: " " },
    "video:requires_subscription": videoField("requiresSubscription", yesNo),
    "video:uploader": videoField(
      "uploader",
      (name, info) => info === "" ? { name } : { name, info },
      "info",
    ),
    "video:live": videoField("live", yesNo),
    "video:tag": {
      isList: true,
      text: ({ video }, value) => {
        if (video.tags === undefined) video.tags = [value];
        else (video.tags as string[]).push(value);
      },
    },
  },
  close(draft) {
    const { expirationDate, publicationDate } = draft.videoPrecision;
    const flags = packPrecision(expirationDate, publicationDate);
    (draft.videos ??= []).push(createVideo(draft.video, flags));
  },
};

// ----------------------------------------------------------------------------------------------- format

const ENTRIES: ElementTable<UrlDraft> = {
  "own:url": {
    children: {
      "own:loc": { isAddress: true },
      "own:lastmod": {
        date(draft, time, precision) {
          draft.lastModified = time;
          draft.precision = precision;
        },
        unreadable: ["bad-date", "date"],
      },
      "own:changefreq": CHANGE_FREQUENCY,
      "own:priority": PRIORITY,
      "news:news": NEWS,
      "image:image": IMAGE,
      "video:video": VIDEO,
      "xhtml:link": ALTERNATE,
    },
  },
};

function emptyDraft(): UrlDraft {
  return {
    lastModified: NaN,
    precision: TO_TIME,
    changeFrequency: undefined,
    priority: DEFAULT_PRIORITY,
    isPriorityGiven: false,
    isExtended: false,
    story: {},
    storyPrecision: TO_TIME,
    newsStory: undefined,
    image: {},
    images: undefined,
    video: {},
    videoPrecision: { expirationDate: TO_TIME, publicationDate: TO_TIME },
    videos: undefined,
    alternates: undefined,
    attribute: "",
  };
}

/** The format `urlset`. */
export const URLSET: Format<UrlDraft> = {
  type: "PagesXmlSitemap",
  namespaces: SITEMAP_NAMESPACES,
  entries: ENTRIES,
  isExpectedIn: (names) => names.length === 0,
  reportsUnknown: true,
  hasBase: false,
  draft: emptyDraft,
  reset(draft) {
    draft.lastModified = NaN;
    draft.changeFrequency = undefined;
    draft.priority = DEFAULT_PRIORITY;
    draft.isPriorityGiven = false;
    if (!draft.isExtended) return;
    draft.isExtended = false;
    draft.newsStory = undefined;
    draft.images = undefined;
    draft.videos = undefined;
    draft.alternates = undefined;
  },
  finish(draft, entry) {
    const { url } = entry;
    if (url === undefined) return entry.drop();
    if (draft.isExtended) return finishExtended(url, draft, entry);
    const { priority, lastModified, changeFrequency } = draft;
    entry.addPage({ url, priority, lastModified, changeFrequency }, flagsOf(draft));
  },
};

function finishExtended(url: string, draft: UrlDraft, entry: FinishedEntry): void {
  const { priority, lastModified, changeFrequency, newsStory, images, videos, alternates } = draft;
  entry.addPage({
    url,
    priority,
    lastModified,
    changeFrequency,
    ...newsStory && { newsStory },
    ...images && { images },
    ...videos && { videos },
    ...alternates && { alternates },
  }, flagsOf(draft));
}

function flagsOf({ precision, isPriorityGiven }: UrlDraft): number {
  return isPriorityGiven ? precision | PRIORITY_GIVEN : precision;
}
