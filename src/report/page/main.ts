/**
 * The page of a report: draws the data that the page contains.
 *
 * @module
 */

import type { Report } from "../report.ts";
import { append, type Child, element } from "./dom.ts";
import { findingList } from "./findings.ts";
import { head } from "./head.ts";
import { AGE_SCALE, findingScale, pathMap, sitemapMap } from "./map_nodes.ts";
import {
  contentSection,
  faultSection,
  patternSection,
  sampleSection,
  timeSection,
} from "./sections.ts";
import { sitemapTree } from "./sitemap_tree.ts";
import { Treemap } from "./treemap.ts";

const SECTIONS: readonly (readonly [
  id: string,
  title: string,
  hasAny: (report: Report) => boolean,
  make: (report: Report) => readonly Child[],
])[] = [
  ["map", "Map", ({ totals }) => totals.pages > 0, mapSection],
  ["time", "Time", ({ totals }) => totals.pages > 0, timeSection],
  ["findings", "Findings", ({ findings }) => findings !== undefined, findingList],
  ["sitemaps", "Sitemaps", ({ sitemaps }) => sitemaps.length > 0, sitemapTree],
  ["faults", "Warnings", () => true, faultSection],
  ["contents", "Contents", ({ totals }) => totals.pages > 0, contentSection],
  ["patterns", "Patterns", ({ patterns }) => patterns.length > 0, patternSection],
  ["pages", "Pages", ({ sample }) => sample.length > 0, sampleSection],
];

function mapSection(report: Report): readonly Child[] {
  const maps = [
    ["By path", () => new Treemap("Pages by path", pathMap(report), AGE_SCALE)],
    ["By sitemap", () => new Treemap("Pages by sitemap", sitemapMap(report), findingScale(report))],
  ] as const;
  const place = element("div");
  const choices = maps.map(([name, make], at) => {
    const input = element("input", { type: "radio", name: "map", checked: at === 0 });
    let made: Treemap | undefined;
    const show = () => place.replaceChildren((made ??= make()).view);
    input.addEventListener("change", show);
    if (at === 0) show();
    return element("label", input, element("span", name));
  });
  const legend = element("legend.unseen", "Treemap");
  return [element("fieldset.switch", legend, ...choices), place];
}

function openForPrint(): void {
  let opened: HTMLDetailsElement[] = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll<HTMLDetailsElement>("details.printed:not([open])")];
    for (const details of opened) {
      details.open = true;
      // the event of an opened element comes too late for the printer
      details.dispatchEvent(new Event("toggle"));
    }
  });
  addEventListener("afterprint", () => {
    for (const details of opened) details.open = false;
  });
}

/** Draws the head and the first section, and the others when these can be seen, or are printed. */
function draw(report: Report): void {
  const main = element("main", head(report));
  const contents = element("ul");
  const pending = SECTIONS.map(([id, title, hasAny, make]) => () => {
    const children = hasAny(report) ? make(report) : [];
    if (children.length === 0) return;
    const label = `${id}-title`;
    const section = element(
      "section",
      { id, "aria-labelledby": label },
      element("h2", { id: label }, title),
    );
    append(section, children);
    main.append(section);
    contents.append(element("li", element("a", { href: `#${id}` }, title)));
  });
  const finish = () => {
    for (const add of pending.splice(0)) add();
    performance.mark("complete");
  };
  pending.shift()?.();
  document.body.append(element("nav.toc", { "aria-label": "Contents" }, contents), main);
  addEventListener("beforeprint", finish);
  addEventListener("load", () => setTimeout(finish));
}

draw(JSON.parse(document.getElementById("data")!.textContent!) as Report);
openForPrint();
