/**
 * Bytes of ASCII that are recognised eight at a time; the last eight may overlap those before.
 *
 * @module
 */

/** Eight bytes or more. */
export class BytePattern {
  /** How many bytes. */
  readonly length: number;
  /** Eights from the beginning, read as numbers; of ASCII those are never `NaN`, nor zero. */
  readonly #eights: Float64Array;
  readonly #last: number;

  /** Of eight ASCII characters at least. */
  constructor(text: string) {
    const bytes = new DataView(new TextEncoder().encode(text).buffer);
    this.length = text.length;
    this.#eights = Float64Array.from(
      { length: (text.length - 1) >> 3 },
      (_, at) => bytes.getFloat64(8 * at, true),
    );
    this.#last = bytes.getFloat64(text.length - 8, true);
  }

  /** Whether they stand at a place. */
  standsAt(view: DataView, at: number): boolean {
    const last = at + this.length - 8;
    if (last + 8 > view.byteLength || view.getFloat64(last, true) !== this.#last) return false;
    const eights = this.#eights;
    for (let i = 0, from = at; i < eights.length; i++, from += 8) {
      if (view.getFloat64(from, true) !== eights[i]) return false;
    }
    return true;
  }
}
