/** Transitions of sitemaps: new, missing, gone, failed and truncated. @module */

import {
  declared,
  type Entry,
  index,
  rated,
  type Reply,
  type Site,
  urlset,
} from "./scripted_site.ts";
import { overLoopback, type TransitionRun, type Transitions } from "./transition.ts";

/** First run of most histories: /a and /b in one sitemap, /c in another. */
const START: Site = declared({ "/s.xml": ["/a", "/b"], "/t.xml": ["/c"] });

/** Returns a run in which /s.xml cannot be read; `invalid` is its event, unless it is a status. */
function failing(reply: Reply, ...invalid: readonly string[]): TransitionRun {
  return {
    edit: { "/s.xml": reply },
    events: [...invalid, "partial =3"],
    sitemaps: { "/s.xml": "unknown 2", "/t.xml": "listing 1" },
  };
}

function gone(name: string, reply: Reply, ...invalid: readonly string[]): Transitions {
  return overLoopback({
    [name]: [
      { site: START },
      failing(reply, ...invalid),
      {
        events: [...invalid, "removed /a in /s.xml", "removed /b in /s.xml", "partial -2 =1"],
        sitemaps: { "/s.xml": "gone" },
      },
      { events: [...invalid, "partial =1"] },
      {
        site: START,
        unchanged: ["/t.xml 1 same-bytes"],
        events: ["added /a in /s.xml", "added /b in /s.xml", "complete +2 =1"],
        sitemaps: { "/s.xml": "listing 2" },
      },
    ],
  });
}

function failed(name: string, reply: Reply, ...invalid: readonly string[]): Transitions {
  const runs = [
    { site: START },
    { ...failing(reply, ...invalid), times: 3 },
    { site: START, sitemaps: { "/s.xml": "listing 2" } },
  ];
  return { [name]: { runs, loopback: reply.fault === undefined } };
}

export const SERVER_ERROR: Reply = { status: 500 };
export const NOT_FOUND: Reply = { status: 404 };
export const LOGIN: Reply = {
  body: "<!DOCTYPE html><html><body><form><input name=password></form></body></html>",
  headers: { "content-type": "text/html" },
};

const MISSING_AND_FAILED: Transitions = {
  "a sitemap is added": [
    { site: declared({ "/t.xml": ["/c"] }) },
    {
      site: START,
      events: ["added /a in /s.xml", "added /b in /s.xml", "complete +2 =1"],
      sitemaps: { "/robots.txt": "listing", "/s.xml": "listing 2", "/t.xml": "listing 1" },
    },
  ],
  ...gone("a sitemap answers 404 twice, and comes back", NOT_FOUND),
  ...gone("a sitemap answers 410 twice, and comes back", { status: 410 }),
  ...gone(
    "a sitemap has an empty body twice, and comes back",
    { body: "" },
    "invalid empty /s.xml",
  ),
  ...failed("a sitemap answers 500", SERVER_ERROR),
  ...failed("a sitemap answers 403", { status: 403 }),
  ...failed("a sitemap answers 503", { status: 503 }),
  "a sitemap does not answer in time": [
    { site: START },
    { ...failing({ fault: "silent" }, "invalid timeout /s.xml"), options: { timeout: 1000 } },
    { site: START },
  ],
  ...failed("a sitemap has no connection", { fault: "refused" }, "invalid network /s.xml"),
  ...failed("a sitemap is a login page", LOGIN, "invalid not-a-sitemap /s.xml"),
  ...failed(
    "a sitemap breaks off at once",
    { body: urlset("/a", "/b"), cut: 0 },
    "invalid network /s.xml",
  ),
  ...failed("a sitemap has a broken redirect", { redirect: "/s.xml" }, "invalid redirect /s.xml"),
  "a sitemap redirects to a login page": [
    { site: START },
    {
      edit: { "/s.xml": { redirect: "/login" }, "/login": LOGIN },
      events: ["invalid not-a-sitemap /s.xml", "partial =3"],
      sitemaps: { "/s.xml": "unknown 2" },
    },
    { site: START },
  ],
  "an empty urlset is confirmed by the next run": {
    loopback: true,
    runs: [
      { site: START },
      { edit: { "/s.xml": [] }, sitemaps: { "/s.xml": "unknown 2" } },
      { events: ["removed /a in /s.xml", "removed /b in /s.xml", "complete -2 =1"] },
      { events: ["complete =1"] },
      {
        site: START,
        unchanged: ["/t.xml 1 same-bytes"],
        events: ["added /a in /s.xml", "added /b in /s.xml", "complete +2 =1"],
      },
    ],
  },
  "an empty urlset is confirmed by 304": [
    { site: { ...START, "/s.xml": { body: urlset("/a"), etag: '"1"' } } },
    { edit: { "/s.xml": { body: urlset(), etag: '"2"' } } },
    { events: ["removed /a in /s.xml", "complete -1 =1"] },
  ],
  "a sitemap that never had pages may be empty": [
    { site: { ...START, "/s.xml": [] }, sitemaps: { "/s.xml": "unknown" } },
    { edit: { "/s.xml": "<urlset> </urlset>" }, sitemaps: { "/s.xml": "gone" } },
  ],
  "an empty urlset that has pages again removes nothing": [
    { site: START },
    { edit: { "/s.xml": [] } },
    { site: START },
    { edit: { "/s.xml": [] } },
  ],
  "a failure between two runs without a sitemap changes nothing": [
    { site: START },
    failing(NOT_FOUND),
    { ...failing(SERVER_ERROR), times: 2 },
    {
      edit: { "/s.xml": { body: "" } },
      events: [
        "invalid empty /s.xml",
        "removed /a in /s.xml",
        "removed /b in /s.xml",
        "partial -2 =1",
      ],
      sitemaps: { "/s.xml": "gone" },
    },
  ],
  "a sitemap that is missing and comes back starts again": [
    { site: START },
    failing(NOT_FOUND),
    { site: START },
    failing(NOT_FOUND),
  ],
  "a sitemap that comes back with other pages is compared with what it had": [
    { site: START },
    failing(NOT_FOUND),
    {
      edit: { "/s.xml": ["/b", "/d"] },
      events: ["added /d in /s.xml", "removed /a in /s.xml", "complete +1 -1 =2"],
    },
  ],
  "a page of a missing sitemap that another one lists is confirmed": [
    { site: declared({ "/s.xml": ["/a", "/b"], "/t.xml": ["/a", "/c"] }) },
    { edit: { "/s.xml": NOT_FOUND }, events: ["partial =3"] },
    { events: ["removed /b in /s.xml", "partial -1 =2"] },
  ],
  "a failed sitemap keeps its values, and a gone one hands them on": [
    { site: declared({ "/s.xml": [rated("/a", 0.1)], "/t.xml": [rated("/a", 0.2)] }) },
    { edit: { "/s.xml": SERVER_ERROR }, events: ["partial =1"] },
    { edit: { "/s.xml": NOT_FOUND }, events: ["partial =1"] },
    { events: ["changed /a in /t.xml: priority", "partial ~1"] },
  ],
  "a page that one sitemap drops while the other fails is kept": [
    { site: declared({ "/s.xml": ["/a", "/b"], "/t.xml": ["/a"] }) },
    { times: 2, edit: { "/s.xml": ["/b"], "/t.xml": SERVER_ERROR }, events: ["partial =2"] },
    {
      edit: { "/t.xml": ["/c"] },
      events: ["added /c in /t.xml", "removed /a in /t.xml", "complete +1 -1 =1"],
    },
  ],
};

// ------------------------------------------------------------------------------------- truncated

/** Each entry has as many bytes as the others, so that half of the body has one page. */
const THREE: readonly Entry[] = ["/a", "/b", "/c"];

const TRUNCATED: Transitions = {
  ...overLoopback({
    "the pages that arrive of a truncated sitemap are compared, the others kept": [
      { site: declared({ "/s.xml": THREE }) },
      {
        edit: { "/s.xml": { body: urlset("/d", "/b", "/c"), cut: 0.5 } },
        events: ["added /d in /s.xml", "warning body-cut /s.xml", "partial +1 =3"],
        sitemaps: { "/s.xml": "unknown 4" },
      },
      {
        edit: { "/s.xml": ["/d", "/b", "/c"] },
        events: ["removed /a in /s.xml", "complete -1 =3"],
        sitemaps: { "/s.xml": "listing 3" },
      },
    ],
    "a document that ends too early is truncated, although the transfer is complete": [
      { site: declared({ "/s.xml": THREE }) },
      {
        times: 2,
        edit: { "/s.xml": urlset("/a").replace("</urlset>", "") },
        events: ["warning xml-cut /s.xml", "partial =3"],
        sitemaps: { "/s.xml": "unknown 3" },
      },
    ],
  }),
  "a page has the values of a truncated sitemap once that is read to its end": [
    { site: declared({ "/s.xml": THREE }) },
    {
      edit: { "/s.xml": { body: urlset(rated("/a", 0.1), "/b", "/c"), cut: 0.5 } },
      events: ["warning body-cut /s.xml", "partial =3"],
    },
    {
      edit: { "/s.xml": [rated("/a", 0.1), "/b", "/c"] },
      events: ["changed /a in /s.xml: priority", "complete ~1 =2"],
    },
  ],
  "the validators of a truncated sitemap are not used": [
    { site: declared({ "/s.xml": { body: urlset(...THREE), etag: '"1"' } }) },
    {
      edit: { "/s.xml": { body: urlset("/a", "/b", "/d"), etag: '"2"', cut: 0.5 } },
      events: ["warning body-cut /s.xml", "partial =3"],
    },
    {
      edit: { "/s.xml": { body: urlset("/a", "/b", "/d"), etag: '"2"' } },
      events: ["added /d in /s.xml", "removed /c in /s.xml", "complete +1 -1 =2"],
    },
  ],
  "a sitemap that was truncated in its first run is read again": [
    {
      site: declared({ "/s.xml": { body: urlset(...THREE), etag: '"1"', cut: 0.5 } }),
      events: ["added /a in /s.xml", "warning body-cut /s.xml", "partial +1"],
    },
    {
      edit: { "/s.xml": { body: urlset(...THREE), etag: '"1"' } },
      events: ["added /b in /s.xml", "added /c in /s.xml", "complete +2 =1"],
    },
  ],
  "what arrives of a sitemap that is truncated again and again is added up": [
    {
      site: declared({ "/s.xml": { body: urlset("/a", "/b", "/c"), cut: 0.5 } }),
      events: ["added /a in /s.xml", "warning body-cut /s.xml", "partial +1"],
      sitemaps: { "/s.xml": "unknown 1" },
    },
    {
      edit: { "/s.xml": { body: urlset("/b", "/c", "/a"), cut: 0.5 } },
      events: ["added /b in /s.xml", "warning body-cut /s.xml", "partial +1 =1"],
      sitemaps: { "/s.xml": "unknown 2" },
    },
    {
      edit: { "/s.xml": { body: urlset("/b", "/c", "/d"), cut: 0.5 } },
      events: ["warning body-cut /s.xml", "partial =2"],
    },
    {
      edit: { "/s.xml": ["/b", "/c", "/d"] },
      events: [
        "added /c in /s.xml",
        "added /d in /s.xml",
        "removed /a in /s.xml",
        "complete +2 -1 =1",
      ],
      sitemaps: { "/s.xml": "listing 3" },
    },
  ],
  "half an entry of a truncated sitemap is not a page": [
    {
      // ends within the second URL
      site: declared({
        "/s.xml": { body: urlset("/a", `/${"b".repeat(500)}`), cut: 0.6 },
      }),
      events: ["added /a in /s.xml", "warning body-cut /s.xml", "partial +1"],
    },
    { edit: { "/s.xml": ["/a"] } },
  ],
  "children that a truncated index did not list any more are kept": [
    { site: declared({ "/i.xml": { "/s.xml": ["/a"], "/t.xml": ["/b"] } }) },
    {
      times: 2,
      edit: { "/i.xml": { body: index("/s.xml", "/t.xml"), cut: 0.6 } },
      events: ["warning body-cut /i.xml", "partial =2"],
      sitemaps: { "/i.xml": "unknown", "/t.xml": "unknown 1" },
    },
    { edit: { "/i.xml": index("/s.xml") }, sitemaps: { "/t.xml": "unknown 1" } },
  ],
};

export const SITEMAP_TRANSITIONS: Transitions = { ...MISSING_AND_FAILED, ...TRUNCATED };
