/**
 * Tables of the fields of a page and its extensions.
 *
 * The interfaces in `page.ts` hold the types and documentation of the fields, the tables everything
 * else. Reader, page store, JSON, CSV and XML derive from the tables. A field that is in an interface
 * but not in its table, or the other way round, or in both with different types, is a type error.
 *
 * A value is an element of its own (`video:title`), an attribute (`@info`), or the text of the
 * element that has the attributes (`#text`).
 *
 * @module
 */

import type { WarningCode } from "./codes.ts";
import type {
  ChangeFrequency,
  NewsStory,
  SitemapAlternate,
  SitemapImage,
  SitemapPage,
  SitemapVideo,
} from "./page.ts";

/** A `word` is one of `words`; a `record` has fields. */
export type Kind = "text" | "url" | "number" | "priority" | "flag" | "date" | "word" | "record";

interface FieldOptions {
  /** A record without it is never valid (`always`), or is neither read from nor written as XML. */
  readonly required?: "always" | "xml";
  /** Element around the element of the field. */
  readonly inside?: string;
  /** Name of the field that it follows in XML. Default: the one before it in the table. */
  readonly after?: string;
  /** Column of CSV. Default: the name of the field. */
  readonly column?: string;
  /** Warning about an invalid value, and what the value is called. Default: by the record. */
  readonly invalid?: readonly [code: WarningCode, name: string];
  /** Whether it is resolved against the URL of the sitemap. */
  readonly isResolved?: true;
  /** Sites escape it twice, so references in it are decoded twice. */
  readonly isEscapedTwice?: true;
  /** Values of a `word`. */
  readonly words?: readonly string[];
}

interface Row<K extends Kind = Kind, Many extends boolean = boolean> extends FieldOptions {
  readonly kind: K;
  /** Name in XML: an element with its prefix, `@` and an attribute, or `#text`. */
  readonly xml: string;
  /** Description of the column of CSV. */
  readonly about: string;
  readonly isList: Many;
  /** Separator of a list that is one value; a list without one has an element for each item. */
  readonly separator?: "," | " ";
  readonly record?: RecordSchema;
  /** Text of a record that has one column of CSV. */
  readonly cell?: (record: never) => string;
}

export interface Field extends Row {
  readonly name: string;
}

export interface RecordSchema {
  readonly fields: readonly Field[];
  readonly inXmlOrder: readonly Field[];
  readonly invalid?: readonly [code: WarningCode, noun: string];
  /** Message about a record dropped by the reader. */
  readonly incomplete?: string;
  readonly fixed?: readonly (readonly [attribute: string, value: string])[];
}

type KindOf<T> = [T] extends [boolean] ? "flag"
  : [T] extends [number] ? "number" | "priority"
  : [T] extends [string] ? (string extends T ? "text" | "url" | "date" : "word")
  : "record";

type RowOf<T> = [T] extends [readonly (infer Item)[]] ? Row<KindOf<Item>, true>
  : Row<KindOf<T>, false>;

type Rows<T> = { readonly [K in keyof T]-?: RowOf<Exclude<T[K], undefined>> };

function record<T>(
  rows: Rows<T>,
  options: Pick<RecordSchema, "invalid" | "incomplete" | "fixed"> = {},
): RecordSchema {
  const fields = Object.entries<Row>(rows).map(([name, row]): Field => ({ ...row, name }));
  const inXmlOrder = fields.filter(({ after }) => after === undefined);
  function place(field: Field): void {
    const before = fields.find(({ name }) => name === field.after);
    if (before === undefined || inXmlOrder.includes(field)) return;
    place(before);
    inXmlOrder.splice(inXmlOrder.indexOf(before) + 1, 0, field);
  }
  fields.forEach(place);
  return { fields, inXmlOrder, ...options };
}

function row<K extends Kind>(
  kind: K,
): (xml: string, about: string, options?: FieldOptions) => Row<K, false> {
  return (xml, about, options) => ({ kind, xml, about, isList: false, ...options });
}

const text = row("text"), url = row("url"), number = row("number"), flag = row("flag");
const word = row("word"), priority = row("priority"), date = row("date");

function list<K extends Kind>(row: Row<K, false>, separator?: "," | " "): Row<K, true> {
  return { ...row, isList: true, ...(separator && { separator }) };
}

/** A field that is a record; its fields are columns of CSV unless it is written as one `cell`. */
function nested(
  xml: string,
  record: RecordSchema,
  options: FieldOptions & Pick<Row, "cell"> & { readonly about?: string } = {},
): Row<"record", false> {
  return { kind: "record", xml, record, about: "", isList: false, ...options };
}

// ---------------------------------------------------------------------------------------------- tables

export const CHANGE_FREQUENCIES: readonly ChangeFrequency[] = [
  "always",
  "hourly",
  "daily",
  "weekly",
  "monthly",
  "yearly",
  "never",
];

export type ExtensionPrefix = "xhtml" | "news" | "image" | "video";

export const NAMESPACES: Readonly<Record<"" | ExtensionPrefix, string>> = {
  "": "http://www.sitemaps.org/schemas/sitemap/0.9",
  xhtml: "http://www.w3.org/1999/xhtml",
  news: "http://www.google.com/schemas/sitemap-news/0.9",
  image: "http://www.google.com/schemas/sitemap-image/1.1",
  video: "http://www.google.com/schemas/sitemap-video/1.1",
};

const IMAGE = record<SitemapImage>({
  loc: url("image:loc", "URLs of the images", { required: "always", isResolved: true }),
  caption: text("image:caption", "captions of the images"),
  geoLocation: text("image:geo_location", "places of the images"),
  title: text("image:title", "titles of the images"),
  license: url("image:license", "URLs of the licenses of the images"),
}, { invalid: ["bad-image", "image"], incomplete: "Image without address dropped" });

const ALTERNATE = record<SitemapAlternate>({
  hreflang: text("@hreflang", "languages of the page in other languages", { required: "always" }),
  href: url("@href", "URLs of the page in other languages", {
    required: "always",
    isResolved: true,
  }),
}, { fixed: [["rel", "alternate"]] });

const NEWS_STORY: RecordSchema = record<NewsStory>({
  title: text("news:title", "title of the news story", {
    required: "always",
    isEscapedTwice: true,
    after: "publishDate",
  }),
  publishDate: date("news:publication_date", "date of the story", {
    required: "xml",
    invalid: ["bad-date", "publication date"],
    after: "genres",
  }),
  publicationName: text("news:name", "name of the newspaper or site", {
    inside: "news:publication",
  }),
  publicationLanguage: text("news:language", "language of the publication", {
    inside: "news:publication",
  }),
  access: text("news:access", "Subscription or Registration"),
  genres: list(text("news:genres", "genres of the story"), ","),
  keywords: list(text("news:keywords", "keywords of the story"), ","),
  stockTickers: list(text("news:stock_tickers", "stock tickers of companies in the story"), ","),
}, {
  invalid: ["bad-news", "news"],
  incomplete: "News story without title or readable date dropped",
});

type Restriction = NonNullable<SitemapVideo["restriction"]>;

const RESTRICTION = record<Restriction>({
  relationship: word("@relationship", "", { required: "always", words: ["allow", "deny"] }),
  values: list(text("#text", "", { required: "always" }), " "),
});

function restrictionCell({ relationship, values }: Restriction): string {
  return `${relationship}: ${values.join(" ")}`;
}

const UPLOADER = record<NonNullable<SitemapVideo["uploader"]>>({
  name: text("#text", "names of the uploaders of the videos", {
    required: "always",
    column: "uploader",
  }),
  info: url("@info", "URLs about the uploaders of the videos", { column: "uploaderInfo" }),
});

const GALLERY = record<NonNullable<SitemapVideo["gallery"]>>({
  loc: url("#text", "URLs of the galleries of the videos", {
    required: "always",
    column: "gallery",
  }),
  title: text("@title", "titles of the galleries of the videos", { column: "galleryTitle" }),
});

type Price = NonNullable<SitemapVideo["prices"]>[number];

const PRICE = record<Price>({
  amount: number("#text", "", { required: "always" }),
  currency: text("@currency", "", { required: "always" }),
  type: text("@type", ""),
  resolution: text("@resolution", ""),
});

function priceCell({ amount, currency, type, resolution }: Price): string {
  return [amount, currency, type, resolution].filter((part) => part !== undefined).join(" ");
}

const VIDEO: RecordSchema = record<SitemapVideo>({
  thumbnailLoc: url("video:thumbnail_loc", "URLs of the thumbnails of the videos", {
    isResolved: true,
  }),
  title: text("video:title", "titles of the videos"),
  description: text("video:description", "descriptions of the videos"),
  contentLoc: url("video:content_loc", "URLs of the video files", { isResolved: true }),
  playerLoc: url("video:player_loc", "URLs of the video players", { isResolved: true }),
  duration: number("video:duration", "durations of the videos in seconds"),
  expirationDate: date("video:expiration_date", "dates after which the videos are gone"),
  rating: number("video:rating", "ratings of the videos from 0 to 5"),
  viewCount: number("video:view_count", "number of views of the videos"),
  publicationDate: date("video:publication_date", "dates of publication of the videos"),
  familyFriendly: flag("video:family_friendly", "whether the videos are for all ages"),
  restriction: nested("video:restriction", RESTRICTION, {
    about: "countries where the videos are shown or not",
    cell: restrictionCell,
  }),
  platform: nested("video:platform", RESTRICTION, {
    about: "platforms where the videos are shown or not",
    cell: restrictionCell,
    after: "uploader",
  }),
  requiresSubscription: flag(
    "video:requires_subscription",
    "whether the videos require a subscription",
  ),
  uploader: nested("video:uploader", UPLOADER),
  live: flag("video:live", "whether the videos are live streams"),
  tags: list(text("video:tag", "tags of the videos", { after: "publicationDate" })),
  gallery: nested("video:gallery_loc", GALLERY, { after: "restriction" }),
  prices: list(
    nested("video:price", PRICE, {
      about: "prices of the videos",
      cell: priceCell,
      after: "gallery",
    }),
  ),
}, { invalid: ["bad-video", "video"] });

export const PAGE: RecordSchema = record<SitemapPage>({
  url: url("loc", "URL of the page", { required: "always" }),
  lastModified: date("lastmod", "date of the last change", {
    invalid: ["bad-date", "date"],
  }),
  changeFrequency: word("changefreq", "how often it changes, from always to never", {
    words: CHANGE_FREQUENCIES,
    invalid: ["bad-changefreq", "change frequency"],
  }),
  priority: priority("priority", "priority from 0 to 1", {
    invalid: ["bad-priority", "priority"],
  }),
  newsStory: nested("news:news", NEWS_STORY),
  images: list(nested("image:image", IMAGE)),
  videos: list(nested("video:video", VIDEO)),
  alternates: list(nested("xhtml:link", ALTERNATE, { after: "priority" })),
});

export const EXTENSIONS: readonly Field[] = PAGE.fields.filter(({ xml }) => xml.includes(":"));

/** An object whose fields a table lists. */
export type Data = Readonly<Record<string, unknown>>;
