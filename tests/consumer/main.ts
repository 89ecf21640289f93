/**
 * A program of a user of the package: `tools/check_package.ts` compiles it against the tarball.
 * It is never run.
 *
 * @module
 */

import {
  collect,
  type EventStream,
  type IndexWebsiteSitemap,
  pages,
  parseSitemap,
  type Sitemap,
  sitemapFromJson,
  sitemapFromString,
  type SitemapPage,
  sitemapTreeForHomepage,
  type TreeEvent,
  walk,
  type WalkOptions,
} from "@sitetree/sitetree";
import { check, Checker, type Finding, RULES } from "@sitetree/sitetree/check";
import { folderFetch } from "@sitetree/sitetree/disk";
import { FleetError, type FleetProgress, openFleet } from "@sitetree/sitetree/fleet";
import { aggregate, renderReport, type Report, report } from "@sitetree/sitetree/report";
import { parseRobots, readRobots, type Robots } from "@sitetree/sitetree/robots";
import { openSource, openSources, type Source, SourceError } from "@sitetree/sitetree/source";
import { fromNdjson, toCsv, toNdjson, toOutline, toSitemapXml } from "@sitetree/sitetree/write";

/** One line for an event: each member of the union is narrowed by its type. */
function describe(event: TreeEvent): string {
  switch (event.type) {
    case "sitemap-entered":
      return `${event.sitemap.type} ${event.sitemap.url}`;
    case "page":
      return `${event.page.url} ${event.page.lastModified ?? ""}`;
    case "invalid":
      return `${event.code}: ${event.reason}`;
    case "warning":
    case "note":
      return `${event.line ?? 0} ${event.code}: ${event.message}`;
    case "sitemap-left":
      return `${event.pages + event.bytes} ${event.complete}`;
    case "finished":
      return `${event.verdict} ${event.stats.pages}`;
    default: {
      const none: never = event;
      return none;
    }
  }
}

const OPTIONS: WalkOptions = {
  concurrency: 2,
  recurseCallback: (url, level) => level < 3 && url.startsWith("https:"),
  onRequest: (report) => void report.url,
  fetch: (input, init) => fetch(input, init),
};

export async function walkSite(homepage: string, signal: AbortSignal): Promise<string[]> {
  const lines: string[] = [];
  await using events: EventStream<TreeEvent> = walk(homepage, { ...OPTIONS, signal });
  for await (const batch of events.batches()) {
    for (const event of batch) lines.push(describe(event));
  }
  for await (const page of pages(new URL(homepage))) {
    lines.push(page.newsStory?.title ?? page.images?.[0]?.loc ?? String(page.priority));
  }
  return lines;
}

export async function countFolderPages(folder: string, url: URL): Promise<number> {
  let count = 0;
  for await (const _page of pages(url, { fetch: folderFetch(folder, url) })) count++;
  return count;
}

/** Returns what operands were read as. */
export async function readOperands(words: readonly string[]): Promise<string[]> {
  const one: Source = openSource("example.com", { url: "https://example.com/", retries: 0 });
  await using first = one;
  const lines: string[] = [first.name];
  try {
    for (const source of await openSources(words, { from: ["-"] })) {
      for await (const batch of source.batches()) lines.push(...batch.map(describe));
      lines.push(source.kind, ...source.notes.map(({ code, message }) => `${code} ${message}`));
    }
  } catch (error) {
    if (error instanceof SourceError) lines.push(error.code, error.hint ?? "");
  }
  return lines;
}

/** Collects trees, in memory and on disk. */
export async function countPages(homepage: string): Promise<number> {
  using tree = await collect(walk(homepage), { onDisk: true });
  using other: IndexWebsiteSitemap = await sitemapTreeForHomepage(homepage);
  const loaded: Sitemap = sitemapFromJson(JSON.parse(JSON.stringify(tree)));
  const parsed = await sitemapFromString("https://example.com/\n");
  let count = parsed.pages.length;
  for (const page of loaded.allPages()) count += page.url.length;
  for (const sitemap of other.allSitemaps()) count += sitemap.subSitemaps.length;
  return count;
}

export function rewrite(source: ReadableStream<Uint8Array<ArrayBuffer>>): ReadableStream[] {
  const [csv, ndjson] = source.tee();
  return [
    csv.pipeThrough(fromNdjson()).pipeThrough(toCsv()),
    ndjson.pipeThrough(fromNdjson()).pipeThrough(toNdjson()).pipeThrough(fromNdjson())
      .pipeThrough(toOutline()),
  ];
}

export async function rewriteSitemap(document: Uint8Array<ArrayBuffer>): Promise<number> {
  const found: SitemapPage[] = [];
  for await (const event of parseSitemap(document, { url: "https://example.com/sitemap.xml" })) {
    if (event.type === "page") found.push(event.page);
  }
  return found.length + toSitemapXml.length;
}

/** Returns the errors of a site, and the rules that were not judged, with their titles. */
export async function checkSite(homepage: string): Promise<[Finding[], string[]]> {
  const checker: Checker = new Checker({ now: new Date(), severities: { bom: "error" } });
  for await (const event of walk(homepage, { notes: true })) checker.add(event);
  const { skipped } = checker.result();
  const { findings } = await check(walk(homepage), { only: ["loc-long"], agent: "examplebot" });
  const errors = findings.filter(({ severity }) => severity === "error");
  return [errors, skipped.map(({ code, reason }) => `${RULES[code].title}: ${reason}`)];
}

/** Returns a report on a site as HTML, by one function and by two. */
export async function reportSite(homepage: string): Promise<[string, string]> {
  const html = await report(walk(homepage, { notes: true }), { now: new Date() });
  const folded: Report = await aggregate(walk(homepage), { check: false });
  return [html, renderReport(folded)];
}

/** Returns the rules that a robots.txt has for a crawler, and whether it may request a URL. */
export async function askRobots(
  response: Response,
): Promise<[Robots["groups"][number]["rules"], boolean]> {
  const robots: Robots = response.ok
    ? await readRobots(response.body, { url: response.url })
    : parseRobots("");
  const group = robots.groups.find(({ agents }) => agents.includes("*"));
  return [group?.rules ?? [], robots.allows(response.url, "examplebot")];
}

/** Walks sites with a fleet, whose packages this project has not installed. */
export async function walkSites(url: string, homepages: AsyncIterable<string>): Promise<string[]> {
  await using fleet = await openFleet(url, { walk: { wait: 200 } });
  await fleet.enqueue("all", homepages).catch((error: unknown) => {
    if (!(error instanceof FleetError) || error.code !== "invalid-input") throw error;
  });
  const work = fleet.work({ slots: 50, drain: true });
  let last: FleetProgress | undefined;
  for await (const progress of fleet.progress("all")) last = progress;
  await work;
  const lines = [`${last?.done ?? 0} of ${last?.total ?? 0}`];
  for await (const { homepage, reason } of fleet.sites("all")) {
    if (reason !== undefined) lines.push(`${homepage}: ${reason}`);
    for await (const { page, sitemap } of fleet.snapshot.pages(homepage)) {
      lines.push([homepage, sitemap, page.url].join(" "));
    }
  }
  return lines;
}
