/** Runs a conformance case and compares its tree; needs only the web's APIs. @module */

import type { TreeEvent, WalkOptions } from "../../mod.ts";
import { LimitError, withLimit } from "../../tools/runtimes/checks.ts";
import {
  type CaseResponse,
  type CaseRoute,
  ConformanceSite,
  plainUrl,
} from "./conformance_site.ts";

export type Library = Pick<
  typeof import("../../mod.ts"),
  "collect" | "sitemapFromString" | "sitemapTreeForHomepage" | "walk"
>;

/** Addresses that a callback accepts. */
interface AddressFilter {
  readonly include?: string;
  readonly exclude?: string;
  readonly includeRegex?: string;
  readonly excludeRegex?: string;
}

/** A case, see `fixtures/conformance/README.md`. */
export interface ConformanceCase {
  readonly name: string;
  readonly call: "sitemapTreeForHomepage" | "sitemapFromString";
  readonly content?: string;
  readonly options:
    & Pick<
      WalkOptions,
      "useRobots" | "useKnownPaths" | "extraKnownPaths" | "normalizeHomepageUrl"
    >
    & {
      readonly homepageUrl: string;
      readonly recurse?: AddressFilter & { readonly maxLevel?: number };
      readonly recurseList?: AddressFilter & {
        readonly reverse?: boolean;
        readonly first?: number;
      };
    };
  readonly site: readonly CaseRoute[];
  readonly fallback: CaseResponse | null;
  readonly expect: unknown;
  readonly requests?: Readonly<Record<string, number>>;
  readonly verdict?: string;
  readonly warnings?: readonly string[];
}

/** Milliseconds after which a call counts as hanging: 100 MiB to unpack take 10 s on busy cores. */
const CALL_LIMIT = 90_000;

/** Runs a case; returns the first difference, or undefined if it passes. */
export async function runCase(
  library: Library,
  test: ConformanceCase,
): Promise<string | undefined> {
  if (test.call === "sitemapFromString") {
    return await difference(test, () => library.sitemapFromString(test.content!));
  }
  const { homepageUrl } = test.options;
  const site = new ConformanceSite(test.site, test.fallback);
  const found = await difference(
    test,
    () => library.sitemapTreeForHomepage(homepageUrl, walkOptions(test, site)),
  ) ?? requestDifference(test, site);
  if (found !== undefined) return found;

  const events: TreeEvent[] = [];
  const walkSite = new ConformanceSite(test.site, test.fallback);
  const walkFound = await difference(test, async () => {
    for await (const event of library.walk(homepageUrl, walkOptions(test, walkSite))) {
      events.push(event);
    }
    return await library.collect(events);
  }) ?? reportDifference(test, events);
  return walkFound === undefined ? undefined : `walk(): ${walkFound}`;
}

// ----------------------------------------------------------------------------------------- options

export function walkOptions({ options }: ConformanceCase, site: ConformanceSite): WalkOptions {
  const { homepageUrl: _, recurse, recurseList, ...given } = options;
  return {
    ...given,
    fetch: site.fetch,
    retryDelay: 0,
    wait: 0,
    ...(recurse && {
      recurseCallback: (url: string, level: number) =>
        level <= (recurse.maxLevel ?? Infinity) && accepts(recurse, url),
    }),
    ...(recurseList && {
      recurseListCallback: (urls: readonly string[]) => {
        const kept = urls.filter((url) => accepts(recurseList, url));
        if (recurseList.reverse) kept.reverse();
        return kept.slice(0, recurseList.first);
      },
    }),
  };
}

function accepts(filter: AddressFilter, url: string): boolean {
  const { include, exclude, includeRegex, excludeRegex } = filter;
  return (include === undefined || url.includes(include)) &&
    (exclude === undefined || !url.includes(exclude)) &&
    (includeRegex === undefined || new RegExp(includeRegex).test(url)) &&
    (excludeRegex === undefined || !new RegExp(excludeRegex).test(url));
}

// -------------------------------------------------------------------------------------- comparison

// deno-lint-ignore no-explicit-any
type Json = any;
type Projection = (value: Json) => Json;

/** Returns a value, or null in place of a missing one. */
function value(given: Json): Json {
  return given ?? null;
}

function each(item: Projection): Projection {
  return (given) => given?.map(item) ?? null;
}

/** Projects a list that is empty rather than missing. */
function list(item: Projection): Projection {
  return (given) => given === undefined ? [] : each(item)(given);
}

function object(fields: Readonly<Record<string, Projection>>): Projection {
  const entries = Object.entries(fields);
  return (given) =>
    given && Object.fromEntries(entries.map(([name, project]) => [name, project(given[name])]));
}

function values(...names: string[]): Record<string, Projection> {
  return Object.fromEntries(names.map((name) => [name, value]));
}

/** Returns the instant at which a date begins: cases have no other form. */
function instant(date: Json): Json {
  return typeof date === "string" ? new Date(date).toISOString() : null;
}

const story = object({
  ...values("title", "publicationName", "publicationLanguage", "access"),
  publishDate: instant,
  genres: list(value),
  keywords: list(value),
  stockTickers: list(value),
});
const image = object(values("loc", "caption", "geoLocation", "title", "license"));
const alternate = object(values("hreflang", "href"));
const video = object({
  ...values("thumbnailLoc", "title", "description", "contentLoc", "playerLoc", "duration"),
  publicationDate: instant,
});
const page = object({
  ...values("url", "changeFrequency"),
  lastModified: instant,
  // the default of the protocol
  priority: (given) => given ?? 0.5,
  newsStory: (given) => story(value(given)),
  images: each(image),
  alternates: each(alternate),
  videos: each(video),
});

/** Projects a tree to the compared fields; the order of the fields is that of the messages. */
const sitemap: Projection = object({
  type: value,
  code: value,
  url: (url) => typeof url === "string" ? plainUrl(url) : null,
  pages: list(page),
  subSitemaps: list((given) => sitemap(given)),
});

/** Returns the first difference between the tree of a call and the expected one. */
async function difference(
  { expect, call }: ConformanceCase,
  run: () => Promise<unknown>,
): Promise<string | undefined> {
  const mustReject = (expect as Json).error === true;
  let tree: Json;
  try {
    tree = JSON.parse(JSON.stringify(await withLimit(run(), CALL_LIMIT)));
  } catch (error) {
    if (mustReject && !(error instanceof LimitError)) return undefined;
    return `threw ${error instanceof Error ? error.stack : String(error)}`;
  }
  if (mustReject) return `expected a rejection, got ${show(tree)}`;
  const [expected, got] = [sitemap(expect), sitemap(tree)];
  // a string has no URL of its own
  if (call === "sitemapFromString") got.url = expected.url;
  return firstDifference(expected, got, "");
}

function firstDifference(expected: Json, got: Json, path: string): string | undefined {
  if (isObject(expected) && isObject(got) && Array.isArray(expected) === Array.isArray(got)) {
    const names = Array.isArray(expected)
      ? Array.from({ length: Math.max(expected.length, got.length) }, (_, at) => at)
      : Object.keys(expected);
    for (const name of names) {
      const found = firstDifference(expected[name], got[name], `${path}.${name}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (Object.is(expected, got)) return undefined;
  return `${path.slice(1) || "tree"}: expected ${show(expected)}, got ${show(got)}`;
}

function isObject(given: Json): boolean {
  return typeof given === "object" && given !== null;
}

function show(given: Json): string {
  const text = JSON.stringify(given) ?? "nothing";
  return text.length > 160 ? `${text.slice(0, 157)}...` : text;
}

function requestDifference(
  { requests = {} }: ConformanceCase,
  site: ConformanceSite,
): string | undefined {
  for (const [url, expected] of Object.entries(requests)) {
    const got = site.requests.get(plainUrl(url)) ?? 0;
    if (got !== expected) return `requests for ${url}: expected ${expected}, got ${got}`;
  }
  return undefined;
}

function reportDifference(
  { verdict, warnings = [] }: ConformanceCase,
  events: readonly TreeEvent[],
): string | undefined {
  const last = events.at(-1);
  const got = last?.type === "finished" ? last.verdict : undefined;
  if (verdict !== undefined && got !== verdict) {
    return `verdict: expected ${verdict}, got ${got}`;
  }
  const codes = new Set(events.map((event) => event.type === "warning" ? event.code : undefined));
  const missing = warnings.find((code) => !codes.has(code as never));
  return missing === undefined ? undefined : `warnings: ${missing} is missing`;
}
