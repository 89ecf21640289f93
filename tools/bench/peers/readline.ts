/** node:readline, as a base for text sitemaps, which few tools read. @module */

import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import type { Contender } from "../contender.ts";
import { emptyPage, keep } from "./page_builder.ts";

/** node:readline with a page made of each line that is a URL. */
export const contender: Contender = {
  name: "node:readline",
  kinds: ["text"],
  async read(_kind, chunks, sink) {
    const lines = createInterface({ input: Readable.from(chunks), crlfDelay: Infinity });
    for await (const line of lines) {
      const url = line.trim();
      if (!URL.canParse(url)) continue;
      const page = emptyPage();
      page.url = keep(url);
      sink(page);
    }
  },
};
