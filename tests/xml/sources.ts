/** The text at hand, for tests of what reads it. @module */

import { Source } from "../../src/xml/source.ts";

/** White space that makes a text long enough to have bytes. */
export const PADDING: string = " ".repeat(100);

/** A source with a text at hand; nobody listens to its faults. */
export function sourceOf(text: string): Source {
  const source = new Source({ open() {}, text() {}, close() {}, fault() {} });
  source.take(text);
  return source;
}
