/** Transitions of indexes and of the sitemaps that they list. @module */

import { declared, index, type Reply, robots, urlset } from "./scripted_site.ts";
import { LOGIN, NOT_FOUND, SERVER_ERROR } from "./sitemap_transitions.ts";
import type { Transition, TransitionRun } from "./transition.ts";

/** Returns a site with an index of these children. */
function indexed(children: string | Reply) {
  return {
    "/robots.txt": robots("/i.xml", "/u.xml"),
    "/i.xml": children,
    "/s.xml": urlset("/a"),
    "/t.xml": urlset("/b"),
    "/u.xml": urlset("/c"),
  };
}

const INDEXED: TransitionRun = {
  site: indexed(index("/s.xml", "/t.xml")),
  events: ["added /a in /s.xml", "added /b in /t.xml", "added /c in /u.xml", "complete +3"],
};

export const INDEX_TRANSITIONS: readonly Transition[] = [
  {
    name: "a sitemap is gone from its index in two runs",
    loopback: true,
    runs: [
      INDEXED,
      {
        site: indexed(index("/t.xml")),
        except: /^unchanged/,
        events: ["complete =3"],
        requests: ["/robots.txt 200", "/i.xml 200", "/t.xml 200", "/u.xml 200"],
        sitemaps: { "/s.xml": "unknown 1", "/t.xml": "listing 1" },
      },
      {
        site: indexed(index("/t.xml")),
        except: /^unchanged/,
        events: ["removed /a in /s.xml", "complete -1 =2"],
        sitemaps: { "/s.xml": undefined, "/i.xml": "listing" },
      },
      { site: indexed(index("/t.xml")), except: /^unchanged/, events: ["complete =2"] },
      {
        site: indexed(index("/t.xml", "/s.xml")),
        except: /^unchanged/,
        events: ["added /a in /s.xml", "complete +1 =2"],
        sitemaps: { "/s.xml": "listing 1" },
      },
    ],
    pages: ["/a in /s.xml", "/b in /t.xml", "/c in /u.xml"],
  },
  {
    name: "a sitemap is gone from its index, back, and gone again",
    runs: [
      INDEXED,
      { site: indexed(index("/t.xml")), except: /^unchanged/, events: ["complete =3"] },
      { site: INDEXED.site, except: /^unchanged/, events: ["complete =3"] },
      { site: indexed(index("/t.xml")), except: /^unchanged/, events: ["complete =3"] },
    ],
    pages: ["/a in /s.xml", "/b in /t.xml", "/c in /u.xml"],
  },
  {
    name: "an index without children loses them in the second run",
    runs: [
      INDEXED,
      { site: indexed(index()), except: /^unchanged/, events: ["complete =3"] },
      {
        site: indexed(index()),
        except: /^unchanged/,
        events: ["removed /a in /s.xml", "removed /b in /t.xml", "complete -2 =1"],
      },
    ],
    pages: ["/c in /u.xml"],
  },
  {
    name: "an index that answers 404 twice takes its children with it",
    runs: [
      INDEXED,
      {
        site: indexed(NOT_FOUND),
        except: /^unchanged/,
        events: ["invalid http-status /i.xml", "partial =3"],
        requests: ["/robots.txt 200", "/i.xml 404", "/u.xml 200"],
        sitemaps: { "/i.xml": "unknown", "/s.xml": "unknown 1", "/t.xml": "unknown 1" },
      },
      {
        site: indexed(NOT_FOUND),
        except: /^unchanged/,
        events: [
          "invalid http-status /i.xml",
          "removed /a in /s.xml",
          "removed /b in /t.xml",
          "partial -2 =1",
        ],
        sitemaps: { "/i.xml": "gone", "/s.xml": undefined, "/t.xml": undefined },
      },
      {
        site: INDEXED.site,
        except: /^unchanged/,
        events: ["added /a in /s.xml", "added /b in /t.xml", "complete +2 =1"],
      },
    ],
    pages: ["/a in /s.xml", "/b in /t.xml", "/c in /u.xml"],
  },
  {
    name: "an index that answers 404 and comes back keeps its children",
    runs: [
      INDEXED,
      {
        site: indexed(NOT_FOUND),
        except: /^unchanged/,
        events: ["invalid http-status /i.xml", "partial =3"],
      },
      { site: INDEXED.site, except: /^unchanged/, events: ["complete =3"] },
      {
        site: indexed(NOT_FOUND),
        except: /^unchanged/,
        events: ["invalid http-status /i.xml", "partial =3"],
      },
    ],
    pages: ["/a in /s.xml", "/b in /t.xml", "/c in /u.xml"],
  },
  ...([
    ["answers 500", SERVER_ERROR, "http-status"],
    ["is a login page", LOGIN, "not-a-sitemap"],
  ] as const).map(([what, reply, code]): Transition => ({
    name: `an index that ${what} keeps its children, however often`,
    runs: [
      INDEXED,
      ...[2, 3, 4].map((): TransitionRun => ({
        site: indexed(reply),
        except: /^unchanged/,
        events: [`invalid ${code} /i.xml`, "partial =3"],
        sitemaps: { "/i.xml": "unknown", "/s.xml": "unknown 1", "/t.xml": "unknown 1" },
      })),
      { site: INDEXED.site, except: /^unchanged/, events: ["complete =3"] },
    ],
    pages: ["/a in /s.xml", "/b in /t.xml", "/c in /u.xml"],
  })),
  {
    name: "a failure between two runs without an index changes nothing",
    runs: [
      INDEXED,
      ...[NOT_FOUND, SERVER_ERROR].map((reply): TransitionRun => ({
        site: indexed(reply),
        except: /^unchanged/,
        events: ["invalid http-status /i.xml", "partial =3"],
        sitemaps: { "/i.xml": "unknown", "/s.xml": "unknown 1", "/t.xml": "unknown 1" },
      })),
      {
        site: indexed(NOT_FOUND),
        except: /^unchanged/,
        events: [
          "invalid http-status /i.xml",
          "removed /a in /s.xml",
          "removed /b in /t.xml",
          "partial -2 =1",
        ],
        sitemaps: { "/i.xml": "gone", "/s.xml": undefined, "/t.xml": undefined },
      },
    ],
    pages: ["/c in /u.xml"],
  },
  {
    name: "a child that failed before its index was gone is removed after two runs without it",
    runs: [
      INDEXED,
      {
        site: indexed(NOT_FOUND),
        except: /^unchanged/,
        events: ["invalid http-status /i.xml", "partial =3"],
      },
      {
        site: { ...INDEXED.site, "/s.xml": SERVER_ERROR },
        except: /^unchanged/,
        events: ["invalid http-status /s.xml", "partial =3"],
      },
      {
        site: indexed(NOT_FOUND),
        except: /^unchanged/,
        events: ["invalid http-status /i.xml", "partial =3"],
      },
      {
        site: indexed(NOT_FOUND),
        except: /^unchanged/,
        events: [
          "invalid http-status /i.xml",
          "removed /a in /s.xml",
          "removed /b in /t.xml",
          "partial -2 =1",
        ],
      },
    ],
    pages: ["/c in /u.xml"],
  },
  {
    name: "indexes below an index that is gone are gone with everything below them",
    runs: [
      {
        site: {
          "/robots.txt": robots("/i.xml", "/u.xml"),
          "/i.xml": index("/j.xml"),
          "/j.xml": index("/s.xml"),
          "/s.xml": urlset("/a"),
          "/u.xml": urlset("/c"),
        },
        events: ["added /a in /s.xml", "added /c in /u.xml", "complete +2"],
      },
      {
        site: declared({ "/u.xml": urlset("/c") }),
        events: ["unchanged /u.xml 1 same-bytes", "complete =2"],
        sitemaps: { "/i.xml": "unknown", "/j.xml": "unknown", "/s.xml": "unknown 1" },
      },
      {
        site: declared({ "/u.xml": urlset("/c") }),
        events: ["unchanged /u.xml 1 same-bytes", "removed /a in /s.xml", "complete -1 =1"],
        sitemaps: { "/i.xml": undefined, "/j.xml": undefined, "/s.xml": undefined },
      },
    ],
    pages: ["/c in /u.xml"],
  },
  {
    name: "an index that lists itself is missing with everything below it",
    runs: [
      {
        site: {
          "/robots.txt": robots("/i.xml", "/u.xml"),
          "/i.xml": index("/i.xml", "/s.xml"),
          "/s.xml": urlset("/a"),
          "/u.xml": urlset("/c"),
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
        site: declared({ "/u.xml": urlset("/c") }),
        events: ["unchanged /u.xml 1 same-bytes", "complete =2"],
        sitemaps: { "/i.xml": "unknown", "/s.xml": "unknown 1" },
      },
      {
        site: declared({ "/u.xml": urlset("/c") }),
        events: ["unchanged /u.xml 1 same-bytes", "removed /a in /s.xml", "complete -1 =1"],
        sitemaps: { "/i.xml": undefined, "/s.xml": undefined },
      },
    ],
    pages: ["/c in /u.xml"],
  },
  {
    name: "a truncated index that lists itself keeps its children",
    runs: [
      INDEXED,
      ...[2, 3].map((): TransitionRun => ({
        site: indexed({ body: index("/i.xml", "/s.xml", "/t.xml"), cut: 0.4 }),
        except: /^unchanged/,
        events: ["warning body-cut /i.xml", "invalid recursion /i.xml", "partial =3"],
        sitemaps: { "/i.xml": "unknown", "/s.xml": "unknown 1", "/t.xml": "unknown 1" },
      })),
    ],
    pages: ["/a in /s.xml", "/b in /t.xml", "/c in /u.xml"],
  },
  {
    name: "a sitemap that two indexes list is missing once neither does",
    runs: [
      {
        site: {
          "/robots.txt": robots("/i.xml", "/j.xml"),
          "/i.xml": index("/s.xml"),
          "/j.xml": index("/s.xml", "/t.xml"),
          "/s.xml": urlset("/a"),
          "/t.xml": urlset("/b"),
        },
        except: /^unchanged/,
        events: ["added /a in /s.xml", "added /b in /t.xml", "complete +2"],
      },
      {
        site: {
          "/robots.txt": robots("/i.xml", "/j.xml"),
          "/i.xml": NOT_FOUND,
          "/j.xml": index("/s.xml", "/t.xml"),
          "/s.xml": urlset("/a"),
          "/t.xml": urlset("/b"),
        },
        except: /^unchanged/,
        events: ["invalid http-status /i.xml", "partial =2"],
      },
      ...[SERVER_ERROR, SERVER_ERROR].map((reply): TransitionRun => ({
        site: {
          "/robots.txt": robots("/i.xml", "/j.xml"),
          "/i.xml": reply,
          "/j.xml": index("/t.xml"),
          "/t.xml": urlset("/b"),
        },
        except: /^unchanged/,
        events: ["invalid http-status /i.xml", "partial =2"],
        sitemaps: { "/s.xml": "unknown 1" },
      })),
      {
        site: {
          "/robots.txt": robots("/i.xml", "/j.xml"),
          "/i.xml": index("/t.xml"),
          "/j.xml": index("/t.xml"),
          "/t.xml": urlset("/b"),
        },
        except: /^unchanged/,
        events: ["complete =2"],
        sitemaps: { "/s.xml": "unknown 1" },
      },
      {
        site: {
          "/robots.txt": robots("/i.xml", "/j.xml"),
          "/i.xml": index("/t.xml"),
          "/j.xml": index("/t.xml"),
          "/t.xml": urlset("/b"),
        },
        except: /^unchanged/,
        events: ["removed /a in /s.xml", "complete -1 =1"],
      },
    ],
    pages: ["/b in /t.xml"],
  },
  {
    name: "a sitemap moves from one index to another",
    runs: [
      {
        site: {
          "/robots.txt": robots("/i.xml", "/j.xml"),
          "/i.xml": index("/s.xml"),
          "/j.xml": index("/t.xml"),
          "/s.xml": urlset("/a"),
          "/t.xml": urlset("/b"),
        },
        events: ["added /a in /s.xml", "added /b in /t.xml", "complete +2"],
      },
      {
        site: {
          "/robots.txt": robots("/j.xml"),
          "/j.xml": index("/t.xml", "/s.xml"),
          "/s.xml": urlset("/a"),
          "/t.xml": urlset("/b"),
        },
        events: [
          "unchanged /t.xml 1 same-bytes",
          "unchanged /s.xml 1 same-bytes",
          "complete =2",
        ],
        sitemaps: { "/i.xml": "unknown", "/s.xml": "listing 1" },
      },
    ],
    pages: ["/a in /s.xml", "/b in /t.xml"],
  },
  {
    name: "a sitemap becomes an index",
    runs: [
      {
        site: declared({ "/s.xml": urlset("/a", "/b") }),
        events: ["added /a in /s.xml", "added /b in /s.xml", "complete +2"],
      },
      {
        site: {
          "/robots.txt": robots("/s.xml"),
          "/s.xml": index("/t.xml"),
          "/t.xml": urlset("/a", "/c"),
        },
        events: ["added /c in /t.xml", "removed /b in /s.xml", "complete +1 -1 =1"],
        sitemaps: { "/s.xml": "listing", "/t.xml": "listing 2" },
      },
    ],
    pages: ["/a in /t.xml", "/c in /t.xml"],
  },
  {
    name: "an index becomes a sitemap",
    runs: [
      {
        site: {
          "/robots.txt": robots("/s.xml"),
          "/s.xml": index("/t.xml"),
          "/t.xml": urlset("/a", "/b"),
        },
        events: ["added /a in /t.xml", "added /b in /t.xml", "complete +2"],
      },
      {
        site: declared({ "/s.xml": urlset("/a", "/c") }),
        events: ["added /c in /s.xml", "complete +1 =2"],
        sitemaps: { "/t.xml": "unknown 2" },
      },
      {
        site: declared({ "/s.xml": urlset("/a", "/c") }),
        events: ["unchanged /s.xml 2 same-bytes", "removed /b in /t.xml", "complete -1 =2"],
      },
    ],
    pages: ["/a in /s.xml", "/c in /s.xml"],
  },
];
