/** Random histories of small sites: nested indexes, pages in several sitemaps, faults. @module */

import fc from "../support/fast_check.ts";
import { DAY, HOUR, MINUTE } from "../../src/data/calendar.ts";
import type { SyncOptions } from "../../src/sync/mod.ts";
import { index, type Reply, robots, type Site, urlset } from "./scripted_site.ts";

export const ROBOTS = "/robots.txt";
/** Sitemaps; each may be an index or a urlset. The last two are not listed at first. */
export const SITEMAPS: readonly string[] = [
  "/i.xml",
  "/j.xml",
  "/s.xml",
  "/t.xml",
  "/u.xml",
  "/v.xml",
  "/w.xml",
];
/** Pages; the last two are spellings of one. */
const PAGES: readonly string[] = ["/a", "/b", "/c", "/d", "/e", "/%c3", "/%C3"];
/** Path that some runs probe although nothing declares it. */
export const KNOWN_PATH = "/w.xml";
/** Pages that come and go together, enough for a mass removal. */
const BLOCK: readonly string[] = Array.from({ length: 130 }, (_, at) => `/block/${at}`);

/** What a path has: children of an index, or pages with their versions. */
export interface Content {
  readonly isIndex: boolean;
  readonly children: readonly string[];
  readonly pages: ReadonlyMap<string, number>;
}

/** What a path answers instead of its content. */
export type Fault =
  | { readonly type: "status"; readonly status: number }
  | { readonly type: "refused" | "login" | "empty" | "emptied" }
  /** The body breaks off behind so many entries. */
  | { readonly type: "cut"; readonly entries: number };

export type Edit =
  | { readonly type: "set"; readonly sitemap: string; readonly page: string; readonly to: number }
  | { readonly type: "drop"; readonly sitemap: string; readonly page: string }
  | { readonly type: "block"; readonly sitemap: string }
  | { readonly type: "turn"; readonly sitemap: string }
  /** A page moves into a sitemap that may fail meanwhile. */
  | {
    readonly type: "move";
    readonly page: string;
    readonly from: string;
    readonly to: string;
    readonly fault: Fault | undefined;
  }
  /** A sitemap is listed, and may fail at first. */
  | {
    readonly type: "list";
    readonly by: string;
    readonly sitemap: string;
    readonly at: number;
    readonly fault?: Fault | undefined;
  }
  | { readonly type: "unlist"; readonly by: string; readonly sitemap: string }
  | { readonly type: "fault"; readonly path: string; readonly fault: Fault; readonly runs: number };

export interface HistoryRun extends Pick<SyncOptions, "allowMassRemoval" | "full" | "dryRun"> {
  readonly edits: readonly Edit[];
  /** Milliseconds since the run before; negative if the clock jumps back. */
  readonly after: number;
  /** Sitemap that the caller skips. */
  readonly skipped?: string | undefined;
  /** Sitemap whose pages the caller does not want. */
  readonly excluded?: string | undefined;
  readonly maxSitemaps?: number | undefined;
  readonly confirmAfter?: number | undefined;
  /** Whether the known path is not probed, in a history that does so. */
  readonly isUnprobed?: boolean;
}

export interface Interruption {
  /** Number of events after which the consumer leaves. */
  readonly breakAfter: number;
  /** Changes of the site until the next run. */
  readonly edits: readonly Edit[];
  /** Milliseconds until the next run. */
  readonly after: number;
  /** Number of requests after which the site changes during the next run. */
  readonly changesAt: number | undefined;
}

type Validator = "none" | "etag" | "last-modified" | "ignored";

export interface History {
  readonly validators: Readonly<Record<string, Validator>>;
  readonly trustLastmod: boolean;
  /** Whether a known path is probed. */
  readonly isProbed: boolean;
  readonly runs: readonly HistoryRun[];
}

export interface InterruptedHistory extends History {
  readonly interruptions: readonly (Interruption | undefined)[];
  /** Whether old changes are removed after each run. */
  readonly isPruned: boolean;
}

// ------------------------------------------------------------------------------------ arbitraries

const sitemap = fc.constantFrom(...SITEMAPS);
const listing = fc.constantFrom(ROBOTS, ROBOTS, "/i.xml", "/i.xml", "/j.xml");
/** Sitemaps that have pages at first. */
const urlsets = fc.constantFrom("/s.xml", "/t.xml", "/u.xml", "/v.xml", "/w.xml");
const page = fc.constantFrom(...PAGES);

const fault: fc.Arbitrary<Fault> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Fault>({ type: "status", status: 404 }) },
  fc.constant<Fault>({ type: "status", status: 410 }),
  { weight: 2, arbitrary: fc.constant<Fault>({ type: "status", status: 500 }) },
  fc.constantFrom<Fault>({ type: "refused" }, { type: "login" }, { type: "empty" }),
  { weight: 2, arbitrary: fc.constant<Fault>({ type: "emptied" }) },
  { weight: 3, arbitrary: fc.nat(3).map((entries): Fault => ({ type: "cut", entries })) },
);

type Fields<T> = { readonly [K in keyof Omit<T, "type">]: fc.Arbitrary<T[K & keyof T]> };

/** Returns edits of one type; `weight` is that of the type among all. */
function editsOf<T extends Edit["type"]>(
  weight: number,
  type: T,
  fields: Fields<Extract<Edit, { readonly type: T }>>,
): fc.WeightedArbitrary<Edit> {
  return { weight, arbitrary: fc.record({ type: fc.constant(type), ...fields }) as never };
}

/** Returns a fault or none; `freq` as in `fc.option()`. */
function faultOrNone(freq: number): fc.Arbitrary<Fault | undefined> {
  return fc.option(fault, { nil: undefined, freq });
}

const edit: fc.Arbitrary<Edit> = fc.oneof(
  editsOf(6, "set", { sitemap, page, to: fc.nat(2) }),
  editsOf(3, "drop", { sitemap, page }),
  editsOf(4, "list", { by: listing, sitemap, at: fc.nat(4), fault: faultOrNone(2) }),
  editsOf(4, "move", { page, from: urlsets, to: urlsets, fault: faultOrNone(1) }),
  editsOf(2, "unlist", { by: listing, sitemap }),
  editsOf(1, "block", { sitemap }),
  editsOf(1, "turn", { sitemap }),
  editsOf(6, "fault", {
    path: fc.constantFrom(ROBOTS, ...SITEMAPS, ...SITEMAPS),
    fault,
    runs: fc.constantFrom(1, 1, 2, 3),
  }),
);

const rarely = fc.integer({ min: 0, max: 9 }).map((digit) => digit === 9);

/** Mostly some hours, sometimes less, longer than any waiting period, or a clock that jumps. */
const after = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(HOUR, 2 * HOUR, DAY) },
  { weight: 3, arbitrary: fc.constantFrom(0, MINUTE, HOUR - 1) },
  { weight: 2, arbitrary: fc.constantFrom(8 * DAY, 15 * DAY) },
  fc.constantFrom(365 * DAY, -365 * DAY, -HOUR),
);

/** Returns a value or, in most runs, none. */
function seldom<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.option(arbitrary, { nil: undefined, freq: 9 });
}

const run: fc.Arbitrary<HistoryRun> = fc.record({
  edits: fc.array(edit, { maxLength: 5 }),
  after,
  allowMassRemoval: rarely,
  full: rarely,
  dryRun: rarely,
  skipped: seldom(sitemap),
  excluded: seldom(sitemap),
  maxSitemaps: seldom(fc.integer({ min: 1, max: 6 })),
  confirmAfter: seldom(fc.constantFrom(0, 1, MINUTE, DAY)),
  isUnprobed: rarely,
});

const firstRun: fc.Arbitrary<HistoryRun> = fc.array(edit, { minLength: 4, maxLength: 12 })
  .map((edits) => ({ edits, after: 0 }));

const validator = fc.constantFrom<Validator>("none", "etag", "last-modified", "ignored");

const parts = {
  validators: fc.record(
    Object.fromEntries([ROBOTS, ...SITEMAPS].map((path) => [path, validator])),
  ),
  trustLastmod: rarely,
  isProbed: rarely,
  runs: fc.tuple(firstRun, fc.array(run, { minLength: 1, maxLength: 6 })).map(
    ([first, others]) => [first, ...others],
  ),
};

/** Any history. Its first run has a site with most of the sitemaps. */
export const anyHistory: fc.Arbitrary<History> = fc.record(parts);

const interruption: fc.Arbitrary<Interruption> = fc.record({
  breakAfter: fc.integer({ min: 1, max: 30 }),
  edits: fc.array(edit, { maxLength: 3 }),
  after: fc.constantFrom(0, 0, MINUTE, 10 * MINUTE, 10 * MINUTE, 2 * HOUR, -HOUR),
  changesAt: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined, freq: 4 }),
});

export const anyInterruptedHistory: fc.Arbitrary<InterruptedHistory> = fc.record({
  ...parts,
  isPruned: rarely,
  interruptions: fc.array(fc.option(interruption, { nil: undefined, freq: 1 }), {
    minLength: 7,
    maxLength: 7,
  }),
});

// ------------------------------------------------------------------------------------- the site

export class EditedSite {
  readonly #contents = new Map<string, Content>();
  readonly #faults = new Map<string, { readonly fault: Fault; runs: number }>();
  readonly #validators: History["validators"];
  /** Where a walk begins. */
  readonly #roots: readonly string[];
  readonly #hasDates: boolean;
  /** Last body of each path, and how often it has changed. */
  readonly #bodies = new Map<string, { body: string; revision: number }>();

  /** Starts with /i.xml that lists two sitemaps, and another sitemap below robots.txt. */
  constructor({ validators, trustLastmod, isProbed }: History) {
    this.#validators = validators;
    this.#roots = isProbed ? [ROBOTS, KNOWN_PATH] : [ROBOTS];
    this.#hasDates = trustLastmod;
    this.#contents.set(ROBOTS, listed("/i.xml", "/u.xml"));
    this.#contents.set("/i.xml", listed("/s.xml", "/t.xml"));
    this.#contents.set("/j.xml", listed());
    for (const path of ["/s.xml", "/t.xml", "/u.xml", "/v.xml", "/w.xml"]) {
      this.#contents.set(path, { isIndex: false, children: [], pages: new Map([["/a", 0]]) });
    }
  }

  /** Content of a path, without faults. */
  content(path: string): Content {
    return this.#contents.get(path)!;
  }

  fault(path: string): Fault | undefined {
    return this.#faults.get(path)?.fault;
  }

  heal(): void {
    this.#faults.clear();
  }

  /** Returns the sitemaps that can be reached, in document order. */
  sitemaps(): string[] {
    const found = new Set<string>();
    const visit = (path: string): void => {
      if (found.has(path)) return;
      found.add(path);
      const { isIndex, children } = this.content(path);
      if (isIndex && this.fault(path) === undefined) children.forEach(visit);
    };
    for (const path of this.#roots) {
      const { isIndex, children, pages } = this.content(path);
      const isEmpty = (isIndex ? children.length : pages.size) === 0;
      // an empty known path is not a sitemap
      if (path === ROBOTS || !isEmpty) visit(path);
    }
    return [...found].slice(1);
  }

  /**
   * Returns the pages that are on the site, by identity, with the version of the first sitemap that
   * lists them.
   */
  pages(): Map<string, number> {
    const found = new Map<string, number>();
    for (const path of this.sitemaps()) {
      const { isIndex, pages } = this.content(path);
      if (isIndex || this.fault(path) !== undefined) continue;
      for (const [page, version] of pages) {
        const id = pathIdentity(page);
        if (!found.has(id)) found.set(id, version);
      }
    }
    return found;
  }

  /** Changes the site for the next run; faults that have lasted long enough end. */
  edit(edits: readonly Edit[]): void {
    for (const [path, left] of this.#faults) if (--left.runs === 0) this.#faults.delete(path);
    for (const edit of edits) this.#apply(edit);
  }

  #apply(edit: Edit): void {
    switch (edit.type) {
      case "fault":
        this.#fail(edit.path, edit.fault, edit.runs);
        return;
      case "move": {
        const { page, from, to } = edit;
        const source = this.content(from), target = this.content(to);
        const pages = new Map(source.pages);
        const version = pages.get(page) ?? 0;
        pages.delete(page);
        this.#contents.set(from, { ...source, pages });
        if (to !== from) {
          const others = withoutSpellings(target.pages, page);
          this.#contents.set(to, { ...target, pages: new Map([[page, version], ...others]) });
        }
        this.#fail(to, edit.fault, 1);
        return;
      }
      case "turn": {
        const content = this.content(edit.sitemap);
        this.#contents.set(edit.sitemap, { ...content, isIndex: !content.isIndex });
        return;
      }
      case "list":
      case "unlist": {
        // with dates, each is listed once, so that it has one date
        const isMoved = this.#hasDates && edit.type === "list";
        const lists = isMoved ? [ROBOTS, ...SITEMAPS] : [edit.by];
        for (const path of lists) {
          const content = this.content(path);
          const children = content.children.filter((child) => child !== edit.sitemap);
          this.#contents.set(path, { ...content, children });
        }
        if (edit.type === "unlist") return;
        this.#fail(edit.sitemap, edit.fault, 2);
        const content = this.content(edit.by);
        this.#contents.set(edit.by, {
          ...content,
          children: content.children.toSpliced(edit.at, 0, edit.sitemap),
        });
        return;
      }
      default: {
        const content = this.content(edit.sitemap);
        const isNew = edit.type === "set" && !content.pages.has(edit.page);
        const pages = isNew ? withoutSpellings(content.pages, edit.page) : new Map(content.pages);
        if (edit.type === "set") pages.set(edit.page, edit.to);
        else if (edit.type === "drop") pages.delete(edit.page);
        else for (const path of BLOCK) if (!pages.delete(path)) pages.set(path, 0);
        this.#contents.set(edit.sitemap, { ...content, pages });
      }
    }
  }

  #fail(path: string, fault: Fault | undefined, runs: number): void {
    if (fault !== undefined) this.#faults.set(path, { fault, runs });
  }

  site(): Site {
    // children first, since indexes declare when those have changed
    const paths = [...SITEMAPS.filter((path) => !this.content(path).isIndex), ...SITEMAPS, ROBOTS];
    return Object.fromEntries(paths.map((path) => [path, this.#reply(path)]));
  }

  #reply(path: string): Reply {
    const fault = this.fault(path);
    const { isIndex, children, pages } = this.content(path);
    const isEmptied = fault?.type === "emptied";
    const entries = isEmptied ? [] : [...pages].map(([page, version]) => entry(page, version));
    const listed = isEmptied ? [] : children;
    const body = path === ROBOTS
      ? `User-agent: *\nDisallow:\n${robots(...listed)}`
      : isIndex
      ? index(...listed.map((child) => this.#child(child)))
      : urlset(...entries);
    const reply = { body, ...this.#validatorsOf(path, body) };
    switch (fault?.type) {
      case "status":
        return { status: fault.status };
      case "refused":
        return { fault: "refused" };
      case "login":
        return { body: "<html><body>Please log in</body></html>" };
      case "empty":
        return { body: "" };
      case "cut": {
        if (path === ROBOTS) return reply;
        const cut = cutBehind(body, isIndex ? "</sitemap>" : "</url>", fault.entries);
        // 304 would have no body to truncate
        return { ...reply, cut, validators: "ignored" };
      }
      default:
        return reply;
    }
  }

  #child(path: string): string | readonly [string, string] {
    const isDated = this.#hasDates && !this.content(path).isIndex;
    return isDated ? [path, dateOf(this.#bodies.get(path)?.revision ?? 0)] : path;
  }

  #validatorsOf(path: string, body: string): Reply {
    const last = this.#bodies.get(path);
    const revision = last?.body === body ? last.revision : (last?.revision ?? 0) + 1;
    this.#bodies.set(path, { body, revision });
    switch (this.#validators[path]) {
      case "etag":
        return { etag: `"${revision}"` };
      case "last-modified":
        return { lastModified: new Date(dateOf(revision)).toUTCString() };
      case "ignored":
        return { etag: `"${revision}"`, validators: "ignored" };
      default:
        return {};
    }
  }
}

/** Returns what the spellings of a path have in common. */
export function pathIdentity(path: string): string {
  return path.replaceAll("%c3", "%C3");
}

function withoutSpellings(pages: Content["pages"], page: string): Map<string, number> {
  return new Map([...pages].filter(([path]) => pathIdentity(path) !== pathIdentity(page)));
}

function listed(...children: string[]): Content {
  return { isIndex: true, children, pages: new Map() };
}

/** Returns a page whose priority is that of its version; version 0 has none. */
function entry(page: string, version: number): string | readonly [string, string] {
  return version === 0 ? page : [page, `<priority>0.${version}</priority>`];
}

function dateOf(revision: number): string {
  return new Date(Date.UTC(2024, 0, revision)).toISOString().slice(0, 10);
}

/** Returns the part of a body that ends behind so many elements. */
function cutBehind(body: string, end: string, count: number): number {
  const first = body.indexOf(">") + 1;
  let at = first;
  for (let found = 0; found < count; found++) {
    const next = body.indexOf(end, at);
    if (next < 0) break;
    at = next + end.length;
  }
  return (at + 0.5) / body.length;
}
