/**
 * A long list of addresses, kept outside of the heap.
 *
 * The engine lets garbage grow to several times what lives before it collects it: 16 MiB of strings
 * that wait for their turn made a process 100 MiB larger, as bytes they make it 16 MiB larger.
 *
 * @module
 */

/** Addresses in a row, as those who visit them see it; arrays are such rows too. */
export interface AddressRow {
  /** How many there are. */
  readonly length: number;
  /** One of them, from 0. */
  at(index: number): string | undefined;
}

const FIRST_BLOCK = 1024;
const MAX_BLOCK = 256 * 1024;

/** What is kept for each address: its block, its start in there, and its length. */
const FIELDS = 3;
const FIRST_PLACES = 8;

/** Most lists stay empty: only indexes list anything. */
const NO_PLACES = new Uint32Array(0);

/** Longer addresses are left to the platform's encoder. */
const MAX_SHORT = 256;

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

/** Addresses in the order in which they were added. */
export class AddressList implements AddressRow, Iterable<string> {
  readonly #blocks: Uint8Array[] = [];
  #places = NO_PLACES;
  #used = 0;
  #length = 0;
  #characters = 0;
  #isAscii = true;

  get length(): number {
    return this.#length;
  }

  /** How many characters they have in all. */
  get characters(): number {
    return this.#characters;
  }

  at(index: number): string | undefined {
    if (!(index < this.#length)) return undefined;
    const at = FIELDS * index;
    const start = this.#places[at + 1]!;
    const end = start + this.#places[at + 2]!;
    const bytes = this.#blocks[this.#places[at]!]!.subarray(start, end);
    // for a short text of ASCII, which has one byte a character
    const isShort = bytes.length <= MAX_SHORT && this.#isAscii;
    return isShort
      ? String.fromCharCode.apply(null, bytes as unknown as number[])
      : DECODER.decode(bytes);
  }

  /** Adds an address. */
  push(address: string): void {
    let block = this.#blocks.at(-1);
    if (block !== undefined && this.#pushAscii(block, address)) return;
    let { read, written } = block === undefined
      ? { read: 0, written: 0 }
      : ENCODER.encodeInto(address, block.subarray(this.#used));
    if (block === undefined || read < address.length) {
      // a letter has three bytes at most
      const grown = Math.min(MAX_BLOCK, (block?.length ?? FIRST_BLOCK / 4) * 4);
      block = new Uint8Array(Math.max(grown, address.length * 3));
      this.#blocks.push(block);
      this.#used = 0;
      ({ written } = ENCODER.encodeInto(address, block));
    }
    if (written !== address.length) this.#isAscii = false;
    this.#add(address.length, written);
  }

  /** Adds an address of ASCII if the block has room for it; `encodeInto()` takes three times as long. */
  #pushAscii(block: Uint8Array, address: string): boolean {
    const { length } = address, start = this.#used;
    if (start + length > block.length || length > MAX_SHORT) return false;
    for (let i = 0; i < length; i++) {
      const code = address.charCodeAt(i);
      if (code > 0x7f) return false;
      block[start + i] = code;
    }
    this.#add(length, length);
    return true;
  }

  #add(characters: number, bytes: number): void {
    this.#note(this.#blocks.length - 1, this.#used, bytes);
    this.#used += bytes;
    this.#characters += characters;
  }

  *[Symbol.iterator](): Generator<string, void, void> {
    for (let index = 0; index < this.#length; index++) yield this.at(index)!;
  }

  #note(block: number, start: number, length: number): void {
    const at = FIELDS * this.#length++;
    if (at >= this.#places.length) {
      const places = new Uint32Array(Math.max(FIELDS * FIRST_PLACES, 2 * this.#places.length));
      places.set(this.#places);
      this.#places = places;
    }
    this.#places[at] = block;
    this.#places[at + 1] = start;
    this.#places[at + 2] = length;
  }
}
