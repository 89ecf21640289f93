/** Transitions of sitemaps that need not be read: validators, same bytes, and `trustLastmod`. @module */

import { gzipSync } from "node:zlib";
import { HOUR } from "../../src/data/calendar.ts";
import {
  type Child,
  declared,
  index,
  type Reply,
  robots,
  type Site,
  urlset,
} from "./scripted_site.ts";
import { NOT_FOUND, SERVER_ERROR } from "./sitemap_transitions.ts";
import type { Transition, TransitionRun } from "./transition.ts";

const ONE_ADDED = ["added /a in /s.xml", "complete +1"];
const ONE_LENGTH = urlset("/a").length;
const MAY = "Wed, 01 May 2024 12:00:00 GMT";
const JUNE = "Sat, 01 Jun 2024 12:00:00 GMT";

/** Returns a site with this sitemap. */
function one(reply: Reply | string): Site {
  return declared({ "/s.xml": reply });
}

/** Returns a sitemap that was modified so many seconds before the response. */
function dated(body: string, seconds: number): Reply {
  const lastModified = new Date(Date.parse(MAY) - seconds * 1000).toUTCString();
  return { body, lastModified, headers: { date: MAY } };
}

const VALIDATORS: readonly Transition[] = [
  {
    name: "a sitemap with an ETag is not modified",
    loopback: true,
    runs: [
      { site: one({ body: urlset("/a"), etag: '"1"' }), events: ONE_ADDED, notModified: 0 },
      {
        site: one({ body: urlset("/a"), etag: '"1"' }),
        events: ["unchanged /s.xml 1 not-modified", "complete =1"],
        requests: ["/robots.txt 200", "/s.xml 304 conditional"],
        notModified: 1,
        sitemaps: { "/s.xml": "listing 1" },
      },
      {
        site: one({ body: urlset("/a", "/b"), etag: '"2"' }),
        events: ["added /b in /s.xml", "complete +1 =1"],
        requests: ["/robots.txt 200", "/s.xml 200 conditional"],
        notModified: 0,
        bytesSaved: 0,
        sitemaps: { "/s.xml": "listing 2" },
      },
      {
        site: one({ body: urlset("/a", "/b"), etag: '"2"' }),
        events: ["unchanged /s.xml 2 not-modified", "complete =2"],
        notModified: 1,
      },
    ],
    pages: ["/a in /s.xml", "/b in /s.xml"],
  },
  {
    name: "the bytes of a sitemap that is not modified are saved",
    runs: [
      {
        site: one({ body: urlset("/a"), etag: '"1"' }),
        events: ONE_ADDED,
        bytesSaved: 0,
      },
      ...[2, 3].map((): TransitionRun => ({
        site: one({ body: urlset("/a"), etag: '"1"' }),
        events: ["unchanged /s.xml 1 not-modified", "complete =1"],
        bytesSaved: ONE_LENGTH,
      })),
    ],
    pages: ["/a in /s.xml"],
  },
  {
    name: "a sitemap with Last-Modified is not modified",
    loopback: true,
    runs: [
      { site: one({ body: urlset("/a"), lastModified: MAY }), events: ONE_ADDED },
      {
        site: one({ body: urlset("/a"), lastModified: MAY }),
        events: ["unchanged /s.xml 1 not-modified", "complete =1"],
        requests: ["/robots.txt 200", "/s.xml 304 conditional"],
        notModified: 1,
      },
      {
        site: one({ body: urlset("/a", "/b"), lastModified: JUNE }),
        events: ["added /b in /s.xml", "complete +1 =1"],
      },
    ],
    pages: ["/a in /s.xml", "/b in /s.xml"],
  },
  {
    name: "a Last-Modified less than a minute before its response may hide a change",
    isModelled: false,
    runs: [
      { site: one(dated(urlset("/a"), 59)), events: ONE_ADDED },
      {
        // in the same second
        site: one(dated(urlset("/a", "/b"), 59)),
        events: ["added /b in /s.xml", "complete +1 =1"],
        requests: ["/robots.txt 200", "/s.xml 200"],
      },
      {
        site: one(dated(urlset("/a", "/b"), 60)),
        except: /^unchanged/,
        events: ["complete =2"],
        requests: ["/robots.txt 200", "/s.xml 200"],
      },
      {
        site: one(dated(urlset("/a", "/b"), 60)),
        events: ["unchanged /s.xml 2 not-modified", "complete =2"],
        requests: ["/robots.txt 200", "/s.xml 304 conditional"],
      },
    ],
    pages: ["/a in /s.xml", "/b in /s.xml"],
  },
  {
    name: "an ETag is sent back, however new its sitemap is",
    isModelled: false,
    runs: [
      { site: one({ ...dated(urlset("/a"), 0), etag: '"1"' }), events: ONE_ADDED },
      {
        site: one({ ...dated(urlset("/a"), 0), etag: '"1"' }),
        events: ["unchanged /s.xml 1 not-modified", "complete =1"],
        requests: ["/robots.txt 200", "/s.xml 304 conditional"],
      },
    ],
    pages: ["/a in /s.xml"],
  },
  {
    name: "a sitemap with a weak ETag is not modified",
    runs: [
      { site: one({ body: urlset("/a"), etag: 'W/"1"' }), events: ONE_ADDED },
      {
        site: one({ body: urlset("/a"), etag: 'W/"1"' }),
        events: ["unchanged /s.xml 1 not-modified", "complete =1"],
      },
    ],
    pages: ["/a in /s.xml"],
  },
  {
    name: "an index that is not modified has its children asked for",
    loopback: true,
    runs: [
      {
        site: {
          "/robots.txt": { body: robots("/i.xml"), etag: '"r"' },
          "/i.xml": { body: index("/s.xml", "/t.xml"), etag: '"i"' },
          "/s.xml": { body: urlset("/a"), etag: '"s"' },
          "/t.xml": { body: urlset("/b"), etag: '"t"' },
        },
        events: ["added /a in /s.xml", "added /b in /t.xml", "complete +2"],
      },
      {
        site: {
          "/robots.txt": { body: robots("/i.xml"), etag: '"r"' },
          "/i.xml": { body: index("/s.xml", "/t.xml"), etag: '"i"' },
          "/s.xml": { body: urlset("/a"), etag: '"s"' },
          "/t.xml": { body: urlset("/b", "/c"), etag: '"t2"' },
        },
        events: [
          "unchanged /robots.txt 0 not-modified",
          "unchanged /i.xml 0 not-modified",
          "unchanged /s.xml 1 not-modified",
          "added /c in /t.xml",
          "complete +1 =2",
        ],
        requests: [
          "/robots.txt 304 conditional",
          "/i.xml 304 conditional",
          "/s.xml 304 conditional",
          "/t.xml 200 conditional",
        ],
        notModified: 2,
        sitemaps: { "/robots.txt": "listing", "/i.xml": "listing", "/t.xml": "listing 2" },
      },
      {
        site: {
          "/robots.txt": { body: robots("/i.xml"), etag: '"r"' },
          "/i.xml": { body: index("/s.xml", "/t.xml"), etag: '"i"' },
          "/s.xml": NOT_FOUND,
          "/t.xml": { body: urlset("/b", "/c"), etag: '"t2"' },
        },
        events: [
          "unchanged /robots.txt 0 not-modified",
          "unchanged /i.xml 0 not-modified",
          "invalid http-status /s.xml",
          "unchanged /t.xml 2 not-modified",
          "partial =3",
        ],
        notModified: 2,
      },
    ],
    pages: ["/a in /s.xml", "/b in /t.xml", "/c in /t.xml"],
  },
  {
    name: "an index that changed, with children that did not",
    runs: [
      {
        site: {
          "/robots.txt": robots("/i.xml"),
          "/i.xml": { body: index("/s.xml"), etag: '"1"' },
          "/s.xml": { body: urlset("/a"), etag: '"s"' },
        },
        events: ONE_ADDED,
      },
      {
        site: {
          "/robots.txt": robots("/i.xml"),
          "/i.xml": { body: index("/t.xml", "/s.xml"), etag: '"2"' },
          "/s.xml": { body: urlset("/a"), etag: '"s"' },
          "/t.xml": urlset("/b"),
        },
        events: [
          "added /b in /t.xml",
          "unchanged /s.xml 1 not-modified",
          "complete +1 =1",
        ],
      },
      {
        site: {
          "/robots.txt": robots("/i.xml"),
          "/i.xml": { body: index("/t.xml", "/s.xml"), etag: '"2"' },
          "/s.xml": { body: urlset("/a"), etag: '"s"' },
          "/t.xml": urlset("/b"),
        },
        events: [
          "unchanged /i.xml 0 not-modified",
          "unchanged /t.xml 1 same-bytes",
          "unchanged /s.xml 1 not-modified",
          "complete =2",
        ],
      },
    ],
    pages: ["/a in /s.xml", "/b in /t.xml"],
  },
  {
    name: "validators that lie hide a change until a full run",
    isModelled: false,
    runs: [
      { site: one({ body: urlset("/a"), etag: '"1"' }), events: ONE_ADDED },
      {
        site: one({ body: urlset("/b"), etag: '"1"', validators: "lying" }),
        events: ["unchanged /s.xml 1 not-modified", "complete =1"],
      },
      {
        site: one({ body: urlset("/b"), etag: '"1"', validators: "lying" }),
        options: { full: true },
        events: ["added /b in /s.xml", "removed /a in /s.xml", "complete +1 -1"],
        requests: ["/robots.txt 200", "/s.xml 200"],
      },
    ],
    pages: ["/b in /s.xml"],
  },
  {
    name: "an ETag that stays the same does not hide a body that was sent",
    runs: [
      {
        site: one({ body: urlset("/a"), etag: '"1"', validators: "ignored" }),
        events: ONE_ADDED,
      },
      {
        site: one({ body: urlset("/a", "/b"), etag: '"1"', validators: "ignored" }),
        events: ["added /b in /s.xml", "complete +1 =1"],
      },
      {
        site: one({ body: urlset("/a", "/b"), etag: '"1"', validators: "ignored" }),
        except: /^unchanged/,
        events: ["complete =2"],
        notModified: 0,
        bytesSaved: 0,
      },
    ],
    pages: ["/a in /s.xml", "/b in /s.xml"],
  },
  {
    name: "validators of the same bytes are renewed",
    isModelled: false,
    runs: [
      { site: one({ body: urlset("/a"), etag: '"1"' }), events: ONE_ADDED },
      {
        site: one({ body: urlset("/a"), etag: '"2"' }),
        except: /^unchanged/,
        events: ["complete =1"],
        requests: ["/robots.txt 200", "/s.xml 200 conditional"],
      },
      {
        site: one({ body: urlset("/a"), etag: '"2"' }),
        events: ["unchanged /s.xml 1 not-modified", "complete =1"],
        requests: ["/robots.txt 200", "/s.xml 304 conditional"],
      },
    ],
    pages: ["/a in /s.xml"],
  },
  {
    name: "validators that a server no longer sends are not used again",
    runs: [
      { site: one({ body: urlset("/a"), etag: '"1"' }), events: ONE_ADDED },
      { site: one(urlset("/a", "/b")), events: ["added /b in /s.xml", "complete +1 =1"] },
      {
        site: one({ body: urlset("/a"), etag: '"1"' }),
        events: ["removed /b in /s.xml", "complete -1 =1"],
      },
    ],
    pages: ["/a in /s.xml"],
  },
  {
    name: "304 for a request without validators is a failure",
    runs: [
      { site: one(urlset("/a")), events: ONE_ADDED },
      {
        site: one({ status: 304 }),
        except: /^invalid/,
        events: ["partial =1"],
        sitemaps: { "/s.xml": "unknown 1" },
      },
    ],
    pages: ["/a in /s.xml"],
  },
  {
    name: "a full run reads everything and reports only differences",
    runs: [
      { site: one({ body: urlset("/a"), etag: '"1"' }), events: ONE_ADDED },
      {
        site: one({ body: urlset("/a"), etag: '"1"' }),
        options: { full: true },
        events: ["complete =1"],
        requests: ["/robots.txt 200", "/s.xml 200"],
        notModified: 0,
        bytesSaved: 0,
        sitemaps: { "/robots.txt": "listing", "/s.xml": "listing 1" },
      },
      {
        site: one({ body: urlset("/a"), etag: '"1"' }),
        events: ["unchanged /s.xml 1 not-modified", "complete =1"],
      },
    ],
    pages: ["/a in /s.xml"],
  },
  {
    name: "a sitemap that was gone is read again, whatever its validators",
    runs: [
      {
        site: declared({ "/s.xml": { body: urlset("/a"), etag: '"1"' }, "/t.xml": urlset("/b") }),
        events: ["added /a in /s.xml", "added /b in /t.xml", "complete +2"],
      },
      {
        site: declared({ "/s.xml": NOT_FOUND, "/t.xml": urlset("/b") }),
        except: /^unchanged/,
        events: ["invalid http-status /s.xml", "partial =2"],
      },
      {
        site: declared({ "/s.xml": NOT_FOUND, "/t.xml": urlset("/b") }),
        except: /^unchanged/,
        events: ["invalid http-status /s.xml", "removed /a in /s.xml", "partial -1 =1"],
      },
      {
        site: declared({ "/s.xml": { body: urlset("/a"), etag: '"1"' }, "/t.xml": urlset("/b") }),
        except: /^unchanged \/t/,
        events: ["added /a in /s.xml", "complete +1 =1"],
      },
    ],
    pages: ["/a in /s.xml", "/b in /t.xml"],
  },
  {
    name: "a sitemap that failed may be not modified afterwards",
    runs: [
      { site: one({ body: urlset("/a"), etag: '"1"' }), events: ONE_ADDED },
      {
        site: one(SERVER_ERROR),
        events: ["invalid http-status /s.xml", "blocked =1"],
        sitemaps: { "/s.xml": "unknown 1" },
      },
      {
        site: one({ body: urlset("/a"), etag: '"1"' }),
        events: ["unchanged /s.xml 1 not-modified", "complete =1"],
        sitemaps: { "/s.xml": "listing 1" },
      },
    ],
    pages: ["/a in /s.xml"],
  },
];

// ------------------------------------------------------------------------------------ same bytes

/** Over the limit of what is held in memory. */
const LARGE = `<urlset><!--${"-x".repeat(4.5 * 1024 * 1024)}-->`;

const BYTES: readonly Transition[] = [
  {
    name: "the same bytes without validators give no changes",
    loopback: true,
    runs: [
      { site: one(urlset("/a")), events: ONE_ADDED },
      {
        site: one(urlset("/a")),
        events: ["unchanged /s.xml 1 same-bytes", "complete =1"],
        requests: ["/robots.txt 200", "/s.xml 200"],
        notModified: 0,
        bytesSaved: 0,
        sitemaps: { "/s.xml": "listing 1" },
      },
    ],
    pages: ["/a in /s.xml"],
  },
  {
    name: "a sitemap larger than what is held in memory",
    runs: [
      { site: one(LARGE + urlset("/a").slice("<urlset>".length)), events: ONE_ADDED },
      {
        site: one(LARGE + urlset("/a").slice("<urlset>".length)),
        events: ["unchanged /s.xml 1 same-bytes", "complete =1"],
      },
      {
        site: one(LARGE + urlset("/a", "/b").slice("<urlset>".length)),
        events: ["added /b in /s.xml", "complete +1 =1"],
      },
    ],
    pages: ["/a in /s.xml", "/b in /s.xml"],
  },
  {
    name: "compressed sitemaps",
    loopback: true,
    runs: [
      {
        site: one({ body: urlset("/a"), gzip: true }),
        events: ONE_ADDED,
      },
      {
        site: one({ body: urlset("/a"), gzip: true }),
        events: ["unchanged /s.xml 1 same-bytes", "complete =1"],
      },
      {
        site: one({ body: urlset("/a", "/b"), gzip: true, etag: '"1"' }),
        events: ["added /b in /s.xml", "complete +1 =1"],
      },
      {
        site: one({ body: urlset("/a", "/b"), gzip: true, etag: '"1"' }),
        events: ["unchanged /s.xml 2 not-modified", "complete =2"],
      },
    ],
    pages: ["/a in /s.xml", "/b in /s.xml"],
  },
  {
    name: "compressed bytes are saved as they are transferred",
    runs: [
      { site: one({ body: urlset("/a"), gzip: true, etag: '"1"' }), events: ONE_ADDED },
      {
        site: one({ body: urlset("/a"), gzip: true, etag: '"1"' }),
        events: ["unchanged /s.xml 1 not-modified", "complete =1"],
        bytesSaved: gzipSync(urlset("/a")).length,
      },
    ],
    pages: ["/a in /s.xml"],
  },
  {
    name: "a compressed sitemap that is truncated keeps its pages",
    runs: [
      { site: one({ body: urlset("/a"), gzip: true }), events: ONE_ADDED },
      {
        site: one({ body: urlset("/a"), gzip: true, cut: 0.5 }),
        except: /^(?:invalid|warning)/,
        events: ["partial =1"],
      },
      {
        site: one({ body: urlset("/a"), gzip: true }),
        except: /^unchanged/,
        events: ["complete =1"],
      },
    ],
    pages: ["/a in /s.xml"],
  },
];

// ------------------------------------------------------------------------------------- redirects

const REDIRECTS: readonly Transition[] = [
  {
    name: "a redirect that changes its target keeps the identity of the sitemap",
    loopback: true,
    runs: [
      {
        site: {
          ...one({ redirect: "/v1.xml" }),
          "/v1.xml": { body: urlset("/a", "/b"), etag: '"1"' },
        },
        events: ["added /a in /s.xml", "added /b in /s.xml", "complete +2"],
      },
      {
        site: {
          ...one({ redirect: "/v2.xml" }),
          "/v1.xml": NOT_FOUND,
          "/v2.xml": { body: urlset("/b", "/c"), etag: '"2"' },
        },
        events: ["added /c in /s.xml", "removed /a in /s.xml", "complete +1 -1 =1"],
      },
      {
        site: one(urlset("/b", "/d")),
        events: ["added /d in /s.xml", "removed /c in /s.xml", "complete +1 -1 =1"],
      },
    ],
    pages: ["/b in /s.xml", "/d in /s.xml"],
  },
  {
    name: "the target of a redirect is not modified",
    runs: [
      {
        site: {
          ...one({ redirect: "/v1.xml" }),
          "/v1.xml": { body: urlset("/a"), etag: '"1"' },
        },
        events: ONE_ADDED,
      },
      {
        site: {
          ...one({ redirect: "/v1.xml" }),
          "/v1.xml": { body: urlset("/a"), etag: '"1"' },
        },
        events: ["unchanged /s.xml 1 not-modified", "complete =1"],
        notModified: 1,
      },
    ],
    pages: ["/a in /s.xml"],
  },
  {
    name: "the validators of one target are not used for another",
    runs: [
      {
        site: {
          ...one({ redirect: "/v1.xml" }),
          "/v1.xml": { body: urlset("/a"), etag: '"1"' },
        },
        events: ONE_ADDED,
      },
      {
        site: {
          ...one({ redirect: "/v2.xml" }),
          "/v2.xml": { body: urlset("/a", "/b"), etag: '"1"' },
        },
        events: ["added /b in /s.xml", "complete +1 =1"],
      },
    ],
    pages: ["/a in /s.xml", "/b in /s.xml"],
  },
  {
    name: "a redirect that leads nowhere is missing",
    runs: [
      { site: { ...one({ redirect: "/v1.xml" }), "/v1.xml": urlset("/a") }, events: ONE_ADDED },
      {
        site: one({ redirect: "/v1.xml" }),
        events: ["invalid http-status /s.xml", "partial =1"],
        sitemaps: { "/s.xml": "unknown 1" },
      },
      {
        site: one({ redirect: "/v1.xml" }),
        events: ["invalid http-status /s.xml", "removed /a in /s.xml", "partial -1"],
      },
    ],
    pages: [],
  },
];

// ----------------------------------------------------------------------------------- trustLastmod

const TRUST = { trustLastmod: true };

/** Returns a site with an index of these children. */
function indexed(children: readonly Child[], sitemaps: Site): Site {
  return { "/robots.txt": robots("/i.xml"), "/i.xml": index(...children), ...sitemaps };
}

/** Returns a run whose index gives /s.xml a date. */
function trusting(lastmod: string, ...pages: string[]): Omit<TransitionRun, "events"> {
  return {
    site: indexed([["/s.xml", lastmod]], { "/s.xml": urlset(...pages) }),
    options: TRUST,
    except: /^unchanged \/i/,
  };
}

const LASTMOD: readonly Transition[] = [
  {
    name: "with trustLastmod, a child with the same date is not requested",
    loopback: true,
    runs: [
      {
        site: indexed([["/s.xml", "2024-05-01"], "/t.xml"], {
          "/s.xml": urlset("/a"),
          "/t.xml": urlset("/b"),
        }),
        options: TRUST,
        events: ["added /a in /s.xml", "added /b in /t.xml", "complete +2"],
      },
      {
        site: indexed([["/s.xml", "2024-05-01"], "/t.xml"], {
          "/s.xml": urlset("/x"),
          "/t.xml": urlset("/b"),
        }),
        options: TRUST,
        events: [
          "unchanged /i.xml 0 same-bytes",
          "unchanged /s.xml 1 lastmod",
          "unchanged /t.xml 1 same-bytes",
          "complete =2",
        ],
        requests: ["/robots.txt 200", "/i.xml 200", "/t.xml 200"],
        notModified: 0,
        sitemaps: { "/s.xml": "listing 1" },
      },
      {
        site: indexed([["/s.xml", "2024-05-02"], "/t.xml"], {
          "/s.xml": urlset("/a", "/c"),
          "/t.xml": urlset("/b"),
        }),
        options: TRUST,
        events: ["added /c in /s.xml", "unchanged /t.xml 1 same-bytes", "complete +1 =2"],
        requests: ["/robots.txt 200", "/i.xml 200", "/s.xml 200", "/t.xml 200"],
      },
    ],
    pages: ["/a in /s.xml", "/b in /t.xml", "/c in /s.xml"],
  },
  {
    name: "with trustLastmod, the bytes of a child that is not requested are saved",
    runs: [
      {
        site: indexed([["/s.xml", "2024-05-01"]], { "/s.xml": urlset("/a") }),
        events: ONE_ADDED,
      },
      {
        site: indexed([["/s.xml", "2024-05-01"]], { "/s.xml": urlset("/a") }),
        options: TRUST,
        events: [
          "unchanged /i.xml 0 same-bytes",
          "unchanged /s.xml 1 lastmod",
          "complete =1",
        ],
        bytesSaved: ONE_LENGTH,
      },
    ],
    pages: ["/a in /s.xml"],
  },
  {
    name: "without trustLastmod, a child with the same date is requested",
    runs: [
      {
        site: indexed([["/s.xml", "2024-05-01"]], { "/s.xml": urlset("/a") }),
        events: ONE_ADDED,
      },
      {
        site: indexed([["/s.xml", "2024-05-01"]], { "/s.xml": urlset("/a", "/b") }),
        events: [
          "unchanged /i.xml 0 same-bytes",
          "added /b in /s.xml",
          "complete +1 =1",
        ],
      },
    ],
    pages: ["/a in /s.xml", "/b in /s.xml"],
  },
  {
    name: "with trustLastmod, an index that is not modified declares the dates that it had",
    runs: [
      {
        site: {
          ...indexed([["/s.xml", "2024-05-01"], "/t.xml"], {
            "/s.xml": urlset("/a"),
            "/t.xml": urlset("/b"),
          }),
          "/i.xml": { body: index(["/s.xml", "2024-05-01"], "/t.xml"), etag: '"1"' },
        },
        options: TRUST,
        events: ["added /a in /s.xml", "added /b in /t.xml", "complete +2"],
      },
      {
        site: {
          ...indexed([], { "/s.xml": urlset("/a"), "/t.xml": urlset("/b") }),
          "/i.xml": { body: index(["/s.xml", "2024-05-01"], "/t.xml"), etag: '"1"' },
        },
        options: TRUST,
        events: [
          "unchanged /i.xml 0 not-modified",
          "unchanged /s.xml 1 lastmod",
          "unchanged /t.xml 1 same-bytes",
          "complete =2",
        ],
        requests: ["/robots.txt 200", "/i.xml 304 conditional", "/t.xml 200"],
      },
    ],
    pages: ["/a in /s.xml", "/b in /t.xml"],
  },
  ...([
    ["unknown", SERVER_ERROR, ["invalid http-status /s.xml", "partial =2"]],
    ["was missing", NOT_FOUND, ["invalid http-status /s.xml", "partial =2"]],
    ["was truncated", { body: urlset("/a", "/c"), cut: 0.6 }, [
      "warning body-cut /s.xml",
      "partial =2",
    ]],
  ] as const).map(([what, reply, events]): Transition => ({
    name: `with trustLastmod, the date of a child that ${what} does not count`,
    runs: [
      {
        site: indexed([["/s.xml", "2024-05-01"]], { "/s.xml": urlset("/a", "/b") }),
        options: TRUST,
        events: ["added /a in /s.xml", "added /b in /s.xml", "complete +2"],
      },
      {
        site: indexed([["/s.xml", "2024-05-02"]], { "/s.xml": reply }),
        options: TRUST,
        events,
      },
      {
        site: indexed([["/s.xml", "2024-05-02"]], { "/s.xml": urlset("/a", "/c") }),
        options: TRUST,
        except: /^unchanged \/i/,
        events: ["added /c in /s.xml", "removed /b in /s.xml", "complete +1 -1 =1"],
      },
      {
        site: indexed([["/s.xml", "2024-05-02"]], { "/s.xml": SERVER_ERROR }),
        options: TRUST,
        except: /^unchanged \/i/,
        events: ["unchanged /s.xml 2 lastmod", "complete =2"],
      },
    ],
    pages: ["/a in /s.xml", "/c in /s.xml"],
  })),
  {
    name: "with trustLastmod, a child that was gone is read whatever its date",
    runs: [
      {
        site: indexed([["/s.xml", "2024-05-01"], "/t.xml"], {
          "/s.xml": urlset("/a"),
          "/t.xml": urlset("/b"),
        }),
        options: TRUST,
        events: ["added /a in /s.xml", "added /b in /t.xml", "complete +2"],
      },
      {
        site: indexed(["/t.xml"], { "/t.xml": urlset("/b") }),
        options: TRUST,
        except: /^unchanged/,
        events: ["complete =2"],
      },
      {
        site: indexed(["/t.xml"], { "/t.xml": urlset("/b") }),
        options: TRUST,
        except: /^unchanged/,
        events: ["removed /a in /s.xml", "complete -1 =1"],
      },
      {
        site: indexed([["/s.xml", "2024-05-01"], "/t.xml"], {
          "/s.xml": urlset("/a"),
          "/t.xml": urlset("/b"),
        }),
        options: TRUST,
        except: /^unchanged/,
        events: ["added /a in /s.xml", "complete +1 =1"],
      },
    ],
    pages: ["/a in /s.xml", "/b in /t.xml"],
  },
  {
    name: "with trustLastmod, a child whose date is removed is requested",
    runs: [
      {
        site: indexed([["/s.xml", "2024-05-01"]], { "/s.xml": urlset("/a") }),
        options: TRUST,
        events: ONE_ADDED,
      },
      ...[2, 3].map((run): TransitionRun => ({
        site: indexed(["/s.xml"], { "/s.xml": urlset(...["/a", "/b", "/c"].slice(0, run)) }),
        options: TRUST,
        except: /^unchanged \/i/,
        events: [`added ${["", "", "/b", "/c"][run]} in /s.xml`, `complete +1 =${run - 1}`],
      })),
    ],
    pages: ["/a in /s.xml", "/b in /s.xml", "/c in /s.xml"],
  },
  {
    name: "with trustLastmod, a day is trusted if it had ended everywhere before it was read",
    runs: [
      // the day has ended in UTC
      { ...trusting("2024-06-30", "/a"), events: ONE_ADDED },
      {
        ...trusting("2024-06-30", "/a", "/b"),
        events: ["added /b in /s.xml", "complete +1 =1"],
      },
      {
        ...trusting("2024-06-30", "/a", "/b", "/c"),
        after: 10 * HOUR,
        events: ["added /c in /s.xml", "complete +1 =2"],
      },
      // that was 12 hours after its end, this is later
      {
        ...trusting("2024-06-30", "/a", "/b", "/c", "/d"),
        after: 1,
        events: ["added /d in /s.xml", "complete +1 =3"],
      },
      {
        ...trusting("2024-06-30", "/x"),
        events: ["unchanged /s.xml 4 lastmod", "complete =4"],
      },
    ],
    pages: ["/a in /s.xml", "/b in /s.xml", "/c in /s.xml", "/d in /s.xml"],
  },
  {
    name: "with trustLastmod, a time is trusted if it was before it was read",
    runs: [
      { ...trusting("2024-07-01T00:00:01Z", "/a"), events: ONE_ADDED },
      {
        ...trusting("2024-07-01T00:00:01Z", "/a", "/b"),
        events: ["added /b in /s.xml", "complete +1 =1"],
      },
      {
        ...trusting("2024-07-01T00:00:01Z", "/x"),
        events: ["unchanged /s.xml 2 lastmod", "complete =2"],
      },
    ],
    pages: ["/a in /s.xml", "/b in /s.xml"],
  },
  {
    name: "with trustLastmod, the date of the same bytes is renewed",
    runs: [
      { ...trusting("2024-05-01", "/a"), events: ONE_ADDED },
      {
        ...trusting("2024-05-02", "/a"),
        events: ["unchanged /s.xml 1 same-bytes", "complete =1"],
      },
      { ...trusting("2024-05-02", "/x"), events: ["unchanged /s.xml 1 lastmod", "complete =1"] },
    ],
    pages: ["/a in /s.xml"],
  },
  {
    name: "a full run does not trust dates",
    runs: [
      {
        site: indexed([["/s.xml", "2024-05-01"]], { "/s.xml": urlset("/a") }),
        options: TRUST,
        events: ONE_ADDED,
      },
      {
        site: indexed([["/s.xml", "2024-05-01"]], { "/s.xml": urlset("/a", "/b") }),
        options: { ...TRUST, full: true },
        events: ["added /b in /s.xml", "complete +1 =1"],
      },
    ],
    pages: ["/a in /s.xml", "/b in /s.xml"],
  },
];

export const REQUEST_TRANSITIONS: readonly Transition[] = [
  ...VALIDATORS,
  ...BYTES,
  ...REDIRECTS,
  ...LASTMOD,
];
