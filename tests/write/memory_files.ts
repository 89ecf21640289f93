/** Targets of a set of sitemaps. @module */

import { assert } from "@std/assert";

/** Keeps files in memory, in the order in which they were opened. */
export class MemoryFiles {
  readonly content: Map<string, Uint8Array<ArrayBuffer>> = new Map();
  readonly aborted: Map<string, unknown> = new Map();
  mostOpen = 0;
  #open = 0;

  readonly target = (name: string): WritableStream<Uint8Array> => {
    assert(!this.content.has(name), `${name} is written twice`);
    this.content.set(name, new Uint8Array());
    this.mostOpen = Math.max(this.mostOpen, ++this.#open);
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    return new WritableStream<Uint8Array>({
      write: (piece) => {
        pieces.push(piece.slice());
      },
      close: async () => {
        this.#open -= 1;
        this.content.set(name, await new Blob(pieces).bytes());
      },
      abort: (reason) => {
        this.#open -= 1;
        this.aborted.set(name, reason);
      },
    });
  };

  async text(name: string): Promise<string> {
    const content = this.content.get(name);
    if (content === undefined) throw new Error(`There is no ${name}`);
    if (!name.endsWith(".gz")) return new TextDecoder().decode(content);
    const unpacked = new Blob([content]).stream().pipeThrough(new DecompressionStream("gzip"));
    return await new Response(unpacked).text();
  }
}
