/** What a check holds, whatever a site does. @module */

import { assert, assertEquals } from "@std/assert";
import v8 from "node:v8";
import vm from "node:vm";
import { Checker } from "../../src/check/mod.ts";
import type { TreeEvent } from "../../src/data/events.ts";
import { ORIGIN, ref, sitemapEvents } from "./check_support.ts";

const MEGABYTE = 1_000_000;

v8.setFlagsFromString("--expose-gc");
const gc = vm.runInNewContext("gc") as () => void;

function held(): number {
  gc();
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
}

/** Returns a text with an own copy of its characters. */
function long(length: number, end: unknown): string {
  return new TextDecoder().decode(new Uint8Array(length).fill(0x61)) + end;
}

function host(at: number): string {
  return `https://host-${at}.test`;
}

function robots(at: number, text: string): TreeEvent {
  const sitemap = ref(at, { type: "IndexRobotsTxtSitemap", url: `${host(at)}/robots.txt` });
  return { type: "note", code: "robots-txt", message: text, sitemap };
}

function rules(bytes: number): string {
  let text = "User-agent: *\nDisallow: /no\n";
  for (let at = 0; text.length < bytes; at++) text += `Disallow: /*${at}*b\n`;
  return text;
}

const LARGE = rules(480_000);

/** Events, and the megabytes that a checker may hold after them. */
const CASES: Readonly<Record<string, readonly [events: () => Iterable<TreeEvent>, most: number]>> =
  {
    "long values in examples": [function* () {
      for (let id = 1; id <= 200; id++) {
        const alternates = [{ hreflang: long(100_000, id), href: `${ORIGIN}/${id}` }];
        yield* sitemapEvents(ref(id), [{ url: `${ORIGIN}/${id}`, alternates }]);
      }
    }, 10],
    "long URLs of many hosts": [function* () {
      for (let at = 0; at < 900; at++) {
        yield* sitemapEvents(ref(1), [{ url: `${host(at)}/${long(100_000, at)}` }]);
      }
    }, 10],
    "a page of many alternates": [function* () {
      const alternates = Array.from({ length: 200_000 }, (_, at) => ({
        hreflang: "en",
        href: `${ORIGIN}/${at}`,
      }));
      yield* sitemapEvents(ref(1), [{ url: `${ORIGIN}/`, alternates }, { url: `${ORIGIN}/a` }]);
    }, 40],
    "large rules of many hosts": [function* () {
      for (let at = 1; at <= 30; at++) yield robots(at, `${LARGE}#${at}`);
    }, 45],
    "small rules of many hosts": [function* () {
      for (let at = 1; at <= 20_000; at++) yield robots(at, "User-agent: *\nDisallow: /a\n");
    }, 70],
    "many sitemaps that robots.txt declares": [function* () {
      const lines = Array.from({ length: 40_000 }, (_, at) => `Sitemap: ${at}\n`).join("");
      const base = `${host(1)}/${"a".repeat(2000)}/robots.txt`;
      const sitemap = ref(1, { type: "IndexRobotsTxtSitemap", url: base });
      yield { type: "note", code: "robots-txt", message: lines, sitemap };
    }, 10],
  };

for (const [name, [events, most]] of Object.entries(CASES)) {
  Deno.test(`a check holds at most ${most} MB after ${name}`, () => {
    const before = held();
    const checker = new Checker();
    for (const event of events()) checker.add(event);
    const grown = held() - before;
    assert(grown < most * MEGABYTE, `${grown} bytes`);
    checker.result();
  });
}

Deno.test("pages of hosts whose rules are not kept are not judged by them, and are skipped", () => {
  for (const [hosts, isFull] of [[2, false], [20, true]] as const) {
    const checker = new Checker();
    for (let at = 1; at <= hosts; at++) checker.add(robots(at, LARGE));
    const pages = Array.from({ length: hosts }, (_, at) => ({ url: `${host(at + 1)}/no` }));
    // robots.txt of the site was read
    const site = ref(100, { url: `${host(1)}/sitemap.xml`, foundBy: "known-path" });
    const root = ref(99, { type: "IndexWebsiteSitemap", url: `${host(1)}/` });
    checker.add({ type: "sitemap-entered", sitemap: root });
    for (const event of sitemapEvents({ ...site, parent: 99 }, pages)) checker.add(event);
    const { findings, skipped } = checker.result();
    const { count = 0 } = findings.find(({ code }) => code === "page-disallowed") ?? {};
    assert(isFull ? count >= 2 && count < hosts : count === hosts, `${count} of ${hosts}`);
    const limited = skipped.filter(({ reason }) => reason.includes("limit for all hosts"));
    assertEquals(
      limited.map(({ code }) => code),
      isFull ? ["sitemap-disallowed", "page-disallowed", "loc-outside-path"] : [],
    );
  }
});
