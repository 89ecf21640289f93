/**
 * An XML document whose frame may be known already.
 *
 * The sitemaps of a site are written by one program: what stands before the first record and behind
 * the last, such as `<?xml …?><urlset xmlns="…">` and `</urlset>`, is the same in all of them. Behind
 * a head that an earlier document had, and that gave nothing to tell, the general reader is not
 * even made. Where the rest turns out to be anything but records of the common form and the tail, it
 * is made after all and reads the head first, as if nothing had been put off. For a sitemap of ten
 * pages that spares half of the time.
 *
 * @module
 */

import type { SitemapType } from "../events.ts";
import type { DocumentLimits } from "../limits.ts";
import { ownCopy } from "../text.ts";
import type { Entries } from "./entries.ts";
import type { UsualPrefixes } from "./fast_elements.ts";
import type { DocumentOutcome, TextReader } from "./reader.ts";
import { XmlDocumentReader } from "./xml_document.ts";

/** Behind the records, with nothing to tell about it. */
const TAIL_REGEXP = /^[ \t\r\n]*<\/urlset>[ \t\r\n]*$/;

/** The root element whose end that is. */
const ROOT_NAME = "urlset";

/** Longer heads are not worth their memory. */
const MAX_HEAD_LENGTH = 2048;

/** What a document begins with, up to its first record, and what is known behind it. */
interface KnownHead extends UsualPrefixes {
  readonly text: string;
  /** The ceilings under which it gave nothing to tell. */
  readonly limits: DocumentLimits;
}

/** The head of the last document that had one to remember. */
let lastHead: KnownHead | undefined;

/** Reads an XML document, as late as it can. */
export class DeferredXmlReader implements TextReader {
  readonly #entries: Entries;
  readonly #limits: DocumentLimits;
  #general: XmlDocumentReader | undefined;
  /** The head that was not read, as long as that does not matter. */
  #head: KnownHead | undefined;
  /** Lines of the records that somebody else has read behind it. */
  #lines = 0;
  /** The tail that was not read. */
  #tail = "";

  constructor(entries: Entries, limits: DocumentLimits) {
    this.#entries = entries;
    this.#limits = limits;
  }

  get type(): SitemapType | undefined {
    return this.#head === undefined ? this.#general?.type : "PagesXmlSitemap";
  }

  get settled(): boolean {
    return this.#general?.settled ?? this.#entries.full;
  }

  /** Whether it stands between records that are children of the root. */
  get betweenRecords(): boolean {
    if (this.#head !== undefined) return this.#tail === "" && !this.#entries.full;
    return this.#general?.betweenRecords ?? false;
  }

  /** Whether names without a prefix are those of the format. */
  get hasUsualNames(): boolean {
    return this.#head !== undefined || this.#general!.isUsual("", "own");
  }

  /** Which prefixes of extensions stand for what they usually do. */
  get usualPrefixes(): UsualPrefixes {
    if (this.#head !== undefined) return this.#head;
    const general = this.#general!;
    return {
      hasUsualImages: general.isUsual("image", "image"),
      hasUsualNews: general.isUsual("news", "news"),
      hasUsualAlternates: general.isUsual("xhtml", "xhtml"),
    };
  }

  /** Puts off reading the head of a document, if that is known: whether it is. */
  putsOff(text: string, length: number): boolean {
    // not `startsWith()`, which goes letter by letter
    const isKnown = lastHead !== undefined && lastHead.limits === this.#limits &&
      lastHead.text.length === length && lastHead.text === text.slice(0, length);
    if (isKnown) this.#head = lastHead;
    return isKnown;
  }

  /** Remembers the head that was just read, if it is all ASCII and worth it. */
  remember(head: string): void {
    const { count, warnings } = this.#entries;
    const isWorthIt = head.length <= MAX_HEAD_LENGTH && count === 0 && warnings === 0 &&
      this.#general?.rootName === ROOT_NAME && this.hasUsualNames;
    if (isWorthIt) lastHead = { text: ownCopy(head), limits: this.#limits, ...this.usualPrefixes };
  }

  /** Counts lines that somebody else has read in its place. */
  passLines(count: number): void {
    if (this.#head === undefined) this.#general!.passLines(count);
    else this.#lines += count;
  }

  /** Puts off reading what follows the records, if nothing else can come: whether that is so. */
  putsOffTail(text: string): boolean {
    if (this.#head === undefined || this.#tail !== "" || !TAIL_REGEXP.test(text)) return false;
    this.#tail = text;
    return true;
  }

  write(text: string): void {
    if (text !== "" && !this.putsOffTail(text)) this.#begun().write(text);
  }

  end(cut: boolean): DocumentOutcome {
    if (this.#head === undefined || this.#tail === "") return this.#begun().end(cut);
    return { type: "PagesXmlSitemap", complete: !cut && !this.#entries.full };
  }

  /** The general reader, which has read what was put off. */
  #begun(): XmlDocumentReader {
    const general = this.#general ??= new XmlDocumentReader(this.#entries, this.#limits);
    if (this.#head !== undefined) {
      general.write(this.#head.text);
      general.passLines(this.#lines);
      if (this.#tail !== "") general.write(this.#tail);
      this.#head = undefined;
    }
    return general;
  }
}
