/**
 * Counts pages in all ways in which a report shows them, in memory that does not grow with them.
 *
 * @module
 */

import { DAY } from "../data/calendar.ts";
import { timeOfDate } from "../data/date.ts";
import {
  type ChangeFrequency,
  hasExtensions,
  type Mutable,
  type SitemapPage,
} from "../data/page.ts";
import { CHANGE_FREQUENCIES } from "../data/page_schema.ts";
import { Sample } from "../data/sample.ts";
import { ownCopy, startOf } from "../data/text.ts";
import { UrlParts } from "../data/url_parts.ts";
import { UrlPatterns } from "../data/url_pattern.ts";
import { DayTally } from "./dates.ts";
import { REPORT_LIMITS, shortened } from "./limits.ts";
import { NO_DAY, Paths } from "./paths.ts";
import type { ExtensionName, Report, ReportPage } from "./report.ts";

const MAX_LANGUAGES = 2000;
const MAX_LANGUAGE_LENGTH = 35;
/** The same site has the same report. */
const SAMPLE_SEED = 1;
const PRIORITIES: readonly string[] = Array.from({ length: 11 }, (_, at) => (at / 10).toFixed(1));

type PageFigures = Pick<
  Report,
  | "paths"
  | "hosts"
  | "otherHosts"
  | "dates"
  | "frequencies"
  | "priorities"
  | "extensions"
  | "languages"
  | "patterns"
  | "otherPatterns"
  | "sample"
>;

export class PageTally {
  pages = 0;
  dated = 0;
  readonly #parts = new UrlParts();
  readonly #paths = new Paths();
  readonly #patterns = new UrlPatterns();
  readonly #days = new DayTally();
  readonly #frequencies = Object.fromEntries(
    [...CHANGE_FREQUENCIES, "none"].map((name) => [name, 0]),
  ) as Record<ChangeFrequency | "none", number>;
  readonly #priorities = new Uint32Array(PRIORITIES.length + 1);
  readonly #extensions: Record<ExtensionName, Mutable<Report["extensions"][ExtensionName]>> = {
    news: { pages: 0, items: 0 },
    images: { pages: 0, items: 0 },
    videos: { pages: 0, items: 0 },
    alternates: { pages: 0, items: 0 },
  };
  readonly #languages = new Map<string, { pages: number; last: number }>();
  readonly #sample = new Sample<ReportPage>(REPORT_LIMITS.sample, SAMPLE_SEED);

  /** Returns the parts of the URL, which are valid until the next one. */
  add(page: SitemapPage, sitemap: string): UrlParts {
    const { lastModified, priority } = page;
    this.pages++;
    const parts = this.#parts;
    parts.set(page.url);
    const time = lastModified === undefined ? NaN : timeOfDate(lastModified);
    const day = time === time ? Math.floor(time / DAY) : NO_DAY;
    if (day !== NO_DAY) {
      this.dated++;
      this.#days.add(day);
    }
    this.#paths.add(parts, day);
    this.#patterns.add(parts);
    this.#frequencies[page.changeFrequency ?? "none"]++;
    this.#priorities[priority === undefined ? PRIORITIES.length : tenths(priority)]!++;
    if (hasExtensions(page)) this.#addExtensions(page);
    this.#sample.addParts(parts, () => sampled(page, sitemap));
    return parts;
  }

  result(): PageFigures {
    const { patterns, other } = this.#patterns.list(REPORT_LIMITS.patterns);
    const paths = this.#paths.result();
    const { children = [], own = 0, other: others = 0 } = paths;
    const languages = [...this.#languages].map(([name, { pages }]) => ({ name, pages }));
    return {
      paths,
      hosts: children.map(({ name, pages }) => ({ name, pages })),
      otherHosts: own + others,
      dates: this.#days.result(this.pages - this.dated),
      frequencies: { ...this.#frequencies },
      priorities: Object.fromEntries(
        [...PRIORITIES, "none"].map((name, at) => [name, this.#priorities[at]!]),
      ),
      extensions: structuredClone(this.#extensions),
      languages: { items: languages.sort((a, b) => b.pages - a.pages), others: 0 },
      patterns: patterns.map(({ count, ...rest }) => ({ ...rest, pages: count })),
      otherPatterns: other,
      // the same for whichever order walks take turns in
      sample: this.#sample.items().sort((a, b) => a.url < b.url ? -1 : 1),
    };
  }

  #addExtensions({ newsStory, images, videos, alternates }: SitemapPage): void {
    if (newsStory !== undefined) this.#addExtension("news", 1);
    if (images !== undefined) this.#addExtension("images", images.length);
    if (videos !== undefined) this.#addExtension("videos", videos.length);
    if (alternates === undefined) return;
    this.#addExtension("alternates", alternates.length);
    for (const { hreflang } of alternates) {
      const name = startOf(hreflang, MAX_LANGUAGE_LENGTH);
      let language = this.#languages.get(name);
      if (language === undefined) {
        if (this.#languages.size >= MAX_LANGUAGES) continue;
        this.#languages.set(ownCopy(name), language = { pages: 0, last: 0 });
      }
      // a page counts once for each language
      if (language.last !== this.pages) language.pages++;
      language.last = this.pages;
    }
  }

  #addExtension(name: ExtensionName, items: number): void {
    const extension = this.#extensions[name];
    extension.pages++;
    extension.items += items;
  }
}

function sampled(page: SitemapPage, sitemap: string): ReportPage {
  const { url, lastModified, changeFrequency, priority, newsStory } = page;
  const title = newsStory?.title;
  return shortened<ReportPage>({ url, lastModified, changeFrequency, priority, title, sitemap });
}

function tenths(priority: number): number {
  return Math.min(Math.max(Math.round(priority * 10), 0), PRIORITIES.length - 1);
}
