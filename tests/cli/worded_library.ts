/**
 * The library as the command line imports it, with each `message` and `reason` of its events, reports
 * and errors replaced by the word in `WORD`. Without one, they are appended to the file in `MESSAGES`.
 *
 * @module
 */

import type { EventStream, RequestReport, TreeEvent, WalkOptions } from "../../mod.ts";
import * as parsing from "../../src/walk/parse_sitemap.ts";
import * as walking from "../../src/walk/walk.ts";

const WORD = Deno.env.get("WORD");

function record(text: unknown): void {
  Deno.writeTextFileSync(Deno.env.get("MESSAGES")!, `${text}\n`, { append: true });
}

/** Returns a copy of an event or report without the text for people. */
function worded<T extends TreeEvent | RequestReport>(value: T): T {
  const texts = Object.entries(value).filter(([name]) => name === "message" || name === "reason");
  if (WORD !== undefined) {
    return { ...value, ...Object.fromEntries(texts.map(([name]) => [name, WORD])) };
  }
  for (const [, text] of texts) record(text);
  return value;
}

async function* wordedBatches(
  events: EventStream<TreeEvent>,
): AsyncGenerator<readonly TreeEvent[], void, void> {
  try {
    for await (const batch of events.batches()) yield batch.map(worded);
  } catch (error) {
    if (error instanceof Error && WORD !== undefined) error.message = WORD;
    else if (error instanceof Error) record(error.message);
    throw error;
  }
}

export const walkWith: typeof walking.walkWith = (homepage, options, setting) => {
  const { onRequest } = options;
  const replaced: WalkOptions = {
    ...options,
    ...(onRequest && { onRequest: (report) => onRequest(worded(report)) }),
  };
  const events = walking.walkWith(homepage, replaced, setting);
  return Object.assign(events, { batches: () => wordedBatches(streamOf(events)) });
};

export const parseWith: typeof parsing.parseWith = (source, options, pages) => {
  const events = parsing.parseWith(source, options, pages);
  return Object.assign(events, { batches: () => wordedBatches(streamOf(events)) });
};

/** Returns a stream with the method that is about to be replaced. */
function streamOf(events: EventStream<TreeEvent>): EventStream<TreeEvent> {
  const { batches } = Object.getPrototypeOf(events) as EventStream<TreeEvent>;
  return { batches: () => batches.call(events) } as EventStream<TreeEvent>;
}

export { parseSitemap } from "../../src/walk/parse_sitemap.ts";
export { pages, prepareWalk, walk } from "../../src/walk/walk.ts";
