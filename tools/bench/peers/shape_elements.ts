/**
 * The elements that `shape_pages.ts` reads, as tables of children and actions.
 *
 * Names are lower-case, extensions have their conventional prefix. The work for a field is the
 * minimum for a reader on top of a SAX parser: trimmed text, `Number()`, `new Date()`, one copy.
 *
 * @module
 */

import { decodeHTMLStrict } from "entities";
import type {
  BenchAlternate,
  BenchImage,
  BenchPage,
  BenchStory,
  BenchVideo,
} from "../contender.ts";
import { type Attributes, changeFrequencyOf, emptyPage, keep, priorityOf } from "./page_builder.ts";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The values of the entry that is being read. */
export class Draft {
  page: Mutable<BenchPage> = emptyPage();
  images: BenchImage[] = [];
  image: Mutable<BenchImage> | undefined;
  alternates: BenchAlternate[] = [];
  videos: BenchVideo[] = [];
  video: Mutable<BenchVideo> = {};
  tags: string[] = [];
  /** `relationship` or `info` of the element that is open. */
  attribute: string | undefined;
  story: Mutable<BenchStory> = emptyStory();
  // feeds
  link: string | undefined;
  linkRank = 0;
  guid: string | undefined;
  isPermaLink = true;
  title: string | undefined;
  summary: string | undefined;
  /** Dates by rank, the best one first. */
  dates: (Date | undefined)[] = [];
  /** Receives each page. */
  readonly emit: (page: BenchPage) => void;

  constructor(emit: (page: BenchPage) => void) {
    this.emit = emit;
  }
}

/** Actions on one element. */
export interface ElementSpec {
  /** Starts an entry or a block, or reads attributes. */
  readonly open?: (draft: Draft, attributes: Attributes) => void;
  /** Reads the text, trimmed and not empty. */
  readonly text?: (draft: Draft, text: string) => void;
  /** Ends an entry or a block. */
  readonly close?: (draft: Draft) => void;
  readonly children?: Readonly<Record<string, ElementSpec>>;
  /** Text of child elements counts. */
  readonly hasMarkup?: boolean;
  /** Children are recognised below unknown elements too. */
  readonly isOutside?: boolean;
}

// ------------------------------------------------------------------------------------------ values

const PLUS = 0x2b, MINUS = 0x2d, NINE = 0x39, CLOSING_PARENTHESIS = 0x29;

/** The instant of a date, in UTC if it has no zone; `undefined` for anything else. */
function dateOf(text: string): Date | undefined {
  const date = new Date(isUnambiguous(text) ? text : withZone(text));
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** Whether `new Date()` does not read the text as local time. */
function isUnambiguous(text: string): boolean {
  const { length } = text;
  const last = text.charCodeAt(length - 1);
  if (last > NINE || last === CLOSING_PARENTHESIS) return true; // …Z, …GMT, …(UTC)
  if (length <= 10) {
    return length === 4 || ((length === 10 || length === 7) && text.charCodeAt(4) === MINUS);
  }
  const sign = text.charCodeAt(length - 6), other = text.charCodeAt(length - 5); // +02:00, +0200
  return sign === PLUS || sign === MINUS || other === PLUS || other === MINUS;
}

function withZone(text: string): string {
  return text.charAt(10) === "T" ? text + "Z" : text + " UTC";
}

function numberOf(text: string): number | undefined {
  const value = Number(text);
  return value >= 0 ? value : undefined;
}

function yesNoOf(text: string): boolean | undefined {
  const word = text.toLowerCase();
  return word === "yes" || word === "true"
    ? true
    : word === "no" || word === "false"
    ? false
    : undefined;
}

function listOf(text: string): string[] {
  return text.split(",").map((item) => keep(item.trim())).filter((item) => item !== "");
}

/** A title as feeds write it, which escape references twice. */
function titleOf(text: string): string {
  return text.includes("&") ? decodeHTMLStrict(text) : keep(text);
}

function emptyStory(): Mutable<BenchStory> {
  return {
    title: "",
    publishDate: undefined,
    publicationName: undefined,
    publicationLanguage: undefined,
    access: undefined,
    genres: undefined,
    keywords: undefined,
    stockTickers: undefined,
  };
}

// -------------------------------------------------------------------------------------- extensions

const IMAGE: ElementSpec = {
  open(draft) {
    draft.image = {
      loc: "",
      caption: undefined,
      geoLocation: undefined,
      title: undefined,
      license: undefined,
    };
  },
  close(draft) {
    if (draft.image!.loc !== "") draft.images.push(draft.image!);
  },
  children: {
    "image:loc": { text: (draft, text) => void (draft.image!.loc = keep(text)) },
    "image:caption": { text: (draft, text) => void (draft.image!.caption = keep(text)) },
    "image:geo_location": { text: (draft, text) => void (draft.image!.geoLocation = keep(text)) },
    "image:title": { text: (draft, text) => void (draft.image!.title = keep(text)) },
    "image:license": { text: (draft, text) => void (draft.image!.license = keep(text)) },
  },
};

const ALTERNATE: ElementSpec = {
  open(draft, { rel, hreflang, href }) {
    if (rel === "alternate" && hreflang !== undefined && href !== undefined) {
      draft.alternates.push({ hreflang: keep(hreflang), href: keep(href) });
    }
  },
};

const NEWS: ElementSpec = {
  open: (draft) => void (draft.story = emptyStory()),
  close({ page, story }) {
    if (story.title !== "" && story.publishDate !== undefined) page.newsStory = story;
  },
  children: {
    "news:publication": {
      children: {
        "news:name": { text: (draft, text) => void (draft.story.publicationName = keep(text)) },
        "news:language": {
          text: (draft, text) => void (draft.story.publicationLanguage = keep(text)),
        },
      },
    },
    "news:title": { text: (draft, text) => void (draft.story.title = titleOf(text)) },
    "news:publication_date": {
      text: (draft, text) => void (draft.story.publishDate = dateOf(text)),
    },
    "news:access": { text: (draft, text) => void (draft.story.access = keep(text)) },
    "news:genres": { text: (draft, text) => void (draft.story.genres = listOf(text)) },
    "news:keywords": { text: (draft, text) => void (draft.story.keywords = listOf(text)) },
    "news:stock_tickers": { text: (draft, text) => void (draft.story.stockTickers = listOf(text)) },
  },
};

/** `restriction` or `platform`. */
function restriction(field: "restriction" | "platform"): ElementSpec {
  return {
    open: (draft, { relationship }) => void (draft.attribute = relationship),
    text({ video, attribute }, text) {
      if (attribute !== "allow" && attribute !== "deny") return;
      video[field] = { relationship: attribute, values: text.split(/\s+/).map(keep) };
    },
  };
}

const VIDEO: ElementSpec = {
  open(draft) {
    draft.video = {
      thumbnailLoc: undefined,
      title: undefined,
      description: undefined,
      contentLoc: undefined,
      playerLoc: undefined,
      duration: undefined,
      expirationDate: undefined,
      rating: undefined,
      viewCount: undefined,
      publicationDate: undefined,
      familyFriendly: undefined,
      restriction: undefined,
      platform: undefined,
      requiresSubscription: undefined,
      uploader: undefined,
      live: undefined,
      tags: undefined,
    };
  },
  close: (draft) => void draft.videos.push(draft.video),
  children: {
    "video:thumbnail_loc": { text: (draft, text) => void (draft.video.thumbnailLoc = keep(text)) },
    "video:title": { text: (draft, text) => void (draft.video.title = keep(text)) },
    "video:description": { text: (draft, text) => void (draft.video.description = keep(text)) },
    "video:content_loc": { text: (draft, text) => void (draft.video.contentLoc = keep(text)) },
    "video:player_loc": { text: (draft, text) => void (draft.video.playerLoc = keep(text)) },
    "video:duration": { text: (draft, text) => void (draft.video.duration = numberOf(text)) },
    "video:expiration_date": {
      text: (draft, text) => void (draft.video.expirationDate = dateOf(text)),
    },
    "video:rating": { text: (draft, text) => void (draft.video.rating = numberOf(text)) },
    "video:view_count": { text: (draft, text) => void (draft.video.viewCount = numberOf(text)) },
    "video:publication_date": {
      text: (draft, text) => void (draft.video.publicationDate = dateOf(text)),
    },
    "video:family_friendly": {
      text: (draft, text) => void (draft.video.familyFriendly = yesNoOf(text)),
    },
    "video:restriction": restriction("restriction"),
    "video:platform": restriction("platform"),
    "video:requires_subscription": {
      text: (draft, text) => void (draft.video.requiresSubscription = yesNoOf(text)),
    },
    "video:uploader": {
      open: (draft, { info }) => void (draft.attribute = info),
      text({ video, attribute }, text) {
        const info = attribute === undefined ? undefined : keep(attribute);
        video.uploader = info === undefined ? { name: keep(text) } : { name: keep(text), info };
      },
    },
    "video:live": { text: (draft, text) => void (draft.video.live = yesNoOf(text)) },
    "video:tag": {
      text(draft, text) {
        if (draft.video.tags === undefined) draft.video.tags = draft.tags = [];
        draft.tags.push(keep(text));
      },
    },
  },
};

// ----------------------------------------------------------------------------------------- formats

const URL_ENTRY: ElementSpec = {
  open(draft) {
    draft.page = emptyPage();
    if (draft.images.length > 0) draft.images = [];
    if (draft.alternates.length > 0) draft.alternates = [];
    if (draft.videos.length > 0) draft.videos = [];
  },
  close({ page, images, alternates, videos, emit }) {
    if (images.length > 0) page.images = images;
    if (alternates.length > 0) page.alternates = alternates;
    if (videos.length > 0) page.videos = videos;
    emit(page);
  },
  children: {
    "loc": { text: (draft, text) => void (draft.page.url = keep(text)) },
    "lastmod": { text: (draft, text) => void (draft.page.lastModified = dateOf(text)) },
    "changefreq": {
      text(draft, text) {
        draft.page.changeFrequency = changeFrequencyOf(text) ??
          changeFrequencyOf(text.toLowerCase());
      },
    },
    "priority": { text: (draft, text) => void (draft.page.priority = priorityOf(text)) },
    "image:image": IMAGE,
    "news:news": NEWS,
    "video:video": VIDEO,
    "xhtml:link": ALTERNATE,
  },
};

/** An entry of an index: each URL is emitted as a page without fields. */
const CHILD_ENTRY: ElementSpec = {
  children: {
    "loc": {
      text(draft, text) {
        const page = emptyPage();
        page.url = keep(text);
        draft.emit(page);
      },
    },
  },
};

function openFeedEntry(draft: Draft): void {
  draft.link = undefined;
  draft.linkRank = 0;
  draft.guid = undefined;
  draft.title = undefined;
  draft.summary = undefined;
  draft.dates = [undefined, undefined, undefined, undefined];
}

function closeFeedEntry(draft: Draft): void {
  const { link, guid, title, summary, dates, emit } = draft;
  const page = emptyPage();
  page.url = link ?? (guid?.startsWith("http") ? guid : "");
  const heading = title ?? summary;
  if (heading !== undefined) {
    const story = emptyStory();
    story.title = heading;
    story.publishDate = dates[0] ?? dates[1] ?? dates[2] ?? dates[3];
    page.newsStory = story;
  }
  emit(page);
}

const ITEM: ElementSpec = {
  open: openFeedEntry,
  close: closeFeedEntry,
  children: {
    "link": {
      open(draft, { href, rel }) {
        if (href !== undefined && (rel === undefined || rel === "alternate")) {
          draft.link = keep(href);
        }
      },
      text: (draft, text) => void (draft.link = keep(text)),
    },
    "guid": {
      open: (draft, { isPermaLink }) => void (draft.isPermaLink = isPermaLink !== "false"),
      text(draft, text) {
        if (draft.isPermaLink && draft.link === undefined) draft.guid = keep(text);
      },
    },
    "title": { text: (draft, text) => void (draft.title = titleOf(text)) },
    "description": {
      text(draft, text) {
        if (draft.title === undefined) draft.summary = titleOf(text);
      },
    },
    "pubdate": { text: (draft, text) => void (draft.dates[0] = dateOf(text) ?? draft.dates[0]) },
    "dc:date": { text: (draft, text) => void (draft.dates[1] = dateOf(text) ?? draft.dates[1]) },
  },
};

const LINK_RANKS: Readonly<Record<string, number>> = {
  "alternate": 3,
  "self": 2,
  "via": 1,
  "related": 1,
};
const PAGE_TYPES = new Set(["text/html", "application/xhtml+xml"]);

function openAtomLink(draft: Draft, { rel, type, href }: Attributes): void {
  if (href === undefined) return;
  let rank = rel === undefined ? 3 : LINK_RANKS[rel] ?? 0;
  if (rank === 3 && (type === undefined || PAGE_TYPES.has(type))) rank = 4;
  if (rank <= draft.linkRank) return;
  draft.linkRank = rank;
  draft.link = keep(href);
}

/** A date of an Atom entry: the first one of its kind counts. */
function atomDate(rank: number): ElementSpec {
  return { text: (draft, text) => void (draft.dates[rank] ??= dateOf(text)) };
}

const SUMMARY: ElementSpec = {
  text(draft, text) {
    if (draft.title === undefined) draft.summary ??= titleOf(text);
  },
  hasMarkup: true,
};

const ATOM_ENTRY: ElementSpec = {
  open: openFeedEntry,
  close: closeFeedEntry,
  children: {
    "link": { open: openAtomLink },
    "title": { text: (draft, text) => void (draft.title = titleOf(text)), hasMarkup: true },
    "summary": SUMMARY,
    "tagline": SUMMARY,
    "published": atomDate(0),
    "issued": atomDate(0),
    "updated": atomDate(1),
    "modified": atomDate(2),
    "created": atomDate(3),
  },
};

/** The root elements by their local name. */
export const ROOTS: Readonly<Record<string, ElementSpec>> = {
  "urlset": { children: { "url": URL_ENTRY }, isOutside: true },
  "sitemapindex": { children: { "sitemap": CHILD_ENTRY, "url": CHILD_ENTRY }, isOutside: true },
  "rss": { children: { "item": ITEM }, isOutside: true },
  "rdf": { children: { "item": ITEM }, isOutside: true },
  "feed": { children: { "entry": ATOM_ENTRY }, isOutside: true },
};
