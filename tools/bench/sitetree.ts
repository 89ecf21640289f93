/**
 * sitetree as a contender: `for await` over the events of `parseSitemap()`, as users write it.
 *
 * @module
 */

import { parseSitemap } from "../../mod.ts";
import type { Contender, PageSink } from "./contender.ts";
import { DOCUMENT_KINDS, type DocumentKind } from "./generate.ts";

/** Chunks as a body delivers them: one at a time, when asked for. */
export function streamOf(chunks: Iterable<Uint8Array>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const iterator = chunks[Symbol.iterator]();
  return new ReadableStream({
    pull(controller) {
      const { done, value } = iterator.next();
      if (done) controller.close();
      else controller.enqueue(value as Uint8Array<ArrayBuffer>);
    },
  }, { highWaterMark: 0 });
}

/** The module of this repository. */
export const contender: Contender = {
  name: "sitetree",
  kinds: DOCUMENT_KINDS,
  async read(_kind: DocumentKind, chunks: Iterable<Uint8Array>, sink: PageSink): Promise<void> {
    for await (const event of parseSitemap(streamOf(chunks))) {
      if (event.type === "page") sink(event.page);
    }
  },
};
