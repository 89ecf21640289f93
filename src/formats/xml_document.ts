/**
 * An XML document: the root element decides which format reads it.
 *
 * @module
 */

import type { SitemapType } from "../events.ts";
import type { DocumentLimits } from "../limits.ts";
import { trimSpace } from "../url.ts";
import type { XmlElement, XmlName } from "../xml/element.ts";
import type { XmlFault, XmlHandler } from "../xml/handler.ts";
import { XmlTokenizer } from "../xml/tokenizer.ts";
import { ATOM_NAMESPACES, atomFormat } from "./atom.ts";
import { type Entries, quoted } from "./entries.ts";
import { Families, type Family } from "./families.ts";
import type { DocumentOutcome, TextReader } from "./reader.ts";
import type { RecordFormat, Warn } from "./record_format.ts";
import { RecordReader } from "./record_reader.ts";
import { RSS_NAMESPACES, rssFormat } from "./rss.ts";
import { indexFormat } from "./sitemap_index.ts";
import { SITEMAP_NAMESPACES, urlsetFormat } from "./urlset.ts";

interface Format {
  readonly type: SitemapType;
  readonly namespaces: readonly string[];
  // deno-lint-ignore no-explicit-any -- each format has a draft of its own
  readonly make: (entries: Entries, line: () => number) => RecordFormat<any>;
}

/** Formats by the local name of their root element, in any namespace. */
const FORMATS: ReadonlyMap<string, Format> = new Map<string, Format>([
  ["urlset", { type: "PagesXmlSitemap", namespaces: SITEMAP_NAMESPACES, make: urlsetFormat }],
  ["sitemapindex", { type: "IndexXmlSitemap", namespaces: SITEMAP_NAMESPACES, make: indexFormat }],
  ["rss", {
    type: "PagesRssSitemap",
    namespaces: RSS_NAMESPACES,
    make: (entries, line) => rssFormat(entries, line, 2),
  }],
  ["rdf", {
    type: "PagesRssSitemap",
    namespaces: RSS_NAMESPACES,
    make: (entries, line) => rssFormat(entries, line, 1),
  }],
  ["feed", { type: "PagesAtomSitemap", namespaces: ATOM_NAMESPACES, make: atomFormat }],
]);

/** How much of the title of an HTML page is looked at; white space is collapsed afterwards. */
const MAX_TITLE_LENGTH = 1000;

/** Reads an XML document of any known format. */
export class XmlDocumentReader implements TextReader, XmlHandler {
  readonly #entries: Entries;
  readonly #limits: DocumentLimits;
  readonly #tokenizer: XmlTokenizer;
  readonly #warn: Warn;
  #root: XmlElement | undefined;
  #format: Format | undefined;
  #families: Families | undefined;
  // deno-lint-ignore no-explicit-any -- each format has a draft of its own
  #reader: RecordReader<any> | undefined;
  #title: string | undefined;
  #titleDone = false;

  constructor(entries: Entries, limits: DocumentLimits) {
    this.#entries = entries;
    this.#limits = limits;
    this.#tokenizer = new XmlTokenizer(this, limits);
    // named first: V8 makes a function that is written into a property old at once, and with it all
    // that it holds, which is this whole reader
    const warn: Warn = (code, message) => {
      this.#reader?.flush();
      if (!entries.full) entries.warn(code, message, this.#tokenizer.line);
    };
    this.#warn = warn;
  }

  get type(): SitemapType | undefined {
    return this.#format?.type;
  }

  /** The name of the root element, as written. */
  get rootName(): string | undefined {
    return this.#root?.name;
  }

  get settled(): boolean {
    return this.#tokenizer.stopped !== undefined || this.#entries.full || this.#titleDone;
  }

  /** Whether it stands between records that are children of the root. */
  get betweenRecords(): boolean {
    return this.#tokenizer.depth === 1 && this.#tokenizer.idle && !this.#entries.full &&
      this.#reader?.inEntry === false;
  }

  /** Whether names stand for what they usually do: `url` for the format's own, and so on. */
  isUsual(prefix: string, family: Family): boolean {
    const uri = this.#tokenizer.uriOf(prefix);
    return uri !== undefined && this.#families?.of({ prefix, uri }) === family;
  }

  /** Counts lines that somebody else has read in its place. */
  passLines(count: number): void {
    this.#tokenizer.passLines(count);
  }

  write(text: string): void {
    this.#reader?.leaveChunk();
    this.#tokenizer.write(text);
    this.#reader?.flush();
  }

  end(cut: boolean): DocumentOutcome {
    const closed = this.#settledEarly() ? false : this.#tokenizer.end();
    this.#reader?.flush();
    const { stopped } = this.#tokenizer;
    if (stopped === "xml-dtd") {
      return { code: "xml-dtd", reason: "DOCTYPE with an internal subset refused" };
    }
    if (this.#format === undefined) return { code: "not-a-sitemap", reason: this.#noSitemap() };
    // a document that is full was cut there, whatever its chunk holds behind that
    if (!this.#entries.full) {
      if (stopped !== undefined) this.#warn(stopped, `Document cut: ${stopped}`);
      else if (!closed && !cut) {
        this.#warn("xml-cut", `Document ends inside "${this.#root?.name}"`);
      }
    }
    return { type: this.#format.type, complete: closed && !cut && !this.#entries.full };
  }

  #settledEarly(): boolean {
    return this.#entries.full || this.#titleDone;
  }

  #noSitemap(): string {
    if (this.#root === undefined) return "XML without a root element";
    if (this.#root.lowerLocal !== "html") {
      return `Root element ${quoted(this.#root.name)} is that of no sitemap`;
    }
    const title = trimSpace((this.#title ?? "").replace(/\s+/g, " "));
    return title === "" ? "HTML page" : `HTML page ${quoted(title)}`;
  }

  // ------------------------------------------------------------------- what the tokenizer reports

  closesBefore(name: XmlName, uri: string | undefined): number | undefined {
    return this.#entries.full ? undefined : this.#reader?.closesBefore(name, uri);
  }

  get ignoresText(): boolean {
    const reader = this.#reader;
    return reader === undefined ? this.#title === undefined || this.#titleDone : reader.ignoresText;
  }

  open(element: XmlElement, depth: number): void {
    if (this.#entries.full) return;
    if (depth === 1) this.#openRoot(element);
    else if (this.#reader !== undefined) this.#reader.open(element, depth);
    else this.#openInHtml(element);
  }

  text(text: string, place: number): void {
    if (this.#reader !== undefined) this.#reader.text(text, place);
    else if (this.#title !== undefined && !this.#titleDone) {
      this.#title = (this.#title + text).slice(0, MAX_TITLE_LENGTH);
    }
  }

  close({ lowerLocal }: XmlName, depth: number): void {
    if (depth === 1 || this.#entries.full) return;
    if (this.#reader !== undefined) this.#reader.close(depth);
    else if (lowerLocal === "title") this.#titleDone = true;
  }

  fault(code: XmlFault, message: string, line: number): void {
    this.#reader?.flush();
    // what follows where reading ends is of no interest, though its chunk may go on
    if (this.#titleDone || this.#entries.full) return;
    if (code === "value-too-long" && this.#reader?.inEntry) this.#reader.overlong();
    else this.#entries.warn(code, message, line);
  }

  #openRoot(element: XmlElement): void {
    this.#root = element;
    this.#format = FORMATS.get(element.lowerLocal);
    if (this.#format === undefined) {
      this.#titleDone = element.lowerLocal !== "html";
      return;
    }
    this.#families = new Families(element, this.#format.namespaces);
    this.#reader = new RecordReader(
      this.#format.make(this.#entries, () => this.#tokenizer.line),
      this.#families,
      this.#warn,
      this.#limits.maxValueLength,
      () => this.#tokenizer.bytes,
    );
  }

  /** An HTML page in the place of a sitemap: its title tells a login wall from a 404 page. */
  #openInHtml(element: XmlElement): void {
    if (element.lowerLocal === "title") this.#title ??= "";
    else if (element.lowerLocal === "body") this.#titleDone = true;
  }
}
