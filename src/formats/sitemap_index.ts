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

function emptyDraft(): ChildDraft {
  return {};
}

/** The format `sitemapindex`, for one document. */
export function indexFormat(entries: Entries, line: () => number): RecordFormat<ChildDraft> {
  // named first, see `XmlDocumentReader`
  const finish = ({ loc }: ChildDraft) => entries.child(loc, line());
  return { table: TABLE, tellsMisplaced: true, draft: emptyDraft, finish };
}
