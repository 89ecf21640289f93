/**
 * Reads XML documents in one of the formats.
 *
 * @module
 */

import type { ValueScan } from "../bytes/value_scan.ts";
import type { SitemapType } from "../data/events.ts";
import type { ReaderLimits } from "../data/limits.ts";
import { excerpt, trimSpace } from "../data/text.ts";
import { Scanner } from "../xml/scanner.ts";
import { type DocumentOutcome, type Entries, quoted } from "./entries.ts";
import type { Meaning } from "./meaning.ts";
import { RecordReader } from "./record.ts";

/** Reads one XML document after the other. */
export class XmlDocument {
  readonly #records: RecordReader;
  readonly #scanner: Scanner<Meaning>;
  #entries!: Entries;

  constructor(scan: ValueScan, limits: ReaderLimits, notes: boolean) {
    this.#records = new RecordReader(limits.maxValueLength, notes);
    this.#scanner = this.#records.scanner = new Scanner(this.#records, scan, limits);
  }

  begin(entries: Entries, url: string, line: number): void {
    this.#entries = entries;
    this.#records.begin(entries, url);
    this.#scanner.reset(line);
  }

  get type(): SitemapType | undefined {
    return this.#records.format?.type;
  }

  get isSettled(): boolean {
    return this.#scanner.stopped !== undefined || this.#scanner.isDone || this.#entries.isFull;
  }

  write(chunk: Uint8Array): void {
    this.#scanner.write(chunk);
    if (this.#records.isHopeless) this.#scanner.isDone = true;
    this.#entries.flush();
    this.#entries.reportReplaced(this.#scanner.takeReplaced());
  }

  catchUp(): void {
    this.#scanner.catchUp();
    this.#entries.flush();
  }

  /** `isCut` if the document is known to be truncated. */
  end(isCut: boolean): DocumentOutcome {
    const isClosed = !this.#entries.isFull && this.#scanner.end();
    if (!isClosed && !this.isSettled) this.#records.cut();
    this.#records.reportUnread();
    this.#entries.flush();
    const outcome = this.#outcome(isClosed, isCut);
    this.#entries.reportReplaced(this.#scanner.takeReplaced());
    return outcome;
  }

  #outcome(isClosed: boolean, isCut: boolean): DocumentOutcome {
    const { stopped } = this.#scanner, { format, root } = this.#records;
    if (stopped === "xml-dtd") {
      return { code: "xml-dtd", reason: "DOCTYPE with an internal subset" };
    }
    if (format === undefined) return { code: "not-a-sitemap", reason: this.#description() };
    if (stopped !== undefined) {
      this.#records.warn(stopped, `Truncated: ${stopped}`);
    } else if (!isClosed && !isCut) {
      this.#records.warn("xml-cut", `Document ends inside "${excerpt(root?.name.name ?? "")}"`);
    }
    return { type: format.type, complete: isClosed && !isCut && !this.#entries.isFull };
  }

  /** Describes a document that is not a sitemap: an HTML page by its title, such as "Log in". */
  #description(): string {
    const name = this.#records.root?.name;
    if (name === undefined) return "XML without a root element";
    if (name.lowerLocal !== "html" && !this.#scanner.isHtml) {
      return `Unknown root element ${quoted(name.name)}`;
    }
    const title = trimSpace(this.#records.title.replace(/\s+/g, " "));
    return title === "" ? "HTML page" : `HTML page ${quoted(title)}`;
  }
}
