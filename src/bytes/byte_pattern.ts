/** A copy of some UTF-8, to be compared eight bytes at a time with what is at many offsets. */
export class BytePattern {
  readonly length: number;
  /** Eights from the beginning, read as numbers, which UTF-8 never makes NaN; bytes if it is shorter. */
  readonly #parts: readonly number[];
  /** The last eight, which may overlap those before. */
  readonly #last: number;

  constructor(view: DataView, start: number, end: number) {
    const parts: number[] = [];
    this.length = end - start;
    if (this.length < 8) { for (let at = start; at < end; at++) parts.push(view.getUint8(at)); }
    else for (let at = start; at < end - 8; at += 8) parts.push(view.getFloat64(at, true));
    this.#parts = parts;
    this.#last = this.length < 8 ? NaN : view.getFloat64(end - 8, true);
  }

  isAt(view: DataView, at: number): boolean {
    const last = at + this.length - 8;
    if (last < at) return this.#isShortAt(view, at);
    if (last + 8 > view.byteLength || view.getFloat64(last, true) !== this.#last) return false;
    const parts = this.#parts;
    for (let i = 0, from = at; i < parts.length; i++, from += 8) {
      if (view.getFloat64(from, true) !== parts[i]) return false;
    }
    return true;
  }

  #isShortAt(view: DataView, at: number): boolean {
    const parts = this.#parts;
    if (at + parts.length > view.byteLength) return false;
    for (let i = parts.length - 1; i >= 0; i--) {
      if (view.getUint8(at + i) !== parts[i]) return false;
    }
    return true;
  }
}
