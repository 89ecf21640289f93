/**
 * Open elements as a tree of paths: an element is its name, its namespaces and the elements around it.
 *
 * The scanner stands at one node; opening an element leads to a child, closing it to the parent. Nodes
 * are kept, so an element of a known name in a known place costs one lookup, and what it means is
 * decided once. A node also remembers the tags that followed its text before (`steps`).
 *
 * @module
 */

import { BytePattern } from "../bytes/byte_pattern.ts";
import type { InternedName } from "./names.ts";
import type { Scope } from "./namespaces.ts";

/** The text of the element is wanted. */
export const TEXT = 1;
/** The consumer wants to know when the element opens. */
export const OPEN = 2;
/** The consumer wants to know when it closes. */
export const CLOSE = 4;
/** Its attributes are wanted. */
export const ATTRIBUTES = 8;
/** Its values are short, and mostly as long as the last one. */
export const SHORT = 16;
/** Text in it is not wanted, unless it is more than white space. */
export const STRAY = 32;
/** Its prefix is not bound. */
export const UNBOUND = 64;
/** Its tag binds namespaces. */
export const BINDS = 128;
/** Its text is hashed. */
export const HASHED = 256;

/** An element in its place; `M` is what it means to the consumer. */
export class ElementNode<M> {
  /** The element around it; `undefined` for the document. */
  readonly parent: ElementNode<M> | undefined;
  readonly name: InternedName;
  /** Namespaces inside it. */
  readonly scope: Scope;
  /** Its namespace: `""` for none, `undefined` if the prefix is not bound. */
  readonly uri: string | undefined;
  /** How many elements are open, itself included. */
  readonly depth: number;
  /** What the scanner must do for it. */
  flags = 0;
  /** What it means to the consumer. */
  meaning: M;
  /** Elements opened in it, by the position of their names; one may belong elsewhere, see `adopt`. */
  readonly children: (ElementNode<M> | undefined)[] = [];
  /** Tags that followed its text before. */
  readonly steps: Step<M>[] = [];
  /** The one of them that was taken last. */
  step: Step<M> | undefined = undefined;
  /** Misses of `steps` since it is full. */
  misses = 0;
  /** Length of its last value, see {@linkcode SHORT}. */
  valueLength = 0;

  constructor(
    parent: ElementNode<M> | undefined,
    name: InternedName,
    scope: Scope,
    uri: string | undefined,
    meaning: M,
  ) {
    this.parent = parent;
    this.name = name;
    this.scope = scope;
    this.uri = uri;
    this.depth = parent === undefined ? 0 : parent.depth + 1;
    this.meaning = meaning;
  }
}

/** An element that opens or closes during a step, if anything has to be done for it. */
export interface Action<M> {
  readonly node: ElementNode<M>;
  readonly isClose: boolean;
  /** Line ends before it. */
  readonly lines: number;
}

/** Tags that were read before. */
export class Step<M> extends BytePattern {
  /** Line ends in it. */
  readonly lines: number;
  readonly actions: readonly Action<M>[];
  /** The element whose content follows. */
  readonly to: ElementNode<M>;

  /** Remembers a range of ASCII. */
  constructor(
    view: DataView,
    start: number,
    end: number,
    effect: { lines: number; actions: readonly Action<M>[]; to: ElementNode<M> },
  ) {
    super(view, start, end);
    this.lines = effect.lines;
    this.actions = effect.actions;
    this.to = effect.to;
  }
}
