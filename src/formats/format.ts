/**
 * Formats as tables: which elements are read where, and what becomes of their values.
 *
 * @module
 */

import type { WarningCode } from "../codes.ts";
import type { DatePrecision } from "../date_precision.ts";
import type { SitemapType } from "../events.ts";
import type { NewsStory } from "../news_story.ts";
import type { SitemapPageFields } from "../page.ts";

/** An address as written. */
export interface Address {
  readonly text: string;
  /** The `xml:base` in scope. */
  readonly base: string | undefined;
  /** Whether it is an absolute URL that needs no repair; `high` and `low` are its hash then. */
  readonly isUrl: boolean;
  readonly high: number;
  readonly low: number;
}

/** The element that is read. */
export interface ElementContext {
  /** Returns an attribute of the element that opens, trimmed; `""` without one. */
  attribute(name: string): string;
  /** Returns an attribute that is an address; `undefined` without one. */
  addressAttribute(name: string): Address | undefined;
  /** Returns a text as an address. */
  addressOf(text: string): Address;
  /** Reports something ignored or lost. */
  warn(code: WarningCode, message: string): void;
}

/** An element that is read. `D` is what a record is gathered in. */
export interface ElementSpec<D> {
  /** Elements inside it, by `family:name` in lower case. */
  readonly children?: ElementTable<D>;
  /** It may occur more than once. */
  readonly isList?: true;
  /** It opens; with it, its attributes are read. */
  readonly open?: (draft: D, element: ElementContext) => void;
  /** Its text: the address of the record, or one of its addresses if it may be repeated. */
  readonly isAddress?: true;
  /** Its text as a date. */
  readonly date?: (draft: D, time: number, precision: DatePrecision) => void;
  /** Its text, trimmed and not empty; false if it cannot be read. */
  readonly text?: (draft: D, value: string, element: ElementContext) => boolean | void;
  /** Reads a short value from ASCII bytes; false if it needs `text`. */
  readonly bytes?: (draft: D, view: DataView, start: number, end: number) => boolean;
  /** Whether its text is needed; without it, always. */
  readonly wants?: (draft: D) => boolean;
  /** How a value that cannot be read is reported. */
  readonly unreadable?: readonly [code: WarningCode, what: string];
  /** Text of elements inside it is part of its own. */
  readonly hasMarkup?: true;
  /** It is a list of items: each takes memory. */
  readonly separator?: "," | " ";
  /** It closes. */
  readonly close?: (draft: D, element: ElementContext) => void;
}

/** Elements by `family:name` in lower case. */
export type ElementTable<D> = Readonly<Record<string, ElementSpec<D>>>;

/** An entry that is complete. */
export interface FinishedEntry {
  /** The address of the entry, if a usable one was read. */
  readonly url: string | undefined;
  /** Whether an address was read that is unusable. */
  readonly hasBadAddress: boolean;
  /** Adds a page, which has that address. Without flags, it has no priority and no date. */
  addPage(fields: SitemapPageFields, flags?: number): void;
  /** Adds a page with another address, for formats that choose one in the end. */
  addPageAt(address: Address, story: NewsStory | undefined): void;
  /** Returns a text as an address. */
  addressOf(text: string): Address;
  /** Adds a sitemap for each address of the entry; returns false if it has none. */
  addChildren(lastModified: number | undefined): boolean;
  /** Adds a sitemap by its address as written; without one, reports that there is none. */
  addChild(address?: string, lastModified?: number): void;
  /** Drops the entry, as it has no usable address. */
  drop(): void;
  /** Reports something ignored or lost. */
  warn(code: WarningCode, message: string): void;
}

/** A format. */
export interface Format<D> {
  readonly type: SitemapType;
  /** Parts of the namespaces that mean the format. */
  readonly namespaces: readonly string[];
  /** Entry elements, by `family:name` in lower case. */
  readonly entries: ElementTable<D>;
  /** Whether an entry is expected in the elements of these names, below the root. */
  isExpectedIn(names: readonly string[]): boolean;
  /** Whether unknown elements of the format's own namespace are reported as misplaced. */
  readonly reportsUnknown: boolean;
  /** Whether `xml:base` counts. */
  readonly hasBase: boolean;
  /** Returns an empty draft. */
  draft(): D;
  /** Empties a draft for the next record. */
  reset(draft: D): void;
  /** Takes text of an entry outside of its elements; without it, there is none. */
  stray?(draft: D, text: string): void;
  /** An entry is complete. */
  finish(draft: D, entry: FinishedEntry): void;
}

/** The families; `own` is that of the format itself. */
type Family = "own" | "news" | "image" | "video" | "xhtml" | "dc" | "foreign";

/** Extensions by parts of their namespaces. */
const EXTENSIONS: readonly (readonly [string, Family])[] = [
  ["/sitemap-news/", "news"],
  ["/sitemap-image/", "image"],
  ["/sitemap-video/", "video"],
  ["/1999/xhtml", "xhtml"],
  ["purl.org/dc/", "dc"],
];

/** Prefixes that mean the family of that name, unless they are bound to a known namespace. */
const CONVENTIONAL: readonly Family[] = ["news", "image", "video", "xhtml", "dc"];

/** A name with its namespace. */
export interface NamespacedName {
  readonly prefix: string;
  readonly uri: string | undefined;
}

/** Family of a name, in a document with that root. */
export function familyOf(
  { prefix, uri }: NamespacedName,
  root: NamespacedName,
  own: readonly string[],
): Family {
  if (uri === root.uri && prefix === root.prefix) return "own";
  const extension = uri && EXTENSIONS.find(([part]) => uri.includes(part));
  if (extension) return extension[1];
  if (uri === "" || (uri !== undefined && uri === root.uri)) return "own";
  if (uri !== undefined && own.some((part) => uri.includes(part))) return "own";
  const lowerPrefix = prefix.toLowerCase();
  return CONVENTIONAL.find((conventional) => conventional === lowerPrefix) ?? "foreign";
}
