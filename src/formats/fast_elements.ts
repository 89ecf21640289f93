/**
 * The elements that the fast lane knows, and what it makes of those of the extensions.
 *
 * @module
 */

import type { SitemapType } from "../events.ts";
import { NewsStory, type NewsStoryFields } from "../news_story.ts";
import type { SitemapAlternate, SitemapImage } from "../page.ts";
import { decodeReferences } from "../xml/references.ts";
import { listOf } from "./extensions/news.ts";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * The values that are read: `text` and `attribute` belong to extensions and end at the next tag or
 * quote, `date` does too. Strings, for what is imported is looked up at each use: numbers with names
 * cost 2 % of a page.
 */
export type ValueKind =
  | "address"
  | "lastmod"
  | "changefreq"
  | "priority"
  | "text"
  | "attribute"
  | "date";

/** Attributes have a ceiling together, which only the general lane minds. */
const MAX_LINK_LENGTH = 8 * 1024;

/** What extensions add to a page, and what of it is being read. */
export class ExtensionDraft {
  /** Images that were complete. */
  images: SitemapImage[] | undefined;
  /** The news story. */
  newsStory: NewsStory | undefined;
  /** Links that were complete. */
  alternates: SitemapAlternate[] | undefined;
  /** The image that is being read. */
  image: Mutable<Partial<SitemapImage>> | undefined;
  /** The story that is being read. */
  story: Mutable<NewsStoryFields> = { title: "" };
  /** The link that is being read. */
  hreflang = "";
  /** Its address. */
  href = "";
  /** Where it begins. */
  linkStart = 0;

  /** Forgets the record before. */
  clear(): void {
    this.images = undefined;
    this.newsStory = undefined;
    this.alternates = undefined;
  }
}

/** An element of the common form, or an attribute. */
export interface FastElement {
  /** The text of its start tag, without the brackets. */
  readonly name: string;
  /** The element it stands in; none for a record. */
  readonly parent: FastElement | undefined;
  /** What is read in it; for an element with elements in it nothing. */
  readonly kind?: ValueKind;
  /** Takes its value: false where there is something to be told. */
  readonly set?: (draft: ExtensionDraft, value: string) => boolean;
  /** The same, where it is a date. */
  readonly setTime?: (draft: ExtensionDraft, time: number) => void;
  /** Begins what its elements describe. */
  readonly begin?: (draft: ExtensionDraft, at: number) => void;
  /** Ends it: false where there is something to be told. */
  readonly end?: (draft: ExtensionDraft, at: number) => boolean;
}

/** A page. */
const URL: FastElement = { name: "url", parent: undefined };

const OF_URL: readonly FastElement[] = [
  URL,
  { name: "loc", parent: URL, kind: "address" },
  { name: "lastmod", parent: URL, kind: "lastmod" },
  { name: "changefreq", parent: URL, kind: "changefreq" },
  { name: "priority", parent: URL, kind: "priority" },
];

const IMAGE: FastElement = {
  name: "image:image",
  parent: URL,
  begin(draft) {
    draft.image = undefined;
  },
  end(draft) {
    if (draft.image?.loc === undefined) return false;
    (draft.images ??= []).push(draft.image as SitemapImage);
    return true;
  },
};

function imageField(name: string, field: keyof SitemapImage): FastElement {
  return {
    name,
    parent: IMAGE,
    kind: "text",
    set(draft, value) {
      // fields in the order in which they stand, as everywhere
      (draft.image ??= {})[field] = value;
      return true;
    },
  };
}

/** Images, if `image:` is bound to what it usually means. */
const IMAGES: readonly FastElement[] = [
  IMAGE,
  {
    ...imageField("image:loc", "loc"),
    set(draft, value) {
      if (draft.image === undefined) draft.image = { loc: value };
      else draft.image.loc = value;
      return true;
    },
  },
  imageField("image:title", "title"),
  imageField("image:caption", "caption"),
  imageField("image:geo_location", "geoLocation"),
  imageField("image:license", "license"),
];

const NEWS: FastElement = {
  name: "news:news",
  parent: URL,
  begin(draft) {
    draft.story = { title: "" };
  },
  end(draft) {
    const { story } = draft;
    // of several the last good one counts: general business
    if (story.title === "" || story.publishDate === undefined || draft.newsStory) return false;
    draft.newsStory = new NewsStory(story);
    return true;
  },
};

const PUBLICATION: FastElement = { name: "news:publication", parent: NEWS };

function newsField(
  name: string,
  set: (story: Mutable<NewsStoryFields>, value: string) => void,
  parent: FastElement = NEWS,
): FastElement {
  return {
    name,
    parent,
    kind: "text",
    set(draft, value) {
      set(draft.story, value);
      return true;
    },
  };
}

/** News, if `news:` is bound to what it usually means. */
const STORIES: readonly FastElement[] = [
  NEWS,
  PUBLICATION,
  newsField("news:name", (story, value) => story.publicationName = value, PUBLICATION),
  newsField("news:language", (story, value) => story.publicationLanguage = value, PUBLICATION),
  {
    name: "news:publication_date",
    parent: NEWS,
    kind: "date",
    setTime(draft, time) {
      draft.story.publishDate = time;
    },
  },
  // feeds escape titles twice
  newsField("news:title", (story, value) => story.title = decodeReferences(value)),
  newsField("news:keywords", (story, value) => story.keywords = listOf(value)),
  newsField("news:genres", (story, value) => story.genres = listOf(value)),
  newsField("news:stock_tickers", (story, value) => story.stockTickers = listOf(value)),
];

/** A link that goes on with its attributes. */
export const LINK: FastElement = {
  name: 'xhtml:link rel="alternate"',
  parent: URL,
  begin(draft, at) {
    draft.hreflang = "";
    draft.href = "";
    draft.linkStart = at;
  },
  end(draft, at) {
    const { hreflang, href } = draft;
    if (hreflang === "" || href === "" || at - draft.linkStart > MAX_LINK_LENGTH) return false;
    (draft.alternates ??= []).push({ hreflang, href });
    return true;
  },
};

/** Alternates, if `xhtml:` is bound to what it usually means. */
const ALTERNATES: readonly FastElement[] = [
  LINK,
  {
    name: "hreflang",
    parent: LINK,
    kind: "attribute",
    set(draft, value) {
      if (draft.hreflang !== "") return false;
      draft.hreflang = value;
      return true;
    },
  },
  {
    name: "href",
    parent: LINK,
    kind: "attribute",
    set(draft, value) {
      if (draft.href !== "") return false;
      draft.href = value;
      return true;
    },
  },
];

/** Which prefixes mean what they usually mean. */
export interface UsualPrefixes {
  /** Whether `image:` does. */
  readonly hasUsualImages: boolean;
  /** Whether `news:` does. */
  readonly hasUsualNews: boolean;
  /** Whether `xhtml:` does. */
  readonly hasUsualAlternates: boolean;
}

/** What a record looks like. */
export interface RecordForm {
  /** The name of its element. */
  readonly name: string;
  /** The kind of document that has such records. */
  readonly type: SitemapType;
  /** What begins one. */
  readonly start: string;
  /** What ends one. */
  readonly end: string;
  /** The elements that the fast lane may read of it. */
  readonly elements: (usual: UsualPrefixes) => readonly FastElement[];
}

/** The pages of a `urlset`. */
export const PAGE_FORM: RecordForm = {
  name: "url",
  type: "PagesXmlSitemap",
  start: "<url>",
  end: "</url>",
  elements: (usual) => [
    ...OF_URL,
    ...usual.hasUsualImages ? IMAGES : [],
    ...usual.hasUsualNews ? STORIES : [],
    ...usual.hasUsualAlternates ? ALTERNATES : [],
  ],
};

/** A sub-sitemap. */
const SITEMAP: FastElement = { name: "sitemap", parent: undefined };

/** The sub-sitemaps of a `sitemapindex`. */
export const CHILD_FORM: RecordForm = {
  name: "sitemap",
  type: "IndexXmlSitemap",
  start: "<sitemap>",
  end: "</sitemap>",
  elements: () => [
    SITEMAP,
    { name: "loc", parent: SITEMAP, kind: "address" },
    { name: "lastmod", parent: SITEMAP, kind: "lastmod" },
  ],
};
