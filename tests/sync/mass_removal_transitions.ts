/** Transitions of sites that lose so many pages at once that it may be a fault of theirs. @module */

import { DAY, HOUR } from "../../src/data/calendar.ts";
import { declared, index, rated, robots, type Site } from "./scripted_site.ts";
import { NOT_FOUND, SERVER_ERROR } from "./sitemap_transitions.ts";
import type { Transitions } from "./transition.ts";

/** Returns paths of pages, numbered from 100. */
function paths(count: number, prefix = "/p"): string[] {
  return Array.from({ length: count }, (_, at) => `${prefix}${100 + at}`);
}

function lines(prefix: string, paths: readonly string[], sitemap = "/s.xml"): string[] {
  return paths.map((path) => `${prefix}${path} in ${sitemap}`);
}

function pages(count: number): Site {
  return declared({ "/s.xml": paths(count) });
}

const MASS = "warning mass-removal /";

function tolerated(from: number, to: number): Transitions {
  return {
    [`${from - to} of ${from} pages are removed at once`]: [
      { site: pages(from) },
      {
        site: pages(to),
        events: [...lines("removed ", paths(from).slice(to)), `complete -${from - to} =${to}`],
      },
    ],
  };
}

function refused(from: number, to: number): Transitions {
  return {
    [`${from - to} of ${from} pages are kept, until the caller allows their removal`]: [
      { site: pages(from) },
      { site: pages(to), events: [MASS, `partial =${to} ?${from - to}`] },
      { events: [MASS, `partial =${to} ?${from - to}`] },
      {
        options: { allowMassRemoval: true },
        events: [...lines("removed ", paths(from).slice(to)), `complete -${from - to} =${to}`],
      },
    ],
  };
}

export const MASS_REMOVAL_TRANSITIONS: Transitions = {
  ...tolerated(150, 50),
  ...tolerated(202, 101),
  ...refused(201, 100),
  ...refused(150, 10),
  "an allowed mass removal happens at once": [
    { site: pages(150) },
    {
      site: pages(1),
      options: { allowMassRemoval: true },
      events: [...lines("removed ", paths(150).slice(1)), "complete -149 =1"],
    },
  ],
  "pages that come back after a refused mass removal are unchanged": [
    { site: pages(150) },
    { site: pages(10), events: [MASS, "partial =10 ?140"] },
    { site: pages(149), events: ["removed /p249 in /s.xml", "complete -1 =149"] },
    { events: ["complete =149"] },
  ],
  "a page that comes back with another value after a refused mass removal is changed": [
    { site: pages(150) },
    { site: pages(10), events: [MASS, "partial =10 ?140"] },
    {
      edit: { "/s.xml": [...paths(149), rated("/p249", 0.1)] },
      events: ["changed /p249 in /s.xml: priority", "complete ~1 =149"],
    },
  ],
  "a page that comes back in another sitemap after a refused mass removal is unchanged": [
    { site: pages(150) },
    { site: pages(10), events: [MASS, "partial =10 ?140"] },
    { edit: { "/robots.txt": robots("/s.xml", "/t.xml"), "/t.xml": paths(150).slice(10) } },
  ],
  "after a refused mass removal, pages of a sitemap that fails are not removed": [
    { site: pages(150) },
    { site: pages(10), events: [MASS, "partial =10 ?140"] },
    {
      site: declared({ "/s.xml": SERVER_ERROR, "/t.xml": ["/q"] }),
      options: { allowMassRemoval: true },
      events: ["added /q in /t.xml", "partial +1 =10 ?140"],
    },
    { site: pages(150) },
  ],
  "a sitemap that is gone is a mass removal before that is confirmed": [
    { site: pages(150) },
    {
      edit: { "/s.xml": NOT_FOUND },
      events: [MASS, "partial =150"],
      sitemaps: { "/s.xml": "unknown 150" },
    },
    { times: 2, events: [MASS, "partial ?150"], sitemaps: { "/s.xml": "gone" } },
    { site: pages(150), unchanged: [], sitemaps: { "/s.xml": "listing 150" } },
  ],
  "the removal of a sitemap that is gone can be allowed once it is confirmed": [
    { site: pages(150) },
    { edit: { "/s.xml": NOT_FOUND }, events: [MASS, "partial =150"] },
    {
      options: { allowMassRemoval: true },
      events: [...lines("removed ", paths(150)), "partial -150"],
    },
  ],
  "the removal of a sitemap that is gone can be allowed before it is confirmed": [
    { site: pages(150) },
    {
      edit: { "/s.xml": NOT_FOUND },
      options: { allowMassRemoval: true },
      events: ["partial =150"],
    },
    { events: [...lines("removed ", paths(150)), "partial -150"] },
  ],
  "robots.txt that is gone is a mass removal of all that it led to": [
    { site: pages(150) },
    { site: {}, events: [MASS, "partial =150"], sitemaps: { "/s.xml": "unknown 150" } },
    { events: [MASS, "partial ?150"], sitemaps: { "/s.xml": undefined } },
    { site: pages(150), unchanged: [] },
  ],
  "pages of a sitemap that is forgotten are removed once that is allowed": [
    { site: pages(150) },
    { site: {}, events: [MASS, "partial =150"] },
    { events: [MASS, "partial ?150"], sitemaps: { "/s.xml": undefined } },
    {
      options: { allowMassRemoval: true },
      events: [...lines("removed ", paths(150)), "none -150"],
    },
  ],
  "sitemaps that a truncated index does not list any more are not lost": [
    { site: declared({ "/i.xml": { "/t.xml": ["/t"], "/s.xml": paths(150) } }) },
    {
      edit: { "/i.xml": { body: index("/t.xml", "/s.xml"), cut: 0.6 } },
      events: ["warning body-cut /i.xml", "partial =151"],
      sitemaps: { "/s.xml": "unknown 150", "/t.xml": "listing 1" },
    },
  ],
  "pages that failed to be read are not lost": [
    { site: pages(150) },
    { times: 2, edit: { "/s.xml": SERVER_ERROR }, events: ["blocked =150"] },
  ],
  "other pages in place of all are accepted after 14 days": [
    { site: pages(300) },
    {
      edit: { "/s.xml": paths(300, "/q") },
      events: [...lines("added ", paths(300, "/q")), MASS, "partial +300 ?300"],
    },
    { after: HOUR, events: [MASS, "partial =300 ?300"] },
    { after: 13 * DAY, events: [MASS, "partial =300 ?300"] },
    // 14 days after the first refusal, without a millisecond
    { after: 23 * HOUR - 1, events: [MASS, "partial =300 ?300"] },
    { after: 1, events: [...lines("removed ", paths(300)), "complete -300 =300"] },
  ],
  "only a full look is accepted after 14 days": [
    { site: declared({ "/s.xml": paths(300), "/t.xml": ["/t"] }) },
    { edit: { "/s.xml": ["/s"] }, events: ["added /s in /s.xml", MASS, "partial +1 =1 ?300"] },
    { edit: { "/t.xml": SERVER_ERROR }, after: 15 * DAY, events: [MASS, "partial =2 ?300"] },
    { edit: { "/t.xml": ["/t"] }, events: [...lines("removed ", paths(300)), "complete -300 =2"] },
  ],
  "the wait for a mass removal begins again after an accepted run": [
    { site: pages(150) },
    { site: pages(10), events: [MASS, "partial =10 ?140"] },
    { site: pages(150), after: DAY },
    { site: pages(10), after: DAY, events: [MASS, "partial =10 ?140"] },
    { after: 13 * DAY, events: [MASS, "partial =10 ?140"] },
    { after: DAY, events: [...lines("removed ", paths(150).slice(10)), "complete -140 =10"] },
  ],
  "acceptAfter is how long a mass removal is refused": [
    { site: pages(150) },
    { site: pages(10), options: { acceptAfter: HOUR }, events: [MASS, "partial =10 ?140"] },
    { options: { acceptAfter: Infinity }, after: 400 * DAY, events: [MASS, "partial =10 ?140"] },
    {
      options: { acceptAfter: HOUR },
      after: 0,
      events: [...lines("removed ", paths(150).slice(10)), "complete -140 =10"],
    },
  ],
  "pages that move from http to https are not a mass removal": {
    runs: [
      { site: declared({ "/s.xml": paths(150, "http://site.test/p") }) },
      {
        site: pages(150),
        events: [
          ...lines("added ", paths(150)),
          ...lines("removed ", paths(150, "http://site.test/p")),
          "complete +150 -150",
        ],
      },
      {
        edit: { "/s.xml": paths(150, "http://site.test/p") },
        events: [...lines("added ", paths(150, "http://site.test/p")), MASS, "partial +150 ?150"],
      },
    ],
    pages: [
      ...lines("", paths(150, "http://site.test/p")),
      ...lines("", paths(150)).map((line) => `${line} unconfirmed`),
    ],
  },
  "two losses in a row that are each within the limit are accepted": [
    { site: pages(300) },
    {
      site: pages(160),
      events: [...lines("removed ", paths(300).slice(160)), "complete -140 =160"],
    },
    { site: pages(70), events: [...lines("removed ", paths(160).slice(70)), "complete -90 =70"] },
  ],
  "a refused run adds pages, whose loss is not counted before they were accepted": [
    { site: pages(150) },
    {
      edit: { "/s.xml": [...paths(10), ...paths(200, "/q")] },
      events: [...lines("added ", paths(200, "/q")), MASS, "partial +200 =10 ?140"],
    },
    { site: pages(150), events: [...lines("removed ", paths(200, "/q")), "complete -200 =150"] },
  ],
};
