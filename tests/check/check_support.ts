/** Documents, sites and events to check. @module */

import { parseSitemap, walk } from "../../mod.ts";
import {
  check,
  Checker,
  type CheckOptions,
  type CheckResult,
  type PageAnswer,
} from "../../src/check/mod.ts";
import type { SitemapRef, TreeEvent } from "../../src/data/events.ts";
import type { SitemapPage } from "../../src/data/page.ts";

export const ORIGIN = "https://example.com";
export const NOW = "2024-06-01T12:00:00.000Z";

const NAMESPACES = [
  'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"',
  'xmlns:xhtml="http://www.w3.org/1999/xhtml"',
  'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"',
  'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"',
  'xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"',
].join(" ");

/** Returns a sitemap of entries: addresses below the origin or elsewhere, or elements. */
export function urlset(...entries: readonly string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?><urlset ${NAMESPACES}>${
    entries.map((entry) => `<url>${elementsOf(entry)}</url>`).join("\n")
  }</urlset>`;
}

export function index(...entries: readonly string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?><sitemapindex ${NAMESPACES}>${
    entries.map((entry) => `<sitemap>${elementsOf(entry)}</sitemap>`).join("\n")
  }</sitemapindex>`;
}

function elementsOf(entry: string): string {
  if (entry.startsWith("<")) return entry;
  return `<loc>${entry.startsWith("/") ? ORIGIN + entry : entry}</loc>`;
}

export function dated(path: string, date: string): string {
  return `<loc>${ORIGIN}${path}</loc><lastmod>${date}</lastmod>`;
}

export interface SiteResponse {
  readonly status?: number;
  readonly location?: string;
  readonly type?: string;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/** Responses by URL, or by path below the origin; a string is a body. */
export type Site = Readonly<Record<string, string | SiteResponse>>;

export function robots(...paths: readonly string[]): string {
  return paths.map((path) => `Sitemap: ${path.startsWith("/") ? ORIGIN + path : path}\n`).join("");
}

export function fetchFrom(site: Site): (input: string | URL | Request) => Promise<Response> {
  return (input) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const found = site[url.href] ?? (url.origin === ORIGIN ? site[url.pathname] : undefined) ??
      { status: 404, body: "not found", type: "text/html" };
    const { status = 200, location, type, body = "" }: SiteResponse = typeof found === "string"
      ? { body: found }
      : found;
    const usual = url.pathname.endsWith(".txt") ? "text/plain" : "application/xml";
    const headers = new Headers({ "content-type": type ?? usual });
    if (location !== undefined) headers.set("location", location);
    const response = new Response(body, { status, headers });
    return Promise.resolve(Object.defineProperty(response, "url", { value: url.href }));
  };
}

/** Changes the events of a walk or a parse before they are checked. */
export type Change = (event: TreeEvent) => readonly TreeEvent[];

/** What is checked: a document, or a site. */
export interface Subject {
  readonly xml?: string | Uint8Array<ArrayBuffer>;
  /** URL of the document. Default: `https://example.com/sitemap.xml`. */
  readonly url?: string;
  readonly site?: Site;
  readonly change?: Change;
  readonly options?: CheckOptions;
  /** Answers of pages, all of the sitemap at `/sitemap.xml`. */
  readonly answers?: readonly PageAnswer[];
}

export async function eventsOf({ xml, url, site, change }: Subject): Promise<TreeEvent[]> {
  const events: AsyncIterable<TreeEvent> = site === undefined
    ? parseSitemap(xml!, { url: url ?? `${ORIGIN}/sitemap.xml`, notes: true })
    : walk(`${ORIGIN}/`, { fetch: fetchFrom(site), retries: 0, notes: true });
  const all: TreeEvent[] = [];
  for await (const event of events) all.push(...change?.(event) ?? [event]);
  return all;
}

export async function checked(subject: Subject): Promise<CheckResult> {
  const { answers, options } = subject;
  const events = await eventsOf(subject);
  if (answers === undefined) return await check(events, { now: NOW, ...options });
  const checker = new Checker({ now: NOW, ...options });
  for (const event of events) checker.add(event);
  for (const answer of answers) checker.addAnswer(answer, `${ORIGIN}/sitemap.xml`);
  return checker.result();
}

/** Returns a change that adds the text of robots.txt of an origin, which the walk does not read. */
export function notingRobots(text: string, origin: string = ORIGIN): Change {
  return (event) => {
    if (event.type !== "sitemap-entered" || event.sitemap.parent !== null) return [event];
    const sitemap = { ...event.sitemap, url: `${origin}/robots.txt` };
    return [event, { type: "note", code: "robots-txt", message: text, sitemap }];
  };
}

/** Returns a sitemap without a walk. */
export function ref(id: number, values: Partial<SitemapRef> = {}): SitemapRef {
  return {
    id,
    type: "PagesXmlSitemap",
    url: `${ORIGIN}/${id}.xml`,
    level: 0,
    parent: null,
    index: 0,
    ...values,
  };
}

export function left(sitemap: SitemapRef): TreeEvent {
  return { type: "sitemap-left", sitemap, pages: 0, bytes: 1, complete: true, warnings: {} };
}

/** Returns the events of a sitemap with pages. */
export function* sitemapEvents(
  sitemap: SitemapRef,
  pages: Iterable<SitemapPage>,
): Generator<TreeEvent> {
  yield { type: "sitemap-entered", sitemap };
  for (const page of pages) yield { type: "page", page, sitemap };
  yield left(sitemap);
}

/** Returns a page that links others. */
export function linking(url: string, ...targets: readonly string[]): SitemapPage {
  return {
    url: ORIGIN + url,
    alternates: targets.map((target) => ({ hreflang: "en", href: ORIGIN + target })),
  };
}
