/**
 * Pages from a document that was parsed into plain objects, for parsers that cannot stream.
 *
 * @module
 */

import type { BenchPage, PageSink } from "../contender.ts";
import type { DocumentKind } from "../generate.ts";
import { changeFrequencyOf, dateOf, emptyPage, keep, priorityOf } from "./page_builder.ts";

/** An element: text, or a map of children and attributes. */
// deno-lint-ignore no-explicit-any
export type Element = any;

/** Conventions of a parser. */
export interface ObjectStyle {
  /** The text of an element that has nothing else. */
  readonly text: (element: Element) => string | undefined;
  /** Prefix of attribute names. */
  readonly attribute: string;
}

function listOf(element: Element): readonly Element[] {
  if (element === undefined || element === null) return [];
  return Array.isArray(element) ? element : [element];
}

function entriesOf(root: Element): readonly Element[] {
  return listOf(root.urlset?.url ?? root.rss?.channel?.item ?? root.feed?.entry);
}

/** Emits the pages of a parsed document. */
export function objectPages(
  root: Element,
  kind: DocumentKind,
  style: ObjectStyle,
  sink: PageSink,
): void {
  const pageOf = kind === "rss" || kind === "atom" ? feedPage : urlsetPage;
  for (const entry of entriesOf(root)) sink(pageOf(entry, style));
}

function feedPage(entry: Element, { text, attribute }: ObjectStyle): BenchPage {
  const page = emptyPage();
  page.url = keep(entry.link[`${attribute}href`] ?? text(entry.link));
  page.newsStory = {
    title: keep(text(entry.title) ?? ""),
    publishDate: dateOf(text(entry.pubDate) ?? text(entry.published) ?? ""),
  };
  return page;
}

function urlsetPage(entry: Element, { text, attribute }: ObjectStyle): BenchPage {
  const page = emptyPage();
  page.url = keep(text(entry.loc) ?? "");
  page.priority = priorityOf(text(entry.priority));
  page.lastModified = dateOf(text(entry.lastmod) ?? "");
  page.changeFrequency = changeFrequencyOf(text(entry.changefreq));
  const images = listOf(entry["image:image"]);
  if (images.length > 0) {
    page.images = images.map((image) => ({
      loc: keep(text(image["image:loc"]) ?? ""),
      title: keep(text(image["image:title"]) ?? ""),
    }));
  }
  const news = entry["news:news"];
  if (news !== undefined) {
    page.newsStory = {
      title: keep(text(news["news:title"]) ?? ""),
      publishDate: dateOf(text(news["news:publication_date"]) ?? ""),
      publicationName: keep(text(news["news:publication"]["news:name"]) ?? ""),
      publicationLanguage: keep(text(news["news:publication"]["news:language"]) ?? ""),
    };
  }
  const links = listOf(entry["xhtml:link"]);
  if (links.length > 0) {
    page.alternates = links.map((link) => ({
      hreflang: keep(link[`${attribute}hreflang`]),
      href: keep(link[`${attribute}href`]),
    }));
  }
  return page;
}
