/** Transitions of runs that are limited, by the options of the caller or by the size of a loss. @module */

import { declared, index, robots, type Site, urlset } from "./scripted_site.ts";
import { NOT_FOUND, SERVER_ERROR } from "./sitemap_transitions.ts";
import type { Transition, TransitionRun } from "./transition.ts";

/** Returns paths of pages, numbered from 100. */
function paths(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `/p${100 + at}`);
}

function lines(prefix: string, paths: readonly string[], sitemap = "/s.xml"): string[] {
  return paths.map((path) => `${prefix}${path} in ${sitemap}`);
}

/** Returns a site with so many pages. */
function pages(count: number): Site {
  return declared({ "/s.xml": urlset(...paths(count)) });
}

/** Returns a run in which all pages are new. */
function filled(count: number): TransitionRun {
  return {
    site: pages(count),
    events: [...lines("added ", paths(count)), `complete +${count}`],
  };
}

const MASS = "warning mass-removal /";

/** Returns a history in which a site loses pages within the limit. */
function tolerated(from: number, to: number): Transition {
  return {
    name: `${from - to} of ${from} pages are removed at once`,
    runs: [filled(from), {
      site: pages(to),
      events: [...lines("removed ", paths(from).slice(to)), `complete -${from - to} =${to}`],
    }],
    pages: lines("", paths(to)),
  };
}

/** Returns a history in which a site loses too many pages. */
function refused(from: number, to: number): Transition {
  return {
    name: `${from - to} of ${from} pages are kept, until the caller allows their removal`,
    runs: [
      filled(from),
      { site: pages(to), events: [MASS, `partial =${to} ?${from - to}`] },
      {
        site: pages(to),
        events: [
          `unchanged /s.xml ${to} same-bytes`,
          MASS,
          `partial =${to} ?${from - to}`,
        ],
      },
      {
        site: pages(to),
        options: { allowMassRemoval: true },
        events: [
          `unchanged /s.xml ${to} same-bytes`,
          ...lines("removed ", paths(from).slice(to)),
          `complete -${from - to} =${to}`,
        ],
      },
    ],
    pages: lines("", paths(to)),
  };
}

const MASS_REMOVAL: readonly Transition[] = [
  tolerated(150, 50),
  tolerated(202, 101),
  refused(201, 100),
  refused(150, 10),
  {
    name: "an allowed mass removal happens at once",
    runs: [filled(150), {
      site: pages(1),
      options: { allowMassRemoval: true },
      events: [...lines("removed ", paths(150).slice(1)), "complete -149 =1"],
    }],
    pages: lines("", paths(1)),
  },
  {
    name: "pages that come back after a refused mass removal are unchanged",
    runs: [
      filled(150),
      { site: pages(10), events: [MASS, "partial =10 ?140"] },
      { site: pages(149), events: ["removed /p249 in /s.xml", "complete -1 =149"] },
      {
        site: pages(149),
        events: ["unchanged /s.xml 149 same-bytes", "complete =149"],
      },
    ],
    pages: lines("", paths(149)),
  },
  {
    name: "a page that comes back with another value after a refused mass removal is changed",
    runs: [
      filled(150),
      { site: pages(10), events: [MASS, "partial =10 ?140"] },
      {
        site: declared({
          "/s.xml": urlset(...paths(149), ["/p249", "<priority>0.1</priority>"]),
        }),
        events: ["changed /p249 in /s.xml: priority", "complete ~1 =149"],
      },
    ],
    pages: [...lines("", paths(149)), "/p249 in /s.xml priority=0.1"],
  },
  {
    name: "a page that comes back in another sitemap after a refused mass removal is unchanged",
    runs: [
      filled(150),
      { site: pages(10), events: [MASS, "partial =10 ?140"] },
      {
        site: declared({
          "/s.xml": urlset(...paths(10)),
          "/t.xml": urlset(...paths(150).slice(10)),
        }),
        events: ["unchanged /s.xml 10 same-bytes", "complete =150"],
      },
    ],
    pages: [...lines("", paths(10)), ...lines("", paths(150).slice(10), "/t.xml")],
  },
  {
    name: "after a refused mass removal, pages of a sitemap that fails are not removed",
    runs: [
      filled(150),
      { site: pages(10), events: [MASS, "partial =10 ?140"] },
      {
        site: declared({ "/s.xml": SERVER_ERROR, "/t.xml": urlset("/q") }),
        options: { allowMassRemoval: true },
        events: ["added /q in /t.xml", "invalid http-status /s.xml", "partial +1 ?150"],
      },
      {
        site: pages(150),
        except: /^unchanged/,
        events: ["complete =150 ?1"],
      },
    ],
    pages: [...lines("", paths(150)), "/q in /t.xml"],
  },
  {
    name: "a sitemap that is gone is a mass removal as well",
    runs: [
      filled(150),
      {
        site: declared({ "/s.xml": NOT_FOUND }),
        events: ["invalid http-status /s.xml", "partial ?150"],
      },
      ...[3, 4].map((): TransitionRun => ({
        site: declared({ "/s.xml": NOT_FOUND }),
        events: ["invalid http-status /s.xml", MASS, "partial ?150"],
      })),
      {
        site: pages(150),
        except: /^unchanged/,
        events: ["complete =150"],
      },
    ],
    pages: lines("", paths(150)),
  },
  {
    name: "the removal of a sitemap that is gone can be allowed",
    runs: [
      filled(150),
      {
        site: declared({ "/s.xml": NOT_FOUND }),
        options: { allowMassRemoval: true },
        events: ["invalid http-status /s.xml", "partial ?150"],
      },
      {
        site: declared({ "/s.xml": NOT_FOUND }),
        events: ["invalid http-status /s.xml", MASS, "partial ?150"],
      },
      {
        site: declared({ "/s.xml": NOT_FOUND }),
        options: { allowMassRemoval: true },
        events: [
          "invalid http-status /s.xml",
          ...lines("removed ", paths(150)),
          "partial -150",
        ],
      },
    ],
    pages: [],
  },
];

// --------------------------------------------------------------------------------- limits of runs

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

const LIMITS: readonly Transition[] = [
  {
    name: "maxPages in a run keeps the pages that it does not reach",
    runs: [
      TWO,
      {
        site: declared({ "/s.xml": urlset("/x", "/a", "/b", "/c"), "/t.xml": urlset("/d") }),
        options: { maxPages: 2 },
        events: ["added /x in /s.xml", "warning max-pages /", "partial +1 =1 ?3"],
        sitemaps: { "/s.xml": "truncated 4", "/t.xml": "failed 1" },
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
    runs: [
      TWO,
      ...[2, 3].map((): TransitionRun => ({
        site: { "/robots.txt": { fault: "silent" } },
        options: { deadline: 20 },
        events: ["warning deadline /", "partial ?4"],
        sitemaps: { "/s.xml": "failed 3", "/t.xml": "failed 1" },
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
        events: ["unchanged /s.xml 3 same-bytes", "warning max-sitemaps /", "partial =3 ?1"],
        sitemaps: { "/t.xml": "failed 1" },
      })),
    ],
    pages: ["/a in /s.xml", "/b in /s.xml", "/c in /s.xml", "/d in /t.xml"],
  },
  {
    name: "maxEntries in a run keeps the pages that it does not reach",
    runs: [
      TWO,
      {
        site: declared({ "/s.xml": urlset("/c", "/b", "/a"), "/t.xml": urlset("/d") }),
        options: { maxEntries: 2 },
        events: [
          "warning too-many-entries /s.xml",
          "unchanged /t.xml 1 same-bytes",
          "partial =3 ?1",
        ],
        sitemaps: { "/s.xml": "truncated 3" },
      },
    ],
    pages: ["/a in /s.xml", "/b in /s.xml", "/c in /s.xml", "/d in /t.xml"],
  },
  {
    name: "a sitemap that recurseCallback skips keeps its pages, however often",
    runs: [
      TWO,
      ...[2, 3, 4].map((): TransitionRun => ({
        site: declared({ "/s.xml": urlset("/a"), "/t.xml": urlset("/d") }),
        options: { recurseCallback: (url) => !url.endsWith("/s.xml") },
        events: ["unchanged /t.xml 1 same-bytes", "complete =1 ?3"],
        sitemaps: { "/s.xml": "failed 3" },
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
        events: ["unchanged /t.xml 1 same-bytes", "complete =1 ?1"],
        sitemaps: { "/i.xml": "failed", "/s.xml": "failed 1" },
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
        events: ["unchanged /t.xml 1 same-bytes", "complete =1 ?3"],
        sitemaps: { "/s.xml": "failed 3" },
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
        events: ["unchanged /t.xml 1 same-bytes", "complete =1 ?3"],
        sitemaps: { "/s.xml": "failed 3" },
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
          "partial =1 ?3",
        ],
        sitemaps: { "/s.xml": "failed 3" },
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
          "partial =1 ?1",
        ],
      })),
    ],
    pages: ["/a in https://cdn.test/s.xml", "/d in /t.xml"],
  },
];

export const LIMIT_TRANSITIONS: readonly Transition[] = [...MASS_REMOVAL, ...LIMITS];
