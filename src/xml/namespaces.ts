/**
 * Namespaces in scope, as elements open and close.
 *
 * @module
 */

import type { ValueScan } from "../bytes/value_scan.ts";

/** Bindings that `xml` and `xmlns` have without being declared (Namespaces in XML 1.0 §3). */
const PREDECLARED: readonly (readonly [prefix: string, uri: string])[] = [
  ["xml", "http://www.w3.org/XML/1998/namespace"],
  ["xmlns", "http://www.w3.org/2000/xmlns/"],
];

/** Stands for `xml:base` among the prefixes; no prefix has a blank in it. */
export const BASE = " base";

/** Scopes below a scope that are kept; a hostile document has millions. */
const MAX_KEPT_SCOPES = 16;
/** Longer namespaces are not worth keeping. */
const MAX_KEPT_LENGTH = 256;

/** A binding and those before it. Equal chains are the same object, as far as they are kept. */
export class Scope {
  /** Number of bindings. */
  readonly size: number;
  /** Characters of all of them. */
  readonly weight: number;
  readonly parent: Scope | undefined;
  readonly prefix: string;
  readonly uri: string;
  readonly #inner: Scope[] = [];

  /** Without arguments: the scope of a document. */
  constructor(parent?: Scope, prefix = "", uri = "") {
    this.size = parent === undefined ? 0 : parent.size + 1;
    this.weight = (parent?.weight ?? 0) + prefix.length + uri.length;
    this.parent = parent;
    this.prefix = prefix;
    this.uri = uri;
  }

  /** The scope with one more binding. */
  with(prefix: string, uri: string): Scope {
    for (const scope of this.#inner) {
      if (scope.uri === uri && scope.prefix === prefix) return scope;
    }
    const scope = new Scope(this, prefix, uri);
    const isWorthIt = this.#inner.length < MAX_KEPT_SCOPES &&
      prefix.length + uri.length <= MAX_KEPT_LENGTH;
    if (isWorthIt) this.#inner.push(scope);
    return scope;
  }
}

/** No binding. */
const NONE = -1;

/**
 * The bindings of the current scope. Found by a hash of their prefix, and each knows the one that it
 * hides: lookups are constant, however many namespaces a document binds. Neither bindings nor prefixes
 * are keys of a `Map`: V8 internalizes such strings, and a hostile document has millions.
 */
export class Namespaces {
  readonly #prefixes: string[] = [];
  readonly #uris: string[] = [];
  readonly #hashes: number[] = [];
  readonly #hidden: number[] = [];
  readonly #innermost = new Map<number, number>();
  readonly #scan: ValueScan;

  /** `scan` hashes prefixes, by a key that keeps a hostile document from choosing some that collide. */
  constructor(scan: ValueScan) {
    this.#scan = scan;
    for (const [prefix, uri] of PREDECLARED) this.bind(prefix, uri);
  }

  /** Binds a prefix. */
  bind(prefix: string, uri: string): void {
    const hash = this.#hashOf(prefix);
    this.#hidden.push(this.#innermost.get(hash) ?? NONE);
    this.#innermost.set(hash, this.#prefixes.length);
    this.#prefixes.push(prefix);
    this.#hashes.push(hash);
    this.#uris.push(uri);
  }

  /** Drops the last bindings until those of `scope` are left. */
  releaseTo(scope: Scope): void {
    while (this.#prefixes.length > PREDECLARED.length + scope.size) {
      const hash = this.#hashes.pop()!;
      this.#prefixes.pop();
      this.#uris.pop();
      const hidden = this.#hidden.pop()!;
      if (hidden === NONE) this.#innermost.delete(hash);
      else this.#innermost.set(hash, hidden);
    }
  }

  /** The namespace of a prefix; `undefined` if it is not bound. */
  lookup(prefix: string): string | undefined {
    let at = this.#innermost.get(this.#hashOf(prefix)) ?? NONE;
    while (at !== NONE && this.#prefixes[at] !== prefix) at = this.#hidden[at]!;
    return at === NONE ? undefined : this.#uris[at];
  }

  #hashOf(prefix: string): number {
    this.#scan.text(prefix);
    return this.#scan.high;
  }
}
