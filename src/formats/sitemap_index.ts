import { NAMESPACES } from "../data/page_schema.ts";
import { trimSpace } from "../data/text.ts";
import { isAbsoluteHttp } from "../data/url.ts";
import { type ElementSpec, type Format, MARKUP } from "./schema.ts";

export const SITEMAP_NAMESPACES: readonly string[] = ["/sitemap/"];

interface ChildDraft {
  /** Text outside of its elements. */
  text: string;
  lastModified: string | undefined;
}

const ENTRY: ElementSpec<ChildDraft> = {
  children: {
    // each one is a sitemap
    "own:loc": { isList: true, isAddress: true },
    // an unreadable one is not reported, as nothing depends on it
    "own:lastmod": { isList: true, date: (draft, date) => draft.lastModified = date },
  },
};

export const SITEMAP_INDEX: Format<ChildDraft> = {
  type: "IndexXmlSitemap",
  namespaces: SITEMAP_NAMESPACES,
  namespace: NAMESPACES[""],
  hasIsoDates: true,
  // `url` is a common mistake
  entries: { "own:sitemap": ENTRY, "own:url": ENTRY },
  addresses: ["own:loc"],
  places: [""],
  isFeed: false,
  draft: () => ({ text: "", lastModified: undefined }),
  stray(draft, text, isInner) {
    if (!isInner || trimSpace(draft.text) === "") draft.text += text;
  },
  finish({ text, lastModified }, entry) {
    if (entry.addChildren(lastModified) || entry.isCut) return;
    const [own = ""] = text.split(MARKUP, 1);
    if (!isAbsoluteHttp(trimSpace(own))) {
      return entry.addChild(entry.takeStray()?.text, lastModified);
    }
    entry.warn("misplaced-element", 'Address of a sitemap outside of "loc"');
    entry.addChild(entry.addressIn(text), lastModified);
  },
};
