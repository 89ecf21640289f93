/** Transitions during which the clock jumps. Every waiting period is measured from then. @module */

import { DAY, HOUR } from "../../src/data/calendar.ts";
import { declared, index, robots, RUN_AFTER, type Site } from "./scripted_site.ts";
import { NOT_FOUND, SERVER_ERROR } from "./sitemap_transitions.ts";
import { each, type TransitionRun, type Transitions } from "./transition.ts";

const YEAR = 365 * DAY;

/** A waiting period: what begins it, what it keeps, and what its end removes. */
interface Wait {
  readonly name: string;
  readonly length: number;
  /** Default: {@linkcode ONE_AND_TWO}. */
  readonly first?: Site;
  /** Responses that are other ones while it lasts. */
  readonly edit: Site;
  /** Events of a run in which it begins, or goes on. */
  readonly waiting: readonly string[];
  readonly ended: readonly string[];
}

const ONE_AND_TWO: Site = declared({ "/a.xml": ["/1", "/2"], "/b.xml": ["/3"] });
const MANY = Array.from({ length: 150 }, (_, at) => `/p${100 + at}`);

const WAITS: readonly Wait[] = [
  {
    name: "a sitemap that is gone",
    length: HOUR,
    edit: { "/a.xml": NOT_FOUND },
    waiting: ["partial =3"],
    ended: ["removed /1 in /a.xml", "removed /2 in /a.xml", "partial -2 =1"],
  },
  {
    name: "a sitemap that nothing leads to",
    length: HOUR,
    edit: { "/robots.txt": robots("/b.xml") },
    waiting: ["complete =3"],
    ended: ["removed /1 in /a.xml", "removed /2 in /a.xml", "complete -2 =1"],
  },
  {
    name: "a dropped page",
    length: HOUR,
    edit: { "/a.xml": ["/1"], "/b.xml": SERVER_ERROR },
    waiting: ["partial =2 ?1"],
    ended: ["removed /2 in /a.xml", "partial -1 =2"],
  },
  {
    name: "a sitemap that was never read",
    length: 7 * DAY,
    edit: {
      "/robots.txt": robots("/a.xml", "/b.xml", "/c.xml"),
      "/a.xml": ["/1"],
      "/c.xml": SERVER_ERROR,
    },
    waiting: ["partial =2 ?1"],
    ended: ["removed /2 in /a.xml", "partial -1 =2"],
  },
  {
    name: "a mass removal",
    length: 14 * DAY,
    first: declared({ "/a.xml": ["/1", ...MANY] }),
    edit: { "/a.xml": ["/1"] },
    waiting: ["warning mass-removal /", "partial =1 ?150"],
    ended: [...MANY.map((path) => `removed ${path} in /a.xml`), "complete -150 =1"],
  },
];

/** What happens, and milliseconds from each run to the next. */
const JUMPS: readonly (readonly [name: string, waits: (length: number) => readonly number[]])[] = [
  ["is over if the clock jumps forward by a year", () => [RUN_AFTER, YEAR]],
  ["begins again if the clock jumps back by a year", (length) => [RUN_AFTER, -YEAR, length - 1, 1]],
  ["begins again if the clock was ahead by a year", (length) => [YEAR, -YEAR, length - 1, 1]],
];

const LASTMOD: Site = {
  "/robots.txt": robots("/i.xml"),
  "/i.xml": index(["/s.xml", "2024-05-01"]),
  "/s.xml": ["/1"],
};

function jumpsDuring(
  { name, length, first = ONE_AND_TWO, edit, waiting, ended }: Wait,
): Transitions {
  return each(JUMPS, ([jump, waits]) => {
    const times = waits(length);
    const later = times.map((after, at): TransitionRun => {
      const events = at < times.length - 1 ? waiting : ended;
      return { after, edit, events };
    });
    return { [`the wait for ${name} ${jump}`]: [{ site: first }, ...later] };
  });
}

export const CLOCK_TRANSITIONS: Transitions = {
  ...each(WAITS, jumpsDuring),
  "a date is not trusted if it was read in the future": {
    options: { trustLastmod: true },
    runs: [
      { site: LASTMOD, after: YEAR },
      { after: -YEAR, requests: ["/robots.txt 200", "/i.xml 200", "/s.xml 200"] },
      {
        unchanged: ["/i.xml 0 same-bytes", "/s.xml 1 lastmod"],
        requests: ["/robots.txt 200", "/i.xml 200"],
      },
    ],
  },
};
