/**
 * Open elements as a tree of paths, and the steps between them.
 *
 * A node is an element in its place: its name, its namespaces and the elements around it. The scanner is
 * at one node; a start tag leads to a child, an end tag to the parent. Nodes are kept, so that a known
 * element in a known place costs one lookup and its meaning is resolved once.
 *
 * A step is a run of tags without attributes, and the white space between them, that was read before:
 * after the same element, the same bytes lead to the same element. It caches what the scanner read and
 * has no grammar: `</loc>\n  <lastmod>` is compared eight bytes at a time instead of being parsed again.
 *
 *     <url> ──► <loc> ──"</loc>\n  <lastmod>"──► <lastmod> ──"</lastmod>\n</url>\n<url>\n  <loc>"──► <loc>
 *
 * @module
 */

import { BytePattern } from "../bytes/value_scan.ts";
import type { Window } from "../bytes/window.ts";
import type { InternedName, Scope } from "./names.ts";

/** The text of the element is wanted. */
export const TEXT = 1;
/** The consumer is called when the element opens. */
export const OPEN = 2;
/** The consumer is called when the element closes. */
export const CLOSE = 4;
/** The attributes of the element are wanted. */
export const ATTRIBUTES = 8;
/** The values of the element are short, and mostly as long as the last one. */
export const SHORT = 16;
/** Text in the element is wanted only if it is more than white space. */
export const STRAY = 32;
/** The prefix of the element is not bound. */
export const UNBOUND = 64;
/** The tag of the element binds namespaces. */
export const BINDS = 128;
/** The text of the element is hashed. */
export const HASHED = 256;
/** The root element, or another one after it. */
export const ROOT = 512;
/** Before the root element: the document itself, and elements that are not its root. */
export const BEFORE = 1024;
/** After the root element: what follows it, and elements there that are ignored. */
export const AFTER = 2048;
/** The element hides entries inside it, if it is closed. */
export const HIDES = 4096;
/** The element is resolved each time, since its meaning depends on more than its place. */
export const FLEETING = 8192;

/** Maximum length of a step; longer runs of tags are several steps. */
const MAX_STEP = 256;
/** Maximum number of steps of a node. */
const MAX_STEPS = 8;

const SLASH = 0x2f;

/** An element in its place; `M` is its meaning to the consumer. */
export class ElementNode<M> {
  /** The element around it; `undefined` for the document. */
  readonly parent: ElementNode<M> | undefined;
  readonly name: InternedName;
  /** Namespaces inside it. */
  readonly scope: Scope;
  /** Its namespace: `""` for none, `undefined` if the prefix is not bound. */
  readonly uri: string | undefined;
  /** Number of open elements, itself included. */
  readonly depth: number;
  /** {@linkcode TEXT} and the other flags. */
  flags = 0;
  meaning: M;
  /** What follows it, if it is the root element. */
  after: ElementNode<M> | undefined = undefined;
  /** Elements opened in it, by the id of their names; one may belong elsewhere, see `adopt`. */
  readonly children: (ElementNode<M> | undefined)[] = [];
  /** Steps that begin after its text. */
  readonly steps: Step<M>[] = [];
  /** The step that was taken last. */
  step: Step<M> | undefined = undefined;
  /** Number of steps that were replaced. */
  replaced = 0;
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

/**
 * Has the consumer called when an element closes, although steps may be known that close it: those from
 * inside it are forgotten.
 */
export function watchClosing<M>(node: ElementNode<M>): void {
  if ((node.flags & CLOSE) !== 0) return;
  node.flags |= CLOSE;
  forgetSteps(node);
}

function forgetSteps<M>(node: ElementNode<M>): void {
  node.steps.length = 0;
  node.step = undefined;
  for (const child of node.children) if (child?.parent === node) forgetSteps(child);
}

/** An element that opens or closes during a step, if the consumer or the namespaces are concerned. */
export interface Action<M> {
  readonly node: ElementNode<M>;
  readonly isClose: boolean;
  /** Number of line ends before it. */
  readonly lines: number;
}

/** Tags that were read before. */
export class Step<M> extends BytePattern {
  /** Number of line ends. */
  readonly lines: number;
  readonly actions: readonly Action<M>[];
  /** The element whose content follows. */
  readonly to: ElementNode<M>;

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

/** Records steps while the scanner reads tags. */
export class StepRecorder<M> {
  /** Whether a step is being recorded. */
  isActive = false;
  #node: ElementNode<M> | undefined;
  #start = 0;
  #line = 0;
  #actions: Action<M>[] = [];

  /** Begins at a tag after the text of a node. */
  begin(node: ElementNode<M>, at: number, line: number): void {
    this.isActive = true;
    this.#node = node;
    this.#start = at;
    this.#line = line;
    this.#actions = [];
  }

  /** Whether a tag at an offset can still be part of the step. */
  canExtend(at: number): boolean {
    return at - this.#start <= MAX_STEP / 2;
  }

  /** Adds an element that opens or closes. */
  act(node: ElementNode<M>, isClose: boolean, line: number): void {
    const matters = isClose
      ? (node.flags & (CLOSE | BINDS)) !== 0
      : (node.flags & (OPEN | UNBOUND)) !== 0;
    if (matters) this.#actions.push({ node, isClose, lines: line - this.#line });
  }

  /** Adds a known step. */
  extend({ actions }: Step<M>, line: number): void {
    const before = line - this.#line;
    for (const { node, isClose, lines } of actions) {
      this.#actions.push({ node, isClose, lines: lines + before });
    }
  }

  /** Keeps the tags up to an offset, which lead to a node; a node with all its steps replaces one. */
  finish({ bytes, view }: Window, end: number, line: number, to: ElementNode<M>): void {
    const start = this.#start, from = this.#node!;
    this.isActive = false;
    const isKept = end > start && end - start <= MAX_STEP &&
      // content there is reported once for each document
      (from.flags & (BEFORE | AFTER)) === 0 &&
      // text that is wanted must be complete with the first tag
      ((from.flags & TEXT) === 0 || bytes[start + 1] === SLASH);
    if (!isKept) return;
    const { steps } = from;
    const slot = steps.length < MAX_STEPS ? steps.length : from.replaced++ % MAX_STEPS;
    const lines = line - this.#line;
    steps[slot] = from.step = new Step(view, start, end, { lines, actions: this.#actions, to });
  }
}
