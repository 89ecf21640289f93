/**
 * The fast lane's reading of images, news and alternates inside a record.
 *
 * Like the lane itself it reads the common form alone. Every reader takes the place where its element
 * begins and answers `undefined` where there is anything else to it; the record then goes through
 * the general lane from its beginning.
 *
 * @module
 */

import { parseIsoBytes } from "../date.ts";
import { NewsStory, type NewsStoryFields } from "../page.ts";
import type { SitemapAlternate, SitemapImage } from "../page.ts";
import { decodeReferences } from "../xml/references.ts";
import { listOf } from "./extensions/news.ts";
import { type FastChunk, NO_CHUNK, Pattern } from "./fast_chunk.ts";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const TAB = 0x09, LF = 0x0a, CR = 0x0d, SPACE = 0x20, SLASH = 0x2f, GREATER = 0x3e;

/** An element by its tags. */
class Tag {
  readonly open: Pattern;
  readonly close: Pattern;

  constructor(name: string) {
    this.open = new Pattern(`<${name}>`);
    this.close = new Pattern(`</${name}>`);
  }
}

/** A field by its element. */
interface Field<Name extends string> {
  readonly tag: Tag;
  readonly name: Name;
}

const IMAGE = new Tag("image:image");
const IMAGE_FIELDS: readonly Field<keyof SitemapImage>[] = [
  { tag: new Tag("image:loc"), name: "loc" },
  { tag: new Tag("image:title"), name: "title" },
  { tag: new Tag("image:caption"), name: "caption" },
  { tag: new Tag("image:geo_location"), name: "geoLocation" },
  { tag: new Tag("image:license"), name: "license" },
];

const NEWS = new Tag("news:news");
const PUBLICATION = new Tag("news:publication");
const PUBLICATION_FIELDS: readonly Field<"publicationName" | "publicationLanguage">[] = [
  { tag: new Tag("news:name"), name: "publicationName" },
  { tag: new Tag("news:language"), name: "publicationLanguage" },
];
const NEWS_TITLE = new Tag("news:title");
const NEWS_DATE = new Tag("news:publication_date");
const NEWS_LISTS: readonly Field<"genres" | "keywords" | "stockTickers">[] = [
  { tag: new Tag("news:keywords"), name: "keywords" },
  { tag: new Tag("news:genres"), name: "genres" },
  { tag: new Tag("news:stock_tickers"), name: "stockTickers" },
];

const LINK = new Pattern("<xhtml:link ");
const REL_ALTERNATE = new Pattern('rel="alternate"');
const HREFLANG = new Pattern('hreflang="');
const HREF = new Pattern('href="');

/** Attributes have a ceiling together, which only the general lane minds. */
const MAX_LINK_LENGTH = 8 * 1024;

/** Reads extensions of the common form. */
export class FastExtensions {
  /** The place behind the element that was read. */
  at = 0;
  /** Line ends in it. */
  lines = 0;
  readonly #maxValueLength: number;
  #chunk: FastChunk = NO_CHUNK;
  // where the value just read begins and ends
  #start = 0;
  #end = 0;

  constructor(maxValueLength: number) {
    this.#maxValueLength = maxValueLength;
  }

  /** An image. */
  image(chunk: FastChunk, at: number): SitemapImage | undefined {
    if (!this.#begins(chunk, at, IMAGE.open)) return undefined;
    // fields in the order in which they stand, as everywhere
    let image: Mutable<Partial<SitemapImage>> | undefined;
    while (this.#skipSpace() && !this.#atEndTag()) {
      const field = this.#fieldOf(IMAGE_FIELDS);
      const text = field === undefined ? undefined : this.#restOf(field.tag);
      if (text === undefined) return undefined;
      if (image === undefined && field!.name === "loc") image = { loc: text };
      else (image ??= {})[field!.name] = text;
    }
    if (!this.#takes(IMAGE.close) || image?.loc === undefined) return undefined;
    return image as SitemapImage;
  }

  /** A news story. */
  news(chunk: FastChunk, at: number): NewsStory | undefined {
    if (!this.#begins(chunk, at, NEWS.open)) return undefined;
    const story: Mutable<NewsStoryFields> = { title: "", publishDate: undefined };
    while (this.#skipSpace() && !this.#atEndTag()) {
      if (!this.#newsField(story)) return undefined;
    }
    if (!this.#takes(NEWS.close)) return undefined;
    return story.title !== "" && story.publishDate !== undefined ? new NewsStory(story) : undefined;
  }

  #newsField(story: Mutable<NewsStoryFields>): boolean {
    if (this.#takes(PUBLICATION.open)) return this.#publication(story);
    if (this.#takes(NEWS_DATE.open)) {
      if (!this.#passes(NEWS_DATE)) return false;
      const time = parseIsoBytes(this.#chunk.bytes, this.#start, this.#end);
      story.publishDate = time;
      return time === time;
    }
    if (this.#takes(NEWS_TITLE.open)) {
      const title = this.#restOf(NEWS_TITLE);
      // feeds escape titles twice
      story.title = title === undefined ? "" : decodeReferences(title);
      return title !== undefined;
    }
    const field = this.#fieldOf(NEWS_LISTS);
    const text = field === undefined ? undefined : this.#restOf(field.tag);
    if (text === undefined) return false;
    story[field!.name] = listOf(text);
    return true;
  }

  #publication(story: Mutable<NewsStoryFields>): boolean {
    while (this.#skipSpace() && !this.#atEndTag()) {
      const field = this.#fieldOf(PUBLICATION_FIELDS);
      const text = field === undefined ? undefined : this.#restOf(field.tag);
      if (text === undefined) return false;
      story[field!.name] = text;
    }
    return this.#takes(PUBLICATION.close);
  }

  /** An alternate. */
  alternate(chunk: FastChunk, at: number): SitemapAlternate | undefined {
    if (!this.#begins(chunk, at, LINK)) return undefined;
    let isAlternate = false;
    let hreflang: string | undefined;
    let href: string | undefined;
    while (this.#skipSpace() && this.#isBehindSpace()) {
      if (href === undefined && this.#takes(HREF)) {
        href = this.#attribute();
        if (href === undefined) return undefined;
      } else if (hreflang === undefined && this.#takes(HREFLANG)) {
        hreflang = this.#attribute();
        if (hreflang === undefined) return undefined;
      } else if (!isAlternate && this.#takes(REL_ALTERNATE)) {
        isAlternate = true;
      } else break;
    }
    if (this.at - at > MAX_LINK_LENGTH) return undefined;
    const { bytes } = this.#chunk;
    if (bytes[this.at] !== SLASH || bytes[this.at + 1] !== GREATER) return undefined;
    this.at += 2;
    if (!isAlternate || hreflang === undefined || href === undefined) return undefined;
    return { hreflang, href };
  }

  // ------------------------------------------------------------------------------------ scanning

  #begins(chunk: FastChunk, at: number, start: Pattern): boolean {
    this.#chunk = chunk;
    this.at = at;
    this.lines = 0;
    return this.#takes(start);
  }

  /** Moves on if these bytes stand here. */
  #takes(expected: Pattern): boolean {
    if (!expected.standsAt(this.#chunk.view, this.at)) return false;
    this.at += expected.length;
    return true;
  }

  /** The field whose start tag stands here, which is passed. */
  #fieldOf<Name extends string>(fields: readonly Field<Name>[]): Field<Name> | undefined {
    for (let i = 0; i < fields.length; i++) {
      if (this.#takes(fields[i]!.tag.open)) return fields[i];
    }
    return undefined;
  }

  #atEndTag(): boolean {
    return this.#chunk.bytes[this.at + 1] === SLASH;
  }

  /** Whether white space was just skipped; attributes without any between them are told. */
  #isBehindSpace(): boolean {
    return this.#chunk.bytes[this.at - 1]! <= SPACE;
  }

  /** Skips white space and counts lines: false at a control character, or a CR that stands alone. */
  #skipSpace(): boolean {
    const { bytes } = this.#chunk;
    let at = this.at;
    for (;; at++) {
      const code = bytes[at]!;
      if (code === SPACE || code === TAB) continue;
      if (code === LF) this.lines++;
      else if (code === CR && bytes[at + 1] === LF) continue;
      else break;
    }
    this.at = at;
    return bytes[at]! > SPACE;
  }

  /** Moves over the rest of an element with nothing but text in it: a copy of that text. */
  #restOf(tag: Tag): string | undefined {
    if (!this.#passes(tag)) return undefined;
    const isEscaped = this.#chunk.hasReference(this.#start, this.#end);
    return this.#chunk.value(this.#start, this.#end, isEscaped);
  }

  /** The same, and only notes where the trimmed text stands. */
  #passes(tag: Tag): boolean {
    const { bytes, text } = this.#chunk;
    const begin = this.at;
    if (!this.#skipSpace()) return false;
    const start = this.at;
    let end = text.indexOf("<", start);
    if (end < 0 || end - begin > this.#maxValueLength) return false;
    this.at = end;
    while (end > start && bytes[end - 1]! <= SPACE) {
      const code = bytes[--end];
      if (code === LF) this.lines++;
      else if (code === CR ? bytes[end + 1] !== LF : code !== SPACE && code !== TAB) return false;
    }
    this.#start = start;
    this.#end = end;
    return this.#takes(tag.close);
  }

  /** The value of an attribute whose opening quote was passed. */
  #attribute(): string | undefined {
    const start = this.at;
    const end = this.#chunk.text.indexOf('"', start);
    if (end < 0 || end - start > this.#maxValueLength) return undefined;
    this.at = end + 1;
    if (this.#chunk.bytes[start] === SPACE || this.#chunk.bytes[end - 1] === SPACE) {
      return undefined;
    }
    const text = this.#chunk.value(start, end, this.#chunk.hasReference(start, end));
    return text?.includes("<") ? undefined : text;
  }
}
