/** Runs input through a writer as a user does: a stream piped through another. @module */

import type { WriterInput } from "../../src/write/text_stream.ts";

export async function written(
  writer: TransformStream<WriterInput, Uint8Array>,
  inputs: Iterable<WriterInput> | AsyncIterable<WriterInput>,
): Promise<string> {
  const bytes = await new Response(ReadableStream.from(inputs).pipeThrough(writer)).bytes();
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

/** Reads what was written, in the given chunks. */
export async function readBack<Output>(
  reader: TransformStream<Uint8Array | string, Output>,
  chunks: readonly (Uint8Array | string)[],
): Promise<Output[]> {
  return await Array.fromAsync(ReadableStream.from(chunks).pipeThrough(reader));
}

/** Waits for pending timers and promises. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** Endless items, made from their number, which starts at 1; counts those that were pulled. */
export class Endless<T> {
  pulled = 0;
  ended = false;
  readonly #make: (number: number) => T;

  constructor(make: (number: number) => T) {
    this.#make = make;
  }

  async *items(): AsyncGenerator<T, void, void> {
    try {
      for (;;) yield await Promise.resolve(this.#make(++this.pulled));
    } finally {
      this.ended = true;
    }
  }
}
