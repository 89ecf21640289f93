/** Transitions of sitemaps that need not be read: validators, same bytes, and `trustLastmod`. @module */

import { gzipSync } from "node:zlib";
import { HOUR } from "../../src/data/calendar.ts";
import {
  type Content,
  declared,
  index,
  type Reply,
  robots,
  type Site,
  urlset,
} from "./scripted_site.ts";
import { NOT_FOUND, SERVER_ERROR } from "./sitemap_transitions.ts";
import { each, notModelled, overLoopback, type Transitions, withOptions } from "./transition.ts";

const ONE_LENGTH = urlset("/a").length;
const MAY = "Wed, 01 May 2024 12:00:00 GMT";
const JUNE = "Sat, 01 Jun 2024 12:00:00 GMT";

function one(content: Content): Site {
  return declared({ "/s.xml": content });
}

function tagged(tag: string, ...paths: string[]): Reply {
  return { body: urlset(...paths), etag: `"${tag}"` };
}

/** Returns a sitemap that was modified so many seconds before the response. */
function dated(body: string, seconds: number): Reply {
  const lastModified = new Date(Date.parse(MAY) - seconds * 1000).toUTCString();
  return { body, lastModified, headers: { date: MAY } };
}

const VALIDATORS: Transitions = {
  ...overLoopback({
    "a sitemap with an ETag is not modified": [
      { site: one(tagged("1", "/a")), notModified: 0 },
      {
        unchanged: ["/s.xml 1 not-modified"],
        requests: ["/robots.txt 200", "/s.xml 304 conditional"],
        notModified: 1,
        sitemaps: { "/s.xml": "listing 1" },
      },
      {
        site: one(tagged("2", "/a", "/b")),
        events: ["added /b in /s.xml", "complete +1 =1"],
        requests: ["/robots.txt 200", "/s.xml 200 conditional"],
        notModified: 0,
        bytesSaved: 0,
        sitemaps: { "/s.xml": "listing 2" },
      },
      { notModified: 1 },
    ],
    "a sitemap with Last-Modified is not modified": [
      { site: one({ body: urlset("/a"), lastModified: MAY }) },
      { requests: ["/robots.txt 200", "/s.xml 304 conditional"], notModified: 1 },
      {
        site: one({ body: urlset("/a", "/b"), lastModified: JUNE }),
        events: ["added /b in /s.xml", "complete +1 =1"],
      },
    ],
    "an index that is not modified has its children asked for": [
      {
        site: {
          "/robots.txt": { body: robots("/i.xml"), etag: '"r"' },
          "/i.xml": { body: index("/s.xml", "/t.xml"), etag: '"i"' },
          "/s.xml": tagged("s", "/a"),
          "/t.xml": tagged("t", "/b"),
        },
      },
      {
        edit: { "/t.xml": tagged("t2", "/b", "/c") },
        events: ["added /c in /t.xml", "complete +1 =2"],
        requests: [
          "/robots.txt 304 conditional",
          "/i.xml 304 conditional",
          "/s.xml 304 conditional",
          "/t.xml 200 conditional",
        ],
        notModified: 2,
        sitemaps: { "/robots.txt": "listing", "/i.xml": "listing", "/t.xml": "listing 2" },
      },
      { edit: { "/s.xml": NOT_FOUND }, events: ["partial =3"], notModified: 2 },
    ],
  }),
  ...notModelled({
    "a Last-Modified less than a minute before its response may hide a change": [
      { site: one(dated(urlset("/a"), 59)) },
      {
        // in the same second
        site: one(dated(urlset("/a", "/b"), 59)),
        events: ["added /b in /s.xml", "complete +1 =1"],
        requests: ["/robots.txt 200", "/s.xml 200"],
      },
      { site: one(dated(urlset("/a", "/b"), 60)), requests: ["/robots.txt 200", "/s.xml 200"] },
      { requests: ["/robots.txt 200", "/s.xml 304 conditional"] },
    ],
    "an ETag is sent back, however new its sitemap is": [
      { site: one({ ...dated(urlset("/a"), 0), etag: '"1"' }) },
      { requests: ["/robots.txt 200", "/s.xml 304 conditional"] },
    ],
    "validators that lie hide a change until a full run": [
      { site: one(tagged("1", "/a")) },
      {
        site: one({ ...tagged("1", "/b"), validators: "lying" }),
        unchanged: ["/s.xml 1 not-modified"],
      },
      {
        options: { full: true },
        events: ["added /b in /s.xml", "removed /a in /s.xml", "complete +1 -1"],
        requests: ["/robots.txt 200", "/s.xml 200"],
      },
    ],
    "validators of the same bytes are renewed": [
      { site: one(tagged("1", "/a")) },
      { site: one(tagged("2", "/a")), requests: ["/robots.txt 200", "/s.xml 200 conditional"] },
      { requests: ["/robots.txt 200", "/s.xml 304 conditional"] },
    ],
  }),
  "the bytes of a sitemap that is not modified are saved": [
    { site: one(tagged("1", "/a")), bytesSaved: 0 },
    { times: 2, bytesSaved: ONE_LENGTH },
  ],
  "a sitemap with a weak ETag is not modified": [
    { site: one({ body: urlset("/a"), etag: 'W/"1"' }) },
    { unchanged: ["/s.xml 1 not-modified"] },
  ],
  "an index that changed, with children that did not": [
    {
      site: {
        "/robots.txt": robots("/i.xml"),
        "/i.xml": { body: index("/s.xml"), etag: '"1"' },
        "/s.xml": tagged("s", "/a"),
      },
    },
    {
      edit: { "/i.xml": { body: index("/t.xml", "/s.xml"), etag: '"2"' }, "/t.xml": ["/b"] },
      events: ["added /b in /t.xml", "complete +1 =1"],
    },
    { unchanged: ["/i.xml 0 not-modified", "/t.xml 1 same-bytes", "/s.xml 1 not-modified"] },
  ],
  "an ETag that stays the same does not hide a body that was sent": [
    { site: one({ ...tagged("1", "/a"), validators: "ignored" }) },
    {
      site: one({ ...tagged("1", "/a", "/b"), validators: "ignored" }),
      events: ["added /b in /s.xml", "complete +1 =1"],
    },
    { unchanged: [], notModified: 0, bytesSaved: 0 },
  ],
  "validators that a server no longer sends are not used again": [
    { site: one(tagged("1", "/a")) },
    { site: one(["/a", "/b"]), events: ["added /b in /s.xml", "complete +1 =1"] },
    { site: one(tagged("1", "/a")), events: ["removed /b in /s.xml", "complete -1 =1"] },
  ],
  "304 for a request without validators is a failure": [
    { site: one(["/a"]) },
    {
      site: one({ status: 304 }),
      failed: ["/s.xml"],
      events: ["partial =1"],
      sitemaps: { "/s.xml": "unknown 1" },
    },
  ],
  "a full run reads everything and reports only differences": [
    { site: one(tagged("1", "/a")) },
    {
      options: { full: true },
      requests: ["/robots.txt 200", "/s.xml 200"],
      notModified: 0,
      bytesSaved: 0,
      sitemaps: { "/robots.txt": "listing", "/s.xml": "listing 1" },
    },
    { unchanged: ["/s.xml 1 not-modified"] },
  ],
  "a sitemap that was gone is read again, whatever its validators": [
    { site: declared({ "/s.xml": tagged("1", "/a"), "/t.xml": ["/b"] }) },
    { edit: { "/s.xml": NOT_FOUND }, events: ["partial =2"] },
    { events: ["removed /a in /s.xml", "partial -1 =1"] },
    {
      edit: { "/s.xml": tagged("1", "/a") },
      unchanged: ["/t.xml 1 same-bytes"],
      events: ["added /a in /s.xml", "complete +1 =1"],
    },
  ],
  "a sitemap that failed may be not modified afterwards": [
    { site: one(tagged("1", "/a")) },
    { site: one(SERVER_ERROR), events: ["blocked =1"], sitemaps: { "/s.xml": "unknown 1" } },
    {
      site: one(tagged("1", "/a")),
      unchanged: ["/s.xml 1 not-modified"],
      sitemaps: { "/s.xml": "listing 1" },
    },
  ],
};

// ------------------------------------------------------------------------------------ same bytes

/** Over the limit of what is held in memory. */
const LARGE = `<urlset><!--${"-x".repeat(4.5 * 1024 * 1024)}-->`;

const BYTES: Transitions = {
  ...overLoopback({
    "the same bytes without validators give no changes": [
      { site: one(["/a"]) },
      {
        unchanged: ["/s.xml 1 same-bytes"],
        requests: ["/robots.txt 200", "/s.xml 200"],
        notModified: 0,
        bytesSaved: 0,
        sitemaps: { "/s.xml": "listing 1" },
      },
    ],
    "compressed sitemaps": [
      { site: one({ body: urlset("/a"), gzip: true }) },
      { unchanged: ["/s.xml 1 same-bytes"] },
      {
        site: one({ body: urlset("/a", "/b"), gzip: true, etag: '"1"' }),
        events: ["added /b in /s.xml", "complete +1 =1"],
      },
      { unchanged: ["/s.xml 2 not-modified"] },
    ],
  }),
  "a sitemap larger than what is held in memory": [
    { site: one(LARGE + urlset("/a").slice("<urlset>".length)) },
    { unchanged: ["/s.xml 1 same-bytes"] },
    {
      site: one(LARGE + urlset("/a", "/b").slice("<urlset>".length)),
      events: ["added /b in /s.xml", "complete +1 =1"],
    },
  ],
  "compressed bytes are saved as they are transferred": [
    { site: one({ body: urlset("/a"), gzip: true, etag: '"1"' }) },
    { bytesSaved: gzipSync(urlset("/a")).length },
  ],
  "a compressed sitemap that is truncated keeps its pages": [
    { site: one({ body: urlset("/a"), gzip: true }) },
    {
      site: one({ body: urlset("/a"), gzip: true, cut: 0.5 }),
      except: /^(?:invalid|warning)/,
      events: ["partial =1"],
    },
    { site: one({ body: urlset("/a"), gzip: true }), unchanged: [] },
  ],
};

// ------------------------------------------------------------------------------------- redirects

const REDIRECTS: Transitions = {
  "a redirect that changes its target keeps the identity of the sitemap": {
    loopback: true,
    runs: [
      { site: { ...one({ redirect: "/v1.xml" }), "/v1.xml": tagged("1", "/a", "/b") } },
      {
        site: {
          ...one({ redirect: "/v2.xml" }),
          "/v1.xml": NOT_FOUND,
          "/v2.xml": tagged("2", "/b", "/c"),
        },
        events: ["added /c in /s.xml", "removed /a in /s.xml", "complete +1 -1 =1"],
      },
      {
        site: one(["/b", "/d"]),
        events: ["added /d in /s.xml", "removed /c in /s.xml", "complete +1 -1 =1"],
      },
    ],
  },
  "the target of a redirect is not modified": [
    { site: { ...one({ redirect: "/v1.xml" }), "/v1.xml": tagged("1", "/a") } },
    { notModified: 1 },
  ],
  "the validators of one target are not used for another": [
    { site: { ...one({ redirect: "/v1.xml" }), "/v1.xml": tagged("1", "/a") } },
    {
      site: { ...one({ redirect: "/v2.xml" }), "/v2.xml": tagged("1", "/a", "/b") },
      events: ["added /b in /s.xml", "complete +1 =1"],
    },
  ],
  "a redirect that leads nowhere is missing": [
    { site: { ...one({ redirect: "/v1.xml" }), "/v1.xml": ["/a"] } },
    {
      site: one({ redirect: "/v1.xml" }),
      events: ["partial =1"],
      sitemaps: { "/s.xml": "unknown 1" },
    },
    { events: ["removed /a in /s.xml", "partial -1"] },
  ],
};

// ----------------------------------------------------------------------------------- trustLastmod

const TRUST = { trustLastmod: true };

/** Returns a site whose index gives /s.xml a date. */
function datedChild(lastmod: string, ...pages: string[]): Site {
  return { "/robots.txt": robots("/i.xml"), "/i.xml": index(["/s.xml", lastmod]), "/s.xml": pages };
}

/** A site whose index gives one of two children a date. */
const DATED: Site = {
  ...datedChild("2024-05-01", "/a"),
  "/i.xml": index(["/s.xml", "2024-05-01"], "/t.xml"),
  "/t.xml": ["/b"],
};

const TRUSTED: Transitions = withOptions(TRUST, {
  "with trustLastmod, a child with the same date is not requested": {
    loopback: true,
    runs: [
      { site: DATED },
      {
        edit: { "/s.xml": ["/x"] },
        unchanged: ["/i.xml 0 same-bytes", "/s.xml 1 lastmod", "/t.xml 1 same-bytes"],
        requests: ["/robots.txt 200", "/i.xml 200", "/t.xml 200"],
        notModified: 0,
        sitemaps: { "/s.xml": "listing 1" },
      },
      {
        edit: { "/i.xml": index(["/s.xml", "2024-05-02"], "/t.xml"), "/s.xml": ["/a", "/c"] },
        events: ["added /c in /s.xml", "complete +1 =2"],
        requests: ["/robots.txt 200", "/i.xml 200", "/s.xml 200", "/t.xml 200"],
      },
    ],
  },
  "with trustLastmod, an index that is not modified declares the dates that it had": [
    {
      site: {
        ...DATED,
        "/i.xml": { body: index(["/s.xml", "2024-05-01"], "/t.xml"), etag: '"1"' },
      },
    },
    {
      unchanged: ["/i.xml 0 not-modified", "/s.xml 1 lastmod", "/t.xml 1 same-bytes"],
      requests: ["/robots.txt 200", "/i.xml 304 conditional", "/t.xml 200"],
    },
  ],
  ...each(
    [
      ["unknown", SERVER_ERROR, ["partial =2"]],
      ["was missing", NOT_FOUND, ["partial =2"]],
      ["was truncated", { body: urlset("/a", "/c"), cut: 0.6 }, [
        "warning body-cut /s.xml",
        "partial =2",
      ]],
    ] as const,
    ([what, reply, events]) => ({
      [`with trustLastmod, the date of a child that ${what} does not count`]: [
        { site: datedChild("2024-05-01", "/a", "/b") },
        { edit: { "/i.xml": index(["/s.xml", "2024-05-02"]), "/s.xml": reply }, events },
        {
          edit: { "/s.xml": ["/a", "/c"] },
          events: ["added /c in /s.xml", "removed /b in /s.xml", "complete +1 -1 =1"],
        },
        {
          edit: { "/s.xml": SERVER_ERROR },
          unchanged: ["/i.xml 0 same-bytes", "/s.xml 2 lastmod"],
        },
      ],
    }),
  ),
  "with trustLastmod, a child that was gone is read whatever its date": [
    { site: DATED },
    { edit: { "/i.xml": index("/t.xml") } },
    { events: ["removed /a in /s.xml", "complete -1 =1"] },
    {
      edit: { "/i.xml": index(["/s.xml", "2024-05-01"], "/t.xml") },
      unchanged: ["/t.xml 1 same-bytes"],
      events: ["added /a in /s.xml", "complete +1 =1"],
    },
  ],
  "with trustLastmod, a child whose date is removed is requested": [
    { site: datedChild("2024-05-01", "/a") },
    {
      edit: { "/i.xml": index("/s.xml"), "/s.xml": ["/a", "/b"] },
      events: ["added /b in /s.xml", "complete +1 =1"],
    },
    { edit: { "/s.xml": ["/a", "/b", "/c"] }, events: ["added /c in /s.xml", "complete +1 =2"] },
  ],
  "with trustLastmod, a day is trusted if it had ended everywhere before it was read": [
    // the day has ended in UTC
    { site: datedChild("2024-06-30", "/a") },
    { edit: { "/s.xml": ["/a", "/b"] }, events: ["added /b in /s.xml", "complete +1 =1"] },
    {
      edit: { "/s.xml": ["/a", "/b", "/c"] },
      after: 10 * HOUR,
      events: ["added /c in /s.xml", "complete +1 =2"],
    },
    // that was 12 hours after its end, this is later
    {
      edit: { "/s.xml": ["/a", "/b", "/c", "/d"] },
      after: 1,
      events: ["added /d in /s.xml", "complete +1 =3"],
    },
    { edit: { "/s.xml": ["/x"] }, unchanged: ["/i.xml 0 same-bytes", "/s.xml 4 lastmod"] },
  ],
  "with trustLastmod, a time is trusted if it was before it was read": [
    { site: datedChild("2024-07-01T00:00:01Z", "/a") },
    { edit: { "/s.xml": ["/a", "/b"] }, events: ["added /b in /s.xml", "complete +1 =1"] },
    { edit: { "/s.xml": ["/x"] }, unchanged: ["/i.xml 0 same-bytes", "/s.xml 2 lastmod"] },
  ],
  "with trustLastmod, the date of the same bytes is renewed": [
    { site: datedChild("2024-05-01", "/a") },
    { edit: { "/i.xml": index(["/s.xml", "2024-05-02"]) }, unchanged: ["/s.xml 1 same-bytes"] },
    { edit: { "/s.xml": ["/x"] }, unchanged: ["/i.xml 0 same-bytes", "/s.xml 1 lastmod"] },
  ],
  "a full run does not trust dates": [
    { site: datedChild("2024-05-01", "/a") },
    {
      edit: { "/s.xml": ["/a", "/b"] },
      options: { full: true },
      events: ["added /b in /s.xml", "complete +1 =1"],
    },
  ],
});

const LASTMOD: Transitions = {
  "with trustLastmod, the bytes of a child that is not requested are saved": [
    { site: datedChild("2024-05-01", "/a") },
    {
      options: TRUST,
      unchanged: ["/i.xml 0 same-bytes", "/s.xml 1 lastmod"],
      bytesSaved: ONE_LENGTH,
    },
  ],
  "without trustLastmod, a child with the same date is requested": [
    { site: datedChild("2024-05-01", "/a") },
    { edit: { "/s.xml": ["/a", "/b"] }, events: ["added /b in /s.xml", "complete +1 =1"] },
  ],
  ...TRUSTED,
};

export const REQUEST_TRANSITIONS: Transitions = {
  ...VALIDATORS,
  ...BYTES,
  ...REDIRECTS,
  ...LASTMOD,
};
