/**
 * Open elements as a tree of paths: an element is its name, its namespaces and the elements around it.
 *
 * The scanner stands at one node; opening an element leads to a child, closing it to the parent. Nodes
 * are kept, so an element of a known name in a known place costs one lookup, and what it means is
 * decided once. A node also remembers the tags that followed its text before (`steps`).
 *
 * @module
 */

import { BytePattern } from "../bytes/value_scan.ts";
import type { InternedName, Scope } from "./names.ts";

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

// MERGED: Steps: tags without attributes, and the white space between them, that the scanner has read before.  After the same element, the same bytes lead through the same tags to the same element. A step is a memo of the scanner's own reading and knows no grammar: `</loc>\n  <lastmod>` is compared eight bytes at a time instead of being taken apart again.

/** Longer runs of tags are several steps. */
const MAX_STEP = 256;
/** Steps that a node remembers. */
const MAX_STEPS = 8;
/** When a node has all its steps, every so many misses replace one. */
const PATIENCE = 16;

const SLASH = 0x2f;

/** Returns the step of a node whose tags are at an offset. */
export function stepAt<M>(
  node: ElementNode<M>,
  view: DataView,
  at: number,
): Step<M> | undefined {
  const last = node.step;
  if (last === undefined || last.isAt(view, at)) return last;
  const { steps } = node;
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i]!;
    if (step.isAt(view, at)) return node.step = step;
  }
  return undefined;
}

/** Learns steps while the scanner reads tags. */
export class StepRecorder<M> {
  /** Whether a step is being learned. */
  isActive = false;
  #node: ElementNode<M> | undefined;
  #start = 0;
  #line = 0;
  #actions: Action<M>[] = [];

  /** Begins at a tag behind the text of a node; a step that is being learned goes on instead. */
  begin(node: ElementNode<M>, at: number, line: number): void {
    this.isActive = true;
    this.#node = node;
    this.#start = at;
    this.#line = line;
    this.#actions = [];
  }

  /** Whether a tag at an offset can still be part of the step. */
  hasRoom(at: number): boolean {
    return at - this.#start <= MAX_STEP / 2;
  }

  /** Notes that an element opens or closes. */
  act(node: ElementNode<M>, isClose: boolean, line: number): void {
    const matters = isClose
      ? (node.flags & (CLOSE | BINDS)) !== 0 || node.depth === 1
      : (node.flags & (OPEN | UNBOUND)) !== 0;
    if (matters) this.#actions.push({ node, isClose, lines: line - this.#line });
  }

  /** Makes a known step part of the one that is being learned. */
  extend({ actions }: Step<M>, line: number): void {
    const before = line - this.#line;
    for (const { node, isClose, lines } of actions) {
      this.#actions.push({ node, isClose, lines: lines + before });
    }
  }

  /** Remembers the tags up to an offset, which lead to a node. */
  finish(bytes: Uint8Array, view: DataView, end: number, line: number, to: ElementNode<M>): void {
    const start = this.#start, from = this.#node!;
    this.isActive = false;
    const isWorthIt = end > start && end - start <= MAX_STEP &&
      // a second root element is not read
      from.depth > 0 &&
      // text that is wanted must be complete with the first tag
      ((from.flags & TEXT) === 0 || bytes[start + 1] === SLASH) && isAscii(bytes, start, end);
    if (!isWorthIt) return;
    const { steps } = from;
    let slot = steps.length;
    if (slot === MAX_STEPS) {
      if (++from.misses % PATIENCE !== 0) return;
      slot = (from.misses / PATIENCE) % MAX_STEPS;
    }
    const lines = line - this.#line;
    steps[slot] = from.step = new Step(view, start, end, { lines, actions: this.#actions, to });
  }
}

function isAscii(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at]! > 0x7f) return false;
  return true;
}
