/**
 * The elements that are open, with the namespaces they bind.
 *
 * @module
 */

import { NO_ATTRIBUTES, type XmlElement, type XmlName } from "./element.ts";
import { Namespaces } from "./namespaces.ts";

interface OpenElement {
  readonly element: XmlElement;
  /** Prefixes it binds, to be released with it. */
  readonly bound: readonly string[] | undefined;
  /** Characters of its attributes. */
  readonly weight: number;
}

const COLON = 0x3a;

/** A stack of open elements. */
export class ElementStack {
  readonly #open: OpenElement[] = [];
  readonly #namespaces = new Namespaces();
  #weight = 0;

  /** How many are open. */
  get depth(): number {
    return this.#open.length;
  }

  /** Characters of the attributes that all of them hold. */
  get weight(): number {
    return this.#weight;
  }

  /** The innermost one. */
  get innermost(): XmlElement | undefined {
    return this.#open[this.#open.length - 1]?.element;
  }

  /** The namespace a prefix has here; `undefined` where it is not bound. */
  uriOf(prefix: string): string | undefined {
    return this.#namespaces.lookup(prefix) ?? (prefix === "" ? "" : undefined);
  }

  /**
   * Opens an element; its own declarations hold for its own name. `weight` is how many characters
   * its attributes have.
   */
  push(
    name: XmlName,
    attributes: ReadonlyMap<string, string> | undefined,
    weight: number,
  ): XmlElement {
    const bound = attributes === undefined ? undefined : this.#bind(attributes);
    const element: XmlElement = {
      name: name.name,
      prefix: name.prefix,
      local: name.local,
      lowerName: name.lowerName,
      lowerLocal: name.lowerLocal,
      uri: this.uriOf(name.prefix),
      attributes: attributes ?? NO_ATTRIBUTES,
    };
    this.#open.push({ element, bound, weight });
    this.#weight += weight;
    return element;
  }

  /** Closes the innermost element. */
  pop(): XmlElement | undefined {
    const top = this.#open.pop();
    this.#weight -= top?.weight ?? 0;
    if (top?.bound !== undefined) {
      for (const prefix of top.bound) this.#namespaces.release(prefix);
    }
    return top?.element;
  }

  /** How deep the innermost element of that name stands, from 1; 0 where there is none. */
  depthOf(lowerName: string): number {
    let depth = this.#open.length;
    while (depth > 0 && this.#open[depth - 1]!.element.lowerName !== lowerName) depth--;
    return depth;
  }

  #bind(attributes: ReadonlyMap<string, string>): string[] | undefined {
    let bound: string[] | undefined;
    for (const [name, value] of attributes) {
      if (!name.startsWith("xmlns")) continue;
      if (name.length > 5 && name.charCodeAt(5) !== COLON) continue;
      const prefix = name.slice(6);
      this.#namespaces.bind(prefix, value.trim());
      (bound ??= []).push(prefix);
    }
    return bound;
  }
}
