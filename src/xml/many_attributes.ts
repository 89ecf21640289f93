/**
 * Attributes by the million, without an object for each.
 *
 * In a `Map` an attribute among a million takes twice the time that it takes among 100,000: the
 * garbage collector looks at all names and values again and again, and so does the `Map` when it
 * grows. Here they stand in typed arrays, and become strings when asked for.
 *
 * @module
 */

import type { AttributeMap } from "./attribute_map.ts";
import { HASH_SEED, hashedOn, nameHash } from "./name_hash.ts";

const FIRST_CAPACITY = 64;

const GROWTH = 8;

/** There is room for no more: their tables alone take 300 MB. */
export const MAX_ATTRIBUTES: number = 2 ** 24 - 1;

const MAX_BYTE = 0xff;

/** Characters that become a string at once; `apply` takes a limited number of arguments. */
const PIECE_LENGTH = 8192;

/** Values by name, in the order in which they came. */
export class ManyAttributes implements AttributeMap {
  #size = 0;
  /** Names, each with its value behind it: a byte a character, as long as that is enough. */
  #characters: Uint8Array | Uint16Array = new Uint8Array(16 * FIRST_CAPACITY);
  /** For each attribute where its name ends and where its value does. */
  #ends = new Int32Array(2 * FIRST_CAPACITY);
  /** Attributes by the hashes of their names; half of it is empty. */
  #places = new Int32Array(2 * FIRST_CAPACITY);
  /**
   * A byte of the hash of what stands at each place, 0 where nothing does. A name is looked for in
   * here: a million of these bytes fit into the processor's caches, a million places do not.
   */
  #marks = new Uint8Array(2 * FIRST_CAPACITY);

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
    this.#write(start, name);
    this.#write(nameEnd, value);
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

  #write(start: number, text: string): void {
    const characters = this.#characters;
    let codes = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      codes |= code;
      characters[start + at] = code;
    }
    if (codes <= MAX_BYTE || characters instanceof Uint16Array) return;
    this.#characters = new Uint16Array(characters);
    this.#write(start, text);
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
    const marks = this.#marks;
    const mask = marks.length - 1;
    const hash = nameHash(name);
    const wanted = markOf(hash);
    for (let place = hash & mask, mark = 0; (mark = marks[place]!) !== 0;) {
      if (mark === wanted && this.#isNamed(this.#places[place]!, name)) return this.#places[place]!;
      place = (place + 1) & mask;
    }
    return -1;
  }

  /** Enters an attribute among the places, which have room for it. */
  #enter(index: number, hash: number): void {
    const marks = this.#marks;
    const mask = marks.length - 1;
    let place = hash & mask;
    while (marks[place] !== 0) place = (place + 1) & mask;
    marks[place] = markOf(hash);
    this.#places[place] = index;
  }

  /** Enters all attributes anew among four times as many places. */
  #spread(): void {
    this.#places = new Int32Array(4 * this.#places.length);
    this.#marks = new Uint8Array(this.#places.length);
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

/** The upper bits, for the lower ones tell the place. */
function markOf(hash: number): number {
  return hash >>> 24 || 1;
}

/** An array with the same content and room for more; what is not used of it takes no memory yet. */
function grown<A extends Uint8Array | Uint16Array | Int32Array>(array: A, minLength: number): A {
  const Type = array.constructor as new (length: number) => A;
  const larger = new Type(Math.max(GROWTH * array.length, minLength));
  larger.set(array);
  return larger;
}
