const SHIFT = 15, SIZE = 1 << SHIFT, MASK = SIZE - 1;

type Numbers = Int32Array | Float64Array | Uint8Array;

/** A list of numbers in blocks of a typed array: growth copies nothing, and leaves little unused. */
export class NumberList {
  #length = 0;
  readonly #blocks: Numbers[] = [];
  readonly #type: new (length: number) => Numbers;

  constructor(type: new (length: number) => Numbers) {
    this.#type = type;
  }

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    const at = this.#length++;
    if ((at & MASK) === 0) this.#blocks.push(new this.#type(SIZE));
    this.#blocks[at >> SHIFT]![at & MASK] = value;
  }

  at(index: number): number {
    return this.#blocks[index >> SHIFT]![index & MASK]!;
  }

  set(index: number, value: number): void {
    this.#blocks[index >> SHIFT]![index & MASK] = value;
  }
}
