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

/** What an open element with attributes takes with it when it ends. */
interface Burden {
  readonly element: XmlElement;
  /** How deep it stands. */
  readonly depth: number;
  /** Characters of its attributes. */
  readonly weight: number;
  /** How many bindings there are around it. */
  readonly outerBindings: number;
  /** The scope around it. */
  readonly outerScope: number;
}

/** A stack of open elements. */
export class ElementStack {
  /** How many are open. */
  depth = 0;
  /** The innermost one. */
  innermost: XmlElement | undefined = undefined;
  /** Its name. */
  innermostName: KnownName | undefined = undefined;
  /** The names of those around it, outermost first: what has no attributes is made again of them. */
  readonly #outerNames: KnownName[] = [];
  /** Those of the elements with attributes, outermost first; most have none. */
  readonly #burdens: Burden[] = [];
  /** The depth of the innermost of them. */
  #burdenDepth = 0;
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
    const element = attributes?.map === undefined
      ? this.plain(name)
      : this.#burdened(name, attributes, attributes.map);
    if (this.innermostName !== undefined) this.#outerNames.push(this.innermostName);
    this.innermost = element;
    this.innermostName = name;
    this.depth++;
    return element;
  }

  /** Closes the innermost element. */
  pop(): XmlElement | undefined {
    const element = this.innermost;
    if (element === undefined) return undefined;
    if (this.#burdenDepth === this.depth) this.#unburden();
    this.depth--;
    const name = this.#outerNames.pop();
    this.innermostName = name;
    this.innermost = name === undefined ? undefined : this.#elementHere(name);
    return element;
  }

  /** How deep the innermost element of that name stands, from 1; 0 where there is none. */
  depthOf(lowerName: string): number {
    if (this.innermost?.lowerName === lowerName) return this.depth;
    let depth = this.depth - 1;
    while (depth > 0 && this.#outerNames[depth - 1]!.lowerName !== lowerName) depth--;
    return Math.max(depth, 0);
  }

  /** The element of that name which is now the innermost again. */
  #elementHere(name: KnownName): XmlElement {
    return this.#burdenDepth === this.depth ? this.#burdens.at(-1)!.element : this.plain(name);
  }

  #burdened(
    name: KnownName,
    { weight, bindings }: Attributes,
    attributes: ReadonlyMap<string, string>,
  ): XmlElement {
    const depth = this.depth + 1;
    const outerScope = this.#scope;
    const outerBindings = this.#namespaces.count;
    if (bindings !== undefined) {
      for (const binding of bindings) this.#namespaces.bind(binding);
      this.#scope = this.#scopes++;
    }
    const element = elementOf(name, this.uriFor(name), attributes);
    this.#burdens.push({ element, depth, weight, outerBindings, outerScope });
    this.#burdenDepth = depth;
    this.#weight += weight;
    return element;
  }

  #unburden(): void {
    const { weight, outerBindings, outerScope } = this.#burdens.pop()!;
    this.#burdenDepth = this.#burdens.at(-1)?.depth ?? 0;
    this.#weight -= weight;
    this.#scope = outerScope;
    this.#namespaces.releaseTo(outerBindings);
  }
}

function elementOf(
  { name, prefix, local, lowerName, lowerLocal, index }: KnownName,
  uri: string | undefined,
  attributes: ReadonlyMap<string, string>,
): XmlElement {
  return { name, prefix, local, lowerName, lowerLocal, index, uri, attributes };
}
