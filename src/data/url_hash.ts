import { DirectoryCache, type UrlParts } from "./url_parts.ts";

/** Keyed hash of 64 bits of a URL, of which that of the directory is calculated once. */
export class UrlHash {
  high = 0;
  low = 0;
  readonly #keys: readonly [high: number, low: number];
  /** State after each directory. */
  readonly #states = new DirectoryCache<readonly [high: number, low: number]>();

  constructor(...keys: readonly [high: number, low: number]) {
    this.#keys = keys;
  }

  set(parts: UrlParts): void {
    let state = this.#states.get(parts);
    if (state === undefined) {
      this.#hash(parts.directory, 0, this.#keys[0], this.#keys[1]);
      state = this.#states.set(parts, [this.high, this.low]);
    }
    this.#hash(parts.url, parts.leafStart, state[0], state[1]);
    this.high = mixed(this.high ^ mixed(this.low));
    this.low = mixed(this.low ^ this.high);
  }

  /**
   * Hashes the characters of a text from an offset on, two at a time. The hash of `ValueScan`, which
   * withstands more, would take a third of the time of a report (`deno task bench:report`).
   */
  #hash(text: string, from: number, high: number, low: number): void {
    // there is none behind the last: its code is 0 here
    for (let at = from; at < text.length; at += 2) {
      high = Math.imul(high ^ (text.charCodeAt(at) | text.charCodeAt(at + 1) << 16), 0x9e3779b1);
      high ^= high >>> 15;
      low = Math.imul((low << 7 | low >>> 25) ^ high, 0x85ebca6b);
    }
    this.high = high;
    this.low = low;
  }
}

/** Returns 32 bits each of which depends on each of those given: the last step of MurmurHash3. */
function mixed(bits: number): number {
  bits = Math.imul(bits ^ bits >>> 16, 0x85ebca6b);
  bits = Math.imul(bits ^ bits >>> 13, 0xc2b2ae35);
  return bits ^ bits >>> 16;
}
