/** Calls a handler for what the scanner reads: chunks in, balanced elements out. @module */

import { randomKey, ValueScan } from "../../src/bytes/value_scan.ts";
import { DEFAULT_LIMITS, type ReaderLimits } from "../../src/data/limits.ts";
import { ownCopy } from "../../src/data/text.ts";
import type { XmlConsumer, XmlFault, XmlStop } from "../../src/xml/consumer.ts";
import {
  AFTER,
  ATTRIBUTES,
  CLOSE,
  type ElementNode,
  OPEN,
  ROOT,
  TEXT,
} from "../../src/xml/steps.ts";
import type { InternedName } from "../../src/xml/names.ts";
import { Scanner } from "../../src/xml/scanner.ts";

export interface XmlElement {
  readonly name: InternedName;
  /** Namespace of the element: `""` for none, `undefined` if the prefix is not bound. */
  readonly uri: string | undefined;
  /** Attributes by name as written, in order, values decoded. */
  readonly attributes: ReadonlyMap<string, string>;
}

/** Receives tokens. Every `open` has its `close`, unless the document is truncated. */
export interface XmlHandler {
  /** Receives an element that opens; `depth` is 1 for the root. */
  open?(element: XmlElement, depth: number): void;
  /** Receives text, references decoded; it may come in several pieces. */
  text?(text: string): void;
  /** Receives an element that closes, by its end tag or because an element around it does. */
  close?(name: InternedName, depth: number): void;
  fault?(code: XmlFault, message: string, line: number): void;
}

const ENCODER = new TextEncoder();
/** The first half of a surrogate pair at the end of a text. */
const HALF_REGEXP = /[\ud800-\udbff]$/;

/** A tokenizer. Feed it with `write()`, finish with `end()`. */
export class XmlTokenizer implements XmlConsumer<undefined> {
  readonly noMeaning = undefined;
  readonly trimsValues = false;
  readonly #handler: XmlHandler;
  readonly #scanner: Scanner<undefined>;
  #half = "";

  constructor(handler: XmlHandler, limits: Partial<ReaderLimits> = {}) {
    this.#handler = handler;
    this.#scanner = new Scanner(this, new ValueScan(randomKey()), {
      ...DEFAULT_LIMITS,
      ...limits,
    });
  }

  /** Current line, from 1. */
  get line(): number {
    return this.#scanner.line;
  }

  get depth(): number {
    return this.rootClosed ? 0 : this.#scanner.node.depth;
  }

  get rootClosed(): boolean {
    return this.#scanner.rootClosed;
  }

  /** Reason why it stopped before the end; it ignores further input then. */
  get stopped(): XmlStop | undefined {
    return this.#scanner.stopped;
  }

  /** Takes a chunk: UTF-8, split anywhere, or text. */
  write(chunk: Uint8Array | string): void {
    if (typeof chunk !== "string") return this.#scanner.write(chunk);
    // a surrogate pair may be split
    const text = this.#half + chunk;
    const end = HALF_REGEXP.test(text) ? text.length - 1 : text.length;
    this.#half = text.slice(end);
    this.#scanner.write(ENCODER.encode(text.slice(0, end)));
  }

  /** Takes the end of the document; returns whether the root element had ended by then. */
  end(): boolean {
    if (this.#half !== "") this.#scanner.write(ENCODER.encode(this.#half));
    this.#half = "";
    return this.#scanner.end();
  }

  resolve(node: ElementNode<undefined>): void {
    node.flags = node.parent!.flags & AFTER;
    if (node.flags === 0) {
      node.flags = TEXT | OPEN | CLOSE | ATTRIBUTES | (node.depth === 1 ? ROOT : 0);
    }
  }

  adopt(node: ElementNode<undefined>): ElementNode<undefined> {
    return node;
  }

  displace(): void {}

  isKnownName(): boolean {
    return false;
  }

  openEntry(): undefined {}

  meaningAfter(): undefined {}

  resolveBase(base: string): string {
    return base;
  }

  open({ name, uri, depth }: ElementNode<undefined>): void {
    const { tag, decoder } = this.#scanner;
    const attributes = new Map<string, string>();
    for (let i = 0; i < tag.count; i++) {
      attributes.set(ownCopy(tag.names[i]!), decoder.attribute(tag, i));
    }
    this.#handler.open?.({ name, uri, attributes }, depth);
  }

  value(node: ElementNode<undefined>, start: number, end: number, flags: number): boolean {
    if (start < end) this.text(node, this.#scanner.decoder.text(start, end, flags));
    return true;
  }

  text(_node: ElementNode<undefined>, text: string): void {
    if (text !== "") this.#handler.text?.(text);
  }

  endText(): boolean {
    return false;
  }

  close({ name, depth }: ElementNode<undefined>): void {
    this.#handler.close?.(name, depth);
  }

  fault(code: XmlFault, message: string, line: number): void {
    this.#handler.fault?.(code, message, line);
  }
}
