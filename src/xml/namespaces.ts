/**
 * Which namespace a prefix is bound to, as elements open and close.
 *
 * @module
 */

/** A prefix that an attribute binds to a namespace; `""` is the default one. */
export interface Binding {
  readonly prefix: string;
  readonly uri: string;
  /** What the prefix is bound to outside. */
  outer: Binding | undefined;
}

/** Bindings that `xml` and `xmlns` have without being declared (Namespaces in XML 1.0 §3). */
const PREDECLARED: readonly Binding[] = [
  { prefix: "xml", uri: "http://www.w3.org/XML/1998/namespace", outer: undefined },
  { prefix: "xmlns", uri: "http://www.w3.org/2000/xmlns/", outer: undefined },
];

/**
 * Bindings in scope. Each knows the one that it hides, which keeps lookups and scopes linear, however
 * many namespaces a document declares.
 */
export class Namespaces {
  readonly #bindings = new Map(PREDECLARED.map((binding) => [binding.prefix, binding]));

  /** Binds a prefix until it is released. */
  bind(binding: Binding): void {
    binding.outer = this.#bindings.get(binding.prefix);
    this.#bindings.set(binding.prefix, binding);
  }

  /** Undoes the last binding of a prefix. */
  release(prefix: string): void {
    const outer = this.#bindings.get(prefix)?.outer;
    if (outer === undefined) this.#bindings.delete(prefix);
    else this.#bindings.set(prefix, outer);
  }

  /** The namespace of a prefix; `undefined` where none is bound. */
  lookup(prefix: string): string | undefined {
    return this.#bindings.get(prefix)?.uri;
  }
}
