const SHIFT = 15, SIZE = 1 << SHIFT, MASK = SIZE - 1;
/** The first block doubles until it is full: a short list takes little memory. */
const FIRST_SIZE = 64;

type Numbers = Int32Array | Uint32Array | Float64Array | Uint8Array;

/** A list of numbers in blocks of a typed array: growth copies little, and leaves little unused. */
export class NumberList {
  length = 0;
  #capacity = 0;
  readonly #blocks: Numbers[] = [];
  readonly #type: new (length: number) => Numbers;

  constructor(type: new (length: number) => Numbers) {
    this.#type = type;
  }

  push(value: number): void {
    const at = this.length++;
    if (at === this.#capacity) this.#grow();
    this.#blocks[at >> SHIFT]![at & MASK] = value;
  }

  at(index: number): number {
    return this.#blocks[index >> SHIFT]![index & MASK]!;
  }

  set(index: number, value: number): void {
    this.#blocks[index >> SHIFT]![index & MASK] = value;
  }

  #grow(): void {
    const [first] = this.#blocks;
    const isFirst = this.#capacity < SIZE;
    const size = isFirst ? 2 * this.#capacity || FIRST_SIZE : SIZE;
    const block = new this.#type(size);
    if (isFirst && first !== undefined) block.set(first);
    this.#blocks[isFirst ? 0 : this.#blocks.length] = block;
    this.#capacity += isFirst ? size - this.#capacity : size;
  }
}
