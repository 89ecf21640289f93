/**
 * Steps: tags without attributes, and the white space between them, that the scanner has read before.
 *
 * After the same element, the same bytes lead through the same tags to the same element. A step is a
 * memo of the scanner's own reading and knows no grammar: `</loc>\n  <lastmod>` is compared eight bytes
 * at a time instead of being taken apart again.
 *
 * @module
 */

import {
  type Action,
  BINDS,
  CLOSE,
  type ElementNode,
  OPEN,
  Step,
  TEXT,
  UNBOUND,
} from "./element_node.ts";

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
