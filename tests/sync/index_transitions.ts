/** Transitions of indexes and of the sitemaps that they list. @module */

import { declared, index, type Reply, robots, type Site } from "./scripted_site.ts";
import { LOGIN, NOT_FOUND, SERVER_ERROR } from "./sitemap_transitions.ts";
import { each, type TransitionRun, type Transitions } from "./transition.ts";

const INDEXED: Site = declared({
  "/i.xml": { "/s.xml": ["/a"], "/t.xml": ["/b"] },
  "/u.xml": ["/c"],
});

/** Returns a run in which the index cannot be read, and its children are kept. */
function failing(reply: Reply, ...invalid: readonly string[]): TransitionRun {
  return {
    edit: { "/i.xml": reply },
    events: [...invalid, "partial =3"],
    sitemaps: { "/i.xml": "unknown", "/s.xml": "unknown 1", "/t.xml": "unknown 1" },
  };
}

/** Run in which the index is confirmed to be gone, and takes its children with it. */
const GONE: TransitionRun = {
  edit: { "/i.xml": NOT_FOUND },
  events: ["removed /a in /s.xml", "removed /b in /t.xml", "partial -2 =1"],
  sitemaps: { "/i.xml": "gone", "/s.xml": undefined, "/t.xml": undefined },
};

export const INDEX_TRANSITIONS: Transitions = {
  "a sitemap is gone from its index in two runs": {
    loopback: true,
    runs: [
      { site: INDEXED },
      {
        edit: { "/i.xml": index("/t.xml") },
        requests: ["/robots.txt 200", "/i.xml 200", "/t.xml 200", "/u.xml 200"],
        sitemaps: { "/s.xml": "unknown 1", "/t.xml": "listing 1" },
      },
      {
        events: ["removed /a in /s.xml", "complete -1 =2"],
        sitemaps: { "/s.xml": undefined, "/i.xml": "listing" },
      },
      { events: ["complete =2"] },
      {
        edit: { "/i.xml": index("/t.xml", "/s.xml") },
        unchanged: ["/t.xml 1 same-bytes", "/u.xml 1 same-bytes"],
        events: ["added /a in /s.xml", "complete +1 =2"],
        sitemaps: { "/s.xml": "listing 1" },
      },
    ],
  },
  "a sitemap is gone from its index, back, and gone again": [
    { site: INDEXED },
    { edit: { "/i.xml": index("/t.xml") } },
    { site: INDEXED },
    { edit: { "/i.xml": index("/t.xml") } },
  ],
  "an index without children loses them in the second run": [
    { site: INDEXED },
    { edit: { "/i.xml": index() } },
    { events: ["removed /a in /s.xml", "removed /b in /t.xml", "complete -2 =1"] },
  ],
  "an index that answers 404 twice takes its children with it": [
    { site: INDEXED },
    { ...failing(NOT_FOUND), requests: ["/robots.txt 200", "/i.xml 404", "/u.xml 200"] },
    GONE,
    {
      site: INDEXED,
      unchanged: ["/u.xml 1 same-bytes"],
      events: ["added /a in /s.xml", "added /b in /t.xml", "complete +2 =1"],
    },
  ],
  "an index that answers 404 and comes back keeps its children": [
    { site: INDEXED },
    failing(NOT_FOUND),
    { site: INDEXED },
    failing(NOT_FOUND),
  ],
  ...each(
    [
      ["answers 500", SERVER_ERROR, []],
      ["is a login page", LOGIN, ["invalid not-a-sitemap /i.xml"]],
    ] as const,
    ([what, reply, invalid]) => ({
      [`an index that ${what} keeps its children, however often`]: [
        { site: INDEXED },
        { ...failing(reply, ...invalid), times: 3 },
        { site: INDEXED },
      ],
    }),
  ),
  "a failure between two runs without an index changes nothing": [
    { site: INDEXED },
    failing(NOT_FOUND),
    failing(SERVER_ERROR),
    GONE,
  ],
  "a child that failed before its index was gone is removed after two runs without it": [
    { site: INDEXED },
    failing(NOT_FOUND),
    { site: { ...INDEXED, "/s.xml": SERVER_ERROR }, events: ["partial =3"] },
    failing(NOT_FOUND),
    GONE,
  ],
  "an index that lists itself is missing with everything below it": [
    {
      site: {
        "/robots.txt": robots("/i.xml", "/u.xml"),
        "/i.xml": index("/i.xml", "/s.xml"),
        "/s.xml": ["/a"],
        "/u.xml": ["/c"],
      },
      events: [
        "invalid recursion /i.xml",
        "added /a in /s.xml",
        "added /c in /u.xml",
        "complete +2",
      ],
      sitemaps: { "/i.xml": "listing" },
    },
    {
      site: declared({ "/u.xml": ["/c"] }),
      sitemaps: { "/i.xml": "unknown", "/s.xml": "unknown 1" },
    },
    {
      events: ["removed /a in /s.xml", "complete -1 =1"],
      sitemaps: { "/i.xml": undefined, "/s.xml": undefined },
    },
  ],
  "a truncated index that lists itself keeps its children": [
    { site: INDEXED },
    {
      times: 2,
      edit: { "/i.xml": { body: index("/i.xml", "/s.xml", "/t.xml"), cut: 0.4 } },
      events: ["warning body-cut /i.xml", "invalid recursion /i.xml", "partial =3"],
      sitemaps: { "/i.xml": "unknown", "/s.xml": "unknown 1", "/t.xml": "unknown 1" },
    },
  ],
  "a sitemap that two indexes list is missing once neither does": [
    {
      site: declared({
        "/i.xml": { "/s.xml": ["/a"] },
        "/j.xml": { "/s.xml": ["/a"], "/t.xml": ["/b"] },
      }),
      unchanged: ["/s.xml 1 same-bytes"],
    },
    { edit: { "/i.xml": NOT_FOUND }, events: ["partial =2"] },
    {
      times: 2,
      edit: { "/i.xml": SERVER_ERROR, "/j.xml": index("/t.xml") },
      events: ["partial =2"],
      sitemaps: { "/s.xml": "unknown 1" },
    },
    {
      edit: { "/i.xml": index("/t.xml") },
      unchanged: ["/t.xml 1 same-bytes", "/j.xml 0 same-bytes", "/t.xml 1 same-bytes"],
      sitemaps: { "/s.xml": "unknown 1" },
    },
    {
      unchanged: [
        "/i.xml 0 same-bytes",
        "/t.xml 1 same-bytes",
        "/j.xml 0 same-bytes",
        "/t.xml 1 same-bytes",
      ],
      events: ["removed /a in /s.xml", "complete -1 =1"],
    },
  ],
  "a sitemap moves from one index to another": [
    { site: declared({ "/i.xml": { "/s.xml": ["/a"] }, "/j.xml": { "/t.xml": ["/b"] } }) },
    {
      edit: { "/robots.txt": robots("/j.xml"), "/j.xml": index("/t.xml", "/s.xml") },
      sitemaps: { "/i.xml": "unknown", "/s.xml": "listing 1" },
    },
  ],
  "a sitemap becomes an index": [
    { site: declared({ "/s.xml": ["/a", "/b"] }) },
    {
      edit: { "/s.xml": index("/t.xml"), "/t.xml": ["/a", "/c"] },
      events: ["added /c in /t.xml", "removed /b in /s.xml", "complete +1 -1 =1"],
      sitemaps: { "/s.xml": "listing", "/t.xml": "listing 2" },
    },
  ],
  "an index becomes a sitemap": [
    { site: declared({ "/s.xml": { "/t.xml": ["/a", "/b"] } }) },
    {
      edit: { "/s.xml": ["/a", "/c"] },
      events: ["added /c in /s.xml", "complete +1 =2"],
      sitemaps: { "/t.xml": "unknown 2" },
    },
    { events: ["removed /b in /t.xml", "complete -1 =2"] },
  ],
};
