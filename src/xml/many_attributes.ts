/**
 * Attributes by the million, without an object for each.
 *
 * In a `Map` an attribute among a million takes twice the time that it takes among 100,000: the
 * garbage collector looks at all names and values again and again, and so does the `Map` when it
 * grows. Here they stand in three typed arrays, and become strings when asked for.
 *
 * @module
 */

import type { AttributeMap } from "./attribute_map.ts";
import { HASH_SEED, hashedOn, nameHash } from "./name_hash.ts";

const FIRST_CAPACITY = 64;

const GROWTH = 8;

/** The bits of a place that hold a number; the others hold a part of a hash. */
const NUMBER_MASK = 0xffffff;

/** There is room for no more. */
export const MAX_ATTRIBUTES: number = NUMBER_MASK;

/** Characters that become a string at once; `apply` takes a limited number of arguments. */
const PIECE_LENGTH = 8192;

/** Values by name, in the order in which they came. */
export class ManyAttributes implements AttributeMap {
  #size = 0;
  /** Names, each with its value behind it. */
  #characters = new Uint16Array(16 * FIRST_CAPACITY);
  /** For each attribute where its name ends and where its value does. */
  #ends = new Int32Array(2 * FIRST_CAPACITY);
  /** The number of each attribute, from 1, and a part of the hash of its name; half of it is empty. */
  #places = new Int32Array(2 * FIRST_CAPACITY);

  /** Goes on where something else has become too large. */
  constructor(first: AttributeMap) {
    for (const [name, value] of first) this.set(name, value);
  }

  /** How many there are. */
  get size(): number {
    return this.#size;
  }

  /** Adds an attribute whose name is not there yet. */
  set(name: string, value: string): void {
    const index = this.#size;
    const start = this.#startOf(index);
    const nameEnd = start + name.length, end = nameEnd + value.length;
    if (end > this.#characters.length) this.#characters = grown(this.#characters, end);
    if (2 * index === this.#ends.length) this.#ends = grown(this.#ends, 0);
    if (2 * index === this.#places.length) this.#spread();
    write(this.#characters, start, name);
    write(this.#characters, nameEnd, value);
    this.#ends[2 * index] = nameEnd;
    this.#ends[2 * index + 1] = end;
    this.#enter(index, nameHash(name));
    this.#size++;
  }

  /** The value of an attribute. */
  get(name: string): string | undefined {
    const index = this.#indexOf(name);
    return index < 0 ? undefined : this.#text(this.#ends[2 * index]!, this.#ends[2 * index + 1]!);
  }

  /** Whether there is an attribute of that name. */
  has(name: string): boolean {
    return this.#indexOf(name) >= 0;
  }

  /** The names. */
  *keys(): Generator<string, undefined> {
    for (const [name] of this) yield name;
  }

  /** The values. */
  *values(): Generator<string, undefined> {
    for (const [, value] of this) yield value;
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
    for (let index = 0; index < this.#size; index++) {
      const nameEnd = this.#ends[2 * index]!;
      const name = this.#text(this.#startOf(index), nameEnd);
      yield [name, this.#text(nameEnd, this.#ends[2 * index + 1]!)];
    }
  }

  #startOf(index: number): number {
    return index === 0 ? 0 : this.#ends[2 * index - 1]!;
  }

  #text(start: number, end: number): string {
    let text = "";
    for (let at = start; at < end; at += PIECE_LENGTH) {
      const piece = this.#characters.subarray(at, Math.min(at + PIECE_LENGTH, end));
      text += String.fromCharCode(...piece);
    }
    return text;
  }

  #indexOf(name: string): number {
    const places = this.#places;
    const mask = places.length - 1;
    const hash = nameHash(name);
    let place = hash & mask, entry = 0;
    while ((entry = places[place]!) !== 0) {
      const index = (entry & NUMBER_MASK) - 1;
      if (((entry ^ hash) & ~NUMBER_MASK) === 0 && this.#isNamed(index, name)) return index;
      place = (place + 1) & mask;
    }
    return -1;
  }

  /** Enters an attribute among the places, which have room for it. */
  #enter(index: number, hash: number): void {
    const places = this.#places;
    const mask = places.length - 1;
    let place = hash & mask;
    while (places[place] !== 0) place = (place + 1) & mask;
    places[place] = (index + 1) | (hash & ~NUMBER_MASK);
  }

  /** Enters all attributes anew among four times as many places. */
  #spread(): void {
    this.#places = new Int32Array(4 * this.#places.length);
    for (let index = 0; index < this.#size; index++) {
      let hash = HASH_SEED;
      for (let at = this.#startOf(index); at < this.#ends[2 * index]!; at++) {
        hash = hashedOn(hash, this.#characters[at]!);
      }
      this.#enter(index, hash);
    }
  }

  #isNamed(index: number, name: string): boolean {
    const start = this.#startOf(index);
    if (this.#ends[2 * index]! - start !== name.length) return false;
    for (let at = 0; at < name.length; at++) {
      if (this.#characters[start + at] !== name.charCodeAt(at)) return false;
    }
    return true;
  }
}

/** An array with the same content and room for more; what is not used of it takes no memory yet. */
function grown<A extends Uint16Array | Int32Array>(array: A, minLength: number): A {
  const Type = array.constructor as new (length: number) => A;
  const larger = new Type(Math.max(GROWTH * array.length, minLength));
  larger.set(array);
  return larger;
}

function write(characters: Uint16Array, start: number, text: string): void {
  for (let at = 0; at < text.length; at++) characters[start + at] = text.charCodeAt(at);
}
