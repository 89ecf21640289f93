/**
 * Records steps: what the scanner reads once, so that it can be compared from then on.
 *
 * @module
 */

import type { Window } from "../bytes/window.ts";
import { ownCopy } from "../data/text.ts";
import type { StartTag } from "./start_tag.ts";
import {
  type Action,
  AFTER,
  BEFORE,
  BINDS,
  CLOSE,
  type ElementNode,
  type HoleRange,
  NO_ATTRIBUTES,
  OPEN,
  Step,
  type TagLayout,
  TEXT,
  UNBOUND,
} from "./steps.ts";

/** Maximum length of a step; longer runs of tags are several steps. */
const MAX_STEP = 256;
const MAX_STEPS = 8;
/** Maximum number of attributes of a tag in a step. */
const MAX_ATTRIBUTES = 8;
/** Maximum length of a value that is part of a step. */
const MAX_LITERAL = 64;
const MAX_LAYOUTS = 4;

const SLASH = 0x2f;

/** Values that are their own bytes: printable ASCII without white space and references. */
const LITERAL_REGEXP = /^[!"#$%'-;=-~]*$/;

/**
 * Returns the layout of a tag of a node: values that were the same in all tags with these attributes are
 * part of it. Returns `undefined` if no step can lead through the tag.
 */
function layoutOf<M>(node: ElementNode<M>, window: Window, tag: StartTag): TagLayout | undefined {
  const { count, names, starts, ends } = tag;
  if (count === 0) return NO_ATTRIBUTES;
  if (count > MAX_ATTRIBUTES || tag.indexOf("xml:base") >= 0) return undefined;
  const { layouts } = node;
  let slot = 0;
  while (slot < layouts.length && !hasNames(layouts[slot]!, tag)) slot++;
  const known = layouts[slot];
  if (known === undefined && slot === MAX_LAYOUTS) slot = 0;
  const values = starts.slice(0, count).map((start, i) => {
    const value = literalOf(window, start, ends[i]!);
    return known === undefined || known.values[i] === value ? value : undefined;
  });
  return layouts[slot] = { names: known?.names ?? names.slice(0, count).map(internalized), values };
}

/** Returns the one copy of a name that V8 keeps of all keys, so that comparing it with another is fast. */
function internalized(name: string): string {
  return Object.keys({ [name]: true })[0]!;
}

function hasNames({ names }: TagLayout, tag: StartTag): boolean {
  return names.length === tag.count && names.every((name, i) => name === tag.names[i]);
}

function literalOf(window: Window, start: number, end: number): string | undefined {
  if (end - start > MAX_LITERAL) return undefined;
  const value = window.text.slice(start, end);
  return LITERAL_REGEXP.test(value) ? ownCopy(value) : undefined;
}

export class StepRecorder<M> {
  isActive = false;
  #node: ElementNode<M> | undefined;
  #start = 0;
  #line = 0;
  #actions: Action<M>[] = [];
  #holes: HoleRange[] = [];
  /** Total length of the holes. */
  #skipped = 0;

  begin(node: ElementNode<M>, at: number, line: number): void {
    this.isActive = true;
    this.#node = node;
    this.#start = at;
    this.#line = line;
    this.#actions = [];
    this.#holes = [];
    this.#skipped = 0;
  }

  canExtend(at: number): boolean {
    return at - this.#start - this.#skipped <= MAX_STEP / 2;
  }

  open(node: ElementNode<M>, window: Window, tag: StartTag, line: number): void {
    const layout = layoutOf(node, window, tag);
    // other bindings lead to another node
    const isFixed = layout !== undefined &&
      (!tag.isBinding || layout.values.every((value) => value !== undefined));
    if (!isFixed) {
      this.isActive = false;
      return;
    }
    for (const [attribute, value] of layout.values.entries()) {
      if (value !== undefined) continue;
      const start = tag.starts[attribute]!;
      this.skip(window, start, tag.ends[attribute]!, window.text[start - 1]!, attribute);
    }
    if ((node.flags & (OPEN | UNBOUND | BINDS)) !== 0) this.#act(node, false, line, layout);
  }

  close(node: ElementNode<M>, line: number): void {
    if ((node.flags & (CLOSE | BINDS)) !== 0) this.#act(node, true, line, NO_ATTRIBUTES);
  }

  #act(node: ElementNode<M>, isClose: boolean, line: number, layout: TagLayout): void {
    this.#actions.push({ node, isClose, lines: line - this.#line, layout });
  }

  /** Adds a hole; one with line ends ends the recording, since steps count lines. */
  skip(
    { text }: Window,
    start: number,
    end: number,
    terminator: string,
    attribute = -1,
  ): void {
    if (text.slice(start, end).includes("\n")) this.isActive = false;
    this.#holes.push({ start, end, terminator, attribute });
    this.#skipped += end - start;
  }

  /** Keeps the tags up to an offset, which lead to a node; a node with all its steps replaces one. */
  finish({ bytes, view }: Window, end: number, line: number, to: ElementNode<M>): void {
    const start = this.#start, from = this.#node!;
    this.isActive = false;
    // it ends after what ends its last hole
    const isKept = end > (this.#holes.at(-1)?.end ?? start) &&
      end - start - this.#skipped <= MAX_STEP &&
      // content there is reported once for each document
      (from.flags & (BEFORE | AFTER)) === 0 &&
      // text that is wanted must be complete with the first tag
      ((from.flags & TEXT) === 0 || bytes[start + 1] === SLASH);
    if (!isKept) return;
    const { steps } = from;
    const slot = steps.length < MAX_STEPS ? steps.length : from.replaced++ % MAX_STEPS;
    const lines = line - this.#line;
    const effect = { lines, actions: this.#actions, to, holes: this.#holes };
    steps[slot] = from.step = new Step(view, start, end, effect);
  }
}
