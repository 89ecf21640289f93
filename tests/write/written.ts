/** Runs input through a writer as a user does: a stream piped through another. @module */

import type { WriterInput } from "../../src/write/mod.ts";

export async function written(
  writer: TransformStream<WriterInput, Uint8Array>,
  inputs: Iterable<WriterInput> | AsyncIterable<WriterInput>,
): Promise<string> {
  const bytes = await new Response(ReadableStream.from(inputs).pipeThrough(writer)).bytes();
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

/** Waits for pending timers and promises. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
}
