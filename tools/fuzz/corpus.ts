/**
 * Fixtures of all formats, as seeds for mutations.
 *
 * @module
 */

import { readFixtures } from "../../tests/support/golden_events.ts";
import type { Sample } from "./documents.ts";

/** Returns all fixtures, in the order of their paths. */
export function corpus(): Sample[] {
  return readFixtures().map(({ bytes, options: { url, contentType } }) => ({
    bytes,
    url: String(url),
    ...(contentType === undefined ? {} : { contentType }),
  }));
}
