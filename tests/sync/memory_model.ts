/**
 * A model of the memory behind `sync()`: which pages it has after each walk of a site. It follows the
 * rules of truth one by one, reads every sitemap again in each walk, and keeps everything in memory, so
 * it has neither validators nor a log nor resumption.
 *
 * @module
 */

import { gunzipSync } from "node:zlib";
import { DAY, HOUR } from "../../src/data/calendar.ts";
import type { Fetch } from "../../src/http/exchange.ts";
import type { SyncOptions } from "../../src/sync/mod.ts";

/** How long a sitemap that was never read may hide pages that have moved there. */
const NEW_FOR = 7 * DAY;
/** Time after the end of a day in UTC at which it has ended everywhere. */
const DAY_ENDS_AFTER = 12 * HOUR;
/** A walk that loses more pages than this, and more than half of them, is refused. */
const MASS = 100;

export type Answer = "listing" | "gone" | "unknown";

export interface ModelValues {
  /** Time of its last modification; `null` without one. */
  readonly lastModified: number | null;
  readonly priority: number;
  /** All other elements. */
  readonly rest: string;
}

export interface ModelPage {
  /** URL as it was first written. */
  readonly url: string;
  /** Sitemap that has its values. */
  readonly sitemap: string;
  readonly values: ModelValues;
  /** When it was dropped, and by which sitemaps; `undefined` while one lists it. */
  dropped: { at: number; readonly from: readonly string[] } | undefined;
  /** Whether its loss counts for a mass removal. */
  isCounted: boolean;
}

/** Entries of a sitemap by identity. */
interface Listing {
  pages: ReadonlyMap<string, { readonly url: string; readonly values: ModelValues }>;
  /** Children with the dates that it gives them. */
  children: ReadonlyMap<string, string | undefined>;
}

/** A sitemap of the memory; `pages` and `children` are its last listing. */
interface KnownSitemap extends Listing {
  readonly url: string;
  /** All sitemaps that have listed it. */
  readonly parents: Set<string>;
  /** Whether it is robots.txt, or was read without being listed. */
  isRoot: boolean;
  /** Since when it has been listed. */
  listedSince: number;
  /** When it was read last; `undefined` if never. */
  readAt: number | undefined;
  /** Date that its index gave it when it was read. */
  lastmod: string | undefined;
  /** When it was first gone since its last listing. */
  goneSince: number | undefined;
  isConfirmed: boolean;
}

interface Memory {
  readonly sitemaps: Map<string, KnownSitemap>;
  /** URLs that the last walk began with, in document order. */
  starts: readonly string[];
  readonly pages: Map<string, ModelPage>;
  /** First of the refusals in a row. */
  refusedSince: number | undefined;
}

type OptionName = "trustLastmod" | "full" | "allowMassRemoval" | "dryRun";
type Options = {
  readonly [K in OptionName | "confirmAfter" | "acceptAfter"]?: SyncOptions[K] | undefined;
};

export interface ModelWalk extends Options {
  readonly robots: string;
  readonly fetch: Fetch;
  readonly now: number;
  /** Whether the walk asks for a sitemap that it reaches. */
  readonly isAsked: (url: string) => boolean;
  /** URLs of robots.txt, given sitemaps and known paths, as far as it begins with them. */
  readonly roots: readonly string[];
}

export interface ModelResult {
  readonly added: readonly ModelPage[];
  readonly changed: readonly ModelPage[];
  readonly removed: readonly ModelPage[];
  readonly unchanged: number;
  readonly unconfirmed: number;
  /** Whether nothing was unknown. */
  readonly isFull: boolean;
  /** Whether a mass removal was refused. */
  readonly isRefused: boolean;
  /** Pages after it, by identity. */
  readonly pages: ReadonlyMap<string, ModelPage>;
  /** Pages of the last listing of each sitemap that is known after it, by identity. */
  readonly listings: ReadonlyMap<string, ReadonlySet<string>>;
  /** Answers of the sitemaps; those that are gone and not confirmed are unknown. */
  readonly answers: ReadonlyMap<string, Answer>;
}

export class MemoryModel {
  #memory: Memory = { sitemaps: new Map(), starts: [], pages: new Map(), refusedSince: undefined };

  async walk(walk: ModelWalk): Promise<ModelResult> {
    const before = this.#memory;
    const memory = structuredClone(before);
    const { sitemaps, pages } = memory;
    const { now, confirmAfter = HOUR, acceptAfter = 14 * DAY } = walk;
    const answers = await ask(memory, walk);
    confirm(memory, answers, now, confirmAfter);

    const { added, changed, listed } = compare(memory);
    drop(memory, before, listed, now);
    const isFull = ![...answers.values()].includes("unknown");
    let removed = droppedPages(memory).filter((page) =>
      isFull || isSettled(page, memory, answers, now, confirmAfter)
    );

    const isWaitOver = isFull && memory.refusedSince !== undefined &&
      now - memory.refusedSince >= acceptAfter;
    const present = listedBy(memory, reached(memory, ({ goneSince }) => goneSince === undefined));
    const isRefused = isMassRemoval(memory, present) && !walk.allowMassRemoval && !isWaitOver;
    if (isRefused) removed = [];
    else for (const [id, page] of pages) page.isCounted = present.has(id);
    memory.refusedSince = isRefused ? Math.min(memory.refusedSince ?? now, now) : undefined;

    for (const { url } of removed) pages.delete(identity(url));
    forget(memory);
    if (!walk.dryRun) this.#memory = memory;
    const unconfirmed = droppedPages(memory).length;
    const unchanged = pages.size - added.length - changed.length - unconfirmed;
    const listings = [...sitemaps].map(([url, { pages }]) => [url, new Set(pages.keys())] as const);
    return {
      ...{ added, changed, removed, unchanged, unconfirmed, isFull, isRefused, pages, answers },
      listings: new Map(listings),
    };
  }
}

// ---------------------------------------------------------------------------- rule 1: identity

/** Returns what all spellings of a URL have in common. */
export function identity(url: string): string {
  return new URL(url).href.replace(/%[0-9a-f]{2}/gi, (hex) => hex.toUpperCase());
}

function valuesOf(entry: string): ModelValues {
  return {
    lastModified: Date.parse(element(entry, "lastmod") ?? "") || null,
    priority: Number(element(entry, "priority") ?? 0.5),
    rest: entry.replace(/<(loc|lastmod|priority)>.*?<\/\1>|\s/gs, ""),
  };
}

function areEqual(one: ModelValues, other: ModelValues): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

// --------------------------------------------------------------------- rule 2: where it belongs

/** Returns the sitemaps that last listings lead to, in document order. */
function reached(
  { sitemaps, starts }: Memory,
  isPassed: (sitemap: KnownSitemap) => boolean = () => true,
): Set<string> {
  const urls = new Set<string>();
  const visit = (url: string): void => {
    const sitemap = sitemaps.get(url);
    if (sitemap === undefined || urls.has(url) || !isPassed(sitemap)) return;
    urls.add(url);
    for (const child of sitemap.children.keys()) visit(child);
  };
  for (const url of [...starts, ...sitemaps.keys()]) if (sitemaps.get(url)?.isRoot) visit(url);
  return urls;
}

/** Returns the pages that sitemaps list, with the first sitemap of each. */
function listedBy({ sitemaps }: Memory, urls: Iterable<string>): Map<string, string> {
  const listed = new Map<string, string>();
  for (const url of urls) {
    for (const id of sitemaps.get(url)!.pages.keys()) if (!listed.has(id)) listed.set(id, url);
  }
  return listed;
}

/** Updates the pages that are listed. */
function compare(memory: Memory) {
  const { sitemaps, pages } = memory;
  const added: ModelPage[] = [], changed: ModelPage[] = [];
  // sitemaps that nothing leads to come last
  const listed = listedBy(memory, new Set([...reached(memory), ...sitemaps.keys()]));
  for (const [id, sitemap] of listed) {
    const { url, values } = sitemaps.get(sitemap)!.pages.get(id)!;
    const known = pages.get(id);
    const page = { url, isCounted: false, ...known, sitemap, values, dropped: undefined };
    pages.set(id, page);
    if (known === undefined) added.push(page);
    else if (!areEqual(known.values, values)) changed.push(page);
  }
  return { added, changed, listed };
}

// -------------------------------------------------------------------------------- rule 3: answers

/**
 * Asks for all sitemaps that can be reached, and renews their last listings. Returns the answers of
 * those that were asked for, before they are confirmed.
 */
async function ask(memory: Memory, walk: ModelWalk): Promise<Map<string, Answer>> {
  const { sitemaps } = memory;
  const { robots, now } = walk;
  const answers = new Map<string, Answer>();

  async function visit(url: string, lastmod?: string): Promise<void> {
    if (answers.has(url)) return;
    answers.set(url, "unknown");
    if (!walk.isAsked(url)) return;
    let known = sitemaps.get(url);
    if (known !== undefined && isTrusted(known, lastmod, walk)) {
      answers.set(url, "listing");
      return await visitChildren(known, known);
    }
    const { answer, listing } = await read(url, walk);
    answers.set(url, answer);
    const isRobots = url === robots;
    const hasEntries = known !== undefined && !(isRobots && isUnread(known));
    const isNowhere = known === undefined && !isRobots && isEmpty(listing);
    if (isNowhere || !hasEntries && answer === "gone") {
      // a known path without a sitemap, or a robots.txt without entries
      answers.delete(url);
      sitemaps.delete(url);
      return;
    }
    if (listing === undefined || answer === "gone") return;
    known ??= newSitemap(memory, url, now);
    if (answer === "listing") {
      Object.assign(known, listing, { lastmod, readAt: now });
    } else {
      // what arrived is added to what it had
      known.pages = new Map([...listing.pages, ...known.pages]);
      known.children = new Map([...listing.children, ...known.children]);
    }
    await visitChildren(known, listing);
  }

  async function visitChildren(known: KnownSitemap, { children }: Listing): Promise<void> {
    for (const child of known.children.keys()) {
      (sitemaps.get(child) ?? newSitemap(memory, child, now)).parents.add(known.url);
    }
    for (const [child, date] of children) await visit(child, date);
  }

  const roots = walk.roots.map(identity);
  memory.starts = [robots, ...roots];
  for (const url of roots) {
    await visit(url);
    const sitemap = sitemaps.get(url);
    if (sitemap !== undefined) sitemap.isRoot = true;
  }
  return answers;
}

function isTrusted(
  { readAt, lastmod }: KnownSitemap,
  date: string | undefined,
  { trustLastmod, full, now }: ModelWalk,
): boolean {
  if (!trustLastmod || full || date === undefined || date !== lastmod) return false;
  if (readAt === undefined || readAt > now) return false;
  const isDay = date.length <= "2024-05-01".length;
  return Date.parse(date) + (isDay ? DAY + DAY_ENDS_AFTER : 0) < readAt;
}

/** Returns the answer of a sitemap, and its entries as far as they arrived. */
async function read(
  url: string,
  { robots, fetch }: ModelWalk,
): Promise<{ answer: Answer; listing?: Listing }> {
  const body = await fetchBody(url, fetch);
  if (body.status === 404 || body.status === 410) return { answer: "gone" };
  const listing = body.status === 200 ? parse(body, url === robots) : undefined;
  if (listing === undefined) return { answer: "unknown" };
  const isEnded = !XML.test(body.text) || /<\/(urlset|sitemapindex)>\s*$/.test(body.text);
  if (!body.isWhole || !isEnded) return { answer: "unknown", listing };
  return { answer: isEmpty(listing) ? "gone" : "listing", listing };
}

function newSitemap({ sitemaps }: Memory, url: string, now: number): KnownSitemap {
  const sitemap: KnownSitemap = {
    url,
    pages: new Map(),
    children: new Map(),
    parents: new Set(),
    isRoot: false,
    listedSince: now,
    readAt: undefined,
    lastmod: undefined,
    goneSince: undefined,
    isConfirmed: false,
  };
  sitemaps.set(url, sitemap);
  return sitemap;
}

function isUnread(sitemap: KnownSitemap): boolean {
  return sitemap.readAt === undefined && isEmpty(sitemap);
}

function isEmpty(listing: Listing | undefined): boolean {
  return listing === undefined || listing.pages.size + listing.children.size === 0;
}

/** Confirms what is gone; then the answer of each sitemap is final. */
function confirm(
  memory: Memory,
  answers: Map<string, Answer>,
  now: number,
  confirmAfter: number,
): void {
  const { sitemaps } = memory;
  const settle = (sitemap: KnownSitemap, since: number): void => {
    const isFirst = sitemap.goneSince === undefined && since === now;
    // not in the future, see rule 9
    sitemap.goneSince = Math.min(sitemap.goneSince ?? since, now);
    sitemap.isConfirmed ||= !isFirst && now - sitemap.goneSince >= confirmAfter;
    answers.set(sitemap.url, sitemap.isConfirmed ? "gone" : "unknown");
    if (!sitemap.isConfirmed) return;
    Object.assign(sitemap, { pages: new Map(), children: new Map(), lastmod: undefined });
  };
  for (const [url, sitemap] of sitemaps) {
    sitemap.listedSince = Math.min(sitemap.listedSince, now);
    const answer = answers.get(url);
    if (answer === "listing") Object.assign(sitemap, { goneSince: undefined, isConfirmed: false });
    if (answer === "gone") settle(sitemap, now);
  }
  // a sitemap that is confirmed to be gone may be the last one that led to others
  for (;;) {
    const lost = lostSitemaps(memory, answers);
    if (lost.size === 0) break;
    const since = [...lost].map((url) => [url, lostSince(memory, lost, url, now)] as const);
    for (const [url, time] of since) settle(sitemaps.get(url)!, time);
  }
  for (const url of sitemaps.keys()) if (!answers.has(url)) answers.set(url, "unknown");
}

/** Returns the sitemaps without an answer that certainly nothing leads to any more. */
function lostSitemaps(memory: Memory, answers: ReadonlyMap<string, Answer>): Set<string> {
  const { sitemaps } = memory;
  const found = reached(memory);
  const lost = new Set([...sitemaps.keys()].filter((url) => !answers.has(url) && !found.has(url)));
  const isUncertain = (url: string) =>
    sitemaps.has(url) && !lost.has(url) && (answers.get(url) ?? "unknown") === "unknown";
  for (let size = -1; size !== lost.size;) {
    size = lost.size;
    for (const url of lost) if ([...sitemaps.get(url)!.parents].some(isUncertain)) lost.delete(url);
  }
  return lost;
}

/** Returns since when nothing has led to a sitemap: since the last of its parents was gone. */
function lostSince(
  { sitemaps }: Memory,
  lost: ReadonlySet<string>,
  url: string,
  now: number,
): number {
  const times: number[] = [];
  // grows by the parents that are lost as well
  const above = new Set([url]);
  for (const child of above) {
    for (const parent of sitemaps.get(child)!.parents) {
      const sitemap = sitemaps.get(parent);
      if (sitemap === undefined) continue;
      if (sitemap.goneSince === undefined && lost.has(parent)) above.add(parent);
      else times.push(sitemap.goneSince ?? now);
    }
  }
  return times.length === 0 ? now : Math.max(...times);
}

/** Forgets sitemaps that are gone and that nothing leads to. */
function forget(memory: Memory): void {
  const found = reached(memory);
  for (const [url, { isConfirmed }] of memory.sitemaps) {
    if (isConfirmed && !found.has(url)) memory.sitemaps.delete(url);
  }
}

// -------------------------------------------------------------------------------- rule 4: removal

/** Marks the pages that no last listing has. */
function drop(
  { pages }: Memory,
  { sitemaps }: Memory,
  listed: ReadonlyMap<string, string>,
  now: number,
): void {
  for (const [id, page] of pages) {
    if (listed.has(id)) continue;
    const from = [...sitemaps.values()].filter(({ pages }) => pages.has(id)).map(({ url }) => url);
    page.dropped ??= { at: now, from };
    // not in the future, see rule 9
    page.dropped.at = Math.min(page.dropped.at, now);
  }
}

function droppedPages({ pages }: Memory): ModelPage[] {
  return [...pages.values()].filter(({ dropped }) => dropped !== undefined);
}

/** Whether a dropped page is removed although something is unknown (rule 4c). */
function isSettled(
  { dropped }: ModelPage,
  { sitemaps }: Memory,
  answers: ReadonlyMap<string, Answer>,
  now: number,
  confirmAfter: number,
): boolean {
  const { at, from } = dropped!;
  // confirmed by a second run, even without a wait
  if (at === now || now - at < confirmAfter) return false;
  for (const { url, readAt, listedSince } of sitemaps.values()) {
    const isNew = readAt === undefined && now - listedSince < NEW_FOR;
    if (isNew && answers.get(url) === "unknown") return false;
  }
  return from.every((url) => answers.get(url) !== "unknown");
}

// --------------------------------------------------------------------------- rule 6: mass removal

function isMassRemoval({ pages }: Memory, present: ReadonlyMap<string, string>): boolean {
  const counted = [...pages].filter(([, { isCounted }]) => isCounted);
  const missing = counted.filter(([id]) =>
    !present.has(id) && !present.has(id.replace(/^http:/, "https:"))
  );
  return missing.length > MASS && missing.length > counted.length / 2;
}

// -------------------------------------------------------------------------------------- documents

interface Body {
  readonly status: number;
  readonly text: string;
  readonly isWhole: boolean;
}

/** Returns the response of a URL; the status is 0 without one. */
async function fetchBody(url: string, fetch: Fetch): Promise<Body> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let status = 0, isWhole = true;
  try {
    let response = await fetch(url, {});
    for (let left = 5; response.headers.has("location") && left > 0; left--) {
      response = await fetch(new URL(response.headers.get("location")!, url).href, {});
    }
    ({ status } = response);
    for await (const chunk of response.body ?? []) chunks.push(chunk);
  } catch {
    isWhole = false;
  }
  const bytes = new Uint8Array(await new Blob(chunks).arrayBuffer());
  const isGzip = bytes[0] === 0x1f;
  if (isGzip && !isWhole) return { status: 0, text: "", isWhole };
  return { status, text: new TextDecoder().decode(isGzip ? gunzipSync(bytes) : bytes), isWhole };
}

const XML = /<(?:urlset|sitemapindex)/;

/** Returns the entries of robots.txt or a sitemap; `undefined` if it is another document. */
function parse({ text, isWhole }: Body, isRobots: boolean): Listing | undefined {
  const isSitemap = isRobots
    ? !/^\s*<(?:!doctype|html)/i.test(text)
    : !isWhole || XML.test(text) || text.trim() === "";
  if (!isSitemap) return undefined;
  const pages = new Map<string, { url: string; values: ModelValues }>();
  const children = new Map<string, string | undefined>();
  // half a URL is another URL
  const lines = isWhole ? text : text.slice(0, text.lastIndexOf("\n") + 1);
  for (const [, url] of lines.matchAll(/^sitemap:\s*(\S+)/gim)) {
    children.set(identity(url!), undefined);
  }
  for (const [, entry] of text.matchAll(/<sitemap>(.*?)<\/sitemap>/gs)) {
    const id = identity(element(entry!, "loc")!);
    if (!children.has(id)) children.set(id, element(entry!, "lastmod"));
  }
  for (const [, entry] of text.matchAll(/<url>(.*?)<\/url>/gs)) {
    const url = element(entry!, "loc")!;
    const id = identity(url);
    if (!pages.has(id)) pages.set(id, { url, values: valuesOf(entry!) });
  }
  return { pages, children };
}

function element(xml: string, name: string): string | undefined {
  return xml.match(new RegExp(`<${name}>(.*?)</${name}>`, "s"))?.[1]?.trim();
}
