/**
 * `sitemapindex`: the addresses of other sitemaps.
 *
 * @module
 */

import type { Entries } from "./entries.ts";
import type { ElementSpec, ElementTable, RecordFormat } from "./record_format.ts";

interface ChildDraft {
  loc?: string;
}

const CHILD: ElementSpec<ChildDraft> = {
  entry: true,
  children: new Map<string, ElementSpec<ChildDraft>>([
    ["own:loc", { value: (draft, value) => void (draft.loc = value) }],
    // indexes say when a child changed; the walk has no use for it, but it is in its place
    ["own:lastmod", {}],
  ]),
};

const TABLE: ElementTable<ChildDraft> = new Map([
  ["own:sitemap", CHILD],
  // a common mistake
  ["own:url", CHILD],
]);

/** The format `sitemapindex`, for one document. */
export function indexFormat(entries: Entries, line: () => number): RecordFormat<ChildDraft> {
  return {
    table: TABLE,
    tellsMisplaced: true,
    draft: () => ({}),
    finish: (draft) => entries.child(draft.loc, line()),
  };
}
