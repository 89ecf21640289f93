/**
 * Formats as tables: which elements are read where, and where their values go.
 *
 * @module
 */

import type { NoteCode, WarningCode } from "../data/codes.ts";
import type { SitemapType } from "../data/events.ts";
import type { PageValues } from "../data/page.ts";

/** An address as the document writes it, or the URL it was read as. */
export interface Address {
  readonly text: string;
  /** `xml:base` in scope. */
  readonly base: string | undefined;
  /** Whether `text` is an absolute URL that needs no repair, with the hash `high` and `low`. */
  readonly isUrl: boolean;
  readonly high: number;
  readonly low: number;
}

/** Element being read, as the functions of an {@linkcode ElementSpec} see it. */
export interface ElementContext {
  hasAttribute(name: string): boolean;
  /** Trimmed; `""` if absent. */
  attribute(name: string): string;
  addressAttribute(name: string): Address | undefined;
  addressOf(text: string): Address;
  /** Returns an address, resolved if it is relative. */
  resolved(address: string): string;
  /** Takes an address of a rank, the lower the better, inside another element open at that depth. */
  stray(address: Address, rank: number, depth: number): void;
  /** Notes that a field begins inside the element that is read, which may not be closed. */
  markField(): void;
  /** Begins an element inside a title whose own text is kept beside it, too; it is a field. */
  openAside(): void;
  /** Ends that element. Returns its text as an address; empty if there is none. */
  closeAside(): string;
  warn(code: WarningCode, message: string): void;
  /** Absent if notes are not wanted. */
  readonly note?: ((code: NoteCode, message: string) => void) | undefined;
}

/** Ranks of addresses inside an unclosed element. */
export type AddressRanks = readonly [href: number, text: number];

/** `D` is the draft that collects the fields of a record. */
export interface ElementSpec<D> {
  readonly children?: ElementTable<D>;
  /** Whether it may be repeated. */
  readonly isList?: true;
  /** Called when it opens; reads its attributes. */
  readonly open?: (draft: D, element: ElementContext) => void;
  /** Whether its text is the address of the record, or one of several if it may be repeated. */
  readonly isAddress?: true;
  /** Whether its text is another address, or may be one: like that of the record, it ends before a `<`. */
  readonly isUrl?: true;
  readonly date?: (draft: D, date: string) => void;
  /** Stores its text, trimmed and not empty; returns false if it is unreadable. */
  readonly text?: (draft: D, value: string, element: ElementContext) => boolean | void;
  /** Reads and stores a short value from ASCII bytes; returns false if it needs `text`. */
  readonly bytes?: (draft: D, view: DataView, start: number, end: number) => boolean;
  /** Whether its text is needed. Default: always. */
  readonly wants?: (draft: D) => boolean;
  /** Warning for an unreadable value, with the name of the value. Default: none. */
  readonly unreadable?: readonly [code: WarningCode, what: string];
  /**
   * Returns how its `href` and its text rank as addresses of the entry inside an unclosed element, the lower
   * the better; -1 if it has none. Default: its text alone is one.
   */
  readonly ranks?: (element: ElementContext) => AddressRanks;
  /** Whether the text of elements inside it belongs to its own. */
  readonly hasMarkup?: true;
  /** Separator of a list of items, each of which counts towards the size of the record. */
  readonly separator?: "," | " ";
  readonly close?: (draft: D, element: ElementContext) => void;
}

/** Elements by `family:name` in lower case. */
export type ElementTable<D> = Readonly<Record<string, ElementSpec<D>>>;

export interface FinishedEntry extends Pick<ElementContext, "addressOf" | "warn"> {
  /** Address of the entry, if a usable one was read. */
  readonly url: string | undefined;
  readonly hasBadAddress: boolean;
  /** Whether the document ends inside the entry: only its own, complete address is used. */
  readonly isCut: boolean;
  /** Adds a page with the address of the entry. */
  addPage(values: PageValues): void;
  /**
   * Adds a page with another address, for formats that choose among several; drops it without one.
   * Returns whether it was added.
   */
  addPageAt(address: Address | undefined, values: PageValues): boolean;
  /**
   * Returns, and reports, the address inside an unclosed element, for an entry without one of its own; only
   * one of that rank or better. Default: any.
   */
  takeStray(maxRank?: number): Address | undefined;
  /** Returns the address that a text begins with, trimmed: it ends before {@linkcode MARKUP}. */
  addressIn(text: string): string;
  /** Adds a sitemap for each address of the entry; returns false if it has none. */
  addChildren(lastModified: string | undefined): boolean;
  /** Adds a sitemap by its address as written; without one, reports `no-address`. */
  addChild(address?: string, lastModified?: string): void;
  /** Drops the entry for lack of a usable address. */
  drop(): void;
}

export interface Format<D> {
  readonly type: SitemapType;
  /** Parts of the namespaces that belong to the format. */
  readonly namespaces: readonly string[];
  readonly namespace?: string;
  /** Whether its dates have the format of W3C. */
  readonly hasIsoDates: boolean;
  readonly entries: ElementTable<D>;
  /** Keys of the elements with the address of an entry, which are also used inside unclosed elements. */
  readonly addresses: readonly string[];
  /** Whether elements in an unknown default namespace belong to the format. */
  readonly hasAnyDefault?: true;
  /** Format of a document whose first entry is not one of this format, but one of that. */
  readonly otherwise?: Format<Draft>;
  /** Names of the elements below the root in which an entry is expected, joined by slashes. */
  readonly places: readonly string[];
  /** Whether `xml:base` applies, and unknown elements in its namespace are not reported. */
  readonly isFeed: boolean;
  /** Returns the draft of an entry. */
  draft(): D;
  /**
   * Stores text of an entry outside of its elements, which may have {@linkcode MARKUP}, or `isInner` that of
   * an unclosed element. Default: ignored.
   */
  stray?(draft: D, text: string, isInner: boolean): void;
  /** Adds the pages or sitemaps of a complete entry. */
  finish(draft: D, entry: FinishedEntry): void;
}

/** Draft of any format; only the format that made it reads it. */
// deno-lint-ignore no-explicit-any -- see above
export type Draft = any;

/** What precedes a raw `<` in the text of an address; text has no such character. */
export const MARKUP = "\0";

export const ATOM_NAMESPACES: readonly string[] = ["w3.org/2005/Atom", "purl.org/atom/"];
