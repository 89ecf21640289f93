/** Transitions of pages, in sitemaps that can all be read. @module */

import { at, declared, type Entry, rated, urlset } from "./scripted_site.ts";
import { overLoopback, type Transitions } from "./transition.ts";

function dated(path: string, lastmod: string): Entry {
  return [path, `<lastmod>${lastmod}</lastmod>`];
}

function rss(title: string): string {
  const item = `<title>${title}</title><link>${at("/a")}</link>` +
    "<pubDate>Wed, 01 May 2024 12:00:00 GMT</pubDate>";
  return `<rss version="2.0"><channel><item>${item}</item></channel></rss>`;
}

function one(...entries: Entry[]) {
  return declared({ "/s.xml": entries });
}

function two(first: readonly Entry[], second: readonly Entry[]) {
  return declared({ "/s.xml": first, "/t.xml": second });
}

export const PAGE_TRANSITIONS: Transitions = {
  ...overLoopback({
    "a page is added": [
      { site: one("/a") },
      {
        site: one("/a", "/b"),
        events: ["added /b in /s.xml", "complete +1 =1"],
        sitemaps: { "/s.xml": "listing 2", "/robots.txt": "listing" },
      },
    ],
    "a page is removed at once from a sitemap that has others": [
      { site: one("/a", "/b") },
      { site: one("/b"), events: ["removed /a in /s.xml", "complete -1 =1"] },
    ],
    "a page changes and changes back": [
      { site: one(rated("/a", 0.1)) },
      { site: one(rated("/a", 0.2)), events: ["changed /a in /s.xml: priority", "complete ~1"] },
      { site: one(rated("/a", 0.1)), events: ["changed /a in /s.xml: priority", "complete ~1"] },
    ],
    "a page in two sitemaps is added once, and removed when both dropped it": [
      { site: two(["/a", "/b"], ["/a", "/c"]) },
      { site: two(["/b"], ["/a", "/c"]) },
      { site: two(["/b"], ["/c"]), events: ["removed /a in /t.xml", "complete -1 =2"] },
    ],
  }),
  "a page that was removed is added again": [
    { site: one("/a", "/b") },
    { site: one("/b"), events: ["removed /a in /s.xml", "complete -1 =1"] },
    { site: one("/b", "/a"), events: ["added /a in /s.xml", "complete +1 =1"] },
  ],
  "the order of pages and the white space around them are not a change": [
    { site: one("/a", "/b") },
    { site: one("/b", "/a") },
    { site: declared({ "/s.xml": urlset("/b", "/a").replaceAll("><", ">\n<") }) },
  ],
  "an absent priority and its default are equal": [
    { site: one("/a", rated("/b", 0.5)) },
    { site: one(rated("/a", 0.5), "/b") },
    {
      site: one("/b", rated("/a", 0.7)),
      events: ["changed /a in /s.xml: priority", "complete ~1 =1"],
    },
    { site: one("/b", "/a"), events: ["changed /a in /s.xml: priority", "complete ~1 =1"] },
  ],
  "the same instant at another precision is not a change": [
    { site: one(dated("/a", "2024-05")) },
    { site: one(dated("/a", "2024-05-01")) },
    { site: one(dated("/a", "2024-05-01T00:00:00Z")) },
    { site: one(dated("/a", "2024-05-01T02:00:00+02:00")) },
    {
      site: one(dated("/a", "2024-05-02")),
      events: ["changed /a in /s.xml: lastModified", "complete ~1"],
    },
  ],
  "the first of two entries with one URL counts": [
    {
      site: one(rated("/a", 0.1), rated("/a", 0.2)),
      events: ["added /a in /s.xml", "warning duplicate-address /s.xml", "complete +1"],
    },
    {
      site: one(rated("/a", 0.1), rated("/a", 0.3)),
      events: ["warning duplicate-address /s.xml", "complete =1"],
    },
    { site: one(rated("/a", 0.3)), events: ["changed /a in /s.xml: priority", "complete ~1"] },
  ],
  "pages of text sitemaps": {
    isModelled: false,
    runs: [
      {
        site: declared({ "/s.txt": `${at("/a")}\n${at("/b")}\n` }),
        events: ["added /a in /s.txt", "added /b in /s.txt", "complete +2"],
      },
      {
        site: declared({ "/s.txt": `${at("/b")}\n${at("/c")}\n` }),
        events: ["added /c in /s.txt", "removed /a in /s.txt", "complete +1 -1 =1"],
      },
      {
        site: declared({ "/s.txt": ["/b", rated("/c", 0.1)] }),
        events: ["changed /c in /s.txt: priority", "complete ~1 =1"],
      },
    ],
  },
  "pages of feeds": {
    isModelled: false,
    runs: [
      { site: declared({ "/rss": rss("Mills") }), events: ["added /a in /rss", "complete +1"] },
      {
        site: declared({ "/rss": rss("Rivers") }),
        events: ["changed /a in /rss: newsStory", "complete ~1"],
      },
      { site: declared({ "/rss": rss("Rivers").replaceAll("><", ">\n<") }) },
    ],
    pages: ["/a in /rss newsStory"],
  },
  "a page moves to a later sitemap and back": [
    { site: two(["/a", "/b"], ["/c"]) },
    { site: two(["/b"], ["/c", "/a"]) },
    { site: two(["/b", "/a"], ["/c"]) },
    { site: two(["/b"], ["/c", "/a"]) },
  ],
  "a page changes while it moves": [
    { site: two(["/b", rated("/a", 0.1)], ["/c"]) },
    {
      site: two(["/b"], ["/c", rated("/a", 0.2)]),
      events: ["changed /a in /t.xml: priority", "complete ~1 =2"],
    },
    {
      site: two(["/b", rated("/a", 0.3)], ["/c"]),
      events: ["changed /a in /s.xml: priority", "complete ~1 =2"],
    },
  ],
  "a page that both sitemaps drop in one run is removed once": [
    { site: two(["/a", "/b"], ["/a", "/c"]) },
    { site: two(["/b"], ["/c"]), events: ["removed /a in /s.xml", "complete -1 =2"] },
  ],
  "a page that the second sitemap drops keeps the values of the first": [
    { site: two([rated("/a", 0.1)], [rated("/a", 0.2), "/c"]) },
    { site: two([rated("/a", 0.1)], ["/c"]) },
  ],
  "values are taken over from the second sitemap when the first drops the page": [
    { site: two([rated("/a", 0.1), "/b"], [rated("/a", 0.2)]) },
    {
      site: two(["/b"], [rated("/a", 0.2)]),
      events: ["changed /a in /t.xml: priority", "complete ~1 =1"],
    },
    {
      site: two([rated("/a", 0.1), "/b"], [rated("/a", 0.2)]),
      events: ["changed /a in /s.xml: priority", "complete ~1 =1"],
    },
  ],
  "values are taken over as the second sitemap gives them in the same run": [
    { site: two([rated("/a", 0.1), "/b"], [rated("/a", 0.2)]) },
    {
      site: two(["/b"], [rated("/a", 0.3)]),
      events: ["changed /a in /t.xml: priority", "complete ~1 =1"],
    },
    {
      site: two([rated("/a", 0.4), "/b"], ["/c"]),
      events: ["added /c in /t.xml", "changed /a in /s.xml: priority", "complete +1 ~1 =1"],
    },
  ],
  "the values of the second sitemap do not matter while the first lists the page": [
    { site: two([rated("/a", 0.1)], [rated("/a", 0.2)]) },
    { site: two([rated("/a", 0.1)], [rated("/a", 0.3)]) },
    {
      site: two([rated("/a", 0.3)], [rated("/a", 0.4)]),
      events: ["changed /a in /s.xml: priority", "complete ~1"],
    },
  ],
  "a page that an earlier sitemap lists as well takes its values": [
    { site: two(["/b"], [rated("/a", 0.2)]) },
    { site: two(["/b", rated("/a", 0.2)], [rated("/a", 0.2)]) },
    {
      site: two(["/b", rated("/a", 0.1)], [rated("/a", 0.2)]),
      events: ["changed /a in /s.xml: priority", "complete ~1 =1"],
    },
  ],
  "a page that an earlier sitemap lists as well does not change with the later one": [
    { site: two(["/b"], ["/a"]) },
    { site: two(["/b", "/a"], [rated("/a", 0.1)]) },
    {
      site: two(["/b"], [rated("/a", 0.2)]),
      events: ["changed /a in /t.xml: priority", "complete ~1 =1"],
    },
  ],
  "two unchanged sitemaps that change places swap the values of their pages": [
    { site: declared({ "/s.xml": [rated("/a", 0.1), "/b"], "/t.xml": [rated("/a", 0.2), "/c"] }) },
    {
      site: declared({ "/t.xml": [rated("/a", 0.2), "/c"], "/s.xml": [rated("/a", 0.1), "/b"] }),
      events: ["changed /a in /t.xml: priority", "complete ~1 =2"],
    },
    { events: ["complete =3"] },
  ],
  "three sitemaps that list a page hand it on, in document order": [
    {
      site: declared({
        "/s.xml": [rated("/a", 0.1), "/b"],
        "/t.xml": [rated("/a", 0.2), "/c"],
        "/u.xml": [rated("/a", 0.3), "/d"],
      }),
    },
    {
      site: declared({ "/s.xml": ["/b"], "/t.xml": ["/c"], "/u.xml": [rated("/a", 0.3), "/d"] }),
      events: ["changed /a in /u.xml: priority", "complete ~1 =3"],
    },
    {
      site: declared({ "/s.xml": ["/b"], "/t.xml": ["/c", rated("/a", 0.2)], "/u.xml": ["/d"] }),
      events: ["changed /a in /t.xml: priority", "complete ~1 =3"],
    },
  ],
};
