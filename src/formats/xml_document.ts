/**
 * An XML document: a scanner, and a reader of the records that it finds.
 *
 * @module
 */

import { HashSet64 } from "../bytes/hash_set.ts";
import { type HashKey, randomKey, ValueScan } from "../bytes/value_scan.ts";
import type { InvalidCode } from "../codes.ts";
import type { SitemapType } from "../events.ts";
import { excerpt } from "../excerpt.ts";
import type { DocumentLimits } from "../limits.ts";
import { trimSpace } from "../url.ts";
import { Scanner } from "../xml/scanner.ts";
import type { AddressReader } from "./address_reader.ts";
import { type Entries, quoted } from "./entries.ts";
import { RecordReader } from "./record_reader.ts";

/** How reading a document ended. */
export type DocumentOutcome =
  | {
    /** The kind of sitemap it is. */
    readonly type: SitemapType;
    /** Whether it was read to its end. */
    readonly complete: boolean;
  }
  | {
    /** Why it cannot be used. */
    readonly code: InvalidCode;
    /** The same for people. */
    readonly reason: string;
  };

/** Reads one XML document after the other. */
export class XmlDocument {
  readonly #records: RecordReader;
  readonly #scanner: Scanner<RecordReader["noMeaning"]>;
  #entries!: Entries;

  constructor(scan: ValueScan, limits: DocumentLimits) {
    const records = new RecordReader(limits.maxValueLength);
    this.#records = records;
    this.#scanner = records.scanner = new Scanner(records, scan, limits);
  }

  /** Begins a document, at a line. */
  begin(entries: Entries, addresses: AddressReader, url: string, line: number): void {
    this.#entries = entries;
    this.#records.begin(entries, addresses, url);
    this.#scanner.reset(line);
  }

  /** The kind of sitemap, once it is known. */
  get type(): SitemapType | undefined {
    return this.#records.format?.type;
  }

  /** Whether nothing that follows matters. */
  get isSettled(): boolean {
    return this.#scanner.stopped !== undefined || this.#scanner.isDone || this.#entries.isFull;
  }

  /** Takes a chunk of UTF-8; returns the number of invalid sequences in it. */
  write(chunk: Uint8Array): number {
    this.#scanner.write(chunk);
    this.#entries.flush();
    return this.#scanner.takeReplaced();
  }

  /** Number of invalid sequences since the last call. */
  takeReplaced(): number {
    return this.#scanner.takeReplaced();
  }

  /** Reads what is held back because it is long. */
  catchUp(): void {
    this.#scanner.catchUp();
    this.#entries.flush();
  }

  /** Takes the end of the document; `isCut` if there should have been more. */
  end(isCut: boolean): DocumentOutcome {
    const isClosed = !this.#entries.isFull && this.#scanner.end();
    this.#entries.flush();
    const { stopped } = this.#scanner, { format, root } = this.#records;
    if (stopped === "xml-dtd") {
      return { code: "xml-dtd", reason: "DOCTYPE with an internal subset" };
    }
    if (format === undefined) return { code: "not-a-sitemap", reason: this.#whyNot() };
    if (stopped !== undefined) {
      this.#records.warn(stopped, `Truncated: ${stopped}`);
    } else if (!isClosed && !isCut) {
      this.#records.warn("xml-cut", `Document ends inside "${excerpt(root?.name.name ?? "")}"`);
    }
    return { type: format.type, complete: isClosed && !isCut && !this.#entries.isFull };
  }

  #whyNot(): string {
    const name = this.#records.root?.name;
    if (name === undefined) return "XML without a root element";
    if (name.lowerLocal !== "html") return `Unknown root element ${quoted(name.name)}`;
    const title = trimSpace(this.#records.title.replace(/\s+/g, " "));
    return title === "" ? "HTML page" : `HTML page ${quoted(title)}`;
  }
}

/**
 * What reading documents takes, to be used for one after another: the sitemaps of a site are alike, and
 * what was learned of the names and tags of one is known in the next.
 */
export class ReaderPool {
  /** Hashes addresses; all documents hash alike. */
  readonly scan: ValueScan;
  readonly #limits: DocumentLimits;
  readonly #documents: XmlDocument[] = [];
  readonly #sets: HashSet64[] = [];

  constructor(limits: DocumentLimits, key: HashKey = randomKey()) {
    this.#limits = limits;
    this.scan = new ValueScan(key);
  }

  /** Returns an empty set of hashes. */
  takeSet(): HashSet64 {
    return this.#sets.pop() ?? new HashSet64();
  }

  /** Takes back a set. */
  giveSet(set: HashSet64): void {
    set.clear();
    this.#sets.push(set);
  }

  /** Returns a reader of XML. */
  takeXml(): XmlDocument {
    return this.#documents.pop() ?? new XmlDocument(this.scan, this.#limits);
  }

  /** Takes back a reader of XML. */
  giveXml(document: XmlDocument): void {
    this.#documents.push(document);
  }
}
