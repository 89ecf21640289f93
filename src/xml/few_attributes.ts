/**
 * The attributes of an ordinary element: a few, looked through one by one.
 *
 * No `Map`: V8 makes every string old that is looked up in one, to have it once only, and names that
 * come once each, by the million, would pile up until all of the heap is collected.
 *
 * @module
 */

import type { AttributeMap } from "./attribute_map.ts";

/** Values by name, in the order in which they came. */
export class FewAttributes implements AttributeMap {
  readonly #names: string[];
  readonly #values: string[];

  /** Begins with one. */
  constructor(name: string, value: string) {
    this.#names = [name];
    this.#values = [value];
  }

  /** How many there are. */
  get size(): number {
    return this.#names.length;
  }

  /** Adds an attribute whose name is not there yet. */
  set(name: string, value: string): void {
    this.#names.push(name);
    this.#values.push(value);
  }

  /** The value of an attribute. */
  get(name: string): string | undefined {
    const names = this.#names;
    for (let at = 0; at < names.length; at++) {
      if (names[at] === name) return this.#values[at];
    }
    return undefined;
  }

  /** Whether there is an attribute of that name. */
  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  /** The names. */
  keys(): ArrayIterator<string> {
    return this.#names.values();
  }

  /** The values. */
  values(): ArrayIterator<string> {
    return this.#values.values();
  }

  /** Calls a function with each value and its name. */
  forEach(callback: (value: string, name: string, map: this) => void): void {
    for (const [name, value] of this) callback(value, name, this);
  }

  /** Names and values. */
  [Symbol.iterator](): Generator<[name: string, value: string], undefined> {
    return this.entries();
  }

  /** Names and values. */
  *entries(): Generator<[name: string, value: string], undefined> {
    for (const [at, name] of this.#names.entries()) yield [name, this.#values[at]!];
  }
}
