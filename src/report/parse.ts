/**
 * Reads a saved report, and checks its shape, so that what is rendered is what the page expects.
 *
 * @module
 */

import type { Severity } from "../check/rules.ts";
import type { FoundBy, SitemapType, Verdict } from "../data/events.ts";
import type { ChangeFrequency } from "../data/page.ts";
import { CHANGE_FREQUENCIES } from "../data/page_schema.ts";
import { excerpt } from "../data/text.ts";
import { SITEMAP_KINDS } from "../data/sitemap_kinds.ts";
import { limited } from "./limited.ts";
import { REPORT_LIMITS } from "./limits.ts";
import {
  type ExtensionName,
  type Report,
  REPORT_VERSION,
  type ReportCount,
  type ReportExtension,
  type ReportFault,
  type ReportFinding,
  type ReportFindings,
  type ReportLanguages,
  type ReportPage,
  type ReportPath,
  type ReportRun,
  type ReportSite,
  type ReportSitemap,
  type ReportTotals,
} from "./report.ts";

/** Greatest depth of paths. */
const MAX_DEPTH = 100;

/** Returns a value of a type that was found at a place; throws if it is none. */
type Reader<T> = (value: unknown, place: string) => T;
/** Reader of a member that may be absent. */
interface Optional<T> {
  readonly optional: Reader<T>;
}
/** A reader for each member. */
type Members<T> = {
  readonly [K in keyof T]-?: Record<never, never> extends Pick<T, K> ? Optional<NonNullable<T[K]>>
    : Reader<T[K]>;
};

const text: Reader<string> = (value, place) =>
  typeof value === "string" ? value : expected("a string", place);
const number: Reader<number> = (value, place) =>
  typeof value === "number" && value >= 0 ? value : expected("a number of at least 0", place);
const flag: Reader<boolean> = (value, place) =>
  typeof value === "boolean" ? value : expected("true or false", place);

function expected(what: string, place: string): never {
  throw new SyntaxError(`Invalid report: expected ${what} at "${excerpt(place)}"`);
}

/** Returns members that all have the same reader. */
function each<K extends string, T>(
  reader: Reader<T>,
  ...names: readonly K[]
): Record<K, Reader<T>> {
  return Object.fromEntries(names.map((name) => [name, reader])) as Record<K, Reader<T>>;
}

/** Returns members that all have the same reader, and may be absent. */
function maybe<K extends string, T>(
  reader: Reader<T>,
  ...names: readonly K[]
): Record<K, Optional<T>> {
  const optional = { optional: reader };
  return Object.fromEntries(names.map((name) => [name, optional])) as Record<K, Optional<T>>;
}

function one<T extends string | number | boolean>(words: readonly T[]): Reader<T> {
  return (value, place) =>
    words.find((word) => word === value) ?? expected(`one of ${words.join(", ")}`, place);
}

function list<T>(item: Reader<T>): Reader<readonly T[]> {
  return (value, place) =>
    Array.isArray(value)
      ? value.map((one: unknown, at) => item(one, `${place}[${at}]`))
      : expected("an array", place);
}

function membersOf(value: unknown, place: string): [string, unknown][] {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? Object.entries(value) : expected("an object", place);
}

function record<T>(item: Reader<T>): Reader<Readonly<Record<string, T>>> {
  return (value, place) =>
    Object.fromEntries(
      membersOf(value, place).map(([name, member]) => [name, item(member, `${place}.${name}`)]),
    );
}

/** Returns the reader of an object, without members that it does not know. */
function object<T extends object>(members: Members<T>): Reader<T> {
  const readers = new Map(Object.entries<Reader<unknown> | Optional<unknown>>(members));
  const required = [...readers.keys()].filter((name) => typeof readers.get(name) === "function");
  return (value, place) => {
    const given = membersOf(value, place);
    const names = new Set(given.map(([name]) => name));
    const missing = required.find((name) => !names.has(name));
    if (missing !== undefined) expected("a value", `${place}.${missing}`);
    return Object.fromEntries(given.flatMap(([name, member]) => {
      const reader = readers.get(name);
      if (reader === undefined) return [];
      const read = typeof reader === "function" ? reader : reader.optional;
      return [[name, read(member, `${place}.${name}`)]];
    })) as T;
  };
}

const SEVERITIES: readonly Severity[] = ["error", "warning", "info"];
const EXTENSIONS: readonly ExtensionName[] = ["news", "images", "videos", "alternates"];
const VERDICTS: readonly Verdict[] = ["complete", "partial", "blocked", "none"];
const FOUND_BY: readonly FoundBy[] = ["robots", "given", "known-path", "homepage", "variant"];

/** Example of a fault or a finding. */
type Example<T extends ReportFault | ReportFinding> = T["examples"][number];

const pagesOfName = object<ReportCount>({ name: text, pages: number });
const pagesAndItems = object<ReportExtension>(each(number, "pages", "items"));

function path(value: unknown, place: string, depth = 0): ReportPath {
  if (depth > MAX_DEPTH) expected(`at most ${MAX_DEPTH} levels`, place);
  return object<ReportPath>({
    ...{ name: text, pages: number },
    ...maybe(number, "own", "other", "dated"),
    ...maybe(text, "newest", "mean"),
    ...maybe(list((child, at) => path(child, at, depth + 1)), "children"),
  })(value, place);
}

const sitemap = object<ReportSitemap>({
  ...{ type: one(Object.keys(SITEMAP_KINDS) as SitemapType[]), url: text, pages: number },
  ...maybe(text, "requestedUrl", "lastModified", "contentType", "contentEncoding"),
  ...maybe(text, "code", "reason"),
  ...maybe(number, "parent", "merged", "bytes", "status", "redirects", "durationMs"),
  ...maybe(flag, "complete"),
  ...maybe(one(FOUND_BY), "foundBy"),
  ...maybe(record(number), "warnings", "findings"),
});

/** Reads sitemaps; each follows its parent, so that they are a tree. */
const sitemaps: Reader<readonly ReportSitemap[]> = (value, place) => {
  const items = list(sitemap)(value, place);
  const at = items.findIndex(({ parent = -1 }, at) => parent >= at || !Number.isInteger(parent));
  return at < 0 ? items : expected("the position of a sitemap before it", `${place}[${at}].parent`);
};

const fault = object<ReportFault>({
  ...{ code: text, count: number },
  examples: list(
    object<Example<ReportFault>>({ ...each(text, "url", "message"), ...maybe(number, "line") }),
  ),
});

const finding = object<ReportFinding>({
  ...{ code: text, severity: one(SEVERITIES), message: text, count: number },
  ...maybe(text, "sitemap"),
  ...maybe(one([true as const]), "isEstimated"),
  examples: list(
    object<Example<ReportFinding>>({ ...maybe(text, "url", "value"), ...maybe(number, "line") }),
  ),
});

const findings = object<ReportFindings>({
  counts: object<ReportFindings["counts"]>(each(number, ...SEVERITIES)),
  items: list(finding),
  help: record(text),
  skipped: list(object(each(text, "code", "reason"))),
});

const languages = object<ReportLanguages>({
  items: list(pagesOfName),
  others: number,
  ...maybe(object({ ...each(number, "unreturned", "incomplete"), isEstimated: flag }), "sets"),
});

const pair: Reader<readonly [string, string]> = (value, place) => {
  const [first, second] = list(text)(value, place);
  return first === undefined || second === undefined
    ? expected("two URLs", place)
    : [first, second];
};

const site = object<ReportSite>({
  ...{ url: text, ...each(number, "pages", "sitemaps") },
  ...maybe(one(VERDICTS), "verdict"),
  ...maybe(text, "endedBy", "reason", "endedAt"),
});

const totals = object<ReportTotals>({
  ...each(number, "sites", "pages", "dated", "sitemaps", "listings"),
  ...each(number, "invalid", "warnings", "bytes", "requests", "durationMs"),
});

const page = object<ReportPage>({
  ...each(text, "url", "sitemap"),
  ...maybe(text, "lastModified", "title"),
  ...maybe(one<ChangeFrequency>(CHANGE_FREQUENCIES), "changeFrequency"),
  ...maybe(number, "priority"),
});

const run = object<ReportRun>({
  ...each(text, "site", "started"),
  ...maybe(text, "verdict"),
  ...each(number, "pages", "added", "changed", "removed"),
});

const whole = object<Report>({
  format: one(["sitetree-report"]),
  version: one([REPORT_VERSION]),
  ...maybe(text, "created", "command"),
  ...{ sites: list(site), totals },
  ...{ paths: path, hosts: list(pagesOfName), otherHosts: number },
  dates: object({
    unit: one(["day", "month", "year"]),
    periods: list(pagesOfName),
    ...each(number, "earlier", "later", "none"),
  }),
  frequencies: object<Report["frequencies"]>(each(number, ...CHANGE_FREQUENCIES, "none")),
  ...{ priorities: record(number), types: record(number) },
  extensions: object<Report["extensions"]>(each(pagesAndItems, ...EXTENSIONS)),
  languages,
  patterns: list(object({ pattern: text, pages: number, example: text })),
  otherPatterns: number,
  sitemaps,
  overlap: object({
    ...each(number, "urls", "repeated", "sampledOneIn"),
    examples: list(object({ url: text, sitemaps: pair })),
  }),
  ...each(list(fault), "warnings", "invalid"),
  ...maybe(findings, "findings"),
  sample: list(page),
  ...maybe(list(run), "runs"),
});

/**
 * Reads a report that was saved as JSON. Members that it does not know are dropped, and so is what
 * exceeds the limits of a report.
 *
 * @param json what `JSON.stringify()` makes of a report, or `sitetree report -f json` writes
 * @returns a report to be rendered by {@linkcode renderReport}
 * @throws {SyntaxError} If it is not a report, or one of another version.
 *
 * @example
 * ```ts
 * import { parseReport } from "@sitetree/sitetree/report";
 * import { assertThrows } from "@std/assert";
 *
 * const later = `{"format":"sitetree-report","version":7}`;
 * assertThrows(() => parseReport(later), SyntaxError, "Cannot read a report of version 7");
 * ```
 */
export function parseReport(json: string): Report {
  let value: unknown;
  try {
    value = JSON.parse(json.replace(/^\ufeff/, ""));
  } catch (error) {
    throw new SyntaxError("Invalid report: invalid JSON", { cause: error });
  }
  const { format, version } = Object.fromEntries(membersOf(value, "report"));
  one(["sitetree-report"])(format, "report.format");
  if (version !== REPORT_VERSION) {
    throw new SyntaxError(
      `Cannot read a report of version ${excerpt(String(version))}; expected ${REPORT_VERSION}`,
    );
  }
  return limited(whole(value, "report"), REPORT_LIMITS);
}
