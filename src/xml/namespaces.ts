/**
 * Which namespace a prefix is bound to, as elements open and close.
 *
 * @module
 */

/** Bindings that `xml` and `xmlns` have without being declared (Namespaces in XML 1.0 §3). */
const PREDECLARED: readonly (readonly [string, string])[] = [
  ["xml", "http://www.w3.org/XML/1998/namespace"],
  ["xmlns", "http://www.w3.org/2000/xmlns/"],
];

/**
 * Bindings in scope. A stack per prefix keeps lookups and scopes linear, however many namespaces a
 * document declares.
 */
export class Namespaces {
  readonly #bindings = new Map<string, string[]>();

  constructor() {
    for (const [prefix, uri] of PREDECLARED) this.#bindings.set(prefix, [uri]);
  }

  /** Binds a prefix (`""` is the default namespace) until it is released. */
  bind(prefix: string, uri: string): void {
    const stack = this.#bindings.get(prefix);
    if (stack === undefined) this.#bindings.set(prefix, [uri]);
    else stack.push(uri);
  }

  /** Undoes the last binding of a prefix. */
  release(prefix: string): void {
    const stack = this.#bindings.get(prefix);
    if (stack === undefined) return;
    stack.pop();
    if (stack.length === 0) this.#bindings.delete(prefix);
  }

  /** The namespace of a prefix; `undefined` where none is bound. */
  lookup(prefix: string): string | undefined {
    const stack = this.#bindings.get(prefix);
    return stack === undefined ? undefined : stack[stack.length - 1];
  }
}
