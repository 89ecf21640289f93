/** Transitions in which pages are dropped, or sitemaps gone, while others cannot be read. @module */

import { DAY, HOUR, MINUTE } from "../../src/data/calendar.ts";
import type { Verdict } from "../../src/data/events.ts";
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
import type { TransitionRun, Transitions } from "./transition.ts";

const UNAVAILABLE: Reply = { status: 503 };

function two(a: Content, b: Content): Site {
  return declared({ "/a.xml": a, "/b.xml": b });
}

/** First run: pages 1 and 2 in one sitemap, 3 and 4 in another. */
const START: Site = two(["/1", "/2"], ["/3", "/4"]);

const MOVED = two(["/1"], ["/2", "/3", "/4"]);

/** Page 2 is dropped by the one, and the other cannot be read. */
const DROPPED: Site = two(["/1"], SERVER_ERROR);

/** Run in which page 2 is dropped first. */
const DROPPING: TransitionRun = { site: DROPPED, events: ["partial =3 ?1"] };

/** Page 2 is dropped, and a third sitemap was never read. */
const WITH_NEW: Site = declared({
  "/a.xml": ["/1"],
  "/b.xml": ["/3", "/4"],
  "/c.xml": SERVER_ERROR,
});

function moves(name: string, verdict: Verdict, meanwhile: TransitionRun): Transitions {
  return {
    [`a page that moves into a sitemap ${name} is neither removed nor added`]: [
      { site: START },
      { site: MOVED, except: /^(?:invalid|warning)/, events: [`${verdict} =3 ?1`], ...meanwhile },
      { site: MOVED, unchanged: ["/a.xml 1 same-bytes"] },
    ],
  };
}

/** Breaks off before page 2. */
const HALF: Reply = { body: urlset("/3", "/4", "/2"), cut: 0.5 };

function isNotB(url: string): boolean {
  return !url.endsWith("/b.xml");
}

const MOVES: Transitions = {
  ...moves("that fails", "partial", { site: DROPPED }),
  ...moves("that is gone", "partial", { edit: { "/b.xml": NOT_FOUND } }),
  ...moves("that is empty", "complete", { edit: { "/b.xml": [] } }),
  ...moves("that is truncated before it", "partial", { edit: { "/b.xml": HALF } }),
  ...moves("that recurseCallback skips", "complete", { options: { recurseCallback: isNotB } }),
  ...moves("that recurseListCallback drops", "complete", {
    options: { recurseListCallback: (urls) => urls.filter(isNotB) },
  }),
  ...moves("that includeCallback excludes", "complete", { options: { includeCallback: isNotB } }),
  ...moves("beyond maxSitemaps", "partial", { options: { maxSitemaps: 1 } }),
  "a page that moves into a truncated sitemap is found in what arrives": [
    { site: START },
    {
      edit: { "/a.xml": ["/1"], "/b.xml": { body: urlset("/2", "/3", "/4"), cut: 0.5 } },
      events: ["warning body-cut /b.xml", "partial =4"],
    },
  ],
  "a page that moves into a new sitemap which fails is neither removed nor added": [
    { site: START },
    { site: WITH_NEW, events: ["partial =3 ?1"], sitemaps: { "/c.xml": "unknown" } },
    { edit: { "/c.xml": ["/2"] } },
  ],
  "pages of an index whose new children fail twice are neither removed nor added": [
    { site: declared({ "/i.xml": { "/s.xml": ["/1"], "/t.xml": ["/2"] } }) },
    {
      edit: {
        "/i.xml": index("/s2.xml", "/t2.xml"),
        "/s2.xml": UNAVAILABLE,
        "/t2.xml": UNAVAILABLE,
      },
      except: /^warning/,
      events: ["partial =2"],
      sitemaps: { "/s.xml": "unknown 1", "/s2.xml": "unknown" },
    },
    {
      except: /^warning/,
      events: ["partial ?2"],
      sitemaps: { "/s.xml": undefined, "/s2.xml": "unknown" },
    },
    { edit: { "/s2.xml": ["/1"], "/t2.xml": ["/2"] } },
  ],
};

const CHAINED: Site = declared({
  "/i.xml": { "/j.xml": { "/k.xml": { "/s.xml": ["/1"], "/t.xml": ["/2"] } } },
  "/u.xml": ["/3"],
});

// -------------------------------------------------------------------------------------- rule 4

/** Returns a run in which page 2 is dropped and nothing decides about it. */
function undecided(after: number): TransitionRun {
  return { after, events: ["partial =3 ?1"] };
}

/** Returns a run that removes page 2. */
function decided(after: number): TransitionRun {
  return { after, events: ["removed /2 in /a.xml", "partial -1 =3"] };
}

const DROPS: Transitions = {
  "a dropped page is removed by the next full look": [
    { site: START },
    DROPPING,
    {
      edit: { "/b.xml": ["/3", "/4"] },
      after: 1,
      events: ["removed /2 in /a.xml", "complete -1 =3"],
    },
  ],
  "a dropped page is removed an hour later, though another sitemap fails, and comes back": [
    { site: START },
    DROPPING,
    undecided(HOUR - 1),
    decided(1),
    { site: MOVED, events: ["added /2 in /b.xml", "complete +1 =3"] },
  ],
  "a dropped page is removed an hour later, though sitemaps change places meanwhile": [
    { site: START },
    DROPPING,
    { ...decided(HOUR), site: declared({ "/b.xml": SERVER_ERROR, "/a.xml": ["/1"] }) },
  ],
  "confirmAfter is how long a dropped page is kept while something is unknown": {
    options: { confirmAfter: 2 * HOUR },
    runs: [{ site: START }, DROPPING, undecided(HOUR), decided(HOUR)],
  },
  "with a confirmAfter of 0, a dropped page is removed by the next run": {
    options: { confirmAfter: 0 },
    runs: [{ site: START }, DROPPING, decided(1)],
  },
  "a dropped page is kept while the sitemap that dropped it fails": [
    { site: START },
    DROPPING,
    { ...undecided(DAY), site: two(SERVER_ERROR, ["/3", "/4"]) },
    { ...decided(1), site: DROPPED },
  ],
  "a dropped page is kept while the sitemap that dropped it is gone and not confirmed": [
    { site: START },
    DROPPING,
    { site: two(NOT_FOUND, SERVER_ERROR), events: ["blocked =3 ?1"] },
    {
      // page 1 is dropped now, since the sitemap is confirmed to be gone
      events: ["removed /2 in /a.xml", "blocked -1 =2 ?1"],
      sitemaps: { "/a.xml": "gone", "/b.xml": "unknown 2" },
    },
    { events: ["removed /1 in /a.xml", "blocked -1 =2"] },
  ],
  "a page that two sitemaps drop in different runs was dropped by the last one": [
    { site: two(["/1", "/2"], ["/2", "/3"]) },
    { site: two(["/1"], SERVER_ERROR), events: ["partial =3"] },
    { site: two(SERVER_ERROR, ["/3"]), events: ["partial =2 ?1"] },
    { events: ["removed /2 in /b.xml", "partial -1 =2"] },
  ],
  "a page that two sitemaps drop in one run is kept while one of them fails": [
    { site: declared({ "/a.xml": ["/1", "/2"], "/b.xml": ["/2", "/3"], "/c.xml": ["/4"] }) },
    {
      edit: { "/a.xml": ["/1"], "/b.xml": ["/3"], "/c.xml": SERVER_ERROR },
      events: ["partial =3 ?1"],
    },
    { ...undecided(DAY), edit: { "/b.xml": SERVER_ERROR } },
    { ...decided(MINUTE), edit: { "/b.xml": ["/3"] } },
  ],
  "a page of a sitemap that is forgotten is removed, though the index that led there fails": [
    { site: { ...CHAINED, "/i.xml": index("/s.xml") } },
    {
      edit: { "/i.xml": ["/2"], "/u.xml": SERVER_ERROR },
      events: ["added /2 in /i.xml", "partial +1 =2"],
      sitemaps: { "/s.xml": "unknown 1" },
    },
    { events: ["partial =2 ?1"], sitemaps: { "/s.xml": undefined } },
    {
      edit: { "/i.xml": SERVER_ERROR },
      events: ["removed /1 in /s.xml", "blocked -1 =2"],
      sitemaps: { "/s.xml": undefined },
    },
  ],
  "a sitemap that was never read keeps dropped pages for seven days": [
    { site: START },
    { ...undecided(HOUR), site: WITH_NEW },
    undecided(6 * DAY),
    undecided(DAY - 1),
    decided(1),
    { edit: { "/c.xml": ["/2"] }, events: ["added /2 in /c.xml", "complete +1 =3"] },
  ],
  "a sitemap that was read once keeps dropped pages for an hour": [
    { site: { ...WITH_NEW, "/a.xml": ["/1", "/2"], "/c.xml": ["/5"] } },
    { site: WITH_NEW, events: ["partial =4 ?1"] },
    { after: HOUR, events: ["removed /2 in /a.xml", "partial -1 =4"] },
  ],
};

// ------------------------------------------------------------------------------------- rule 3

/** Returns a run with an empty sitemap that removes nothing. */
function emptied(after: number): TransitionRun {
  return { edit: { "/a.xml": [] }, after, sitemaps: { "/a.xml": "unknown 2" } };
}

/** Run in which all of the chain is confirmed to be gone with its first index. */
const CHAIN_GONE: TransitionRun = {
  after: HOUR,
  events: ["removed /1 in /s.xml", "removed /2 in /t.xml", "partial -2 =1"],
  sitemaps: {
    "/i.xml": "gone",
    "/j.xml": undefined,
    "/k.xml": undefined,
    "/s.xml": undefined,
    "/t.xml": undefined,
  },
};

const GONE: Transitions = {
  "an empty sitemap is confirmed an hour later, not by another run": [
    { site: START },
    emptied(MINUTE),
    emptied(MINUTE),
    emptied(59 * MINUTE - 1),
    {
      after: 1,
      events: ["removed /1 in /a.xml", "removed /2 in /a.xml", "complete -2 =2"],
      sitemaps: { "/a.xml": "gone" },
    },
  ],
  "confirmAfter is how long a sitemap is gone before that is confirmed": {
    options: { confirmAfter: 3 * HOUR },
    runs: [
      { site: START },
      emptied(HOUR),
      emptied(2 * HOUR),
      { after: HOUR, events: ["removed /1 in /a.xml", "removed /2 in /a.xml", "complete -2 =2"] },
    ],
  },
  "with a confirmAfter of 0, what is gone is confirmed by the next run": {
    options: { confirmAfter: 0 },
    runs: [
      { site: START },
      { edit: { "/a.xml": NOT_FOUND }, events: ["partial =4"] },
      { after: 0, events: ["removed /1 in /a.xml", "removed /2 in /a.xml", "partial -2 =2"] },
    ],
  },
  "a listing between two runs without it begins the wait for a sitemap again": [
    { site: START },
    emptied(HOUR),
    { site: START, after: MINUTE },
    emptied(HOUR),
    emptied(HOUR - 1),
  ],
  "a chain of indexes is confirmed at once when its first is": [
    { site: CHAINED },
    {
      edit: { "/i.xml": NOT_FOUND },
      events: ["partial =3"],
      sitemaps: { "/j.xml": "unknown", "/s.xml": "unknown 1" },
    },
    CHAIN_GONE,
  ],
  "a chain of indexes that are known in another order is confirmed at once": [
    { site: { ...CHAINED, "/i.xml": index("/s.xml", "/t.xml") } },
    { site: CHAINED },
    { edit: { "/i.xml": NOT_FOUND }, events: ["partial =3"] },
    CHAIN_GONE,
  ],
  "a chain of indexes that nothing leads to is confirmed an hour later": [
    { site: CHAINED },
    {
      edit: { "/i.xml": index("/t.xml") },
      sitemaps: { "/j.xml": "unknown", "/s.xml": "unknown 1", "/t.xml": "listing 1" },
    },
    {
      after: HOUR,
      events: ["removed /1 in /s.xml", "complete -1 =2"],
      sitemaps: { "/j.xml": undefined, "/s.xml": undefined, "/t.xml": "listing 1" },
    },
  ],
  "two indexes that list each other do not hold each other": [
    {
      site: {
        "/robots.txt": robots("/i.xml", "/u.xml"),
        "/i.xml": index("/j.xml", "/s.xml"),
        "/j.xml": index("/i.xml", "/t.xml"),
        "/s.xml": ["/1"],
        "/t.xml": ["/2"],
        "/u.xml": ["/3"],
      },
      except: /^invalid recursion/,
    },
    {
      site: declared({ "/u.xml": ["/3"] }),
      sitemaps: { "/i.xml": "unknown", "/j.xml": "unknown", "/t.xml": "unknown 1" },
    },
    {
      events: ["removed /1 in /s.xml", "removed /2 in /t.xml", "complete -2 =1"],
      sitemaps: { "/i.xml": undefined, "/j.xml": undefined, "/s.xml": undefined },
    },
  ],
  "a sitemap that an index dropped is kept while another that has listed it fails": [
    {
      site: declared({
        "/i.xml": { "/s.xml": ["/1"], "/t.xml": ["/2"] },
        "/j.xml": { "/s.xml": ["/1"], "/u.xml": ["/3"] },
      }),
      unchanged: ["/s.xml 1 same-bytes"],
    },
    { edit: { "/i.xml": index("/t.xml") } },
    // the first may list it again, which is not known
    {
      times: 2,
      edit: { "/i.xml": SERVER_ERROR, "/j.xml": index("/u.xml") },
      events: ["partial =3"],
      sitemaps: { "/s.xml": "unknown 1", "/t.xml": "unknown 1" },
    },
    { edit: { "/i.xml": index("/t.xml") } },
    { events: ["removed /1 in /s.xml", "complete -1 =2"] },
  ],
  "a sitemap that moves below another index while the old one fails is listed": {
    runs: [
      { site: declared({ "/i.xml": { "/s.xml": ["/1", "/2"] }, "/j.xml": { "/t.xml": ["/3"] } }) },
      {
        edit: { "/i.xml": SERVER_ERROR, "/j.xml": index("/t.xml", "/s.xml"), "/s.xml": ["/1"] },
        events: ["partial =2 ?1"],
        sitemaps: { "/s.xml": "listing 1" },
      },
    ],
    pages: ["/1 in /s.xml", "/2 in /s.xml unconfirmed", "/3 in /t.xml"],
  },
  "a sitemap that is gone and listed again by another index is read": [
    { site: CHAINED },
    { edit: { "/i.xml": index("/t.xml") } },
    { events: ["removed /1 in /s.xml", "complete -1 =2"] },
    {
      edit: { "/i.xml": index("/t.xml", "/s.xml") },
      unchanged: ["/t.xml 1 same-bytes", "/u.xml 1 same-bytes"],
      events: ["added /1 in /s.xml", "complete +1 =2"],
    },
  ],
};

export const REMOVAL_TRANSITIONS: Transitions = { ...MOVES, ...DROPS, ...GONE };
