/**
 * How what the extensions say about a page becomes bytes: records of optional fields, each a mask
 * of the fields that are there, followed by them.
 *
 * @module
 */

import type { DatePrecision } from "../date_precision.ts";
import { createStory, type NewsStory, publishPrecision } from "../news_story.ts";
import type { SitemapAlternate, SitemapImage, SitemapPage } from "../page.ts";
import {
  createVideo,
  type SitemapVideo,
  videoFlags,
  type VideoRestriction,
  type VideoUploader,
} from "../sitemap_video.ts";
import type { ByteReader } from "./byte_reader.ts";
import type { ByteWriter } from "./byte_writer.ts";

/** How values of one kind are written and read. */
interface Shape<T> {
  write(writer: ByteWriter, value: T): void;
  read(reader: ByteReader): T;
}

/** A shape for each field, so that a field that is added to a page cannot be forgotten here. */
type Shapes<T> = { readonly [K in keyof T]-?: Shape<NonNullable<T[K]>> };

const TEXT: Shape<string> = {
  write: (writer, value) => writer.text(value),
  read: (reader) => reader.text(),
};

const NUMBER: Shape<number> = {
  write: (writer, value) => writer.double(value),
  read: (reader) => reader.double(),
};

const FLAG: Shape<boolean> = {
  write: (writer, value) => writer.byte(value ? 1 : 0),
  read: (reader) => reader.byte() === 1,
};

function list<T>(item: Shape<T>): Shape<readonly T[]> {
  return {
    write(writer, values) {
      writer.varint(values.length);
      for (const value of values) item.write(writer, value);
    },
    read(reader) {
      const values: T[] = [];
      for (let left = reader.varint(); left > 0; left--) values.push(item.read(reader));
      return values;
    },
  };
}

function record<T extends object>(shapes: Shapes<T>): Shape<T> {
  const fields = (Object.entries(shapes) as [keyof T, Shape<unknown>][])
    .map(([name, shape], position) => ({ name, shape, bit: 1 << position }));
  return {
    write(writer, value) {
      let mask = 0;
      for (const { name, bit } of fields) if (value[name] !== undefined) mask |= bit;
      writer.varint(mask);
      for (const { name, shape, bit } of fields) if (mask & bit) shape.write(writer, value[name]);
    },
    read(reader) {
      const mask = reader.varint();
      const value: { [K in keyof T]?: unknown } = {};
      for (const { name, shape, bit } of fields) if (mask & bit) value[name] = shape.read(reader);
      return value as T;
    },
  };
}

/** A shape that writes `U` as its flags and the `T` it is, and makes a `U` of what it reads. */
function flagged<U extends T, T>(
  shape: Shape<T>,
  flagsOf: (value: U) => number,
  revive: (value: T, flags: number) => U,
): Shape<U> {
  return {
    write(writer, value) {
      writer.byte(flagsOf(value));
      shape.write(writer, value);
    },
    read(reader) {
      const flags = reader.byte();
      return revive(shape.read(reader), flags);
    },
  };
}

/** The dates of stories and videos are written as the numbers that they are kept as. */
type StoryData = Omit<NewsStory, "publishDate" | "toJSON">;
type VideoData = Omit<SitemapVideo, "expirationDate" | "publicationDate" | "toJSON">;

const STORY = flagged(
  record<StoryData>({
    title: TEXT,
    publishTime: NUMBER,
    publicationName: TEXT,
    publicationLanguage: TEXT,
    access: TEXT,
    genres: list(TEXT),
    keywords: list(TEXT),
    stockTickers: list(TEXT),
  }),
  publishPrecision,
  ({ publishTime = NaN, ...rest }, precision) =>
    createStory({ ...rest, publishDate: publishTime }, precision as DatePrecision),
);

const IMAGE = record<SitemapImage>({
  loc: TEXT,
  caption: TEXT,
  geoLocation: TEXT,
  title: TEXT,
  license: TEXT,
});

const ALTERNATE = record<SitemapAlternate>({ hreflang: TEXT, href: TEXT });

const RESTRICTION = record<VideoRestriction>({
  relationship: TEXT as Shape<VideoRestriction["relationship"]>,
  values: list(TEXT),
});

const VIDEO = flagged(
  record<VideoData>({
    thumbnailLoc: TEXT,
    title: TEXT,
    description: TEXT,
    contentLoc: TEXT,
    playerLoc: TEXT,
    duration: NUMBER,
    expirationTime: NUMBER,
    rating: NUMBER,
    viewCount: NUMBER,
    publicationTime: NUMBER,
    familyFriendly: FLAG,
    restriction: RESTRICTION,
    platform: RESTRICTION,
    requiresSubscription: FLAG,
    uploader: record<VideoUploader>({ name: TEXT, info: TEXT }),
    live: FLAG,
    tags: list(TEXT),
  }),
  videoFlags,
  ({ expirationTime = NaN, publicationTime = NaN, ...rest }, flags) =>
    createVideo(
      { ...rest, expirationDate: expirationTime, publicationDate: publicationTime },
      flags,
    ),
);

/** The fields of a page that extensions give. */
export type PageExtensions = Pick<
  SitemapPage,
  "newsStory" | "images" | "videos" | "alternates"
>;

/** Writes and reads the fields of a page that extensions give. */
export const EXTENSIONS: Shape<PageExtensions> = record<PageExtensions>({
  newsStory: STORY,
  images: list(IMAGE),
  videos: list(VIDEO),
  alternates: list(ALTERNATE),
});
