/**
 * An incremental XML tokenizer that recovers: text chunks in, balanced elements out by callback.
 *
 * It scans decoded chunks with `indexOf` and carries at most a few characters over a chunk's edge,
 * so its cost is linear in the input, whatever the chunks. What is wrong is repaired and told by
 * `fault`; only an internal DTD subset and the ceilings stop it. Nothing is ever expanded but
 * character references and the fixed entities of XML and HTML.
 *
 * This is the door; what is behind it, each in a file of its own: the text at hand (`source.ts`), the
 * states (`markup_reader.ts`), tags and other markup, and elements made of tags (`elements.ts`).
 *
 * @module
 */

import { Elements } from "./elements.ts";
import type { XmlHandler, XmlStop, XmlTokenizerOptions } from "./handler.ts";
import { MarkupReader } from "./markup_reader.ts";
import { Source } from "./source.ts";

/**
 * The tokenizer. Feed it with `write()`, finish with `end()`.
 *
 * @example
 * ```ts
 * import { XmlTokenizer } from "@sitetree/sitetree/xml";
 * import { assertEquals } from "@std/assert";
 *
 * const seen: string[] = [];
 * const tokenizer = new XmlTokenizer({
 *   open: (element) => seen.push(`<${element.local}>`),
 *   text: (text) => seen.push(text),
 *   close: (element) => seen.push(`</${element.local}>`),
 *   fault: (code) => seen.push(code),
 * });
 * tokenizer.write("<a>R&D <b>x</");
 * tokenizer.write("b></a>");
 * assertEquals(tokenizer.end(), true);
 * assertEquals(seen.join(" "), "<a> xml-bare-ampersand R&D  <b> x </b> </a>");
 * ```
 */
export class XmlTokenizer {
  readonly #source: Source;
  readonly #elements: Elements;
  readonly #reader: MarkupReader;

  /** Makes a tokenizer that reports to `handler`. */
  constructor(handler: XmlHandler, options: XmlTokenizerOptions = {}) {
    this.#source = new Source(handler);
    this.#elements = new Elements(this.#source, handler, options.maxElementDepth ?? 256);
    this.#reader = new MarkupReader(this.#source, handler, this.#elements, {
      maxAttributes: options.maxAttributes ?? 1000,
      maxValueLength: options.maxValueLength ?? 1024 * 1024,
    });
  }

  /** The line that is being read, from 1. */
  get line(): number {
    return this.#source.lineOf(this.#source.at);
  }

  /** How many elements are open. */
  get depth(): number {
    return this.#elements.depth;
  }

  /** Whether the root element has ended. */
  get rootClosed(): boolean {
    return this.#elements.rootClosed;
  }

  /** The namespace a prefix has here (`""` for the default one); `undefined` where it is not bound. */
  uriOf(prefix: string): string | undefined {
    return this.#elements.uriOf(prefix);
  }

  /** The bytes of the chunk that is being read, where it is ASCII. */
  get bytes(): DataView | undefined {
    return this.#source.view;
  }

  /** What stopped the tokenizer, if anything did; it takes no more input then. */
  get stopped(): XmlStop | undefined {
    return this.#reader.stopped;
  }

  /** Whether it stands between two pieces of markup, with nothing carried over. */
  get idle(): boolean {
    return this.#reader.isBetweenMarkup && this.#source.isAtEdge && !this.#source.isOver &&
      this.stopped === undefined;
  }

  /** Counts lines that somebody else has read in its place; only while it is idle. */
  passLines(count: number): void {
    this.#source.passLines(count);
  }

  /** Takes a chunk of text. */
  write(chunk: string): void {
    if (this.stopped !== undefined || chunk === "") return;
    const source = this.#source;
    source.take(chunk);
    this.#reader.read();
    source.tellForbidden(this.stopped === undefined ? source.at : source.at - 1);
    source.lineOf(source.at);
  }

  /** Takes the end of the text: whether the root element had ended by then. */
  end(): boolean {
    if (this.stopped !== undefined) return false;
    this.#source.isLast = true;
    this.#reader.read();
    this.#source.tellForbidden(this.#source.text.length);
    return this.#elements.rootClosed;
  }
}
