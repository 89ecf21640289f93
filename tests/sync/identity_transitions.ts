/** Transitions of URLs that are written in several ways. @module */

import { at, declared, type Entry, rated, robots, short, type Site } from "./scripted_site.ts";
import { each, type Transitions } from "./transition.ts";

/** Returns a site with a sitemap that has these pages and /z. */
function one(...entries: Entry[]): Site {
  return declared({ "/s.xml": [...entries, "/z"] });
}

/** Spellings of one page. */
const SAME: readonly (readonly [name: string, first: string, second: string])[] = [
  ["the case of its host", "https://SITE.test/a", at("/a")],
  ["the case of its scheme", "HTTPS://site.test/a", at("/a")],
  ["the default port", at("/a"), "https://site.test:443/a"],
  ["the case of percent-encoding", at("/%c3%bc"), at("/%C3%BC")],
  ["percent-encoding", at("/ü"), at("/%c3%bc")],
  ["dot segments", at("/b/../a"), at("/a")],
  ["an empty path", "https://site.test", at("/")],
];

/** Spellings of two pages. */
const DIFFERENT: readonly (readonly [name: string, first: string, second: string])[] = [
  ["the scheme", "http://site.test/a", at("/a")],
  ["a trailing slash", at("/a"), at("/a/")],
  ["a query", at("/a"), at("/a?")],
  ["a fragment", at("/a#b"), at("/a")],
  ["the case of its path", at("/A"), at("/a")],
  ["percent-encoding that is not needed", at("/%61"), at("/a")],
];

/** More pages than are written at once. */
const MANY = Array.from({ length: 2100 }, (_, at) => `/p${10_000 + at}`);

export const IDENTITY_TRANSITIONS: Transitions = {
  ...each(SAME, ([name, first, second]) => ({
    [`a page that differs in ${name} is the same, and stays as it was first written`]: [
      { site: one(first) },
      { site: one(second) },
      {
        site: one(rated(second, 0.1)),
        events: [`changed ${short(first)} in /s.xml: priority`, "complete ~1 =1"],
      },
      {
        site: declared({ "/s.xml": ["/z"], "/t.xml": [second] }),
        events: [`changed ${short(first)} in /t.xml: priority`, "complete ~1 =1"],
      },
      { site: declared({ "/s.xml": [second, "/z"], "/t.xml": [first] }) },
      {
        site: declared({ "/s.xml": ["/z"], "/t.xml": ["/y"] }),
        events: ["added /y in /t.xml", `removed ${short(first)} in /s.xml`, "complete +1 -1 =1"],
      },
    ],
  })),
  ...each(DIFFERENT, ([name, first, second]) => ({
    [`a page that differs in ${name} is another one`]: [
      { site: one(first) },
      {
        site: one(second),
        events: [
          `added ${short(second)} in /s.xml`,
          `removed ${short(first)} in /s.xml`,
          "complete +1 -1 =1",
        ],
      },
    ],
  })),
  "the first of two spellings in one sitemap counts": [
    {
      site: one(rated("/%c3", 0.1), rated("/%C3", 0.2)),
      except: /^warning/,
      events: ["added /%c3 in /s.xml", "added /z in /s.xml", "complete +2"],
    },
    {
      site: one(rated("/%C3", 0.2), rated("/%c3", 0.1)),
      except: /^warning/,
      events: ["changed /%c3 in /s.xml: priority", "complete ~1 =1"],
    },
    { site: one(rated("/%c3", 0.2)) },
    { site: one(rated("/%c3", 0.2), rated("/%C3", 0.3)), except: /^warning/ },
  ],
  "the first of two spellings counts, however far apart they are": [
    { site: declared({ "/s.xml": ["/z"], "/t.xml": ["/%c4"] }) },
    {
      edit: {
        "/s.xml": ["/%c3", "/%c4", ...MANY, rated("/%C3", 0.1), rated("/%C4", 0.1)],
        "/t.xml": ["/z"],
      },
      except: /^warning/,
      events: [
        "added /%c3 in /s.xml",
        ...MANY.map((path) => `added ${path} in /s.xml`),
        `complete +${MANY.length + 1} =2`,
      ],
    },
  ],
  "a page that is added again is written as it is then": [
    { site: one("/%c3") },
    { site: one(), events: ["removed /%c3 in /s.xml", "complete -1 =1"] },
    { site: one("/%C3"), events: ["added /%C3 in /s.xml", "complete +1 =1"] },
  ],
  "a sitemap that differs in the case of its host and its port is the same": [
    {
      site: {
        "/robots.txt": robots("https://SITE.test/s.xml", "/t.xml"),
        "/s.xml": ["/a", "/b"],
        "/t.xml": ["/c"],
      },
    },
    {
      edit: { "/robots.txt": robots("https://site.test:443/s.xml", "/t.xml"), "/s.xml": ["/b"] },
      events: ["removed /a in /s.xml", "complete -1 =2"],
      sitemaps: { "/s.xml": "listing 1" },
    },
  ],
};
