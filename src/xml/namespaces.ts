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
}

/** Bindings that `xml` and `xmlns` have without being declared (Namespaces in XML 1.0 §3). */
const PREDECLARED: readonly Binding[] = [
  { prefix: "xml", uri: "http://www.w3.org/XML/1998/namespace" },
  { prefix: "xmlns", uri: "http://www.w3.org/2000/xmlns/" },
];

/** Hides nothing. */
const NONE = -1;

/**
 * Bindings in scope, a stack of them. By the hash of a prefix its innermost binding is found, and each
 * knows the one that it hides, which keeps lookups and scopes linear, however many namespaces a
 * document declares. They are no objects: the garbage collector would move all that are open.
 */
export class Namespaces {
  readonly #prefixes: string[] = [];
  readonly #uris: string[] = [];
  /** What the same prefix is bound to outside, or another one with the same hash. */
  readonly #hidden: number[] = [];
  readonly #innermost = new Map<number, number>();

  constructor() {
    for (const binding of PREDECLARED) this.bind(binding);
  }

  /** How many bindings there are. */
  get count(): number {
    return this.#prefixes.length;
  }

  /** Binds a prefix until it is released. */
  bind({ prefix, uri }: Binding): void {
    const hash = nameHash(prefix);
    this.#hidden.push(this.#innermost.get(hash) ?? NONE);
    this.#innermost.set(hash, this.count);
    this.#prefixes.push(prefix);
    this.#uris.push(uri);
  }

  /** Undoes the last bindings, until there are so many left. */
  releaseTo(count: number): void {
    while (this.count > count) {
      const hash = nameHash(this.#prefixes.pop()!);
      this.#uris.pop();
      const hidden = this.#hidden.pop()!;
      if (hidden === NONE) this.#innermost.delete(hash);
      else this.#innermost.set(hash, hidden);
    }
  }

  /** The namespace of a prefix; `undefined` where none is bound. */
  lookup(prefix: string): string | undefined {
    let at = this.#innermost.get(nameHash(prefix)) ?? NONE;
    while (at !== NONE && this.#prefixes[at] !== prefix) at = this.#hidden[at]!;
    return at === NONE ? undefined : this.#uris[at];
  }
}
