/**
 * Builds pages from SAX events, shared so that the peers differ only in their parser.
 *
 * It checks less than sitetree does (no repair, no de-duplication, no address check, names by their
 * customary prefix), so the peers never do more work than sitetree.
 *
 * @module
 */

import type { BenchAlternate, BenchPage, PageSink } from "../contender.ts";

const CHANGE_FREQUENCIES = new Set([
  "always",
  "hourly",
  "daily",
  "weekly",
  "monthly",
  "yearly",
  "never",
]);

/** Gives the value of an attribute of the element just opened. */
export type Attributes = Readonly<Record<string, string>>;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Copies a string: a sliced string of 13 characters or more would keep the whole chunk alive.
 */
export function keep(text: string): string {
  return text.length < 13 ? text : (" " + text).slice(1);
}

/** Parses a date; undefined if invalid. */
export function dateOf(text: string): Date | undefined {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** Parses a priority; 0.5 if invalid. */
export function priorityOf(text: string | undefined): number {
  if (text === undefined || text === "") return 0.5;
  const priority = Number(text);
  return priority >= 0 && priority <= 1 ? priority : 0.5;
}

/** Parses a change frequency. */
export function changeFrequencyOf(text: string | undefined): string | undefined {
  return text !== undefined && CHANGE_FREQUENCIES.has(text) ? text : undefined;
}

/** Creates an empty page, always with the same hidden class. */
export function emptyPage(): Mutable<BenchPage> {
  return {
    url: "",
    priority: 0.5,
    lastModified: undefined,
    changeFrequency: undefined,
    newsStory: undefined,
    images: undefined,
    alternates: undefined,
    videos: undefined,
  };
}

/** Builds pages of urlsets, RSS and Atom from the events of a SAX parser. */
export class PageBuilder {
  readonly #sink: PageSink;
  #page: Mutable<BenchPage> | undefined;
  #text = "";
  #images: { loc: string; title: string | undefined }[] = [];
  #alternates: BenchAlternate[] = [];
  #title: string | undefined;
  #publishDate: Date | undefined;
  #publicationName: string | undefined;
  #publicationLanguage: string | undefined;

  constructor(sink: PageSink) {
    this.#sink = sink;
  }

  /** A start tag. */
  open(name: string, attributes: Attributes): void {
    this.#text = "";
    switch (name) {
      case "url":
      case "item":
      case "entry":
        this.#begin();
        break;
      case "image:image":
        this.#images.push({ loc: "", title: undefined });
        break;
      case "xhtml:link":
        this.#openAlternate(attributes);
        break;
      case "link":
        if (this.#page !== undefined && attributes["href"] !== undefined) {
          this.#page.url = keep(attributes["href"]);
        }
    }
  }

  /** Text or CDATA. */
  text(text: string): void {
    this.#text += text;
  }

  /** An end tag, or the end of an empty element. */
  close(name: string): void {
    const page = this.#page;
    if (page === undefined) return;
    switch (name) {
      case "url":
        if (this.#images.length > 0) page.images = this.#images;
        if (this.#alternates.length > 0) page.alternates = this.#alternates;
        this.#end(page);
        break;
      case "item":
      case "entry":
        this.#end(page);
        break;
      case "loc":
        page.url = keep(this.#text.trim());
        break;
      case "link":
        if (page.url === "") page.url = keep(this.#text.trim());
        break;
      case "lastmod":
        page.lastModified = dateOf(this.#text.trim());
        break;
      case "changefreq":
        page.changeFrequency = changeFrequencyOf(this.#text.trim());
        break;
      case "priority":
        page.priority = priorityOf(this.#text.trim());
        break;
      case "image:loc":
        this.#images.at(-1)!.loc = keep(this.#text.trim());
        break;
      case "image:title":
        this.#images.at(-1)!.title = keep(this.#text.trim());
        break;
      case "news:title":
      case "title":
        this.#title = keep(this.#text.trim());
        break;
      case "news:publication_date":
      case "pubDate":
      case "published":
        this.#publishDate = dateOf(this.#text.trim());
        break;
      case "news:name":
        this.#publicationName = keep(this.#text.trim());
        break;
      case "news:language":
        this.#publicationLanguage = keep(this.#text.trim());
    }
  }

  #begin(): void {
    this.#page = emptyPage();
    this.#title = undefined;
    if (this.#images.length > 0) this.#images = [];
    if (this.#alternates.length > 0) this.#alternates = [];
  }

  #end(page: Mutable<BenchPage>): void {
    if (this.#title !== undefined) {
      page.newsStory = {
        title: this.#title,
        publishDate: this.#publishDate,
        publicationName: this.#publicationName,
        publicationLanguage: this.#publicationLanguage,
      };
    }
    this.#page = undefined;
    this.#sink(page);
  }

  #openAlternate(attributes: Attributes): void {
    const { rel, hreflang, href } = attributes;
    if (rel === "alternate" && hreflang !== undefined && href !== undefined) {
      this.#alternates.push({ hreflang: keep(hreflang), href: keep(href) });
    }
  }
}

/** The kinds of document that {@linkcode PageBuilder} makes pages of. */
export const XML_KINDS: readonly ["plain", "rich", "non-ascii", "read", "rss", "atom"] = [
  "plain",
  "rich",
  "non-ascii",
  "read",
  "rss",
  "atom",
];

/** Decodes chunk by chunk and emits each piece of text. */
export function decodeEach(
  chunks: Iterable<Uint8Array>,
  write: (text: string) => void,
  encoding = "utf-8",
): void {
  const decoder = new TextDecoder(encoding);
  for (const chunk of chunks) write(decoder.decode(chunk, { stream: true }));
  write(decoder.decode());
}

/** Decodes all chunks into one string, for parsers that cannot stream. */
export function decodeAll(chunks: Iterable<Uint8Array>): string {
  let text = "";
  decodeEach(chunks, (piece) => void (text += piece));
  return text;
}
