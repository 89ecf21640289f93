/**
 * Makes balanced elements of tags, whatever is missing or wrong.
 *
 * @module
 */

import type { Attributes } from "./attributes.ts";
import { ElementStack } from "./element_stack.ts";
import type { XmlHandler } from "./handler.ts";
import { type KnownName, XmlNames } from "./names.ts";
import type { Source } from "./source.ts";

/** The elements of a document, as they open and close. */
export class Elements {
  /** The names they have. */
  readonly names: XmlNames = new XmlNames();
  /** Whether the root element has ended. */
  rootClosed = false;
  readonly #source: Source;
  readonly #handler: XmlHandler;
  readonly #maxDepth: number;
  readonly #stack = new ElementStack();

  constructor(source: Source, handler: XmlHandler, maxDepth: number) {
    this.#source = source;
    this.#handler = handler;
    this.#maxDepth = maxDepth;
  }

  /** How many are open. */
  get depth(): number {
    return this.#stack.depth;
  }

  /** Characters of the attributes that all of them hold. */
  get weight(): number {
    return this.#stack.weight;
  }

  /** The name of the innermost one. */
  get innermostName(): KnownName | undefined {
    return this.#stack.innermostName;
  }

  /** The namespace a prefix has here; `undefined` where it is not bound. */
  uriOf(prefix: string): string | undefined {
    return this.#stack.uriOf(prefix);
  }

  /**
   * A start tag has been read: false where it stands too deep. Faults are told at its end, which is
   * `at`, not behind it: what follows is told later, if anybody still listens.
   */
  open(
    name: KnownName,
    attributes: Attributes | undefined,
    isEmpty: boolean,
    at: number,
  ): boolean {
    if (this.rootClosed) {
      this.#source.ignoreRest(at);
      return true;
    }
    const stack = this.#stack;
    const before = this.#handler.closesBefore?.(name, stack.uriFor(name), stack.depth + 1);
    if (before !== undefined) this.#closeTo(before);
    if (stack.depth >= this.#maxDepth) return false;
    const element = stack.push(name, attributes);
    if (element.uri === undefined) {
      this.#source.fault("xml-unbound-prefix", `Prefix "${name.prefix}" is not bound`, at);
    }
    this.#handler.open(element, stack.depth);
    if (isEmpty) this.#closeTo(stack.depth - 1);
    return true;
  }

  /** The end tag of the innermost element has been read. */
  closeInnermost(): void {
    this.#closeTo(this.#stack.depth - 1);
  }

  /** Any end tag has been read, up to `at`. */
  close(name: string, at: number): void {
    const stack = this.#stack;
    const depth = stack.depthOf(this.names.get(name).lowerName);
    if (depth === 0) {
      if (this.rootClosed) this.#source.ignoreRest(at);
      else this.#tellMismatch(`End tag "${name}" has no start tag`, at);
      return;
    }
    if (depth < stack.depth) {
      this.#tellMismatch(
        `End tag "${name}" closes the open "${stack.innermostName?.name}" too`,
        at,
      );
    }
    this.#closeTo(depth - 1);
  }

  /** Ends the elements above `depth`, the innermost first. */
  #closeTo(depth: number): void {
    const stack = this.#stack;
    while (stack.depth > depth) {
      const name = stack.pop()!;
      this.#handler.close(name, stack.depth + 1);
    }
    if (depth === 0) this.rootClosed = true;
  }

  #tellMismatch(message: string, at: number): void {
    this.#source.fault("xml-mismatched-tag", message, at);
  }
}
