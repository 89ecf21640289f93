/** Transitions of runs that are limited by the options of the caller. @module */

import { declared, index, robots, urlset } from "./scripted_site.ts";
import { NOT_FOUND } from "./sitemap_transitions.ts";
import type { Transition, TransitionRun } from "./transition.ts";

const TWO: TransitionRun = {
  site: declared({ "/s.xml": urlset("/a", "/b", "/c"), "/t.xml": urlset("/d") }),
  events: [
    "added /a in /s.xml",
    "added /b in /s.xml",
    "added /c in /s.xml",
    "added /d in /t.xml",
    "complete +4",
  ],
};

export const LIMIT_TRANSITIONS: readonly Transition[] = [
  {
    name: "maxPages in a run keeps the pages that it does not reach",
    isModelled: false,
    runs: [
      TWO,
      {
        site: declared({ "/s.xml": urlset("/x", "/a", "/b", "/c"), "/t.xml": urlset("/d") }),
        options: { maxPages: 2 },
        events: ["added /x in /s.xml", "warning max-pages /", "partial +1 =4"],
        sitemaps: { "/s.xml": "unknown 4", "/t.xml": "unknown 1" },
      },
      {
        site: declared({ "/s.xml": urlset("/x", "/a", "/b", "/c"), "/t.xml": urlset("/d") }),
        events: ["unchanged /t.xml 1 same-bytes", "complete =5"],
      },
    ],
    pages: ["/a", "/b", "/c", "/d", "/x"].map((path) =>
      `${path} in ${path === "/d" ? "/t.xml" : "/s.xml"}`
    ),
  },
  {
    name: "deadline in a run keeps the pages that it does not reach",
    isModelled: false,
    runs: [
      TWO,
      ...[2, 3].map((): TransitionRun => ({
        site: { "/robots.txt": { fault: "silent" } },
        options: { deadline: 20 },
        events: ["warning deadline /", "partial =4"],
        sitemaps: { "/s.xml": "unknown 3", "/t.xml": "unknown 1" },
      })),
    ],
    pages: ["/a in /s.xml", "/b in /s.xml", "/c in /s.xml", "/d in /t.xml"],
  },
  {
    name: "maxSitemaps in a run keeps the sitemaps that it does not reach",
    runs: [
      TWO,
      ...[2, 3].map((): TransitionRun => ({
        site: TWO.site,
        options: { maxSitemaps: 1 },
        events: ["unchanged /s.xml 3 same-bytes", "warning max-sitemaps /", "partial =4"],
        sitemaps: { "/t.xml": "unknown 1" },
      })),
    ],
    pages: ["/a in /s.xml", "/b in /s.xml", "/c in /s.xml", "/d in /t.xml"],
  },
  {
    name: "the validators of a sitemap that maxPages cut are not used",
    isModelled: false,
    runs: [
      {
        site: declared({ "/s.xml": { body: urlset("/a", "/b", "/c"), etag: '"1"' } }),
        options: { maxPages: 2 },
        events: [
          "added /a in /s.xml",
          "added /b in /s.xml",
          "warning max-pages /",
          "partial +2",
        ],
        sitemaps: { "/s.xml": "unknown 2" },
      },
      {
        site: declared({ "/s.xml": { body: urlset("/a", "/b", "/c"), etag: '"1"' } }),
        events: ["added /c in /s.xml", "complete +1 =2"],
        requests: ["/robots.txt 200", "/s.xml 200"],
        sitemaps: { "/s.xml": "listing 3" },
      },
    ],
    pages: ["/a in /s.xml", "/b in /s.xml", "/c in /s.xml"],
  },
  {
    name: "a sitemap that recurseCallback skips keeps its pages, however often",
    runs: [
      TWO,
      ...[2, 3, 4].map((): TransitionRun => ({
        site: declared({ "/s.xml": urlset("/a"), "/t.xml": urlset("/d") }),
        options: { recurseCallback: (url) => !url.endsWith("/s.xml") },
        events: ["unchanged /t.xml 1 same-bytes", "complete =4"],
        sitemaps: { "/s.xml": "unknown 3" },
      })),
      {
        site: declared({ "/s.xml": urlset("/a"), "/t.xml": urlset("/d") }),
        events: [
          "unchanged /t.xml 1 same-bytes",
          "removed /b in /s.xml",
          "removed /c in /s.xml",
          "complete -2 =2",
        ],
      },
    ],
    pages: ["/a in /s.xml", "/d in /t.xml"],
  },
  {
    name: "an index that recurseCallback skips keeps everything below it",
    runs: [
      {
        site: {
          "/robots.txt": robots("/i.xml", "/t.xml"),
          "/i.xml": index("/s.xml"),
          "/s.xml": urlset("/a"),
          "/t.xml": urlset("/d"),
        },
        events: ["added /a in /s.xml", "added /d in /t.xml", "complete +2"],
      },
      ...[2, 3].map((): TransitionRun => ({
        site: {
          "/robots.txt": robots("/i.xml", "/t.xml"),
          "/i.xml": NOT_FOUND,
          "/t.xml": urlset("/d"),
        },
        options: { recurseCallback: (url) => !url.endsWith("/i.xml") },
        events: ["unchanged /t.xml 1 same-bytes", "complete =2"],
        sitemaps: { "/i.xml": "unknown", "/s.xml": "unknown 1" },
      })),
    ],
    pages: ["/a in /s.xml", "/d in /t.xml"],
  },
  {
    name: "a sitemap that recurseListCallback drops keeps its pages, however often",
    runs: [
      TWO,
      ...[2, 3].map((): TransitionRun => ({
        site: TWO.site,
        options: { recurseListCallback: (urls) => urls.slice(1) },
        events: ["unchanged /t.xml 1 same-bytes", "complete =4"],
        sitemaps: { "/s.xml": "unknown 3" },
      })),
    ],
    pages: ["/a in /s.xml", "/b in /s.xml", "/c in /s.xml", "/d in /t.xml"],
  },
  {
    name: "a sitemap that includeCallback excludes keeps its pages, however often",
    runs: [
      TWO,
      ...[2, 3].map((): TransitionRun => ({
        site: declared({ "/s.xml": urlset("/a"), "/t.xml": urlset("/d") }),
        options: { includeCallback: (url) => !url.endsWith("/s.xml") },
        events: ["unchanged /t.xml 1 same-bytes", "complete =4"],
        sitemaps: { "/s.xml": "unknown 3" },
      })),
    ],
    pages: ["/a in /s.xml", "/b in /s.xml", "/c in /s.xml", "/d in /t.xml"],
  },
  {
    name: "a sitemap that robots.txt disallows keeps its pages, however often",
    runs: [
      TWO,
      ...[2, 3].map((): TransitionRun => ({
        site: {
          ...TWO.site,
          "/robots.txt": `User-agent: *\nDisallow: /s.xml\n${robots("/s.xml", "/t.xml")}`,
        },
        options: { respectRobots: true },
        except: /^unchanged \/robots/,
        events: [
          "invalid blocked /s.xml",
          "unchanged /t.xml 1 same-bytes",
          "partial =4",
        ],
        sitemaps: { "/s.xml": "unknown 3" },
      })),
    ],
    pages: ["/a in /s.xml", "/b in /s.xml", "/c in /s.xml", "/d in /t.xml"],
  },
  {
    name: "a sitemap of another host that the policy refuses keeps its pages",
    runs: [
      {
        site: {
          "/robots.txt": robots("/t.xml", "https://cdn.test/s.xml"),
          "/t.xml": urlset("/d"),
          "https://cdn.test/s.xml": urlset("/a"),
        },
        events: ["added /d in /t.xml", "added /a in https://cdn.test/s.xml", "complete +2"],
      },
      ...[2, 3].map((): TransitionRun => ({
        site: {
          "/robots.txt": robots("/t.xml", "https://cdn.test/s.xml"),
          "/t.xml": urlset("/d"),
          "https://cdn.test/s.xml": urlset("/a"),
        },
        options: { hosts: "same-host" },
        events: [
          "unchanged /t.xml 1 same-bytes",
          "invalid blocked https://cdn.test/s.xml",
          "partial =2",
        ],
      })),
    ],
    pages: ["/a in https://cdn.test/s.xml", "/d in /t.xml"],
  },
];
