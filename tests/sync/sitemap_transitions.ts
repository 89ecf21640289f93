/** Transitions of sitemaps: new, missing, gone, failed and truncated. @module */

import { declared, type Entry, index, type Reply, robots, urlset } from "./scripted_site.ts";
import type { Transition, TransitionRun } from "./transition.ts";

/** First run of most histories: /a and /b in one sitemap, /c in another. */
const START: TransitionRun = {
  site: declared({ "/s.xml": urlset("/a", "/b"), "/t.xml": urlset("/c") }),
  events: ["added /a in /s.xml", "added /b in /s.xml", "added /c in /t.xml", "complete +3"],
};

const KEPT = ["/a in /s.xml", "/b in /s.xml", "/c in /t.xml"];

/** Returns {@linkcode START} with another response for /s.xml. */
function withS(reply: string | Reply) {
  return declared({ "/s.xml": reply, "/t.xml": urlset("/c") });
}

/** Returns a run in which /s.xml cannot be read. */
function failing(reply: Reply, code: string): TransitionRun {
  return {
    site: withS(reply),
    events: [`invalid ${code} /s.xml`, "unchanged /t.xml 1 same-bytes", "partial =3"],
    sitemaps: { "/s.xml": "unknown 2", "/t.xml": "listing 1" },
  };
}

/** Returns a history in which /s.xml is missing twice. */
function gone(name: string, reply: Reply, code: string): Transition {
  return {
    name,
    loopback: true,
    runs: [
      START,
      failing(reply, code),
      {
        site: withS(reply),
        events: [
          `invalid ${code} /s.xml`,
          "unchanged /t.xml 1 same-bytes",
          "removed /a in /s.xml",
          "removed /b in /s.xml",
          "partial -2 =1",
        ],
        sitemaps: { "/s.xml": "gone" },
      },
      {
        site: withS(reply),
        events: [`invalid ${code} /s.xml`, "unchanged /t.xml 1 same-bytes", "partial =1"],
      },
      {
        site: START.site,
        events: [
          "added /a in /s.xml",
          "added /b in /s.xml",
          "unchanged /t.xml 1 same-bytes",
          "complete +2 =1",
        ],
        sitemaps: { "/s.xml": "listing 2" },
      },
    ],
    pages: KEPT,
  };
}

/** Returns a history in which /s.xml fails three times. */
function failed(name: string, reply: Reply, code: string, loopback = true): Transition {
  const run = failing(reply, code);
  return {
    name,
    loopback,
    runs: [START, run, run, run, {
      site: START.site,
      except: /^unchanged/,
      events: ["complete =3"],
      sitemaps: { "/s.xml": "listing 2" },
    }],
    pages: KEPT,
  };
}

/** Responses that tables share. */
export const SERVER_ERROR: Reply = { status: 500 };
export const NOT_FOUND: Reply = { status: 404 };
export const LOGIN: Reply = {
  body: "<!DOCTYPE html><html><body><form><input name=password></form></body></html>",
  headers: { "content-type": "text/html" },
};

const MISSING_AND_FAILED: readonly Transition[] = [
  {
    name: "a sitemap is added",
    runs: [
      {
        site: declared({ "/t.xml": urlset("/c") }),
        events: ["added /c in /t.xml", "complete +1"],
      },
      {
        site: START.site,
        events: [
          "added /a in /s.xml",
          "added /b in /s.xml",
          "unchanged /t.xml 1 same-bytes",
          "complete +2 =1",
        ],
        sitemaps: { "/robots.txt": "listing", "/s.xml": "listing 2", "/t.xml": "listing 1" },
      },
    ],
    pages: KEPT,
  },
  gone("a sitemap answers 404 twice, and comes back", NOT_FOUND, "http-status"),
  gone("a sitemap answers 410 twice, and comes back", { status: 410 }, "http-status"),
  gone("a sitemap has an empty body twice, and comes back", { body: "" }, "empty"),
  failed("a sitemap answers 500", SERVER_ERROR, "http-status"),
  failed("a sitemap answers 403", { status: 403 }, "http-status"),
  failed("a sitemap answers 503", { status: 503 }, "http-status"),
  {
    name: "a sitemap does not answer in time",
    runs: [
      START,
      { ...failing({ fault: "silent" }, "timeout"), options: { timeout: 1000 } },
      { site: START.site, except: /^unchanged/, events: ["complete =3"] },
    ],
    pages: KEPT,
  },
  failed("a sitemap has no connection", { fault: "refused" }, "network", false),
  failed("a sitemap is a login page", LOGIN, "not-a-sitemap"),
  failed("a sitemap breaks off at once", { body: urlset("/a", "/b"), cut: 0 }, "network"),
  failed("a sitemap has a broken redirect", { redirect: "/s.xml" }, "redirect"),
  {
    name: "a sitemap redirects to a login page",
    runs: [
      START,
      {
        site: { ...withS({ redirect: "/login" }), "/login": LOGIN },
        events: [
          "invalid not-a-sitemap /s.xml",
          "unchanged /t.xml 1 same-bytes",
          "partial =3",
        ],
        sitemaps: { "/s.xml": "unknown 2" },
      },
      { site: START.site, except: /^unchanged/, events: ["complete =3"] },
    ],
    pages: KEPT,
  },
  {
    name: "an empty urlset is confirmed by the next run",
    loopback: true,
    runs: [
      START,
      {
        site: withS(urlset()),
        except: /^unchanged \/s/,
        events: ["unchanged /t.xml 1 same-bytes", "complete =3"],
        sitemaps: { "/s.xml": "unknown 2" },
      },
      {
        site: withS(urlset()),
        except: /^unchanged \/s/,
        events: [
          "unchanged /t.xml 1 same-bytes",
          "removed /a in /s.xml",
          "removed /b in /s.xml",
          "complete -2 =1",
        ],
      },
      {
        site: withS(urlset()),
        except: /^unchanged \/s/,
        events: ["unchanged /t.xml 1 same-bytes", "complete =1"],
      },
      {
        site: START.site,
        events: [
          "added /a in /s.xml",
          "added /b in /s.xml",
          "unchanged /t.xml 1 same-bytes",
          "complete +2 =1",
        ],
      },
    ],
    pages: KEPT,
  },
  {
    name: "an empty urlset is confirmed by 304",
    runs: [
      {
        site: withS({ body: urlset("/a"), etag: '"1"' }),
        events: ["added /a in /s.xml", "added /c in /t.xml", "complete +2"],
      },
      {
        site: withS({ body: urlset(), etag: '"2"' }),
        except: /^unchanged/,
        events: ["complete =2"],
      },
      {
        site: withS({ body: urlset(), etag: '"2"' }),
        except: /^unchanged/,
        events: ["removed /a in /s.xml", "complete -1 =1"],
      },
    ],
    pages: ["/c in /t.xml"],
  },
  {
    name: "a sitemap that never had pages may be empty",
    runs: [
      {
        site: withS(urlset()),
        events: ["added /c in /t.xml", "complete +1"],
        sitemaps: { "/s.xml": "unknown" },
      },
      {
        site: withS("<urlset> </urlset>"),
        events: ["unchanged /t.xml 1 same-bytes", "complete =1"],
        sitemaps: { "/s.xml": "gone" },
      },
    ],
    pages: ["/c in /t.xml"],
  },
  {
    name: "an empty urlset that has pages again removes nothing",
    runs: [
      START,
      {
        site: withS(urlset()),
        events: ["unchanged /t.xml 1 same-bytes", "complete =3"],
      },
      { site: START.site, except: /^unchanged/, events: ["complete =3"] },
      {
        site: withS(urlset()),
        events: ["unchanged /t.xml 1 same-bytes", "complete =3"],
      },
    ],
    pages: KEPT,
  },
  {
    name: "a failure between two runs without a sitemap changes nothing",
    runs: [
      START,
      failing(NOT_FOUND, "http-status"),
      failing(SERVER_ERROR, "http-status"),
      failing(SERVER_ERROR, "http-status"),
      {
        site: withS({ body: "" }),
        events: [
          "invalid empty /s.xml",
          "unchanged /t.xml 1 same-bytes",
          "removed /a in /s.xml",
          "removed /b in /s.xml",
          "partial -2 =1",
        ],
        sitemaps: { "/s.xml": "gone" },
      },
    ],
    pages: ["/c in /t.xml"],
  },
  {
    name: "a sitemap that is missing and comes back starts again",
    runs: [
      START,
      failing(NOT_FOUND, "http-status"),
      { site: START.site, except: /^unchanged/, events: ["complete =3"] },
      failing(NOT_FOUND, "http-status"),
    ],
    pages: KEPT,
  },
  {
    name: "a sitemap that comes back with other pages is compared with what it had",
    runs: [
      START,
      failing(NOT_FOUND, "http-status"),
      {
        site: withS(urlset("/b", "/d")),
        events: [
          "added /d in /s.xml",
          "unchanged /t.xml 1 same-bytes",
          "removed /a in /s.xml",
          "complete +1 -1 =2",
        ],
      },
    ],
    pages: ["/b in /s.xml", "/c in /t.xml", "/d in /s.xml"],
  },
  {
    name: "a page of a missing sitemap that another one lists is confirmed",
    runs: [
      {
        site: declared({ "/s.xml": urlset("/a", "/b"), "/t.xml": urlset("/a", "/c") }),
        events: [
          "added /a in /s.xml",
          "added /b in /s.xml",
          "added /c in /t.xml",
          "complete +3",
        ],
      },
      {
        site: declared({ "/s.xml": NOT_FOUND, "/t.xml": urlset("/a", "/c") }),
        events: [
          "invalid http-status /s.xml",
          "unchanged /t.xml 2 same-bytes",
          "partial =3",
        ],
      },
      {
        site: declared({ "/s.xml": NOT_FOUND, "/t.xml": urlset("/a", "/c") }),
        events: [
          "invalid http-status /s.xml",
          "unchanged /t.xml 2 same-bytes",
          "removed /b in /s.xml",
          "partial -1 =2",
        ],
      },
    ],
    pages: ["/a in /t.xml", "/c in /t.xml"],
  },
  {
    name: "a failed sitemap keeps its values, and a gone one hands them on",
    runs: [
      {
        site: declared({
          "/s.xml": urlset(["/a", "<priority>0.1</priority>"]),
          "/t.xml": urlset(["/a", "<priority>0.2</priority>"]),
        }),
        events: ["added /a in /s.xml", "complete +1"],
      },
      ...[SERVER_ERROR, NOT_FOUND].map((reply): TransitionRun => ({
        site: declared({
          "/s.xml": reply,
          "/t.xml": urlset(["/a", "<priority>0.2</priority>"]),
        }),
        events: ["invalid http-status /s.xml", "unchanged /t.xml 1 same-bytes", "partial =1"],
      })),
      {
        site: declared({
          "/s.xml": NOT_FOUND,
          "/t.xml": urlset(["/a", "<priority>0.2</priority>"]),
        }),
        events: [
          "invalid http-status /s.xml",
          "unchanged /t.xml 1 same-bytes",
          "changed /a in /t.xml: priority",
          "partial ~1",
        ],
      },
    ],
    pages: ["/a in /t.xml priority=0.2"],
  },
  {
    name: "a page that one sitemap drops while the other fails is kept",
    runs: [
      {
        site: declared({ "/s.xml": urlset("/a", "/b"), "/t.xml": urlset("/a") }),
        events: ["added /a in /s.xml", "added /b in /s.xml", "complete +2"],
      },
      {
        site: declared({ "/s.xml": urlset("/b"), "/t.xml": SERVER_ERROR }),
        events: ["invalid http-status /t.xml", "partial =2"],
      },
      {
        site: declared({ "/s.xml": urlset("/b"), "/t.xml": SERVER_ERROR }),
        events: [
          "invalid http-status /t.xml",
          "unchanged /s.xml 1 same-bytes",
          "partial =2",
        ],
      },
      {
        site: declared({ "/s.xml": urlset("/b"), "/t.xml": urlset("/c") }),
        events: [
          "added /c in /t.xml",
          "unchanged /s.xml 1 same-bytes",
          "removed /a in /t.xml",
          "complete +1 -1 =1",
        ],
      },
    ],
    pages: ["/b in /s.xml", "/c in /t.xml"],
  },
];

// ------------------------------------------------------------------------------------- truncated

/** Each entry has as many bytes as the others, so that half of the body has one page. */
const THREE: readonly Entry[] = ["/a", "/b", "/c"];

const TRUNCATED: readonly Transition[] = [
  {
    name: "the pages that arrive of a truncated sitemap are compared, the others kept",
    loopback: true,
    runs: [
      {
        site: declared({ "/s.xml": urlset(...THREE) }),
        events: THREE.map((path) => `added ${path} in /s.xml`).concat("complete +3"),
      },
      {
        site: declared({ "/s.xml": { body: urlset("/d", "/b", "/c"), cut: 0.5 } }),
        events: ["added /d in /s.xml", "warning body-cut /s.xml", "partial +1 =3"],
        sitemaps: { "/s.xml": "unknown 4" },
      },
      {
        site: declared({ "/s.xml": urlset("/d", "/b", "/c") }),
        events: ["removed /a in /s.xml", "complete -1 =3"],
        sitemaps: { "/s.xml": "listing 3" },
      },
    ],
    pages: ["/b in /s.xml", "/c in /s.xml", "/d in /s.xml"],
  },
  {
    name: "a page has the values of a truncated sitemap once that is read to its end",
    runs: [
      {
        site: declared({ "/s.xml": urlset(...THREE) }),
        events: THREE.map((path) => `added ${path} in /s.xml`).concat("complete +3"),
      },
      {
        site: declared({
          "/s.xml": { body: urlset(["/a", "<priority>0.1</priority>"], "/b", "/c"), cut: 0.5 },
        }),
        events: ["warning body-cut /s.xml", "partial =3"],
      },
      {
        site: declared({ "/s.xml": urlset(["/a", "<priority>0.1</priority>"], "/b", "/c") }),
        events: ["changed /a in /s.xml: priority", "complete ~1 =2"],
      },
    ],
    pages: ["/a in /s.xml priority=0.1", "/b in /s.xml", "/c in /s.xml"],
  },
  {
    name: "a document that ends too early is truncated, although the transfer is complete",
    loopback: true,
    runs: [
      {
        site: declared({ "/s.xml": urlset(...THREE) }),
        events: THREE.map((path) => `added ${path} in /s.xml`).concat("complete +3"),
      },
      ...[1, 2].map((run): TransitionRun => ({
        site: declared({ "/s.xml": urlset("/a").replace("</urlset>", "") }),
        events: ["warning xml-cut /s.xml", "partial =3"],
        except: run === 1 ? /never/ : /^unchanged/,
        sitemaps: { "/s.xml": "unknown 3" },
      })),
    ],
    pages: ["/a in /s.xml", "/b in /s.xml", "/c in /s.xml"],
  },
  {
    name: "the validators of a truncated sitemap are not used",
    runs: [
      {
        site: declared({ "/s.xml": { body: urlset(...THREE), etag: '"1"' } }),
        events: THREE.map((path) => `added ${path} in /s.xml`).concat("complete +3"),
      },
      {
        site: declared({ "/s.xml": { body: urlset("/a", "/b", "/d"), etag: '"2"', cut: 0.5 } }),
        events: ["warning body-cut /s.xml", "partial =3"],
      },
      {
        site: declared({ "/s.xml": { body: urlset("/a", "/b", "/d"), etag: '"2"' } }),
        events: ["added /d in /s.xml", "removed /c in /s.xml", "complete +1 -1 =2"],
      },
    ],
    pages: ["/a in /s.xml", "/b in /s.xml", "/d in /s.xml"],
  },
  {
    name: "a sitemap that was truncated in its first run is read again",
    runs: [
      {
        site: declared({ "/s.xml": { body: urlset(...THREE), etag: '"1"', cut: 0.5 } }),
        events: ["added /a in /s.xml", "warning body-cut /s.xml", "partial +1"],
      },
      {
        site: declared({ "/s.xml": { body: urlset(...THREE), etag: '"1"' } }),
        events: ["added /b in /s.xml", "added /c in /s.xml", "complete +2 =1"],
      },
    ],
    pages: ["/a in /s.xml", "/b in /s.xml", "/c in /s.xml"],
  },
  {
    name: "what arrives of a sitemap that is truncated again and again is added up",
    runs: [
      {
        site: declared({ "/s.xml": { body: urlset("/a", "/b", "/c"), cut: 0.5 } }),
        events: ["added /a in /s.xml", "warning body-cut /s.xml", "partial +1"],
        sitemaps: { "/s.xml": "unknown 1" },
      },
      {
        site: declared({ "/s.xml": { body: urlset("/b", "/c", "/a"), cut: 0.5 } }),
        events: ["added /b in /s.xml", "warning body-cut /s.xml", "partial +1 =1"],
        sitemaps: { "/s.xml": "unknown 2" },
      },
      {
        site: declared({ "/s.xml": { body: urlset("/b", "/c", "/d"), cut: 0.5 } }),
        events: ["warning body-cut /s.xml", "partial =2"],
      },
      {
        site: declared({ "/s.xml": urlset("/b", "/c", "/d") }),
        events: [
          "added /c in /s.xml",
          "added /d in /s.xml",
          "removed /a in /s.xml",
          "complete +2 -1 =1",
        ],
        sitemaps: { "/s.xml": "listing 3" },
      },
    ],
    pages: ["/b in /s.xml", "/c in /s.xml", "/d in /s.xml"],
  },
  {
    name: "half an entry of a truncated sitemap is not a page",
    runs: [
      {
        // ends within the second URL
        site: declared({
          "/s.xml": { body: urlset("/a", `/${"b".repeat(500)}`), cut: 0.6 },
        }),
        events: ["added /a in /s.xml", "warning body-cut /s.xml", "partial +1"],
      },
      {
        site: declared({ "/s.xml": urlset("/a") }),
        events: ["complete =1"],
      },
    ],
    pages: ["/a in /s.xml"],
  },
  {
    name: "children that a truncated index did not list any more are kept",
    runs: [
      {
        site: {
          "/robots.txt": robots("/i.xml"),
          "/i.xml": index("/s.xml", "/t.xml"),
          "/s.xml": urlset("/a"),
          "/t.xml": urlset("/b"),
        },
        events: ["added /a in /s.xml", "added /b in /t.xml", "complete +2"],
      },
      ...[1, 2].map((): TransitionRun => ({
        site: {
          "/robots.txt": robots("/i.xml"),
          "/i.xml": { body: index("/s.xml", "/t.xml"), cut: 0.6 },
          "/s.xml": urlset("/a"),
          "/t.xml": urlset("/b"),
        },
        events: [
          "unchanged /s.xml 1 same-bytes",
          "warning body-cut /i.xml",
          "partial =2",
        ],
        sitemaps: { "/i.xml": "unknown", "/t.xml": "unknown 1" },
      })),
      {
        site: {
          "/robots.txt": robots("/i.xml"),
          "/i.xml": index("/s.xml"),
          "/s.xml": urlset("/a"),
        },
        events: ["unchanged /s.xml 1 same-bytes", "complete =2"],
        sitemaps: { "/t.xml": "unknown 1" },
      },
    ],
    pages: ["/a in /s.xml", "/b in /t.xml"],
  },
];

export const SITEMAP_TRANSITIONS: readonly Transition[] = [...MISSING_AND_FAILED, ...TRUNCATED];
