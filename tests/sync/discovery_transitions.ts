/** Transitions of robots.txt, known paths and the homepage. @module */

import { at, declared, index, robots, type Site, urlset } from "./scripted_site.ts";
import { LOGIN, NOT_FOUND, SERVER_ERROR } from "./sitemap_transitions.ts";
import type { Transition, TransitionRun } from "./transition.ts";

const TWO: TransitionRun = {
  site: declared({ "/s.xml": urlset("/a"), "/t.xml": urlset("/b") }),
  events: ["added /a in /s.xml", "added /b in /t.xml", "complete +2"],
};

const KEPT = ["/a in /s.xml", "/b in /t.xml"];

/** Returns {@linkcode TWO} with another robots.txt. */
function withRobots(reply: Site[string]): Site {
  return { ...TWO.site, "/robots.txt": reply };
}

const PROBING = { useKnownPaths: true };
const WWW = "https://www.site.test";

/** Returns a homepage that names these sitemaps. */
function home(...paths: string[]): Site[string] {
  const links = paths.map((path) => `<link rel="sitemap" href="${path}">`).join("");
  return { body: `<html><head>${links}</head></html>`, headers: { "content-type": "text/html" } };
}
const GIVEN = { sitemaps: [at("/s.xml"), at("/t.xml")] };

export const DISCOVERY_TRANSITIONS: readonly Transition[] = [
  ...([
    ["answers 404", NOT_FOUND],
    ["answers 410", { status: 410 }],
    ["declares nothing", "User-agent: *\nDisallow:\n"],
  ] as const).map(([what, reply]): Transition => ({
    name: `robots.txt that ${what} twice takes its sitemaps with it`,
    loopback: true,
    runs: [
      TWO,
      {
        site: withRobots(reply),
        events: ["none =2"],
        sitemaps: { "/s.xml": "unknown 1", "/t.xml": "unknown 1" },
      },
      {
        site: withRobots(reply),
        events: ["removed /a in /s.xml", "removed /b in /t.xml", "none -2"],
        sitemaps: { "/robots.txt": "gone", "/s.xml": undefined, "/t.xml": undefined },
      },
      { site: withRobots(reply), events: ["none"] },
      { site: TWO.site, events: TWO.events },
    ],
    pages: KEPT,
  })),
  ...([
    ["answers 500", SERVER_ERROR],
    ["answers 403", { status: 403 }],
    ["has no connection", { fault: "refused" }],
  ] as const).map(([what, reply]): Transition => ({
    name: `robots.txt that ${what} keeps its sitemaps, however often`,
    runs: [
      TWO,
      ...[2, 3, 4].map((): TransitionRun => ({
        site: withRobots(reply),
        events: ["warning robots-unreadable /", "blocked =2"],
        sitemaps: { "/s.xml": "unknown 1", "/t.xml": "unknown 1" },
      })),
      { site: TWO.site, except: /^unchanged/, events: ["complete =2"] },
    ],
    pages: KEPT,
  })),
  {
    name: "robots.txt that is a login page keeps its sitemaps, however often",
    runs: [
      TWO,
      ...[2, 3, 4].map((): TransitionRun => ({
        site: withRobots(LOGIN),
        except: /^(?:warning|unchanged)/,
        events: ["none =2"],
      })),
    ],
    pages: KEPT,
  },
  {
    name: "robots.txt drops a sitemap",
    runs: [
      TWO,
      {
        site: withRobots(robots("/t.xml")),
        events: ["unchanged /t.xml 1 same-bytes", "complete =2"],
        sitemaps: { "/s.xml": "unknown 1" },
      },
      {
        site: withRobots(robots("/t.xml")),
        events: ["unchanged /t.xml 1 same-bytes", "removed /a in /s.xml", "complete -1 =1"],
        sitemaps: { "/s.xml": undefined },
      },
    ],
    pages: ["/b in /t.xml"],
  },
  {
    name: "robots.txt is gone once and comes back",
    runs: [
      TWO,
      { site: withRobots(NOT_FOUND), events: ["none =2"] },
      { site: TWO.site, except: /^unchanged/, events: ["complete =2"] },
      { site: withRobots(NOT_FOUND), events: ["none =2"] },
      {
        site: withRobots(SERVER_ERROR),
        events: ["warning robots-unreadable /", "blocked =2"],
      },
      {
        site: withRobots(NOT_FOUND),
        events: ["removed /a in /s.xml", "removed /b in /t.xml", "none -2"],
      },
    ],
    pages: [],
  },
  {
    name: "a known path that answers 404 twice is gone",
    loopback: true,
    runs: [
      {
        site: { "/sitemap.xml": urlset("/a") },
        options: PROBING,
        events: ["added /a in /sitemap.xml", "complete +1"],
      },
      {
        site: {},
        options: PROBING,
        events: ["none =1"],
        sitemaps: { "/sitemap.xml": "unknown 1" },
      },
      { site: {}, options: PROBING, events: ["removed /a in /sitemap.xml", "none -1"] },
      {
        site: { "/sitemap.xml": urlset("/a") },
        options: PROBING,
        events: ["added /a in /sitemap.xml", "complete +1"],
      },
    ],
    pages: ["/a in /sitemap.xml"],
  },
  {
    name: "a known path that fails keeps its pages",
    runs: [
      {
        site: { "/sitemap.xml": urlset("/a") },
        options: PROBING,
        events: ["added /a in /sitemap.xml", "complete +1"],
      },
      ...[2, 3, 4].map((): TransitionRun => ({
        site: { "/sitemap.xml": SERVER_ERROR },
        options: PROBING,
        events: ["warning probe-failed /", "blocked =1"],
        sitemaps: { "/sitemap.xml": "unknown 1" },
      })),
      {
        site: { "/sitemap.xml": LOGIN },
        options: PROBING,
        events: ["none =1"],
        sitemaps: { "/sitemap.xml": "unknown 1" },
      },
      {
        site: { "/sitemap.xml": urlset("/a") },
        options: PROBING,
        events: ["unchanged /sitemap.xml 1 same-bytes", "complete =1"],
      },
    ],
    pages: ["/a in /sitemap.xml"],
  },
  ...([
    ["answers 404", NOT_FOUND],
    ["declares nothing", "User-agent: *\nDisallow:\n"],
  ] as const).map(([what, reply]): Transition => ({
    name: `robots.txt that ${what} and never had an entry hides nothing`,
    runs: [
      {
        site: { "/robots.txt": reply, "/sitemap.xml": urlset("/a", "/b") },
        options: PROBING,
        events: ["added /a in /sitemap.xml", "added /b in /sitemap.xml", "complete +2"],
      },
      {
        site: { "/robots.txt": reply, "/sitemap.xml": urlset("/b") },
        options: PROBING,
        events: ["removed /a in /sitemap.xml", "complete -1 =1"],
      },
      {
        site: { "/robots.txt": "User-agent: *\n", "/sitemap.xml": urlset("/b", "/c") },
        options: PROBING,
        events: ["added /c in /sitemap.xml", "complete +1 =1"],
      },
      {
        site: { "/sitemap.xml": urlset("/c") },
        options: PROBING,
        events: ["removed /b in /sitemap.xml", "complete -1 =1"],
      },
    ],
    pages: ["/c in /sitemap.xml"],
  })),
  {
    name: "a sitemap that only the homepage names is gone only by its own answer",
    runs: [
      {
        site: { "/": home("/shop.xml"), "/shop.xml": urlset("/a", "/b") },
        options: PROBING,
        events: ["added /a in /shop.xml", "added /b in /shop.xml", "complete +2"],
      },
      {
        site: {
          "/": home("/shop.xml", "/new.xml"),
          "/shop.xml": urlset("/a"),
          "/new.xml": urlset("/c"),
        },
        options: PROBING,
        events: ["removed /b in /shop.xml", "added /c in /new.xml", "complete +1 -1 =1"],
      },
      // the homepage fails, or does not name them any more
      ...[SERVER_ERROR, NOT_FOUND, home()].map((reply): TransitionRun => ({
        site: { "/": reply, "/shop.xml": urlset("/a"), "/new.xml": urlset("/c") },
        options: PROBING,
        except: /^(?:unchanged|warning)/,
        events: ["complete =2"],
        sitemaps: { "/shop.xml": "listing 1", "/new.xml": "listing 1" },
      })),
      // nor is it requested
      {
        site: {
          ...declared({ "/s.xml": urlset("/d") }),
          "/shop.xml": urlset("/a"),
          "/new.xml": urlset("/c"),
        },
        options: PROBING,
        except: /^unchanged/,
        events: ["added /d in /s.xml", "complete +1 =2"],
      },
      ...[["partial =3"], ["removed /a in /shop.xml", "partial -1 =2"]].map((
        events,
      ): TransitionRun => ({
        site: { ...declared({ "/s.xml": urlset("/d") }), "/new.xml": urlset("/c") },
        options: PROBING,
        except: /^(?:unchanged|invalid)/,
        events,
      })),
    ],
    pages: ["/c in /new.xml", "/d in /s.xml"],
    isModelled: false,
  },
  {
    name: "a further known path is asked for again, even if there are other sitemaps by then",
    runs: [
      {
        site: { "/sitemap1.xml": urlset("/a", "/b") },
        options: PROBING,
        events: ["added /a in /sitemap1.xml", "added /b in /sitemap1.xml", "complete +2"],
      },
      {
        site: { "/sitemap1.xml": urlset("/a"), "/sitemap.xml": urlset("/c") },
        options: PROBING,
        events: ["removed /b in /sitemap1.xml", "added /c in /sitemap.xml", "complete +1 -1 =1"],
      },
    ],
    pages: ["/a in /sitemap1.xml", "/c in /sitemap.xml"],
    isModelled: false,
  },
  {
    name: "a variant keeps its pages while the homepage fails",
    runs: [
      {
        site: {
          "/": { redirect: `${WWW}/` },
          [`${WWW}/robots.txt`]: `Sitemap: ${WWW}/s.xml\n`,
          [`${WWW}/s.xml`]: urlset("/a", "/b"),
        },
        options: PROBING,
        events: [`added /a in ${WWW}/s.xml`, `added /b in ${WWW}/s.xml`, "complete +2"],
      },
      ...[SERVER_ERROR, home(), { redirect: `${WWW}/` }].map((reply): TransitionRun => ({
        site: {
          "/": reply,
          [`${WWW}/robots.txt`]: `Sitemap: ${WWW}/s.xml\n`,
          [`${WWW}/s.xml`]: urlset("/a", "/b"),
        },
        options: PROBING,
        except: /^(?:unchanged|warning)/,
        events: ["complete =2"],
      })),
      {
        site: {
          "/": { redirect: `${WWW}/` },
          [`${WWW}/robots.txt`]: SERVER_ERROR,
          [`${WWW}/s.xml`]: urlset("/a"),
        },
        options: PROBING,
        except: /^(?:unchanged|warning)/,
        events: ["blocked =2"],
      },
    ],
    pages: [`/a in ${WWW}/s.xml`, `/b in ${WWW}/s.xml`],
    isModelled: false,
  },
  {
    name: "robots.txt that fails may have entries",
    runs: [
      {
        site: { "/robots.txt": SERVER_ERROR, "/sitemap.xml": urlset("/a", "/b", "/c") },
        options: PROBING,
        events: [
          "warning robots-unreadable /",
          "added /a in /sitemap.xml",
          "added /b in /sitemap.xml",
          "added /c in /sitemap.xml",
          "partial +3",
        ],
      },
      {
        site: { "/robots.txt": SERVER_ERROR, "/sitemap.xml": urlset("/b", "/c") },
        options: PROBING,
        events: ["warning robots-unreadable /", "partial =2 ?1"],
      },
      {
        site: { "/sitemap.xml": urlset("/c") },
        options: PROBING,
        events: [
          "removed /a in /sitemap.xml",
          "removed /b in /sitemap.xml",
          "complete -2 =1",
        ],
      },
    ],
    pages: ["/c in /sitemap.xml"],
  },
  {
    name: "a known path that was never read is not known",
    runs: [
      {
        site: declared({ "/s.xml": urlset("/a", "/b") }),
        options: PROBING,
        events: ["added /a in /s.xml", "added /b in /s.xml", "complete +2"],
      },
      {
        site: { ...declared({ "/s.xml": urlset("/b") }), "/sitemap.xml": SERVER_ERROR },
        options: PROBING,
        except: /^warning/,
        events: ["removed /a in /s.xml", "complete -1 =1"],
        sitemaps: { "/sitemap.xml": undefined },
      },
    ],
    pages: ["/b in /s.xml"],
  },
  {
    name: "a known path that nothing declares is gone only by its own answer",
    runs: [
      {
        site: declared({ "/sitemap.xml": urlset("/a"), "/t.xml": urlset("/b") }),
        options: PROBING,
        events: ["added /a in /sitemap.xml", "added /b in /t.xml", "complete +2"],
      },
      ...[2, 3].map((): TransitionRun => ({
        site: { ...declared({ "/t.xml": urlset("/b") }), "/sitemap.xml": SERVER_ERROR },
        options: PROBING,
        except: /^(?:unchanged|warning)/,
        events: ["complete =2"],
        sitemaps: { "/sitemap.xml": "unknown 1" },
      })),
      ...[["complete =2"], ["removed /a in /sitemap.xml", "complete -1 =1"]].map((
        events,
      ): TransitionRun => ({
        site: declared({ "/t.xml": urlset("/b") }),
        options: PROBING,
        except: /^unchanged/,
        events,
      })),
    ],
    pages: ["/b in /t.xml"],
  },
  {
    name: "a known path that is not modified",
    runs: [
      {
        site: { "/sitemap.xml": { body: urlset("/a"), etag: '"1"' } },
        options: PROBING,
        events: ["added /a in /sitemap.xml", "complete +1"],
      },
      {
        site: { "/sitemap.xml": { body: urlset("/a"), etag: '"1"' } },
        options: PROBING,
        events: ["unchanged /sitemap.xml 1 not-modified", "complete =1"],
        notModified: 1,
      },
    ],
    pages: ["/a in /sitemap.xml"],
  },
  {
    name: "a sitemap that robots.txt drops is found at its known path",
    runs: [
      {
        site: declared({ "/sitemap.xml": urlset("/a") }),
        options: PROBING,
        events: ["added /a in /sitemap.xml", "complete +1"],
      },
      ...[2, 3].map((): TransitionRun => ({
        site: { "/robots.txt": "User-agent: *\n", "/sitemap.xml": urlset("/a") },
        options: PROBING,
        events: ["unchanged /sitemap.xml 1 same-bytes", "complete =1"],
        sitemaps: { "/sitemap.xml": "listing 1" },
      })),
      {
        site: declared({ "/sitemap.xml": urlset("/a") }),
        options: PROBING,
        events: ["unchanged /sitemap.xml 1 same-bytes", "complete =1"],
      },
    ],
    pages: ["/a in /sitemap.xml"],
  },
  {
    name: "a known path that is not asked for keeps its pages",
    runs: [
      {
        site: { ...declared({ "/s.xml": urlset("/b") }), "/sitemap.xml": urlset("/a") },
        options: PROBING,
        events: ["added /b in /s.xml", "added /a in /sitemap.xml", "complete +2"],
      },
      ...[2, 3].map((): TransitionRun => ({
        site: { ...declared({ "/s.xml": urlset("/b") }), "/sitemap.xml": urlset("/a") },
        events: ["unchanged /s.xml 1 same-bytes", "complete =2"],
      })),
    ],
    pages: ["/a in /sitemap.xml", "/b in /s.xml"],
  },
  {
    name: "an index at a known path takes its children with it",
    runs: [
      {
        site: { "/sitemap_index.xml": index("/s.xml"), "/s.xml": urlset("/a") },
        options: PROBING,
        events: ["added /a in /s.xml", "complete +1"],
      },
      {
        site: { "/s.xml": urlset("/a") },
        options: PROBING,
        events: ["none =1"],
        sitemaps: { "/sitemap_index.xml": "unknown", "/s.xml": "unknown 1" },
      },
      {
        site: { "/sitemap_index.xml": SERVER_ERROR, "/s.xml": urlset("/a") },
        options: PROBING,
        events: ["warning probe-failed /", "blocked =1"],
        sitemaps: { "/sitemap_index.xml": "unknown", "/s.xml": "unknown 1" },
      },
      {
        site: {},
        options: PROBING,
        events: ["removed /a in /s.xml", "none -1"],
        sitemaps: { "/sitemap_index.xml": "gone", "/s.xml": undefined },
      },
    ],
    pages: [],
  },
  {
    name: "a given sitemap that answers 404 twice is gone",
    runs: [
      {
        site: { "/s.xml": urlset("/a"), "/t.xml": urlset("/b") },
        options: GIVEN,
        events: ["added /a in /s.xml", "added /b in /t.xml", "complete +2"],
      },
      {
        site: { "/t.xml": urlset("/b") },
        options: GIVEN,
        events: [
          "invalid http-status /s.xml",
          "unchanged /t.xml 1 same-bytes",
          "partial =2",
        ],
      },
      {
        site: { "/t.xml": urlset("/b") },
        options: GIVEN,
        events: [
          "invalid http-status /s.xml",
          "unchanged /t.xml 1 same-bytes",
          "removed /a in /s.xml",
          "partial -1 =1",
        ],
      },
    ],
    pages: ["/b in /t.xml"],
  },
  {
    name: "a sitemap that is not given any more keeps its pages",
    runs: [
      {
        site: { "/s.xml": urlset("/a"), "/t.xml": urlset("/b") },
        options: GIVEN,
        events: ["added /a in /s.xml", "added /b in /t.xml", "complete +2"],
      },
      ...[2, 3].map((): TransitionRun => ({
        site: { "/t.xml": urlset("/b") },
        options: { sitemaps: [at("/t.xml")] },
        events: ["unchanged /t.xml 1 same-bytes", "complete =2"],
        sitemaps: { "/s.xml": "unknown 1" },
      })),
    ],
    pages: KEPT,
  },
  {
    name: "a homepage that redirects keeps the identity of the site",
    runs: [
      TWO,
      ...[2, 3].map((): TransitionRun => ({
        site: {
          ...TWO.site,
          "/robots.txt": { redirect: "https://www.site.test/robots.txt" },
          "https://www.site.test/robots.txt": robots("/s.xml", "/t.xml"),
        },
        except: /^unchanged \/robots/,
        events: [
          "unchanged /s.xml 1 same-bytes",
          "unchanged /t.xml 1 same-bytes",
          "complete =2",
        ],
      })),
    ],
    pages: KEPT,
  },
  {
    name: "a homepage that moves to another host has new pages, and loses the old ones later",
    runs: [
      { site: declared({ "/s.xml": urlset("/a") }), events: ["added /a in /s.xml", "complete +1"] },
      ...[
        ["added https://www.site.test/a in https://www.site.test/s.xml", "complete +1 =1"],
        [
          "unchanged https://www.site.test/s.xml 1 same-bytes",
          "removed /a in /s.xml",
          "complete -1 =1",
        ],
      ].map((events): TransitionRun => ({
        site: {
          "/robots.txt": { redirect: "https://www.site.test/robots.txt", status: 301 },
          "/s.xml": { redirect: "https://www.site.test/s.xml", status: 301 },
          "https://www.site.test/robots.txt": robots("https://www.site.test/s.xml"),
          "https://www.site.test/s.xml": urlset("https://www.site.test/a"),
        },
        except: /^unchanged \/robots/,
        events,
      })),
    ],
    pages: ["https://www.site.test/a in https://www.site.test/s.xml"],
  },
];
