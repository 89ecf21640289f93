/**
 * Google News: `news:news`.
 *
 * @module
 */

import { parseDate } from "../../date.ts";
import { NewsStory, type NewsStoryFields } from "../../news_story.ts";
import { decodeReferences } from "../../xml/references.ts";
import { quoted } from "../entries.ts";
import type { ElementSpec } from "../record_format.ts";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** What the news extension gathers. */
export interface NewsDraft {
  /** The story that is being read. */
  news?: Mutable<Partial<NewsStoryFields>>;
  /** The last story that was complete. */
  newsStory?: NewsStory;
}

type NewsField = (news: Mutable<Partial<NewsStoryFields>>, value: string) => void;

function field(set: NewsField): ElementSpec<NewsDraft> {
  return { value: (draft, value) => draft.news && set(draft.news, value) };
}

function list(name: "genres" | "keywords" | "stockTickers"): ElementSpec<NewsDraft> {
  return { ...field((news, value) => news[name] = listOf(value)), separator: "," };
}

/** A list as news writes it: split at commas, trimmed, empty ones dropped. */
export function listOf(value: string): string[] {
  const items = value.split(",");
  // in place: a hostile value holds half a million items, and each further array takes megabytes
  let length = 0;
  for (const item of items) {
    const trimmed = item.trim();
    if (trimmed !== "") items[length++] = trimmed;
  }
  items.length = length;
  return items;
}

/** `news:news` in an entry: a story needs a title and a readable date. */
export const NEWS: ElementSpec<NewsDraft> = {
  open: (draft) => void (draft.news = {}),
  children: new Map<string, ElementSpec<NewsDraft>>([
    ["news:publication", {
      children: new Map<string, ElementSpec<NewsDraft>>([
        ["news:name", field((news, value) => news.publicationName = value)],
        ["news:language", field((news, value) => news.publicationLanguage = value)],
      ]),
    }],
    // feeds escape titles twice
    ["news:title", field((news, value) => news.title = decodeReferences(value))],
    ["news:publication_date", {
      value(draft, value, _element, warn) {
        const time = parseDate(value);
        if (time !== time) warn("bad-date", `Publication date ${quoted(value)} cannot be read`);
        else if (draft.news) draft.news.publishDate = time;
      },
    }],
    ["news:access", field((news, value) => news.access = value)],
    ["news:genres", list("genres")],
    ["news:keywords", list("keywords")],
    ["news:stock_tickers", list("stockTickers")],
  ]),
  close(draft, warn) {
    const { news } = draft;
    delete draft.news;
    if (news?.title !== undefined && news.publishDate !== undefined) {
      draft.newsStory = new NewsStory({ ...news, title: news.title });
    } else {
      warn("bad-news", "News story without title or readable date left out");
    }
  },
};
