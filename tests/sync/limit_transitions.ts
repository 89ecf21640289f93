/** Transitions of runs that are limited by the options of the caller. @module */

import { declared, robots, type Site, urlset } from "./scripted_site.ts";
import { NOT_FOUND } from "./sitemap_transitions.ts";
import { notModelled, type Transitions } from "./transition.ts";

const TWO: Site = declared({ "/s.xml": ["/a", "/b", "/c"], "/t.xml": ["/d"] });

export const LIMIT_TRANSITIONS: Transitions = {
  ...notModelled({
    "maxPages in a run keeps the pages that it does not reach": [
      { site: TWO },
      {
        edit: { "/s.xml": ["/x", "/a", "/b", "/c"] },
        options: { maxPages: 2 },
        unchanged: [],
        events: ["added /x in /s.xml", "warning max-pages /", "partial +1 =4"],
        sitemaps: { "/s.xml": "unknown 4", "/t.xml": "unknown 1" },
      },
      { unchanged: ["/t.xml 1 same-bytes"] },
    ],
    "deadline in a run keeps the pages that it does not reach": [
      { site: TWO },
      {
        times: 2,
        site: { "/robots.txt": { fault: "silent" } },
        options: { deadline: 20 },
        events: ["warning deadline /", "partial =4"],
        sitemaps: { "/s.xml": "unknown 3", "/t.xml": "unknown 1" },
      },
    ],
    "the validators of a sitemap that maxPages cut are not used": [
      {
        site: declared({ "/s.xml": { body: urlset("/a", "/b", "/c"), etag: '"1"' } }),
        options: { maxPages: 2 },
        events: ["added /a in /s.xml", "added /b in /s.xml", "warning max-pages /", "partial +2"],
        sitemaps: { "/s.xml": "unknown 2" },
      },
      {
        unchanged: [],
        events: ["added /c in /s.xml", "complete +1 =2"],
        requests: ["/robots.txt 200", "/s.xml 200"],
        sitemaps: { "/s.xml": "listing 3" },
      },
    ],
  }),
  "maxSitemaps in a run keeps the sitemaps that it does not reach": [
    { site: TWO },
    {
      times: 2,
      options: { maxSitemaps: 1 },
      unchanged: ["/s.xml 3 same-bytes"],
      events: ["warning max-sitemaps /", "partial =4"],
      sitemaps: { "/t.xml": "unknown 1" },
    },
  ],
  "a sitemap that recurseCallback skips keeps its pages, however often": [
    { site: TWO },
    {
      times: 3,
      edit: { "/s.xml": ["/a"] },
      options: { recurseCallback: (url) => !url.endsWith("/s.xml") },
      unchanged: ["/t.xml 1 same-bytes"],
      sitemaps: { "/s.xml": "unknown 3" },
    },
    {
      unchanged: ["/t.xml 1 same-bytes"],
      events: ["removed /b in /s.xml", "removed /c in /s.xml", "complete -2 =2"],
    },
  ],
  "an index that recurseCallback skips keeps everything below it": [
    { site: declared({ "/i.xml": { "/s.xml": ["/a"] }, "/t.xml": ["/d"] }) },
    {
      times: 2,
      edit: { "/i.xml": NOT_FOUND },
      options: { recurseCallback: (url) => !url.endsWith("/i.xml") },
      failed: [],
      sitemaps: { "/i.xml": "unknown", "/s.xml": "unknown 1" },
    },
  ],
  "a sitemap that recurseListCallback drops keeps its pages, however often": [
    { site: TWO },
    {
      times: 2,
      options: { recurseListCallback: (urls) => urls.slice(1) },
      unchanged: ["/t.xml 1 same-bytes"],
      sitemaps: { "/s.xml": "unknown 3" },
    },
  ],
  "a sitemap that includeCallback excludes keeps its pages, however often": [
    { site: TWO },
    {
      times: 2,
      edit: { "/s.xml": ["/a"] },
      options: { includeCallback: (url) => !url.endsWith("/s.xml") },
      unchanged: ["/t.xml 1 same-bytes"],
      sitemaps: { "/s.xml": "unknown 3" },
    },
  ],
  "a sitemap that robots.txt disallows keeps its pages, however often": [
    { site: TWO },
    {
      times: 2,
      edit: { "/robots.txt": `User-agent: *\nDisallow: /s.xml\n${TWO["/robots.txt"]}` },
      options: { respectRobots: true },
      unchanged: ["/t.xml 1 same-bytes"],
      events: ["invalid blocked /s.xml", "partial =4"],
      sitemaps: { "/s.xml": "unknown 3" },
    },
  ],
  "a sitemap of another host that the policy refuses keeps its pages": [
    {
      site: {
        "/robots.txt": robots("/t.xml", "https://cdn.test/s.xml"),
        "/t.xml": ["/d"],
        "https://cdn.test/s.xml": ["/a"],
      },
    },
    {
      times: 2,
      options: { hosts: "same-host" },
      unchanged: ["/t.xml 1 same-bytes"],
      events: ["invalid blocked https://cdn.test/s.xml", "partial =2"],
    },
  ],
};
