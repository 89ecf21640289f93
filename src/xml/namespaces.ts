/**
 * Which namespace a prefix is bound to, as elements open and close.
 *
 * @module
 */

import { nameHash } from "./name_hash.ts";

/** A prefix that an attribute binds to a namespace; `""` is the default one. */
export interface Binding {
  readonly prefix: string;
  readonly uri: string;
  /** What the same prefix is bound to outside, or another one with the same hash. */
  outer: Binding | undefined;
}

/** Bindings that `xml` and `xmlns` have without being declared (Namespaces in XML 1.0 §3). */
const PREDECLARED: readonly Omit<Binding, "outer">[] = [
  { prefix: "xml", uri: "http://www.w3.org/XML/1998/namespace" },
  { prefix: "xmlns", uri: "http://www.w3.org/2000/xmlns/" },
];

/**
 * Bindings in scope, by the hashes of their prefixes. Each knows the one that it hides, which keeps
 * lookups and scopes linear, however many namespaces a document declares.
 */
export class Namespaces {
  readonly #bindings = new Map<number, Binding>();

  constructor() {
    for (const { prefix, uri } of PREDECLARED) this.bind({ prefix, uri, outer: undefined });
  }

  /** Binds a prefix until it is released. */
  bind(binding: Binding): void {
    const hash = nameHash(binding.prefix);
    binding.outer = this.#bindings.get(hash);
    this.#bindings.set(hash, binding);
  }

  /** Undoes the last binding of a prefix. */
  release(prefix: string): void {
    const hash = nameHash(prefix);
    let inner: Binding | undefined;
    let binding = this.#bindings.get(hash);
    while (binding !== undefined && binding.prefix !== prefix) {
      inner = binding;
      binding = binding.outer;
    }
    if (binding === undefined) return;
    if (inner !== undefined) inner.outer = binding.outer;
    else if (binding.outer !== undefined) this.#bindings.set(hash, binding.outer);
    else this.#bindings.delete(hash);
  }

  /** The namespace of a prefix; `undefined` where none is bound. */
  lookup(prefix: string): string | undefined {
    let binding = this.#bindings.get(nameHash(prefix));
    while (binding !== undefined && binding.prefix !== prefix) binding = binding.outer;
    return binding?.uri;
  }
}
