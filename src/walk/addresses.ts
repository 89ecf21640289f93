/**
 * The sitemap addresses that a tree holds.
 *
 * Only hashes are kept: the addresses of fifty thousand sitemaps would take gigabytes where a site
 * makes them long.
 *
 * @module
 */

import { HashSet64 } from "../bytes/hash_set.ts";
import { randomKey, ValueScan } from "../bytes/value_scan.ts";
import { ownCopy } from "../data/text.ts";
import { addressKey } from "../data/url.ts";

/** Where the sitemaps directly below the root come from, in the order in which they are visited. */
const PARTS = ["robots.txt", "the given sitemaps", "the known paths"] as const;

/** A part of the tree. */
export type TreePart = typeof PARTS[number];

/** Every sitemap address in the tree, as asked for and as it ended. */
export class TreeAddresses {
  readonly #scan = new ValueScan(randomKey());
  /** Addresses of each part; the last part is being visited. */
  readonly #parts = [new HashSet64()];

  /** Adds the address of a sitemap. */
  add(url: string): void {
    this.addKey(addressKey(url));
  }

  /** Adds an address that is in the form in which addresses are compared. */
  addKey(key: string): void {
    const { high, low } = this.#hash(key);
    this.#parts.at(-1)!.add(high, low);
  }

  /** Whether an address is in the tree. */
  has(url: string): boolean {
    const { high, low } = this.#hash(addressKey(url));
    return this.#parts.some((part) => part.has(high, low));
  }

  /** Ends a part of the tree: the addresses added from now on belong to the next one. */
  endPart(): void {
    this.#parts.push(new HashSet64());
  }

  /** Returns the part that was visited before the current one and has an address. */
  earlierPartWith(url: string): TreePart | undefined {
    if (this.#parts.length === 1) return undefined;
    const { high, low } = this.#hash(addressKey(url));
    return PARTS[this.#parts.slice(0, -1).findIndex((part) => part.has(high, low))];
  }

  #hash(key: string): ValueScan {
    this.#scan.text(key);
    return this.#scan;
  }
}

// MERGED: A long list of addresses, kept outside of the heap.  The engine lets garbage grow to several times what lives before it collects it: 16 MiB of strings that wait for their turn made a process 100 MiB larger, as bytes they make it 16 MiB larger.  Addresses are joined, and encoded and decoded by the block: they are visited in order.

/** Addresses in a row, each with the time that is declared for it. */
export interface AddressRow {
  /** How many there are. */
  readonly length: number;
  /** One of them, from 0. */
  at(index: number): string | undefined;
  /** Its time in milliseconds since 1970; NaN without one. */
  timeAt(index: number): number;
}

/** Returns a row of addresses, with their times by address. */
export function addressRow(
  addresses: readonly string[],
  times?: ReadonlyMap<string, number>,
): AddressRow {
  return {
    length: addresses.length,
    at: (index) => addresses[index],
    timeAt: (index) => times?.get(addresses[index] ?? "") ?? NaN,
  };
}

/** Characters of a block, unless one address has more. */
const BLOCK = 8 * 1024;

/** Most lists stay empty: only indexes list anything. */
const NO_STARTS = new Uint32Array(0);
const FIRST_STARTS = 64;
const NO_TIMES = new Float64Array(0);

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

/** Addresses in a row, encoded as one text. */
interface Block {
  /** Index of the first one. */
  readonly first: number;
  readonly bytes: Uint8Array;
}

/** The same, decoded. */
interface DecodedBlock {
  readonly text: string;
  readonly first: number;
  /** Index behind the last one. */
  readonly end: number;
}

/** Addresses in the order in which they were added. */
export class AddressList implements AddressRow, Iterable<string> {
  readonly #blocks: Block[] = [];
  /** Where each address starts in the text of its block. */
  #starts = NO_STARTS;
  /** Times of the addresses, in an array that is long enough once one has a time. */
  #times = NO_TIMES;
  #length = 0;
  #characters = 0;
  /** The last block, which is not full yet. */
  #text = "";
  #first = 0;
  /** The block that was read last. */
  #decoded: DecodedBlock = { text: "", first: 0, end: 0 };

  get length(): number {
    return this.#length;
  }

  /** How many characters they have in all. */
  get characters(): number {
    return this.#characters;
  }

  /** Adds an address, with its time if it has one. */
  push(address: string, time: number = NaN): void {
    const at = this.#length++;
    if (at === this.#starts.length) {
      const starts = new Uint32Array(Math.max(FIRST_STARTS, 2 * at));
      starts.set(this.#starts);
      this.#starts = starts;
    }
    this.#starts[at] = this.#text.length;
    if (time === time) this.#setTime(at, time);
    this.#text += address;
    this.#characters += address.length;
    if (this.#text.length < BLOCK) return;
    this.#blocks.push({ first: this.#first, bytes: ENCODER.encode(this.#text) });
    this.#first = this.#length;
    this.#text = "";
  }

  at(index: number): string | undefined {
    if (!(index < this.#length)) return undefined;
    const { first, end } = this.#decoded;
    const { text, end: last } = index >= first && index < end ? this.#decoded : this.#decode(index);
    const stop = index + 1 < last ? this.#starts[index + 1] : text.length;
    return ownCopy(text.slice(this.#starts[index], stop));
  }

  timeAt(index: number): number {
    return index < this.#times.length ? this.#times[index]! : NaN;
  }

  #setTime(at: number, time: number): void {
    if (at >= this.#times.length) {
      const times = new Float64Array(this.#starts.length).fill(NaN);
      times.set(this.#times);
      this.#times = times;
    }
    this.#times[at] = time;
  }

  #decode(index: number): DecodedBlock {
    if (index >= this.#first) return { text: this.#text, first: this.#first, end: this.#length };
    const at = this.#blocks.findLastIndex(({ first }) => first <= index);
    const { first, bytes } = this.#blocks[at]!;
    const end = this.#blocks[at + 1]?.first ?? this.#first;
    return this.#decoded = { text: DECODER.decode(bytes), first, end };
  }

  *[Symbol.iterator](): Generator<string, void, void> {
    for (let index = 0; index < this.#length; index++) yield this.at(index)!;
  }
}
