/**
 * The elements that are open, with the namespaces they bind.
 *
 * @module
 */

import type { Attributes } from "./attributes.ts";
import { NO_ATTRIBUTES, type XmlElement } from "./element.ts";
import type { KnownName } from "./names.ts";
import { Namespaces } from "./namespaces.ts";

/** No namespace that anybody means is longer. */
const MAX_KEPT_URI_LENGTH = 256;

/**
 * A stack of open elements. It keeps their names and what they bind: attributes are for whoever hears
 * of the start tag, and a hostile document has as many of them open as it likes.
 */
export class ElementStack {
  /** How many are open. */
  depth = 0;
  /** The name of the innermost one. */
  innermostName: KnownName | undefined = undefined;
  /** The names of those around it, outermost first. */
  readonly #outerNames: KnownName[] = [];
  /** The depth of the innermost element with attributes; most have none. */
  #burdenDepth = 0;
  /** What was so before each of these: its depth, the weight, the bindings, and the scope. */
  readonly #before: number[] = [];
  #weight = 0;
  readonly #namespaces = new Namespaces();
  /** The number of the scope in which the same namespaces are bound: each binding begins a new one. */
  #scope = 0;
  #scopes = 1;

  /** Characters of the attributes that all of them hold. */
  get weight(): number {
    return this.#weight;
  }

  /** The namespace a prefix has here; `undefined` where it is not bound. */
  uriOf(prefix: string): string | undefined {
    return this.#namespaces.lookup(prefix) ?? (prefix === "" ? "" : undefined);
  }

  /** The namespace that an element of that name has here, unless it binds another by itself. */
  uriFor(name: KnownName): string | undefined {
    return name.index < 0 ? this.uriOf(name.prefix) : this.plain(name).uri;
  }

  /** An element of that name without attributes, as it would be here; made once for each scope. */
  plain(name: KnownName): XmlElement {
    if (name.scope === this.#scope && name.plain !== undefined) return name.plain;
    const uri = this.uriOf(name.prefix);
    const element = elementOf(name, uri, NO_ATTRIBUTES);
    // a name outlives its elements, and must not keep what a hostile one weighs
    if (name.index >= 0 && (uri === undefined || uri.length <= MAX_KEPT_URI_LENGTH)) {
      name.plain = element;
      name.scope = this.#scope;
    }
    return element;
  }

  /** Opens an element; its own declarations hold for its own name. */
  push(name: KnownName, attributes?: Attributes): XmlElement {
    if (this.innermostName !== undefined) this.#outerNames.push(this.innermostName);
    this.innermostName = name;
    this.depth++;
    return attributes?.map === undefined
      ? this.plain(name)
      : this.#burdened(name, attributes, attributes.map);
  }

  /** Closes the innermost element: its name. */
  pop(): KnownName | undefined {
    const name = this.innermostName;
    if (name === undefined) return undefined;
    if (this.#burdenDepth === this.depth) this.#unburden();
    this.depth--;
    this.innermostName = this.#outerNames.pop();
    return name;
  }

  /** How deep the innermost element of that name stands, from 1; 0 where there is none. */
  depthOf(lowerName: string): number {
    if (this.innermostName?.lowerName === lowerName) return this.depth;
    let depth = this.depth - 1;
    while (depth > 0 && this.#outerNames[depth - 1]!.lowerName !== lowerName) depth--;
    return Math.max(depth, 0);
  }

  #burdened(
    name: KnownName,
    { weight, bindings }: Attributes,
    attributes: ReadonlyMap<string, string>,
  ): XmlElement {
    this.#before.push(this.#burdenDepth, this.#weight, this.#namespaces.count, this.#scope);
    this.#burdenDepth = this.depth;
    this.#weight += weight;
    if (bindings !== undefined) {
      for (const binding of bindings) this.#namespaces.bind(binding);
      this.#scope = this.#scopes++;
    }
    return elementOf(name, this.uriFor(name), attributes);
  }

  #unburden(): void {
    this.#scope = this.#before.pop()!;
    this.#namespaces.releaseTo(this.#before.pop()!);
    this.#weight = this.#before.pop()!;
    this.#burdenDepth = this.#before.pop()!;
  }
}

function elementOf(
  { name, prefix, local, lowerName, lowerLocal, index }: KnownName,
  uri: string | undefined,
  attributes: ReadonlyMap<string, string>,
): XmlElement {
  return { name, prefix, local, lowerName, lowerLocal, index, uri, attributes };
}
