/** Entries, and all that comes out of them. @module */

import { AddressSet } from "../../src/formats/address_set.ts";
import { Entries } from "../../src/formats/entries.ts";

/** Entries with what they handed on and told, in its order. */
export interface TakenEntries {
  readonly entries: Entries;
  /** Addresses of pages; of warnings code and line. */
  readonly told: string[];
}

/** Entries of a document of that address. */
export function takenEntries(maxEntries = 1000): TakenEntries {
  const told: string[] = [];
  const entries = new Entries("https://site.test/feed.xml", {
    page({ url, newsStory }) {
      const story = newsStory && ` ${newsStory.title} ${newsStory.publishTime ?? ""}`;
      told.push(url + (story ?? ""));
    },
    child() {},
    warning: (code, _message, line) => void told.push(`${code}@${line}`),
  }, { maxEntries, seen: new AddressSet([1, 2]) });
  return { entries, told };
}
