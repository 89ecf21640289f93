/** Transitions during which the clock jumps. Every waiting period is measured from then. @module */

import { DAY, HOUR } from "../../src/data/calendar.ts";
import { declared, index, robots, type Site, urlset } from "./scripted_site.ts";
import { NOT_FOUND, SERVER_ERROR } from "./sitemap_transitions.ts";
import type { Transition, TransitionRun } from "./transition.ts";

const YEAR = 365 * DAY;

/** A waiting period: what begins it, what it keeps, and what its end removes. */
interface Wait {
  readonly name: string;
  readonly length: number;
  readonly first: TransitionRun;
  /** Run in which the waiting period begins, or goes on. */
  readonly waiting: TransitionRun;
  readonly ended: TransitionRun;
  readonly pages: readonly string[];
}

const ONE_AND_TWO: TransitionRun = {
  site: declared({ "/a.xml": urlset("/1", "/2"), "/b.xml": urlset("/3") }),
  events: ["added /1 in /a.xml", "added /2 in /a.xml", "added /3 in /b.xml", "complete +3"],
};

/** Returns a run on a site, without events that do not matter. */
function run(site: Site, ...events: string[]): TransitionRun {
  return { site, except: /^(?:unchanged|invalid)/, events };
}

const GONE = declared({ "/a.xml": NOT_FOUND, "/b.xml": urlset("/3") });
const DROPPED = declared({ "/a.xml": urlset("/1"), "/b.xml": SERVER_ERROR });
const WITH_NEW = declared({
  "/a.xml": urlset("/1"),
  "/b.xml": urlset("/3"),
  "/c.xml": SERVER_ERROR,
});
const MANY = Array.from({ length: 150 }, (_, at) => `/p${100 + at}`);
const FEW = declared({ "/a.xml": urlset("/1") });

const WAITS: readonly Wait[] = [
  {
    name: "a sitemap that is gone",
    length: HOUR,
    first: ONE_AND_TWO,
    waiting: run(GONE, "partial =3"),
    ended: run(GONE, "removed /1 in /a.xml", "removed /2 in /a.xml", "partial -2 =1"),
    pages: ["/3 in /b.xml"],
  },
  {
    name: "a sitemap that nothing leads to",
    length: HOUR,
    first: ONE_AND_TWO,
    waiting: run(declared({ "/b.xml": urlset("/3") }), "complete =3"),
    ended: run(
      declared({ "/b.xml": urlset("/3") }),
      "removed /1 in /a.xml",
      "removed /2 in /a.xml",
      "complete -2 =1",
    ),
    pages: ["/3 in /b.xml"],
  },
  {
    name: "a dropped page",
    length: HOUR,
    first: ONE_AND_TWO,
    waiting: run(DROPPED, "partial =2 ?1"),
    ended: run(DROPPED, "removed /2 in /a.xml", "partial -1 =2"),
    pages: ["/1 in /a.xml", "/3 in /b.xml"],
  },
  {
    name: "a sitemap that was never read",
    length: 7 * DAY,
    first: ONE_AND_TWO,
    waiting: run(WITH_NEW, "partial =2 ?1"),
    ended: run(WITH_NEW, "removed /2 in /a.xml", "partial -1 =2"),
    pages: ["/1 in /a.xml", "/3 in /b.xml"],
  },
  {
    name: "a mass removal",
    length: 14 * DAY,
    first: {
      site: declared({ "/a.xml": urlset("/1", ...MANY) }),
      events: ["/1", ...MANY].map((path) => `added ${path} in /a.xml`).concat("complete +151"),
    },
    waiting: run(FEW, "warning mass-removal /", "partial =1 ?150"),
    ended: run(FEW, ...MANY.map((path) => `removed ${path} in /a.xml`), "complete -150 =1"),
    pages: ["/1 in /a.xml"],
  },
];

const LASTMOD: Site = {
  "/robots.txt": robots("/i.xml"),
  "/i.xml": index(["/s.xml", "2024-05-01"]),
  "/s.xml": urlset("/1"),
};

export const CLOCK_TRANSITIONS: readonly Transition[] = [
  ...WAITS.flatMap(({ name, length, first, waiting, ended, pages }): Transition[] => [
    {
      name: `the wait for ${name} is over if the clock jumps forward by a year`,
      runs: [first, waiting, { ...ended, after: YEAR }],
      pages,
    },
    {
      name: `the wait for ${name} begins again if the clock jumps back by a year`,
      runs: [
        first,
        waiting,
        { ...waiting, after: -YEAR },
        { ...waiting, after: length - 1 },
        { ...ended, after: 1 },
      ],
      pages,
    },
    {
      name: `the wait for ${name} begins again if the clock was ahead by a year`,
      runs: [
        first,
        { ...waiting, after: YEAR },
        { ...waiting, after: -YEAR },
        { ...waiting, after: length - 1 },
        { ...ended, after: 1 },
      ],
      pages,
    },
  ]),
  {
    name: "a date is not trusted if it was read in the future",
    runs: [
      {
        site: LASTMOD,
        after: YEAR,
        options: { trustLastmod: true },
        events: ["added /1 in /s.xml", "complete +1"],
      },
      {
        site: LASTMOD,
        after: -YEAR,
        options: { trustLastmod: true },
        except: /^unchanged/,
        events: ["complete =1"],
        requests: ["/robots.txt 200", "/i.xml 200", "/s.xml 200"],
      },
      {
        site: LASTMOD,
        options: { trustLastmod: true },
        except: /^unchanged \/i/,
        events: ["unchanged /s.xml 1 lastmod", "complete =1"],
        requests: ["/robots.txt 200", "/i.xml 200"],
      },
    ],
    pages: ["/1 in /s.xml"],
  },
];
