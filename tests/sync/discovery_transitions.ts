/** Transitions of robots.txt, known paths and the homepage. @module */

import { FURTHER_PATHS, KNOWN_PATHS } from "../../src/walk/known_paths.ts";
import { at, declared, index, robots, type Site, urlset } from "./scripted_site.ts";
import { LOGIN, NOT_FOUND, SERVER_ERROR } from "./sitemap_transitions.ts";
import {
  each,
  notModelled,
  type TransitionRun,
  type Transitions,
  withOptions,
} from "./transition.ts";

const TWO: Site = declared({ "/s.xml": ["/a"], "/t.xml": ["/b"] });

const PROBING = { useKnownPaths: true };
const WWW = "https://www.site.test";

/** Returns a homepage that names these sitemaps. */
function home(...paths: string[]): Site[string] {
  const links = paths.map((path) => `<link rel="sitemap" href="${path}">`).join("");
  return { body: `<html><head>${links}</head></html>`, headers: { "content-type": "text/html" } };
}

/** Returns a site with the same response for robots.txt, the homepage and all known paths. */
function everywhere(reply: Site[string]): Site {
  const paths = ["robots.txt", "", ...KNOWN_PATHS, ...FURTHER_PATHS];
  return Object.fromEntries(paths.map((path) => [`/${path}`, reply]));
}

const GIVEN = { sitemaps: [at("/s.xml"), at("/t.xml")] };

const PROBED: Transitions = withOptions(PROBING, {
  ...notModelled({
    "a sitemap that only the homepage names is gone only by its own answer": [
      {
        site: { "/": home("/shop.xml"), "/shop.xml": ["/a", "/b"] },
        events: ["added /a in /shop.xml", "added /b in /shop.xml", "complete +2"],
      },
      {
        edit: { "/": home("/shop.xml", "/new.xml"), "/shop.xml": ["/a"], "/new.xml": ["/c"] },
        events: ["removed /b in /shop.xml", "added /c in /new.xml", "complete +1 -1 =1"],
      },
      // the homepage fails, or does not name them any more
      ...[SERVER_ERROR, NOT_FOUND, home()].map((reply): TransitionRun => ({
        edit: { "/": reply },
        unchanged: ["/shop.xml 1 same-bytes", "/new.xml 1 same-bytes"],
        except: /^warning/,
        sitemaps: { "/shop.xml": "listing 1", "/new.xml": "listing 1" },
      })),
      // nor is it requested
      {
        edit: declared({ "/s.xml": ["/d"] }),
        unchanged: ["/shop.xml 1 same-bytes", "/new.xml 1 same-bytes"],
        events: ["added /d in /s.xml", "complete +1 =2"],
      },
      ...[["partial =3"], ["removed /a in /shop.xml", "partial -1 =2"]].map((
        events,
      ): TransitionRun => ({
        edit: { "/shop.xml": NOT_FOUND },
        failed: ["/shop.xml"],
        unchanged: ["/s.xml 1 same-bytes", "/new.xml 1 same-bytes"],
        events,
      })),
    ],
    "a further known path is asked for again, even if there are other sitemaps by then": [
      { site: { "/sitemap1.xml": ["/a", "/b"] } },
      {
        edit: { "/sitemap1.xml": ["/a"], "/sitemap.xml": ["/c"] },
        events: ["removed /b in /sitemap1.xml", "added /c in /sitemap.xml", "complete +1 -1 =1"],
      },
    ],
    "a variant keeps its pages while the homepage fails": [
      {
        site: {
          "/": { redirect: `${WWW}/` },
          [`${WWW}/robots.txt`]: `Sitemap: ${WWW}/s.xml\n`,
          [`${WWW}/s.xml`]: ["/a", "/b"],
        },
        events: [`added /a in ${WWW}/s.xml`, `added /b in ${WWW}/s.xml`, "complete +2"],
      },
      ...[SERVER_ERROR, home(), { redirect: `${WWW}/` }].map((reply): TransitionRun => ({
        edit: { "/": reply },
        unchanged: [`${WWW}/robots.txt 0 same-bytes`, `${WWW}/s.xml 2 same-bytes`],
        except: /^warning/,
      })),
      {
        edit: { [`${WWW}/robots.txt`]: SERVER_ERROR, [`${WWW}/s.xml`]: ["/a"] },
        except: /^warning/,
        events: ["blocked =2"],
      },
    ],
    "a folder that the homepage redirects to keeps its pages while the homepage fails": [
      {
        site: { "/": { redirect: "/en/" }, "/en/": home(), "/en/sitemap.xml": ["/a", "/b"] },
        events: ["added /a in /en/sitemap.xml", "added /b in /en/sitemap.xml", "complete +2"],
      },
      ...[SERVER_ERROR, home(), { redirect: "/de/" }].map((reply): TransitionRun => ({
        edit: { "/": reply },
        unchanged: ["/en/sitemap.xml 2 same-bytes"],
        except: /^warning/,
      })),
      {
        edit: { "/en/sitemap.xml": ["/a"] },
        except: /^warning/,
        events: ["removed /b in /en/sitemap.xml", "complete -1 =1"],
      },
    ],
    "a site whose paths all redirect to a login page, or are all denied, keeps its pages": [
      { site: { "/robots.txt": robots("/s.xml"), "/s.xml": ["/a"], "/sitemap.xml": ["/b"] } },
      ...[{ redirect: "/login" }, { status: 403 }].map((reply): TransitionRun => ({
        times: 3,
        site: { ...everywhere(reply), "/s.xml": reply, "/login": home() },
        unchanged: [],
        failed: [],
        except: /^(?:warning|invalid)/,
        events: ["blocked =2"],
      })),
    ],
    "a known path that robots.txt declares by then is known after it is gone": [
      { site: { "/sitemap1.xml": ["/a"] } },
      {
        site: declared({ "/sitemap1.xml": NOT_FOUND, "/t.xml": ["/b"] }),
        events: ["added /b in /t.xml", "partial +1 =1"],
        sitemaps: { "/sitemap1.xml": "unknown 1" },
      },
      {
        events: ["removed /a in /sitemap1.xml", "partial -1 =1"],
        sitemaps: { "/sitemap1.xml": "gone" },
      },
    ],
  }),
  "a known path that answers 404 twice is gone": {
    loopback: true,
    runs: [
      { site: { "/sitemap.xml": ["/a"] } },
      { site: {}, events: ["none =1"], sitemaps: { "/sitemap.xml": "unknown 1" } },
      { events: ["removed /a in /sitemap.xml", "none -1"] },
      {
        site: { "/sitemap.xml": ["/a"] },
        unchanged: [],
        events: ["added /a in /sitemap.xml", "complete +1"],
      },
    ],
  },
  "a known path that fails keeps its pages": [
    { site: { "/sitemap.xml": ["/a"] } },
    {
      times: 3,
      site: { "/sitemap.xml": SERVER_ERROR },
      events: ["warning probe-failed /", "blocked =1"],
      sitemaps: { "/sitemap.xml": "unknown 1" },
    },
    {
      site: { "/sitemap.xml": LOGIN },
      events: ["none =1"],
      sitemaps: { "/sitemap.xml": "unknown 1" },
    },
    { site: { "/sitemap.xml": ["/a"] } },
  ],
  ...each(
    [["answers 404", NOT_FOUND], ["declares nothing", "User-agent: *\nDisallow:\n"]] as const,
    ([what, reply]) => ({
      [`robots.txt that ${what} and never had an entry hides nothing`]: [
        { site: { "/robots.txt": reply, "/sitemap.xml": ["/a", "/b"] } },
        {
          edit: { "/sitemap.xml": ["/b"] },
          events: ["removed /a in /sitemap.xml", "complete -1 =1"],
        },
        {
          edit: { "/robots.txt": "User-agent: *\n", "/sitemap.xml": ["/b", "/c"] },
          events: ["added /c in /sitemap.xml", "complete +1 =1"],
        },
        {
          site: { "/sitemap.xml": ["/c"] },
          events: ["removed /b in /sitemap.xml", "complete -1 =1"],
        },
      ],
    }),
  ),
  "robots.txt that fails may have entries": [
    {
      site: { "/robots.txt": SERVER_ERROR, "/sitemap.xml": ["/a", "/b", "/c"] },
      events: [
        "warning robots-unreadable /",
        "added /a in /sitemap.xml",
        "added /b in /sitemap.xml",
        "added /c in /sitemap.xml",
        "partial +3",
      ],
    },
    {
      edit: { "/sitemap.xml": ["/b", "/c"] },
      events: ["warning robots-unreadable /", "partial =2 ?1"],
    },
    {
      site: { "/sitemap.xml": ["/c"] },
      events: ["removed /a in /sitemap.xml", "removed /b in /sitemap.xml", "complete -2 =1"],
    },
  ],
  "a known path that was never read is not known": [
    { site: declared({ "/s.xml": ["/a", "/b"] }) },
    {
      edit: { "/s.xml": ["/b"], "/sitemap.xml": SERVER_ERROR },
      except: /^warning/,
      events: ["removed /a in /s.xml", "complete -1 =1"],
      sitemaps: { "/sitemap.xml": undefined },
    },
  ],
  "a known path that nothing declares is gone only by its own answer": [
    { site: declared({ "/sitemap.xml": ["/a"], "/t.xml": ["/b"] }) },
    {
      times: 2,
      edit: { "/robots.txt": robots("/t.xml"), "/sitemap.xml": SERVER_ERROR },
      except: /^warning/,
      sitemaps: { "/sitemap.xml": "unknown 1" },
    },
    { edit: { "/sitemap.xml": NOT_FOUND } },
    { events: ["removed /a in /sitemap.xml", "complete -1 =1"] },
  ],
  "a known path that is not modified": [
    { site: { "/sitemap.xml": { body: urlset("/a"), etag: '"1"' } } },
    { notModified: 1 },
  ],
  "a sitemap that robots.txt drops is found at its known path": [
    { site: declared({ "/sitemap.xml": ["/a"] }) },
    {
      times: 2,
      edit: { "/robots.txt": "User-agent: *\n" },
      sitemaps: { "/sitemap.xml": "listing 1" },
    },
    { edit: { "/robots.txt": robots("/sitemap.xml") } },
  ],
  "an index at a known path takes its children with it": [
    { site: { "/sitemap_index.xml": index("/s.xml"), "/s.xml": ["/a"] } },
    {
      edit: { "/sitemap_index.xml": NOT_FOUND },
      events: ["none =1"],
      sitemaps: { "/sitemap_index.xml": "unknown", "/s.xml": "unknown 1" },
    },
    {
      edit: { "/sitemap_index.xml": SERVER_ERROR },
      events: ["warning probe-failed /", "blocked =1"],
      sitemaps: { "/sitemap_index.xml": "unknown", "/s.xml": "unknown 1" },
    },
    {
      site: {},
      events: ["removed /a in /s.xml", "none -1"],
      sitemaps: { "/sitemap_index.xml": "gone", "/s.xml": undefined },
    },
  ],
});

export const DISCOVERY_TRANSITIONS: Transitions = {
  ...each(
    [
      ["answers 404", NOT_FOUND],
      ["answers 410", { status: 410 }],
      ["declares nothing", "User-agent: *\nDisallow:\n"],
    ] as const,
    ([what, reply]) => ({
      [`robots.txt that ${what} twice takes its sitemaps with it`]: {
        loopback: true,
        runs: [
          { site: TWO },
          {
            edit: { "/robots.txt": reply },
            events: ["none =2"],
            sitemaps: { "/s.xml": "unknown 1", "/t.xml": "unknown 1" },
          },
          {
            events: ["removed /a in /s.xml", "removed /b in /t.xml", "none -2"],
            sitemaps: { "/robots.txt": "gone", "/s.xml": undefined, "/t.xml": undefined },
          },
          { events: ["none"] },
          {
            site: TWO,
            unchanged: [],
            events: ["added /a in /s.xml", "added /b in /t.xml", "complete +2"],
          },
        ],
      },
    }),
  ),
  ...each(
    [
      ["answers 500", SERVER_ERROR],
      ["answers 403", { status: 403 }],
      ["has no connection", { fault: "refused" }],
    ] as const,
    ([what, reply]) => ({
      [`robots.txt that ${what} keeps its sitemaps, however often`]: [
        { site: TWO },
        {
          times: 3,
          edit: { "/robots.txt": reply },
          events: ["warning robots-unreadable /", "blocked =2"],
          sitemaps: { "/s.xml": "unknown 1", "/t.xml": "unknown 1" },
        },
        { site: TWO },
      ],
    }),
  ),
  "robots.txt that is a login page keeps its sitemaps, however often": [
    { site: TWO },
    { times: 3, edit: { "/robots.txt": LOGIN }, except: /^warning/, events: ["none =2"] },
  ],
  "robots.txt drops a sitemap": [
    { site: TWO },
    { edit: { "/robots.txt": robots("/t.xml") }, sitemaps: { "/s.xml": "unknown 1" } },
    { events: ["removed /a in /s.xml", "complete -1 =1"], sitemaps: { "/s.xml": undefined } },
  ],
  "robots.txt is gone once and comes back": [
    { site: TWO },
    { edit: { "/robots.txt": NOT_FOUND }, events: ["none =2"] },
    { site: TWO },
    { edit: { "/robots.txt": NOT_FOUND }, events: ["none =2"] },
    {
      edit: { "/robots.txt": SERVER_ERROR },
      events: ["warning robots-unreadable /", "blocked =2"],
    },
    {
      edit: { "/robots.txt": NOT_FOUND },
      events: ["removed /a in /s.xml", "removed /b in /t.xml", "none -2"],
    },
  ],
  "a known path that is not asked for keeps its pages": [
    { site: { ...declared({ "/s.xml": ["/b"] }), "/sitemap.xml": ["/a"] }, options: PROBING },
    { times: 2 },
  ],
  "a path of the caller beside given sitemaps is known after it is gone": {
    options: { sitemaps: [], useRobots: true, extraKnownPaths: ["w.xml"] },
    runs: [
      {
        site: { ...TWO, "/w.xml": ["/c"] },
        events: ["added /a in /s.xml", "added /b in /t.xml", "added /c in /w.xml", "complete +3"],
      },
      {
        edit: { "/w.xml": NOT_FOUND },
        unchanged: ["/s.xml 1 same-bytes", "/t.xml 1 same-bytes"],
        events: ["complete =3"],
        sitemaps: { "/w.xml": "unknown 1" },
      },
      {
        unchanged: ["/s.xml 1 same-bytes", "/t.xml 1 same-bytes"],
        events: ["removed /c in /w.xml", "complete -1 =2"],
        sitemaps: { "/w.xml": "gone" },
      },
    ],
  },
  "a given sitemap that answers 404 twice is gone": {
    options: GIVEN,
    runs: [
      { site: { "/s.xml": ["/a"], "/t.xml": ["/b"] } },
      { edit: { "/s.xml": NOT_FOUND }, events: ["partial =2"] },
      { events: ["removed /a in /s.xml", "partial -1 =1"] },
    ],
  },
  "a sitemap that is not given any more keeps its pages": [
    { site: { "/s.xml": ["/a"], "/t.xml": ["/b"] }, options: GIVEN },
    {
      times: 2,
      edit: { "/s.xml": NOT_FOUND },
      options: { sitemaps: [at("/t.xml")] },
      sitemaps: { "/s.xml": "unknown 1" },
    },
  ],
  "a homepage that redirects keeps the identity of the site": [
    { site: TWO },
    {
      times: 2,
      edit: {
        "/robots.txt": { redirect: `${WWW}/robots.txt` },
        [`${WWW}/robots.txt`]: robots("/s.xml", "/t.xml"),
      },
    },
  ],
  "a homepage that moves to another host has new pages, and loses the old ones later": [
    { site: declared({ "/s.xml": ["/a"] }) },
    {
      site: {
        "/robots.txt": { redirect: `${WWW}/robots.txt`, status: 301 },
        "/s.xml": { redirect: `${WWW}/s.xml`, status: 301 },
        [`${WWW}/robots.txt`]: robots(`${WWW}/s.xml`),
        [`${WWW}/s.xml`]: [`${WWW}/a`],
      },
      events: [`added ${WWW}/a in ${WWW}/s.xml`, "complete +1 =1"],
    },
    { events: ["removed /a in /s.xml", "complete -1 =1"] },
  ],
  ...PROBED,
};
