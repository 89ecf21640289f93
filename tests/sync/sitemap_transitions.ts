/** Transitions of sitemaps: new, missing, gone, failed and truncated. @module */

import {
  declared,
  type Entry,
  index,
  rated,
  type Reply,
  robots,
  type Site,
  urlset,
} from "./scripted_site.ts";
import { overLoopback, type TransitionRun, type Transitions } from "./transition.ts";

/** First run of most histories: /a and /b in one sitemap, /c in another. */
const START: Site = declared({ "/s.xml": urlset("/a", "/b"), "/t.xml": urlset("/c") });

/** Returns a run in which /s.xml cannot be read. */
function failing(reply: Reply, code: string): TransitionRun {
  return {
    edit: { "/s.xml": reply },
    events: [`invalid ${code} /s.xml`, "partial =3"],
    sitemaps: { "/s.xml": "unknown 2", "/t.xml": "listing 1" },
  };
}

function gone(name: string, reply: Reply, code: string): Transitions {
  return {
    [name]: {
      loopback: true,
      runs: [
        { site: START },
        failing(reply, code),
        {
          events: [
            `invalid ${code} /s.xml`,
            "removed /a in /s.xml",
            "removed /b in /s.xml",
            "partial -2 =1",
          ],
          sitemaps: { "/s.xml": "gone" },
        },
        { events: [`invalid ${code} /s.xml`, "partial =1"] },
        {
          site: START,
          unchanged: ["/t.xml 1 same-bytes"],
          events: ["added /a in /s.xml", "added /b in /s.xml", "complete +2 =1"],
          sitemaps: { "/s.xml": "listing 2" },
        },
      ],
    },
  };
}

function failed(name: string, reply: Reply, code: string, loopback = true): Transitions {
  return {
    [name]: {
      loopback,
      runs: [
        { site: START },
        { ...failing(reply, code), times: 3 },
        { site: START, sitemaps: { "/s.xml": "listing 2" } },
      ],
    },
  };
}

export const SERVER_ERROR: Reply = { status: 500 };
export const NOT_FOUND: Reply = { status: 404 };
export const LOGIN: Reply = {
  body: "<!DOCTYPE html><html><body><form><input name=password></form></body></html>",
  headers: { "content-type": "text/html" },
};

const MISSING_AND_FAILED: Transitions = {
  "a sitemap is added": [
    { site: declared({ "/t.xml": urlset("/c") }) },
    {
      site: START,
      events: ["added /a in /s.xml", "added /b in /s.xml", "complete +2 =1"],
      sitemaps: { "/robots.txt": "listing", "/s.xml": "listing 2", "/t.xml": "listing 1" },
    },
  ],
  ...gone("a sitemap answers 404 twice, and comes back", NOT_FOUND, "http-status"),
  ...gone("a sitemap answers 410 twice, and comes back", { status: 410 }, "http-status"),
  ...gone("a sitemap has an empty body twice, and comes back", { body: "" }, "empty"),
  ...failed("a sitemap answers 500", SERVER_ERROR, "http-status"),
  ...failed("a sitemap answers 403", { status: 403 }, "http-status"),
  ...failed("a sitemap answers 503", { status: 503 }, "http-status"),
  "a sitemap does not answer in time": [
    { site: START },
    { ...failing({ fault: "silent" }, "timeout"), options: { timeout: 1000 } },
    { site: START },
  ],
  ...failed("a sitemap has no connection", { fault: "refused" }, "network", false),
  ...failed("a sitemap is a login page", LOGIN, "not-a-sitemap"),
  ...failed("a sitemap breaks off at once", { body: urlset("/a", "/b"), cut: 0 }, "network"),
  ...failed("a sitemap has a broken redirect", { redirect: "/s.xml" }, "redirect"),
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
      { edit: { "/s.xml": urlset() }, sitemaps: { "/s.xml": "unknown 2" } },
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
    { site: { ...START, "/s.xml": urlset() }, sitemaps: { "/s.xml": "unknown" } },
    { edit: { "/s.xml": "<urlset> </urlset>" }, sitemaps: { "/s.xml": "gone" } },
  ],
  "an empty urlset that has pages again removes nothing": [
    { site: START },
    { edit: { "/s.xml": urlset() } },
    { site: START },
    { edit: { "/s.xml": urlset() } },
  ],
  "a failure between two runs without a sitemap changes nothing": [
    { site: START },
    failing(NOT_FOUND, "http-status"),
    { ...failing(SERVER_ERROR, "http-status"), times: 2 },
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
    failing(NOT_FOUND, "http-status"),
    { site: START },
    failing(NOT_FOUND, "http-status"),
  ],
  "a sitemap that comes back with other pages is compared with what it had": [
    { site: START },
    failing(NOT_FOUND, "http-status"),
    {
      edit: { "/s.xml": urlset("/b", "/d") },
      events: ["added /d in /s.xml", "removed /a in /s.xml", "complete +1 -1 =2"],
    },
  ],
  "a page of a missing sitemap that another one lists is confirmed": [
    { site: declared({ "/s.xml": urlset("/a", "/b"), "/t.xml": urlset("/a", "/c") }) },
    { edit: { "/s.xml": NOT_FOUND }, events: ["invalid http-status /s.xml", "partial =3"] },
    { events: ["invalid http-status /s.xml", "removed /b in /s.xml", "partial -1 =2"] },
  ],
  "a failed sitemap keeps its values, and a gone one hands them on": [
    { site: declared({ "/s.xml": urlset(rated("/a", 0.1)), "/t.xml": urlset(rated("/a", 0.2)) }) },
    { edit: { "/s.xml": SERVER_ERROR }, events: ["invalid http-status /s.xml", "partial =1"] },
    { edit: { "/s.xml": NOT_FOUND }, events: ["invalid http-status /s.xml", "partial =1"] },
    { events: ["invalid http-status /s.xml", "changed /a in /t.xml: priority", "partial ~1"] },
  ],
  "a page that one sitemap drops while the other fails is kept": [
    { site: declared({ "/s.xml": urlset("/a", "/b"), "/t.xml": urlset("/a") }) },
    {
      times: 2,
      edit: { "/s.xml": urlset("/b"), "/t.xml": SERVER_ERROR },
      events: ["invalid http-status /t.xml", "partial =2"],
    },
    {
      edit: { "/t.xml": urlset("/c") },
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
      { site: declared({ "/s.xml": urlset(...THREE) }) },
      {
        edit: { "/s.xml": { body: urlset("/d", "/b", "/c"), cut: 0.5 } },
        events: ["added /d in /s.xml", "warning body-cut /s.xml", "partial +1 =3"],
        sitemaps: { "/s.xml": "unknown 4" },
      },
      {
        edit: { "/s.xml": urlset("/d", "/b", "/c") },
        events: ["removed /a in /s.xml", "complete -1 =3"],
        sitemaps: { "/s.xml": "listing 3" },
      },
    ],
    "a document that ends too early is truncated, although the transfer is complete": [
      { site: declared({ "/s.xml": urlset(...THREE) }) },
      {
        times: 2,
        edit: { "/s.xml": urlset("/a").replace("</urlset>", "") },
        events: ["warning xml-cut /s.xml", "partial =3"],
        sitemaps: { "/s.xml": "unknown 3" },
      },
    ],
  }),
  "a page has the values of a truncated sitemap once that is read to its end": [
    { site: declared({ "/s.xml": urlset(...THREE) }) },
    {
      edit: {
        "/s.xml": { body: urlset(rated("/a", 0.1), "/b", "/c"), cut: 0.5 },
      },
      events: ["warning body-cut /s.xml", "partial =3"],
    },
    {
      edit: { "/s.xml": urlset(rated("/a", 0.1), "/b", "/c") },
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
      edit: { "/s.xml": urlset("/b", "/c", "/d") },
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
    { edit: { "/s.xml": urlset("/a") } },
  ],
  "children that a truncated index did not list any more are kept": [
    {
      site: {
        "/robots.txt": robots("/i.xml"),
        "/i.xml": index("/s.xml", "/t.xml"),
        "/s.xml": urlset("/a"),
        "/t.xml": urlset("/b"),
      },
    },
    {
      times: 2,
      edit: { "/i.xml": { body: index("/s.xml", "/t.xml"), cut: 0.6 } },
      events: ["warning body-cut /i.xml", "partial =2"],
      sitemaps: { "/i.xml": "unknown", "/t.xml": "unknown 1" },
    },
    { edit: { "/i.xml": index("/s.xml") }, sitemaps: { "/t.xml": "unknown 1" } },
  ],
};

export const SITEMAP_TRANSITIONS: Transitions = {
  ...MISSING_AND_FAILED,
  ...TRUNCATED,
};
