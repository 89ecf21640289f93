/**
 * A text that comes in pieces, of which there may be many.
 *
 * @module
 */

import {
  CONTROL,
  type HashedPrefix,
  REFERENCE,
  type ValueScan,
  WIDE,
} from "../bytes/value_scan.ts";
import type { Window } from "../bytes/window.ts";
import { type DatePrecision, TO_TIME } from "../data/calendar.ts";
import type { WarningCode } from "../data/codes.ts";
import { readDate } from "../data/date.ts";
import { isoBytesPrecision, parseIsoBytes, parseMailBytes } from "../data/date_bytes.ts";
import type { NewsStory } from "../data/news_story.ts";
import { createPage, type SitemapPageFields } from "../data/page.ts";
import { excerpt, joinedCopy, ownCopy } from "../data/text.ts";
import { type AddressResolver, isWideSpace, trimSpace } from "../data/url.ts";
import type { XmlFault } from "../xml/markup.ts";
import type { InternedName } from "../xml/names.ts";
import { asciiReference } from "../xml/references.ts";
import { GUESSED, type Scanner, type XmlConsumer } from "../xml/scanner.ts";
import { type Entries, quoted } from "./entries.ts";
import {
  ADDRESS,
  type Address,
  adoptingNode,
  BYTES,
  DATE,
  type Draft,
  type ElementContext,
  type FinishedEntry,
  type Format,
  Meaning,
  type MeaningNode,
  resolveMeaning,
  TITLE,
} from "./schema.ts";
import { SITEMAP_INDEX } from "./sitemap_index.ts";

/**
 * So much is joined before it is written out. Pieces that wait for long are moved about by the garbage
 * collector, which doubles what a text of 50 MB costs; what is written out at this length is not.
 */
const MAX_BLOCK = 1024 * 1024;

/** Gathers the pieces of a text. */
export class GatheredText {
  #written = "";
  #block = "";
  #isJoined = false;

  /** How long it is. */
  get length(): number {
    return this.#written.length + this.#block.length;
  }

  /** Adds a piece. */
  add(piece: string): void {
    if (this.length === 0) {
      this.#block = piece;
      return;
    }
    this.#block += piece;
    this.#isJoined = true;
    if (this.#block.length < MAX_BLOCK) return;
    this.#written += joinedCopy("", this.#block);
    this.#block = "";
  }

  /** The text, which holds nothing but itself once it is looked at; it begins anew. */
  take(): string {
    const text = this.#isJoined ? this.#written + this.#block : ownCopy(this.#block);
    this.clear();
    return text;
  }

  /** Begins anew. */
  clear(): void {
    this.#written = this.#block = "";
    this.#isJoined = false;
  }
}

// MERGED: Reads the addresses of pages from their bytes.  Only scheme and authority can make an http(s) URL invalid, and a sitemap has few: an address that begins with a known one needs no parsing. It is copied, as a slice would keep the window alive.

/** Authorities that are compared with each address; others are left to the resolver. */
const MAX_KNOWN = 4;
const AMPERSAND = 0x26;

/** Reads addresses. */
export class AddressReader {
  readonly #scan: ValueScan;
  readonly #resolver: AddressResolver;
  readonly #known: HashedPrefix[] = [];
  /** Authority of the last address that none of the known ones has. */
  #candidate: string | undefined;

  constructor(resolver: AddressResolver, scan: ValueScan) {
    this.#resolver = resolver;
    this.#scan = scan;
  }

  /**
   * The URL in a trimmed range that was the last to be scanned, with these flags, if it is absolute and
   * valid as written; the scan then has its hash. `undefined` for any other value.
   */
  read(window: Window, start: number, end: number, flags: number): string | undefined {
    if ((flags & CONTROL) !== 0) return undefined;
    const known = this.#scan.prefix ?? this.#knownAt(window.view, start, end);
    if (known === undefined) return this.#readUnknown(window, start, end, flags);
    if ((flags & REFERENCE) !== 0) return this.#readEscaped(window, known, start, end, flags);
    if ((flags & WIDE) !== 0) return wideUrl(window, start, end);
    return joinedCopy(known.text, window.text.slice(start + known.length, end));
  }

  #knownAt(view: DataView, start: number, end: number): HashedPrefix | undefined {
    const known = this.#known;
    for (let i = 0; i < known.length; i++) {
      const authority = known[i]!;
      if (end - start < authority.length || !authority.isAt(view, start)) continue;
      this.#scan.expect(authority);
      return authority;
    }
    return undefined;
  }

  #readUnknown(window: Window, start: number, end: number, flags: number): string | undefined {
    if ((flags & REFERENCE) !== 0) return undefined;
    const url = (flags & WIDE) !== 0 ? wideUrl(window, start, end) : window.copy(start, end, false);
    if (url === undefined || !this.#resolver.isAbsoluteHttp(url)) return undefined;
    // what is learned is hashed too
    if (this.learn()) this.#scan.range(window.view, start, end);
    return url;
  }

  /**
   * Keeps the authority of the address that was resolved last, if it was the last but one too; returns
   * whether it was not kept before.
   */
  learn(): boolean {
    const text = this.#resolver.validStart;
    if (text === undefined || text.length < 8) return false;
    if (text !== this.#candidate) {
      this.#candidate = text;
      // the first ones are kept at once: most sitemaps have a single one
      if (this.#known.length >= MAX_KNOWN) return false;
    }
    // it is compared with markup
    if (/[&<]/.test(text) || this.#known.some((known) => known.text === text)) return false;
    this.#known.unshift(this.#scan.hashPrefix(text));
    this.#known.length = Math.min(this.#known.length, MAX_KNOWN);
    return true;
  }

  /** An address with references, nearly all of which are `&amp;`. */
  #readEscaped(
    window: Window,
    known: HashedPrefix,
    start: number,
    end: number,
    flags: number,
  ): string | undefined {
    if ((flags & WIDE) !== 0) return undefined;
    const { bytes, text } = window, scan = this.#scan;
    let head = known.text, from = start + known.length;
    scan.begin();
    scan.add(bytes, start, from);
    for (let at = text.indexOf("&", from); at >= 0 && at < end; at = text.indexOf("&", from)) {
      const reference = asciiReference(text, at);
      // others are decoded, and reported, with the whole value
      if (reference === 0) return undefined;
      const code = reference & 0xff;
      head += code === AMPERSAND
        ? text.slice(from, at + 1)
        : text.slice(from, at) + String.fromCharCode(code);
      scan.add(bytes, from, at);
      scan.addByte(code);
      from = at + (reference >> 8);
    }
    scan.add(bytes, from, end);
    scan.finish();
    return joinedCopy(head, text.slice(from, end));
  }
}

/** A URL with characters beyond ASCII, unless it must be trimmed or cleaned. */
function wideUrl(window: Window, start: number, end: number): string | undefined {
  if (window.hasSpecials) return undefined;
  const url = window.copy(start, end, true);
  const isPadded = isWideSpace(url.charCodeAt(0)) || isWideSpace(url.charCodeAt(url.length - 1));
  return isPadded ? undefined : url;
}

// MERGED: Reads records out of XML: fills the draft of a format with the values of its elements.

/** Characters that one record may gather, unless one value may have more. */
const MAX_RECORD_WEIGHT = 8 * 1024 * 1024;
/** What an element of a record counts beside its text. */
const ELEMENT_WEIGHT = 64;
/** The items of shorter lists are not counted. */
const MAX_LIGHT_LIST = 1024;
/** How much of the title of an HTML page is read. */
const MAX_TITLE_LENGTH = 1000;

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const COMMA = 0x2c;

/** An address of an entry that may have several; `undefined` if it is unusable. */
interface ListedAddress {
  readonly url: string | undefined;
  readonly high: number;
  readonly low: number;
}

/** Reads the records of one XML document after the other. */
export class RecordReader implements XmlConsumer<Meaning>, ElementContext, FinishedEntry {
  readonly noMeaning: Meaning = new Meaning();
  readonly trimsValues = true;
  /** The root element of the document. */
  root: MeaningNode | undefined;
  /** Title of a document that is HTML. */
  title = "";

  scanner!: Scanner<Meaning>;
  #entries!: Entries;
  #addresses!: AddressReader;
  #documentUrl = "";
  readonly #maxValueLength: number;
  readonly #maxWeight: number;
  #format: Format<Draft> | undefined;
  #draft: Draft;
  readonly #drafts = new Map<Format<Draft>, Draft>();

  // the entry that is read
  url: string | undefined = undefined;
  hasBadAddress = false;
  #high = 0;
  #low = 0;
  #isOverlong = false;
  #weight = 0;
  #seen = 0;
  #groupSeen = 0;
  /** Addresses of an entry that may have several, but for the last one. */
  #addressList: ListedAddress[] = [];

  /** The element whose text comes in pieces. */
  #gathering: MeaningNode | undefined;
  readonly #gathered = new GatheredText();

  constructor(maxValueLength: number) {
    this.#maxValueLength = maxValueLength;
    this.#maxWeight = Math.max(MAX_RECORD_WEIGHT, maxValueLength);
  }

  /** Begins a document. */
  begin(entries: Entries, addresses: AddressReader, documentUrl: string): void {
    this.#entries = entries;
    this.#addresses = addresses;
    this.#documentUrl = documentUrl;
    this.root = this.#format = this.#gathering = undefined;
    this.title = "";
    this.#isOverlong = false;
    this.#gathered.clear();
  }

  /** The format of the document, once its root element is known. */
  get format(): Format<Draft> | undefined {
    return this.#format;
  }

  // ------------------------------------------------------------------------------------------- elements

  resolve(node: MeaningNode): void {
    resolveMeaning(node);
  }

  adopt(node: MeaningNode, name: InternedName, uri: string | undefined): MeaningNode {
    return adoptingNode(node, name, uri);
  }

  displace({ name }: InternedName): void {
    this.warn("unclosed-entry", `Entry "${excerpt(name)}" begins before the last one ends`);
  }

  resolveBase(base: string, outer: string | undefined): string {
    const current = outer ?? this.#documentUrl;
    return URL.parse(base, current)?.href ?? current;
  }

  /** The `xml:base` in scope, in formats that have one. */
  get #base(): string | undefined {
    return this.#format?.hasBase ? this.scanner.base : undefined;
  }

  open(node: MeaningNode): void {
    const { meaning } = node;
    if (meaning.role === "group" || meaning.role === "leaf") return this.#openField(meaning);
    if (node.depth === 1) return this.#openRoot(node, meaning);
    if (meaning.role === "html-body") this.scanner.isDone = true;
    if (meaning.isMisplaced) this.#reportMisplaced(node);
  }

  #openRoot(node: MeaningNode, { format, role }: Meaning): void {
    this.root = node;
    this.#format = format;
    if (format === undefined) {
      this.scanner.isDone = role === "skip";
      return;
    }
    this.#draft = this.#drafts.get(format);
    if (this.#draft === undefined) this.#drafts.set(format, this.#draft = format.draft());
    this.#beginEntry(format);
  }

  #reportMisplaced({ name }: MeaningNode): void {
    this.warn("misplaced-element", `Unexpected element "${excerpt(name.name)}"`);
  }

  /** Forgets the last entry; the next one may begin anywhere. */
  #beginEntry(format: Format<Draft>): void {
    format.reset(this.#draft);
    this.url = undefined;
    this.hasBadAddress = this.#isOverlong = false;
    if (this.#addressList.length > 0) this.#addressList = [];
    this.#weight = this.#seen = 0;
  }

  #openField(meaning: Meaning): void {
    if (meaning.role === "group") {
      this.#note(meaning);
      this.#groupSeen = 0;
    }
    if (this.#isOverlong) return;
    this.#weigh(ELEMENT_WEIGHT);
    if (!this.#isOverlong) meaning.open!(this.#draft, this);
  }

  close({ meaning }: MeaningNode): void {
    if (meaning.role === "group") {
      if (!this.#isOverlong && meaning.close !== undefined) meaning.close(this.#draft, this);
      return;
    }
    const format = meaning.format!;
    if (!this.#isOverlong) format.finish(this.#draft, this);
    else {
      this.warn("value-too-long", "Entry with an overlong value dropped");
      if (format === SITEMAP_INDEX) this.#entries.dropChild();
    }
    this.#beginEntry(format);
    if (this.#entries.isFull) this.scanner.isDone = true;
  }

  attribute(name: string): string {
    const value = this.scanner.attribute(name);
    this.#weigh(value.length);
    return isTrimmed(value) ? value : trimSpace(value);
  }

  addressAttribute(name: string): Address | undefined {
    const { scanner } = this, { window, scan } = scanner;
    const index = scanner.attributeIndex(name);
    if (index < 0) return undefined;
    const start = scanner.attributeStart(index), end = scanner.attributeEnd(index);
    scan.range(window.view, start, end);
    const isBare = start < end && window.bytes[start]! > SPACE && window.bytes[end - 1]! > SPACE;
    const text = isBare ? this.#addresses.read(window, start, end, scan.flags) : undefined;
    if (text === undefined) {
      const written = this.attribute(name);
      return written === "" ? undefined : this.addressOf(written);
    }
    this.#weigh(text.length);
    return { text, base: undefined, isUrl: true, high: scan.high, low: scan.low };
  }

  addressOf(text: string): Address {
    return { text, base: this.#base, isUrl: false, high: 0, low: 0 };
  }

  // --------------------------------------------------------------------------------------------- values

  // small, so that it can be inlined where values are read
  value(node: MeaningNode, start: number, end: number, flags: number): boolean {
    const { meaning } = node, { view } = this.scanner.window;
    switch (meaning.kind) {
      case ADDRESS:
        if (flags === 0 && this.#takeKnownAddress(meaning, start, end)) return true;
        break;
      case DATE: {
        const time = parseIsoBytes(view, start, end);
        if (time === time) return this.#takeIsoDate(meaning, time, start, end);
        break;
      }
      case BYTES:
        if (meaning.bytes!(this.#draft, view, start, end)) return this.#note(meaning);
    }
    return this.#takeOther(node, start, end, flags);
  }

  /** Takes an address of ASCII that begins like the one before. */
  #takeKnownAddress(meaning: Meaning, start: number, end: number): boolean {
    const { scan, window } = this.scanner, { prefix } = scan;
    const isKnown = prefix !== undefined && window.bytes[end - 1]! > SPACE &&
      end - start <= this.#maxValueLength;
    if (!isKnown) return false;
    if (meaning.isAddressList) this.#keepAddress();
    this.url = joinedCopy(prefix.text, window.text.slice(start + prefix.length, end));
    this.#high = scan.high;
    this.#low = scan.low;
    return this.#note(meaning);
  }

  #setAddress(meaning: Meaning, url: string): void {
    const { scan } = this.scanner;
    this.#note(meaning);
    if (meaning.isAddressList) this.#keepAddress();
    this.url = url;
    this.#high = scan.high;
    this.#low = scan.low;
  }

  #takeIsoDate(meaning: Meaning, time: number, start: number, end: number): boolean {
    const { view } = this.scanner.window;
    return this.#takeDate(meaning, time, isoBytesPrecision(view, start, end, time));
  }

  #takeDate(meaning: Meaning, time: number, precision: DatePrecision): boolean {
    meaning.date!(this.#draft, time, precision);
    return this.#note(meaning);
  }

  /** Takes a value that has white space around it, references, or an unusual form. */
  #takeOther(node: MeaningNode, start: number, end: number, flags: number): boolean {
    const { meaning } = node, { kind } = meaning, { scanner } = this, draft = this.#draft;
    const { window } = scanner, { bytes, view } = window;
    let from = start, to = end;
    while (from < to && isSpace(bytes[from]!)) from++;
    while (to > from && isSpace(bytes[to - 1]!)) to--;
    if (kind === DATE) {
      const time = parseIsoBytes(view, from, to);
      if (time === time) return this.#takeIsoDate(meaning, time, from, to);
      const mailTime = parseMailBytes(view, from, to);
      if (mailTime === mailTime) return this.#takeDate(meaning, mailTime, TO_TIME);
    } else if (kind === BYTES && meaning.bytes!(draft, view, from, to)) return this.#note(meaning);

    if (flags === GUESSED) return false;
    if (kind === TITLE) {
      this.text(node, scanner.string(from, to, flags));
      return this.endText(node);
    }
    if (from === to || this.#isOverlong) return true;
    if (to - from > this.#maxValueLength) {
      this.overlong();
      return true;
    }
    let kept = flags;
    if (to - from < end - start) {
      scanner.scan.range(view, from, to);
      kept = scanner.scan.flags & (flags | CONTROL | WIDE);
    }
    if (kind === ADDRESS) {
      const url = this.#addresses.read(window, from, to, kept);
      if (url !== undefined) {
        this.#setAddress(meaning, url);
        return true;
      }
    } else if (meaning.wants !== undefined && !meaning.wants(draft)) return true;
    const text = scanner.string(from, to, kept);
    this.#take(meaning, isTrimmed(text) ? text : trimSpace(text));
    return true;
  }

  text({ meaning }: MeaningNode, text: string): void {
    if (meaning.kind === TITLE) {
      this.title = (this.title + text).slice(0, MAX_TITLE_LENGTH);
      return;
    }
    if (this.#isOverlong) return;
    if (meaning.role === "entry") return this.#takeStray(meaning, text);
    const { leaf, wants } = meaning;
    if (leaf === undefined || (wants !== undefined && !wants(this.#draft))) return;
    if (leaf !== this.#gathering) {
      this.#gathering = leaf;
      this.#gathered.clear();
    }
    if (this.#gathered.length + text.length > this.#maxValueLength) this.overlong();
    else this.#gathered.add(text);
  }

  #takeStray({ format }: Meaning, text: string): void {
    this.#weigh(text.length);
    if (!this.#isOverlong) format!.stray?.(this.#draft, text);
  }

  endText(node: MeaningNode): boolean {
    const { kind, role, leaf } = node.meaning;
    if (kind === TITLE) {
      this.scanner.isDone = true;
      return true;
    }
    if (role !== "leaf" || leaf !== node) return false;
    if (this.#gathering === node) {
      this.#gathering = undefined;
      const text = trimSpace(this.#gathered.take());
      if (text !== "" && !this.#isOverlong) this.#take(node.meaning, text);
    }
    return true;
  }

  /** Takes a value as text, trimmed and not empty. */
  #take(meaning: Meaning, value: string): void {
    const { kind, separator } = meaning, draft = this.#draft;
    if (value === "") return;
    this.#weigh(ELEMENT_WEIGHT + value.length);
    if (separator !== undefined && value.length > MAX_LIGHT_LIST) {
      this.#weigh(ELEMENT_WEIGHT * itemsIn(value, separator));
    }
    if (this.#isOverlong) return;
    this.#note(meaning);
    if (kind === ADDRESS) {
      if (meaning.isAddressList) this.#keepAddress();
      return this.#takeAddress(value, this.#base);
    }
    if (kind !== DATE) {
      if (meaning.text!(draft, value, this) === false) this.#reportUnreadable(meaning, value);
      return;
    }
    const date = readDate(value, (zone) => {
      if (meaning.spec.unreadable === undefined) return;
      this.warn("unknown-zone", `Unknown zone "${zone}" read as UTC`);
    });
    if (date !== undefined) meaning.date!(draft, date.time, date.precision);
    else this.#reportUnreadable(meaning, value);
  }

  #takeAddress(value: string, base: string | undefined): void {
    const url = this.#entries.usable(value, this.scanner.line, base);
    if (url === undefined) {
      this.hasBadAddress = true;
      return;
    }
    const { scan } = this.scanner;
    this.#addresses.learn();
    scan.text(url);
    this.url = url;
    this.#high = scan.high;
    this.#low = scan.low;
  }

  #reportUnreadable({ spec: { unreadable } }: Meaning, value: string): void {
    if (unreadable === undefined) return;
    const [code, what] = unreadable;
    this.warn(code, `Invalid ${what} ${quoted(value)}`);
  }

  /** Notes that a field was read, and reports it if it is repeated. */
  #note({ bit, isInGroup, name }: Meaning): true {
    const seen = isInGroup ? this.#groupSeen : this.#seen;
    if ((seen & bit) !== 0 && !this.#isOverlong) {
      this.warn("repeated-element", `Repeated "${excerpt(name)}": the last readable value is used`);
    }
    if (isInGroup) this.#groupSeen |= bit;
    else this.#seen |= bit;
    return true;
  }

  /** Counts what a record takes. */
  #weigh(weight: number): void {
    this.#weight += weight;
    if (this.#weight > this.#maxWeight) this.overlong();
  }

  /** A value of the open record, or all of them, exceeds a limit: the record is dropped. */
  overlong(): void {
    this.#isOverlong = true;
    this.#gathered.clear();
    this.#format?.reset(this.#draft);
  }

  // -------------------------------------------------------------------------------------------- entries

  addPage(fields: SitemapPageFields, flags = 0): void {
    this.#entries.page(createPage(fields, flags), this.#high, this.#low, this.scanner.line);
  }

  addPageAt(address: Address, story: NewsStory | undefined): void {
    if (address.isUrl) {
      this.url = address.text;
      this.#high = address.high;
      this.#low = address.low;
    } else this.#takeAddress(address.text, address.base);
    const { url } = this;
    if (url !== undefined) this.addPage(story === undefined ? { url } : { url, newsStory: story });
  }

  addChildren(lastModified: number | undefined): boolean {
    if (this.url === undefined && !this.hasBadAddress) return false;
    if (this.#addressList.length > 0) {
      for (const address of this.#addressList.splice(0)) this.#addOne(address, lastModified);
    }
    this.#addOne({ url: this.url, high: this.#high, low: this.#low }, lastModified);
    return true;
  }

  #addOne({ url, high, low }: ListedAddress, lastModified: number | undefined): void {
    if (url === undefined) this.#entries.dropChild();
    else this.#entries.resolvedChild(url, high, low, this.scanner.line, lastModified);
  }

  /** Puts the address that was read last on the list, before another one. */
  #keepAddress(): void {
    if (this.url === undefined && !this.hasBadAddress) return;
    this.#weigh(ELEMENT_WEIGHT);
    this.#addressList.push({ url: this.url, high: this.#high, low: this.#low });
    this.url = undefined;
    this.hasBadAddress = false;
  }

  addChild(address?: string, lastModified?: number): void {
    this.#entries.child(address, this.scanner.line, lastModified);
  }

  drop(): void {
    if (!this.hasBadAddress) {
      this.warn("no-address", "Entry without an address dropped");
    }
  }

  warn(code: WarningCode, message: string): void {
    this.#entries.warn(code, message, this.scanner.line);
  }

  fault(code: XmlFault, message: string, line: number): void {
    if (this.scanner.isDone) return;
    if (code === "value-too-long" && this.scanner.node.meaning.entry !== undefined) this.overlong();
    else this.#entries.warn(code, message, line);
  }
}

/** Whether a text begins and ends in ASCII that is not white space. */
function isTrimmed(text: string): boolean {
  if (text === "") return true;
  const first = text.charCodeAt(0), last = text.charCodeAt(text.length - 1);
  return first > SPACE && first < 0x80 && last > SPACE && last < 0x80;
}

function isSpace(code: number): boolean {
  return code <= SPACE && (code === SPACE || code === LF || code === CR || code === TAB);
}

function itemsIn(value: string, separator: "," | " "): number {
  let items = 1;
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at);
    if (separator === "," ? code === COMMA : code <= SPACE) items++;
  }
  return items;
}
