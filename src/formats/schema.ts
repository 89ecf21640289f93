/**
 * Formats as tables: which elements are read where, and what becomes of their values.
 *
 * @module
 */

import type { DatePrecision } from "../data/calendar.ts";
import type { WarningCode } from "../data/codes.ts";
import type { SitemapType } from "../data/events.ts";
import type { NewsStory } from "../data/news_story.ts";
import type { SitemapPageFields } from "../data/page.ts";
import type { InternedName } from "../xml/names.ts";
import {
  ATTRIBUTES,
  CLOSE,
  type ElementNode,
  HASHED,
  OPEN,
  SHORT,
  STRAY,
  TEXT,
} from "../xml/steps.ts";
import { ATOM, RDF, RSS } from "./feeds.ts";
import { SITEMAP_INDEX } from "./sitemap_index.ts";
import { URLSET } from "./urlset.ts";

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

// MERGED: What elements mean: the tables of the formats, resolved for an element in its place.

/** A draft is handled only by the format that made it. */
// deno-lint-ignore no-explicit-any -- see above
export type Draft = any;

/** Formats by the local name of their root element, in any namespace. */
const FORMATS: ReadonlyMap<string, Format<Draft>> = new Map<string, Format<Draft>>([
  ["urlset", URLSET],
  ["sitemapindex", SITEMAP_INDEX],
  ["rss", RSS],
  ["rdf", RDF],
  ["feed", ATOM],
]);

/** Bit of each field among those of its entry or group. */
const BITS: ReadonlyMap<ElementSpec<Draft>, number> = new Map(
  [...FORMATS.values()].flatMap(({ entries }) => Object.values(entries).flatMap(bitsOf)),
);

/** Keys of the elements that a format reads anywhere. */
const KEYS: ReadonlyMap<Format<Draft>, ReadonlySet<string>> = new Map(
  [...FORMATS.values()].map((format) => [format, new Set(keysIn(format.entries))]),
);

/** What an element is to the reader. */
type Role = "outer" | "entry" | "group" | "leaf" | "skip" | "html" | "html-body";

/** The text is not read. */
export const NONE = 0;
/** It is an address. */
export const ADDRESS = 1;
/** It is a date. */
export const DATE = 2;
/** It is read from its bytes if they are as usual, else as text. */
export const BYTES = 3;
/** It is read as text. */
export const PLAIN = 4;
/** It is the title of an HTML page. */
export const TITLE = 5;

/** What an element means in its place. */
export class Meaning {
  /** Name of the element. */
  name = "";
  role: Role = "skip";
  /** How its text is read. */
  kind: number = NONE;
  /** The root element. */
  root: MeaningNode | undefined = undefined;
  format: Format<Draft> | undefined = undefined;
  spec: ElementSpec<Draft> = {};
  // copied from the spec, as specs come in many shapes and lookups in those are slow
  date: ElementSpec<Draft>["date"] = undefined;
  bytes: ElementSpec<Draft>["bytes"] = undefined;
  wants: ElementSpec<Draft>["wants"] = undefined;
  text: ElementSpec<Draft>["text"] = undefined;
  open: ElementSpec<Draft>["open"] = undefined;
  close: ElementSpec<Draft>["close"] = undefined;
  separator: ElementSpec<Draft>["separator"] = undefined;
  /** The entry that it is part of. */
  entry: MeaningNode | undefined = undefined;
  /** The element whose text it belongs to. */
  leaf: MeaningNode | undefined = undefined;
  /** Its bit among the fields of its entry or group; 0 if it may be repeated. */
  bit = 0;
  /** Whether that is a group. */
  isInGroup = false;
  /** Whether it is reported as misplaced. */
  isMisplaced = false;
  /** Whether that is so of an element around it, outside of entries. */
  isInMisplaced = false;
  /** Whether it is one of several addresses. */
  isAddressList = false;

  /** Makes it an element of a table. */
  use(spec: ElementSpec<Draft>): void {
    this.spec = spec;
    this.date = spec.date;
    this.bytes = spec.bytes;
    this.wants = spec.wants;
    this.text = spec.text;
    this.open = spec.open;
    this.close = spec.close;
    this.separator = spec.separator;
  }
}

/** An element with its meaning. */
export type MeaningNode = ElementNode<Meaning>;

/** Decides what an element means. */
export function resolveMeaning(node: MeaningNode): void {
  const meaning = node.meaning = new Meaning();
  meaning.name = node.name.name;
  if (node.depth === 1) return resolveRoot(node, meaning);
  const outer = node.parent!.meaning;
  meaning.format = outer.format;
  meaning.root = outer.root;
  meaning.entry = outer.entry;
  if (outer.role === "outer") resolveOuter(node, meaning, outer);
  else if (outer.role === "html") resolveInHtml(node, meaning);
  else if (outer.role === "leaf" && outer.spec.hasMarkup) {
    meaning.role = "leaf";
    meaning.use(outer.spec);
    meaning.leaf = outer.leaf;
    node.flags = TEXT;
  } else if (outer.role !== "skip") resolveField(node, meaning, outer);
}

/** The element in which a tag opens: an entry that is still open when the next begins ends there. */
export function adoptingNode(
  node: MeaningNode,
  name: InternedName,
  uri: string | undefined,
): MeaningNode {
  const { role, entry, format } = node.meaning;
  if (entry === undefined || role === "skip") return node;
  return specIn(format!.entries, node, name, uri) === undefined ? node : entry.parent!;
}

function resolveRoot(node: MeaningNode, meaning: Meaning): void {
  const { lowerLocal } = node.name;
  meaning.root = node;
  meaning.format = FORMATS.get(lowerLocal);
  meaning.role = meaning.format !== undefined ? "outer" : lowerLocal === "html" ? "html" : "skip";
  node.flags = OPEN;
}

/** An element outside of entries: an entry, or one around entries. */
function resolveOuter(node: MeaningNode, meaning: Meaning, outer: Meaning): void {
  const format = meaning.format!;
  const spec = specIn(format.entries, node, node.name, node.uri);
  if (spec === undefined) {
    meaning.role = "outer";
    // what is in a misplaced element is not reported again
    meaning.isInMisplaced = outer.isMisplaced || outer.isInMisplaced;
    meaning.isMisplaced = !meaning.isInMisplaced && isUnexpected(node, format);
  } else {
    meaning.role = "entry";
    meaning.use(spec);
    meaning.entry = node;
    meaning.isMisplaced = !format.isExpectedIn(outerNames(node));
    node.flags = CLOSE | (format.stray === undefined ? 0 : STRAY);
  }
  if (meaning.isMisplaced) node.flags |= OPEN;
}

/** An element of an entry. */
function resolveField(node: MeaningNode, meaning: Meaning, outer: Meaning): void {
  const spec = specIn(outer.spec.children ?? {}, node, node.name, node.uri);
  if (spec === undefined) return resolveSkipped(node, meaning, meaning.format!);
  meaning.use(spec);
  meaning.isInGroup = outer.role === "group";
  if (spec.isList !== true) meaning.bit = BITS.get(spec) ?? 0;
  if (spec.children !== undefined) {
    meaning.role = "group";
    // a part of a group, such as `news:publication`, shares its fields
    if (spec.open !== undefined) node.flags = OPEN | CLOSE;
    return;
  }
  meaning.role = "leaf";
  meaning.leaf = node;
  meaning.kind = kindOf(spec);
  meaning.isAddressList = spec.isAddress === true && spec.isList === true;
  if (meaning.kind !== NONE) node.flags = meaning.kind === ADDRESS ? TEXT | HASHED : TEXT;
  if (spec.open !== undefined) node.flags |= OPEN | ATTRIBUTES;
  if (spec.date !== undefined || spec.bytes !== undefined) node.flags |= SHORT;
}

/** An element that is skipped with its content. */
function resolveSkipped(node: MeaningNode, meaning: Meaning, format: Format<Draft>): void {
  meaning.isMisplaced = isUnexpected(node, format);
  if (meaning.isMisplaced) node.flags = OPEN;
}

/** Whether an element belongs to the format, or is read by it, but not in this place. */
function isUnexpected(node: MeaningNode, format: Format<Draft>): boolean {
  if (!format.reportsUnknown) return false;
  const key = keyOf(node, node.name, node.uri);
  return key.startsWith("own:") || KEYS.get(format)!.has(key);
}

/** An element of an HTML page. Its title is reported: a login page differs from an error page. */
function resolveInHtml(node: MeaningNode, meaning: Meaning): void {
  const { lowerLocal } = node.name;
  meaning.role = lowerLocal === "body" ? "html-body" : "html";
  if (lowerLocal === "title") meaning.kind = TITLE;
  node.flags = lowerLocal === "title" ? TEXT : lowerLocal === "body" ? OPEN : 0;
}

function specIn(
  table: ElementTable<Draft>,
  node: MeaningNode,
  name: InternedName,
  uri: string | undefined,
): ElementSpec<Draft> | undefined {
  const key = keyOf(node, name, uri);
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** Family and local name of an element. */
function keyOf(
  { meaning: { root, format } }: MeaningNode,
  { prefix, lowerLocal }: InternedName,
  uri: string | undefined,
): string {
  const rootName = { prefix: root!.name.prefix, uri: root!.uri };
  return `${familyOf({ prefix, uri }, rootName, format!.namespaces)}:${lowerLocal}`;
}

function kindOf(spec: ElementSpec<Draft>): number {
  if (spec.isAddress) return ADDRESS;
  if (spec.date !== undefined) return DATE;
  return spec.bytes !== undefined ? BYTES : spec.text !== undefined ? PLAIN : NONE;
}

/** Names of the elements between the root and an element. */
function outerNames(node: MeaningNode): string[] {
  const names: string[] = [];
  for (let outer = node.parent!; outer.depth > 1; outer = outer.parent!) {
    names.unshift(outer.name.lowerLocal);
  }
  return names;
}

/** Fields of an entry or a group, those of its parts included. */
function fieldsOf(spec: ElementSpec<Draft>): ElementSpec<Draft>[] {
  return Object.values(spec.children ?? {}).flatMap((child) =>
    child.children !== undefined && child.open === undefined ? fieldsOf(child) : [child]
  );
}

function bitsOf(spec: ElementSpec<Draft>): [ElementSpec<Draft>, number][] {
  return fieldsOf(spec).flatMap((field, index) => [[field, 1 << index], ...bitsOf(field)]);
}

/** Keys of all elements in a table. */
function keysIn(table: ElementTable<Draft>): string[] {
  return Object.entries(table).flatMap(([key, { children }]) => [key, ...keysIn(children ?? {})]);
}
