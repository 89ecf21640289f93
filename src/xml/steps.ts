/**
 * Open elements as a tree of paths, and the steps between them.
 *
 * A node is an element in its place: its name, its namespaces and the elements around it. The scanner is
 * at one node; a start tag leads to a child, an end tag to the parent. Nodes are kept, so that a known
 * element in a known place costs one lookup and its meaning is resolved once.
 *
 * A step is a run of tags, and the white space between them, that was read before: after the same
 * element, the same bytes lead to the same element. It caches what the scanner read and has no grammar:
 * `</loc>\n  <lastmod>` is compared eight bytes at a time instead of being parsed again.
 *
 *     <url> ──► <loc> ──"</loc>\n  <lastmod>"──► <lastmod> ──"</lastmod>\n</url>\n<url>\n  <loc>"──► <loc>
 *
 * What differs each time is a hole of the step: the value of an attribute, the content of a comment, or
 * text that is ignored. Values that were the same so far are part of the bytes.
 *
 *     <url> ──"<xhtml:link rel="alternate" hreflang="◦" href="◦"/>"──► <url>
 *
 * @module
 */

import { BytePattern } from "../bytes/byte_pattern.ts";
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

/** Attributes of a tag that was read before. */
export interface TagLayout {
  readonly names: readonly string[];
  /** Values; `undefined` for those that differ each time. */
  readonly values: readonly (string | undefined)[];
}

/** A tag without attributes, or without known ones. */
export const NO_ATTRIBUTES: TagLayout = { names: [], values: [] };

/** An element in its place; `M` is its meaning to the consumer. */
export class ElementNode<M> {
  /** The element around it; `undefined` for the document. */
  readonly parent: ElementNode<M> | undefined;
  readonly name: InternedName;
  /** Namespaces inside it. */
  readonly scope: Scope;
  /** Its namespace: `""` for none, `undefined` if the prefix is not bound. */
  readonly uri: string | undefined;
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
  replaced = 0;
  /** Length of its last value, see {@linkcode SHORT}. */
  valueLength = 0;
  readonly layouts: TagLayout[] = [];

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
  /** Its attributes, if it opens. */
  readonly layout: TagLayout;
}

interface Hole {
  /** What ends it: a quotation mark, `<`, or the end of markup. */
  readonly terminator: string;
  /** The first byte of that. */
  readonly stop: number;
  /** Index of the attribute whose value it is; -1 for a comment or text. */
  readonly attribute: number;
  readonly after: BytePattern;
}

export interface HoleRange extends Omit<Hole, "after" | "stop"> {
  readonly start: number;
  readonly end: number;
}

export class Step<M> extends BytePattern {
  /** Number of line ends. */
  readonly lines: number;
  readonly actions: readonly Action<M>[];
  /** The element whose content follows. */
  readonly to: ElementNode<M>;
  readonly holes: readonly Hole[];
  readonly hasHoles: boolean;

  constructor(
    view: DataView,
    start: number,
    end: number,
    effect: {
      readonly lines: number;
      readonly actions: readonly Action<M>[];
      readonly to: ElementNode<M>;
      readonly holes: readonly HoleRange[];
    },
  ) {
    const { holes } = effect;
    super(view, start, holes[0]?.start ?? end);
    this.lines = effect.lines;
    this.actions = effect.actions;
    this.to = effect.to;
    this.hasHoles = holes.length > 0;
    this.holes = holes.map(({ terminator, attribute, end: from }, at) => ({
      terminator,
      stop: terminator.charCodeAt(0),
      attribute,
      after: new BytePattern(view, from, holes[at + 1]?.start ?? end),
    }));
  }
}
