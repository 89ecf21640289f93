/**
 * Reads records from XML: fills the draft of a format with the values of its elements.
 *
 * @module
 */

import { CONTROL, REFERENCE } from "../bytes/value_scan.ts";
import type { NoteCode, WarningCode } from "../data/codes.ts";
import { isW3cDate, readDate } from "../data/date.ts";
import { isW3cBytes, readIsoBytes, readMailBytes } from "../data/date_bytes.ts";
import { definePage, type PageValues } from "../data/page.ts";
import { excerpt, joinedCopy, ownCopy, trimSpace } from "../data/text.ts";
import { validStart } from "../data/url.ts";
import { isSpace } from "../xml/characters.ts";
import { GUESSED, type XmlConsumer, type XmlFault } from "../xml/consumer.ts";
import type { InternedName } from "../xml/names.ts";
import type { Scanner } from "../xml/scanner.ts";
import { type Entries, quoted } from "./entries.ts";
import { intendedNamespace } from "./families.ts";
import {
  adoptingNode,
  ENTRY_BITS,
  isNameOfFormat,
  Meaning,
  meaningAfter,
  type MeaningNode,
  openEntryAround,
  reportMisplaced,
  resolveMeaning,
  twinFor,
} from "./meaning.ts";
import type { Address, Draft, ElementContext, FinishedEntry, Format } from "./schema.ts";
import { MARKUP } from "./schema.ts";
import { UnclosedContent } from "./unclosed.ts";
import { MAX_JUNK } from "./xml_formats.ts";

/** Maximum number of characters in one record, unless one value may have more. */
const MAX_RECORD_WEIGHT = 8 * 1024 * 1024;
/** Characters that an element of a record counts in addition to its text. */
const ELEMENT_WEIGHT = 64;
/** Maximum length of a list whose items are not counted. */
const MAX_LIGHT_LIST = 1024;
const MAX_TITLE_LENGTH = 1000;

const SPACE = 0x20, COMMA = 0x2c;
/** An absolute address that ends inside its scheme or host. */
const CUT_HOST_REGEXP = /^https?:[/\\]*[^/?#\\]*$/i;
const SCHEME_REGEXP = /^[a-z][a-z\d+.-]*:/i;

export class RecordReader implements XmlConsumer<Meaning>, ElementContext, FinishedEntry {
  readonly noMeaning: Meaning = new Meaning();
  readonly trimsValues = true;
  readonly isKnownName: typeof isNameOfFormat = isNameOfFormat;
  readonly openEntry: typeof openEntryAround = openEntryAround;
  readonly meaningAfter: typeof meaningAfter = meaningAfter;
  root: MeaningNode | undefined;
  /** Format of the document, once its root element is known. */
  format: Format<Draft> | undefined;
  /** Title of an HTML page. */
  title = "";
  scanner!: Scanner<Meaning>;
  readonly note: ((code: NoteCode, message: string, line?: number) => void) | undefined;

  readonly #maxValueLength: number;
  readonly #maxWeight: number;
  #entries!: Entries;
  #documentUrl = "";

  // the entry being read
  #draft: Draft;
  url: string | undefined = undefined;
  hasBadAddress = false;
  isCut = false;
  /** Hash of `url`. */
  #high = 0;
  #low = 0;
  /** URLs before `url`, of an entry that may have several; `undefined` if unusable. */
  #earlierUrls: (string | undefined)[] = [];
  /** Whether a value, or the record, is too long: it is dropped. */
  #isOverlong = false;
  #weight = 0;
  /** Bits of the fields read so far, of the entry and of its open group. */
  #seen = 0;
  #unclosed = new UnclosedContent();
  /** Text so far of the innermost element whose text comes in pieces, and of those around it. */
  #pieces = "";
  #piecesNode: MeaningNode | undefined;
  readonly #outerPieces: { readonly node: MeaningNode; readonly text: string }[] = [];

  #hasEntry = false;
  /** First element that is named like an entry, but is none. */
  #unread: { readonly meaning: Meaning; readonly line: number } | undefined;

  constructor(maxValueLength: number, notes: boolean) {
    this.note = !notes ? undefined : (code, message, line = this.scanner.line) => {
      if (!this.scanner.isDone) this.#entries.note(code, message, line);
    };
    this.#maxValueLength = maxValueLength;
    this.#maxWeight = Math.max(MAX_RECORD_WEIGHT, maxValueLength);
  }

  begin(entries: Entries, documentUrl: string): void {
    this.#entries = entries;
    this.#documentUrl = documentUrl;
    this.root = this.format = this.#unread = undefined;
    this.title = "";
    this.#dropPieces();
    this.#unclosed = new UnclosedContent();
    this.#isOverlong = this.#hasEntry = this.isCut = false;
  }

  /** Whether the root element should have begun by now. */
  get isHopeless(): boolean {
    return this.format === undefined && this.scanner.junkLength > MAX_JUNK;
  }

  // ------------------------------------------------------------------------------------------- elements

  resolve(node: MeaningNode): void {
    resolveMeaning(node, this.note !== undefined);
  }

  adopt(node: MeaningNode, name: InternedName, uri: string | undefined): MeaningNode {
    const twin = this.#hasEntry ? undefined : twinFor(node, name, uri);
    return twin ?? adoptingNode(node, name, uri, this.scanner.isHidden);
  }

  displace({ name }: InternedName): void {
    if (this.scanner.node.meaning.entry === undefined) return;
    this.warn("unclosed-entry", `Entry "${excerpt(name)}" begins before the last one ends`);
  }

  resolveBase(base: string, outer: string | undefined): string {
    const current = outer ?? this.#documentUrl;
    return URL.parse(base, current || undefined)?.href ?? current;
  }

  open(node: MeaningNode): void {
    const { meaning } = node;
    if (this.isHopeless) this.scanner.isDone = true;
    if (this.note !== undefined) this.#noteElement(node, meaning);
    if (meaning.spec.open !== undefined) return this.#openField(meaning);
    if (node.depth === 1) this.#openRoot(node, meaning);
    else if (meaning.role === "html-body") this.scanner.isDone = true;
    // the first entry of a document in the other format of its root element
    else if (meaning.role === "entry" && this.format !== meaning.format) {
      this.#begin(meaning.format!);
    }
    if (meaning.isMisplaced) reportMisplaced(meaning, this);
    else if (meaning.isUnread) this.#unread ??= { meaning, line: this.scanner.line };
  }

  #noteElement({ depth, name, uri, scope, parent }: MeaningNode, meaning: Meaning): void {
    const { format } = meaning;
    if (meaning.isUnknown) {
      this.note!("element-unknown", `Unknown element "${excerpt(meaning.name)}"`);
    }
    if (format === undefined) return;
    const { namespace = uri } = format;
    if (depth === 1 && uri !== namespace) {
      const found = uri ? `Namespace "${excerpt(uri)}"` : "No namespace";
      this.note!("namespace", `${found} of "${excerpt(name.name)}" instead of "${namespace}"`);
    }
    for (let bound = scope; bound !== parent!.scope; bound = bound.parent!) {
      const intended = intendedNamespace(bound.prefix, bound.uri);
      if (intended === undefined) continue;
      const found = `Namespace "${excerpt(bound.uri)}" of the prefix "${excerpt(bound.prefix)}"`;
      this.note!("namespace", `${found} instead of "${intended}"`);
    }
  }

  #openRoot(node: MeaningNode, { format, role }: Meaning): void {
    const { scanner } = this;
    const isTooLate = scanner.junkLength > MAX_JUNK;
    if (format === undefined || isTooLate) {
      // in smaller chunks, reading stops before it
      if (!isTooLate) this.root ??= node;
      scanner.isDone = isTooLate || (role === "junk" && scanner.isHtml);
      return;
    }
    this.root = node;
    this.#begin(format);
  }

  /** Reads the document in a format from here on. */
  #begin(format: Format<Draft>): void {
    this.format = format;
    this.#beginEntry(format);
  }

  /** Clears the last entry; the next one may begin anywhere. */
  #beginEntry(format: Format<Draft>): void {
    this.#draft = format.draft();
    this.url = undefined;
    this.hasBadAddress = this.#isOverlong = false;
    if (this.#earlierUrls.length > 0) this.#earlierUrls = [];
    this.#weight = this.#seen = 0;
    if (this.#unclosed.isPresent) this.#unclosed = new UnclosedContent();
  }

  #openField(meaning: Meaning): void {
    if (meaning.role === "group") {
      this.#markSeen(meaning);
      this.#seen &= ENTRY_BITS;
    }
    this.#weigh(ELEMENT_WEIGHT);
    if (!this.#isOverlong) meaning.spec.open!(this.#draft, this);
  }

  close({ meaning, depth }: MeaningNode): void {
    if (meaning.role !== "entry") {
      // its end tag hides its content
      if (this.#unclosed.isPresent && !this.scanner.isForced) this.#unclosed.hideAddresses(depth);
      if (!this.#isOverlong) meaning.spec.close?.(this.#draft, this);
      return;
    }
    const format = meaning.format!;
    this.#hasEntry = true;
    const inner = this.#unclosed.isPresent ? this.#unclosed.takeText(depth) : undefined;
    if (inner !== undefined) format.stray?.(this.#draft, inner, true);
    if (this.#isOverlong) this.#dropOverlong(format);
    else format.finish(this.#draft, this);
    this.#beginEntry(format);
    if (this.#entries.isFull) this.scanner.isDone = true;
  }

  /** Ends the document inside an entry, which is kept if its address is complete. */
  cut(): void {
    const { entry, format } = this.scanner.node.meaning;
    if (entry === undefined || this.#isOverlong) return;
    this.isCut = true;
    format!.finish(this.#draft, this);
    this.#beginEntry(format!);
  }

  /** Reports that elements were named like entries, if none was one. */
  reportUnread(): void {
    if (this.#hasEntry || this.#unread === undefined) return;
    const { meaning: { name }, line } = this.#unread;
    this.#entries.warn("misplaced-element", `Unexpected element "${excerpt(name)}"`, line);
  }

  #dropOverlong({ type }: Format<Draft>): void {
    this.warn("value-too-long", "Entry with an overlong value dropped");
    if (type === "IndexXmlSitemap") this.#entries.dropChild();
  }

  hasAttribute(name: string): boolean {
    return this.scanner.tag.indexOf(name) >= 0;
  }

  attribute(name: string): string {
    const { tag, window, decoder } = this.scanner;
    const index = tag.indexOf(name);
    if (index < 0) return "";
    let value = tag.values[index];
    if (value === undefined) {
      const start = tag.starts[index]!, end = tag.ends[index]!;
      const isPlain = tag.flags[index] === 0 && start < end && window.bytes[start]! > SPACE &&
        window.bytes[end - 1]! > SPACE;
      value = isPlain
        ? ownCopy(window.text.slice(start, end))
        : trimSpace(decoder.attribute(tag, index));
    }
    this.#weigh(value.length);
    return value;
  }

  addressAttribute(name: string): Address | undefined {
    const { window, scan, tag } = this.scanner;
    const index = tag.indexOf(name);
    if (index < 0) return undefined;
    // a raw `<` is one of them
    if (tag.faults.length > 0) this.#endAtMarkup(index);
    const start = tag.starts[index]!, end = tag.ends[index]!;
    let text: string | undefined;
    const isBare = tag.values[index] === undefined && start < end &&
      window.bytes[start]! > SPACE && window.bytes[end - 1]! > SPACE;
    if (isBare) {
      scan.escapedRange(window, start, end);
      text = this.#entries.addresses.read(window, start, end, scan.flags);
    }
    if (text === undefined) {
      const written = this.attribute(name);
      return written === "" ? undefined : this.addressOf(written);
    }
    this.#weigh(text.length);
    return { text, base: undefined, isUrl: true, high: scan.high, low: scan.low };
  }

  /**
   * Ends an attribute that is an address before a raw `<` in it. One that would end inside its host is
   * dropped: the quote that should close it is missing, and the host would be another one.
   */
  #endAtMarkup(index: number): void {
    const { tag, window } = this.scanner, start = tag.starts[index]!;
    if (tag.values[index] !== undefined) return;
    const written = window.text.slice(start, tag.ends[index]), end = written.indexOf("<");
    if (end < 0) return;
    const address = written.slice(0, end).trim(), isCut = CUT_HOST_REGEXP.test(address);
    tag.ends[index] = isCut ? start : start + end;
    tag.flags[index] = -1;
    if (isCut) this.warn("bad-address", `Invalid URL ${quoted(address)}: ends before a raw "<"`);
    else if (address !== "") this.#reportMarkup(address);
  }

  resolved(address: string): string {
    if (address.startsWith("https:") || SCHEME_REGEXP.test(address)) return address;
    const url = this.#entries.resolve(address, this.scanner.line) ?? address;
    this.#weigh(url.length);
    return url;
  }

  addressOf(text: string): Address {
    return { text, base: this.#base, isUrl: false, high: 0, low: 0 };
  }

  get #base(): string | undefined {
    return this.format?.isFeed ? this.scanner.base : undefined;
  }

  // --------------------------------------------------------------------------------------------- values

  value(node: MeaningNode, start: number, end: number, flags: number): boolean {
    const { meaning } = node;
    const isTaken = meaning.kind === "address"
      ? this.#takeKnownAddress(meaning, start, end, flags)
      : this.#takeBytes(meaning, start, end);
    return isTaken || this.#takeOther(node, start, end, flags);
  }

  /** Stores a date or a short value from its bytes; returns false for any other value. */
  #takeBytes(meaning: Meaning, start: number, end: number): boolean {
    const { view } = this.scanner.window;
    if (meaning.kind === "bytes") {
      return meaning.spec.bytes!(this.#draft, view, start, end) && this.#markSeen(meaning);
    }
    if (meaning.kind !== "date") return false;
    const date = readIsoBytes(view, start, end) || readMailBytes(view, start, end);
    if (date === "") return false;
    if (this.note !== undefined && this.format!.hasIsoDates && !isW3cBytes(view, start, end)) {
      this.#noteDate(this.scanner.window.text.slice(start, end));
    }
    meaning.spec.date!(this.#draft, date);
    return this.#markSeen(meaning);
  }

  /** Stores an address that begins like the one before. */
  #takeKnownAddress(meaning: Meaning, start: number, end: number, flags: number): boolean {
    const { scan, window } = this.scanner, { prefix } = scan;
    const isKnown = prefix !== undefined && (flags & CONTROL) === 0 &&
      window.bytes[end - 1]! > SPACE && end - start <= this.#maxValueLength;
    if (!isKnown) return false;
    const url = flags === 0
      ? joinedCopy(prefix.text, window.text.slice(start + prefix.length, end))
      : this.#entries.addresses.readKnown(window, prefix, start, end, flags);
    return url !== undefined && this.#takeUrl(meaning, url);
  }

  /** Stores the URL whose hash the scan has. */
  #takeUrl(meaning: Meaning, url: string): true {
    if (meaning.isAddressList) this.#keepUrl();
    this.#setUrl(url);
    return this.#markSeen(meaning);
  }

  #setUrl(url: string): void {
    const { scan } = this.scanner;
    this.url = url;
    this.#high = scan.high;
    this.#low = scan.low;
  }

  /** Stores a value with whitespace around it, references, or an unusual form. */
  #takeOther(node: MeaningNode, start: number, end: number, flags: number): boolean {
    const { meaning } = node, { kind, spec } = meaning, { scanner } = this, draft = this.#draft;
    const { window } = scanner, { bytes, view } = window;
    let from = start, to = end;
    while (from < to && isSpace(bytes[from]!)) from++;
    while (to > from && isSpace(bytes[to - 1]!)) to--;
    const isPadded = to - from < end - start;
    if (isPadded && this.#takeBytes(meaning, from, to)) return true;
    if (flags === GUESSED) return false;
    if (kind === "inner") {
      this.#unclosed.hideText();
      return true;
    }
    if (kind === "title") {
      this.text(node, scanner.decoder.text(from, to, flags));
      return this.endText(node);
    }
    if (from === to || this.#isOverlong) return true;
    if (to - from > this.#maxValueLength) {
      this.overlong();
      return true;
    }
    let kept = flags;
    if (isPadded) {
      // `&` in a CDATA section is not a reference
      if ((flags & REFERENCE) === 0) scanner.scan.range(view, from, to);
      else scanner.scan.escapedRange(window, from, to);
      kept = scanner.scan.flags;
    }
    if (kind === "address") {
      const url = this.#entries.addresses.read(window, from, to, kept);
      if (url !== undefined) return this.#takeUrl(meaning, url);
    } else if (spec.wants !== undefined && !spec.wants(draft)) return true;
    this.#take(meaning, trimSpace(scanner.decoder.text(from, to, kept)));
    return true;
  }

  text({ meaning }: MeaningNode, text: string, isMarkup = false): void {
    const { kind, role, leaf, spec: { wants, hasMarkup } } = meaning;
    if (kind === "title") {
      this.title = (this.title + text).slice(0, MAX_TITLE_LENGTH);
      return;
    }
    if (this.#isOverlong) return;
    if (role === "entry") {
      this.#weigh(text.length);
      const written = isMarkup ? MARKUP + text : text;
      if (!this.#isOverlong) meaning.format!.stray?.(this.#draft, written, false);
      return;
    }
    const written = isMarkup && meaning.isUrl ? MARKUP + text : text;
    if (hasMarkup && meaning.isUrl) this.#unclosed.addToAside(written);
    if (leaf === undefined || (wants !== undefined && !wants(this.#draft))) return;
    if (leaf !== this.#piecesNode) {
      const node = this.#piecesNode;
      if (node !== undefined) this.#outerPieces.push({ node, text: this.#pieces });
      this.#piecesNode = leaf;
      this.#pieces = "";
    }
    if (this.#pieces.length + text.length <= this.#maxValueLength) {
      this.#pieces += hasMarkup ? text : written;
    } else if (kind !== "inner") this.overlong();
  }

  endText(node: MeaningNode): boolean {
    const { kind, role, leaf } = node.meaning;
    if (kind === "title") {
      this.scanner.isDone = true;
      return true;
    }
    if (role !== "leaf" || leaf !== node) return false;
    const written = this.#popPieces(node);
    if (kind === "inner") return this.#endInner(node, written);
    const text = this.#textOf(node, written);
    if (!this.#isOverlong) this.#take(node.meaning, this.addressIn(text));
    return this.#piecesNode === undefined;
  }

  #textOf({ depth, meaning }: MeaningNode, written: string): string {
    const inner = this.#unclosed.takeText(depth);
    const titleLength = meaning.spec.hasMarkup ? this.#unclosed.takeTitleLength() : -1;
    if (this.scanner.isForced && titleLength >= 0) return written.slice(0, titleLength);
    if (inner === undefined || trimSpace(written) !== "") return written;
    this.warn("misplaced-element", "Text inside an element that is not closed");
    return inner;
  }

  /** Ends an element inside a field; if it is closed by its own end tag, it hides all its content. */
  #endInner({ depth }: MeaningNode, written: string): false {
    if (!this.scanner.isForced) this.#unclosed.hideText();
    else if (trimSpace(written) !== "") this.#unclosed.keepText(ownCopy(written), depth);
    return false;
  }

  /** Returns the text in pieces of an element, which then belongs to the one around it. */
  #popPieces(node: MeaningNode): string {
    if (this.#piecesNode !== node) return "";
    const text = ownCopy(this.#pieces), outer = this.#outerPieces.pop();
    this.#piecesNode = outer?.node;
    this.#pieces = outer?.text ?? "";
    return text;
  }

  #dropPieces(): void {
    this.#piecesNode = undefined;
    this.#pieces = "";
    this.#outerPieces.length = 0;
    this.#unclosed.clearField();
  }

  markField(): void {
    this.#unclosed.markField(this.#piecesNode === undefined ? 0 : this.#pieces.length);
  }

  openAside(): void {
    this.markField();
    this.#unclosed.openAside();
  }

  closeAside(): string {
    return this.addressIn(this.#unclosed.closeAside());
  }

  addressIn(text: string): string {
    const end = text.indexOf(MARKUP);
    if (end < 0) return trimSpace(text);
    const address = ownCopy(trimSpace(text.slice(0, end)));
    if (address !== "") this.#reportMarkup(address);
    return address;
  }

  #reportMarkup(address: string): void {
    this.warn("address-repaired", `Address ${quoted(address)} ends before a raw "<"`);
  }

  /** Stores a value that was read as text and trimmed. */
  #take(meaning: Meaning, value: string): void {
    const { kind, spec: { separator, unreadable } } = meaning;
    if (value === "") return;
    this.#weigh(ELEMENT_WEIGHT + value.length);
    if (separator !== undefined && value.length > MAX_LIGHT_LIST) {
      this.#weigh(ELEMENT_WEIGHT * itemsIn(value, separator));
    }
    if (this.#isOverlong) return;
    this.#markSeen(meaning);
    if (kind === "address") {
      if (meaning.isAddressList) this.#keepUrl();
      return this.#takeAddress(value, this.#base);
    }
    const isRead = kind === "date"
      ? this.#readDate(meaning, value)
      : meaning.spec.text!(this.#draft, value, this);
    if (isRead === false && unreadable !== undefined) {
      this.warn(unreadable[0], `Invalid ${unreadable[1]} ${quoted(value)}`);
    }
  }

  #readDate({ spec }: Meaning, value: string): boolean {
    let hasUnknownZone = false;
    const date = readDate(value, (zone) => {
      hasUnknownZone = spec.unreadable !== undefined;
      if (hasUnknownZone) this.warn("unknown-zone", `Unknown zone "${zone}" read as UTC`);
    });
    const isReported = hasUnknownZone || date === undefined && spec.unreadable !== undefined;
    if (this.note !== undefined && this.format!.hasIsoDates && !isReported) this.#noteDate(value);
    if (date !== undefined) spec.date!(this.#draft, date);
    return date !== undefined;
  }

  #noteDate(value: string): void {
    if (isW3cDate(value)) return;
    if (isW3cDate(`${value}Z`)) this.note!("date-zone", `Time ${quoted(value)} has no zone`);
    else this.note!("date-format", `Date ${quoted(value)} is not in the format of W3C`);
  }

  #takeAddress(value: string, base: string | undefined): void {
    const url = this.#entries.usable(value, this.scanner.line, base);
    if (url === undefined) {
      this.hasBadAddress = true;
      return;
    }
    this.#entries.addresses.learn(validStart(url)!);
    this.scanner.scan.text(url);
    this.#setUrl(url);
  }

  #markSeen(meaning: Meaning): true {
    const { bit } = meaning;
    if ((this.#seen & bit) !== 0) this.#reportRepeated(meaning);
    this.#seen |= bit;
    return true;
  }

  #reportRepeated({ name }: Meaning): void {
    if (this.#isOverlong) return;
    this.warn("repeated-element", `Repeated "${excerpt(name)}": the last readable value is used`);
  }

  #weigh(weight: number): void {
    this.#weight += weight;
    if (this.#weight > this.#maxWeight) this.overlong();
  }

  overlong(): void {
    this.#isOverlong = true;
    this.#dropPieces();
    this.#draft = this.format?.draft();
  }

  // -------------------------------------------------------------------------------------------- entries

  addPage(values: PageValues): void {
    const page = definePage(this.url!, values);
    this.#entries.page(page, this.#high, this.#low, this.scanner.line);
  }

  addPageAt(address: Address | undefined, values: PageValues): boolean {
    if (address === undefined) this.drop();
    else if (address.isUrl) {
      this.url = address.text;
      this.#high = address.high;
      this.#low = address.low;
    } else this.#takeAddress(address.text, address.base);
    if (this.url !== undefined) this.addPage(values);
    return this.url !== undefined;
  }

  stray(address: Address, rank: number, depth: number): void {
    this.#unclosed.keepAddress(address, rank, depth);
  }

  takeStray(maxRank: number = Infinity): Address | undefined {
    const address = this.#unclosed.address(maxRank);
    if (address === undefined || this.hasBadAddress) return undefined;
    this.warn("misplaced-element", "Address inside an element that is not closed");
    return address;
  }

  addChildren(lastModified: string | undefined): boolean {
    const { url } = this, entries = this.#entries, { line } = this.scanner;
    if (url === undefined && !this.hasBadAddress) return false;
    for (const earlier of this.#earlierUrls) {
      if (earlier === undefined) entries.dropChild();
      else entries.child(earlier, line, lastModified);
    }
    if (url === undefined) entries.dropChild();
    else entries.resolvedChild(url, this.#high, this.#low, line, lastModified);
    return true;
  }

  /** Moves `url` to the earlier ones, before another is stored. */
  #keepUrl(): void {
    if (this.url === undefined && !this.hasBadAddress) return;
    this.#weigh(ELEMENT_WEIGHT);
    this.#earlierUrls.push(this.url);
    this.url = undefined;
    this.hasBadAddress = false;
  }

  addChild(address?: string, lastModified?: string): void {
    this.#entries.child(address, this.scanner.line, lastModified);
  }

  drop(): void {
    if (!this.hasBadAddress) this.warn("no-address", "Entry without an address dropped");
  }

  warn(code: WarningCode, message: string): void {
    this.#entries.warn(code, message, this.scanner.line);
  }

  fault(code: XmlFault, message: string, line: number): void {
    if (this.scanner.isDone || this.isHopeless) return;
    if (code === "value-too-long" && this.scanner.node.meaning.entry !== undefined) this.overlong();
    else this.#entries.warn(code, message, line);
  }
}

/** Number of items in a list, counted without making them. */
function itemsIn(value: string, separator: "," | " "): number {
  let items = 1;
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at);
    if (separator === "," ? code === COMMA : code <= SPACE) items++;
  }
  return items;
}
