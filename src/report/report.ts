/**
 * What a report consists of: the aggregate of one or several walks, as plain data of limited size.
 *
 * It is what `sitetree report -f json` writes and what the page draws. Every part counts all pages: what
 * is left out for its size is in a number beside it, so that sums are those of the walks.
 *
 * @module
 */

import type { CheckResult, Finding } from "../check/finding.ts";
import type { Severity } from "../check/severity.ts";
import type { SitemapRef, SitemapType, Verdict } from "../data/events.ts";
import type { ChangeFrequency } from "../data/page.ts";

/** Aggregate of one or several walks. */
export interface Report {
  /** What this data is. */
  readonly format: "sitetree-report";
  /** Version of its schema. */
  readonly version: 1;
  /** Time at which it was made, in ISO 8601, if it is known. */
  readonly created?: string;
  /** Command that lists all pages, for people. */
  readonly command?: string;
  /** The walks, in their order; at most 100. */
  readonly sites: readonly {
    /** URL of the root of its tree. */
    readonly url: string;
    /** Verdict; absent if it has no end. */
    readonly verdict?: Verdict;
    /** Limit that ended it, if one did. */
    readonly endedBy?: string;
    /** Why nothing could be read, if its verdict is `blocked`. */
    readonly reason?: string;
    /** Time at which it ended, in ISO 8601, if it is known. */
    readonly endedAt?: string;
    /** Pages that were read. */
    readonly pages: number;
    /** Sitemaps that were read. */
    readonly sitemaps: number;
  }[];
  /** Sums over all walks, those that `sites` leaves out included. */
  readonly totals: {
    /** Number of walks, those that `sites` of the report leaves out included. */
    readonly sites: number;
    /** Pages as sitemaps list them: those that several list count several times. */
    readonly pages: number;
    /** Pages with a last modification. */
    readonly dated: number;
    /** Sitemaps that were read. */
    readonly sitemaps: number;
    /** Sitemaps that list pages. */
    readonly listings: number;
    /** Sitemaps that could not be fetched or read. */
    readonly invalid: number;
    /** Warnings, including those that were not sent. */
    readonly warnings: number;
    /** Decompressed bytes of all sitemaps. */
    readonly bytes: number;
    /** Requests, including redirects and retries. */
    readonly requests: number;
    /** Sum of the durations in milliseconds. */
    readonly durationMs: number;
  };
  /**
   * Pages by host and path: a root without a name, with hosts below it. `pages` of a node is the sum
   * of those of its children, of `own` and of `other`.
   */
  readonly paths: {
    /** Host at the first level, then a segment of the path; empty at the root. */
    readonly name: string;
    /** Pages at and below this path. */
    readonly pages: number;
    /** Pages at this path itself, if there are any. */
    readonly own?: number;
    /** Pages below it that are in none of its children: small branches, merged. */
    readonly other?: number;
    /** Pages with a last modification, if there are any. */
    readonly dated?: number;
    /** Newest last modification, as a date. */
    readonly newest?: string;
    /** Mean of the last modifications, as a date. */
    readonly mean?: string;
    /** Longer paths, the largest first. */
    readonly children?: readonly Report["paths"][];
  };
  /** Pages by host, the largest first; at most 100. */
  readonly hosts: readonly {
    /** Host, code of the language, or period such as `2024-05`. */
    readonly name: string;
    /** Pages of the host, of the period, or with an alternate in the language. */
    readonly pages: number;
  }[];
  /** Pages of all other hosts. */
  readonly otherHosts: number;
  /** Pages by last modification; the sum of all numbers is that of all pages. */
  readonly dates: {
    /** Length of a period. */
    readonly unit: "day" | "month" | "year";
    /** Periods from the first to the last without gaps, at most 400, such as `2024-05`. */
    readonly periods: Report["hosts"];
    /** Pages before the first period. */
    readonly earlier: number;
    /** Pages after the last period. */
    readonly later: number;
    /** Pages without a last modification. */
    readonly none: number;
  };
  /** Pages by change frequency; `none` without one. */
  readonly frequencies: Readonly<Record<ChangeFrequency | "none", number>>;
  /** Pages by priority, from `0.0` to `1.0`; `none` without one. */
  readonly priorities: Readonly<Record<string, number>>;
  /** Pages with extensions. */
  readonly extensions: Readonly<
    Record<"news" | "images" | "videos" | "alternates", {
      /** Pages that have it. */
      readonly pages: number;
      /** Stories, images, videos or alternates of these pages. */
      readonly items: number;
    }>
  >;
  /** Languages of alternates, the most frequent first; at most 40. */
  readonly languages: {
    /** Pages by language of an alternate, the most frequent first; at most 40. */
    readonly items: Report["hosts"];
    /** Languages that are left out. */
    readonly others: number;
    /** What the rules for alternates found; absent if these were not judged. */
    readonly sets?: {
      /** Places of `hreflang-return`: alternates that do not link back. */
      readonly unreturned: number;
      /** Places of `hreflang-set`: sets that are incomplete. */
      readonly incomplete: number;
      readonly isEstimated: boolean;
    };
  };
  /** Patterns of URLs, the most frequent first; at most 200. */
  readonly patterns: readonly {
    /** Form, such as `/blog/{slug}`; with its host if there are several. */
    readonly pattern: string;
    /** Pages whose URLs have this form. */
    readonly pages: number;
    /** The first of their URLs. */
    readonly example: string;
  }[];
  /** Pages of all other patterns. */
  readonly otherPatterns: number;
  /**
   * Sitemaps in the order of the tree, parents before their children; at most 1,000. Small ones with
   * one parent may be merged into one item.
   */
  readonly sitemaps: readonly {
    /** Position of its parent in the list; absent at a root. */
    readonly parent?: number;
    /** Type; of merged ones, that of the first. */
    readonly type: SitemapType;
    /** URL; empty for merged ones. */
    readonly url: string;
    /** Requested URL, if redirects led to another one. */
    readonly requestedUrl?: string;
    /** Number of sitemaps that are merged into this item, with those below them. */
    readonly merged?: number;
    /** Pages that it lists itself. */
    readonly pages: number;
    /** Decompressed bytes, if it was read. */
    readonly bytes?: number;
    /** `false` if it was not read to its end. */
    readonly complete?: boolean;
    /** How it was found, directly below a website. */
    readonly foundBy?: NonNullable<SitemapRef["foundBy"]>;
    /** Last modification that its parent declares. */
    readonly lastModified?: string;
    /** HTTP status of the response. */
    readonly status?: number;
    /** Content-Type of the response. */
    readonly contentType?: string;
    /** Content-Encoding of the response. */
    readonly contentEncoding?: string;
    /** Number of redirects that led to its URL. */
    readonly redirects?: number;
    /** Milliseconds in which it was requested and read. */
    readonly durationMs?: number;
    /** Number of warnings by code. */
    readonly warnings?: Readonly<Record<string, number>>;
    /** Why it is invalid, as a code. */
    readonly code?: string;
    /** Why it is invalid, as a sentence. */
    readonly reason?: string;
    /** Number of its findings by severity. */
    readonly findings?: Readonly<Partial<Record<Severity, number>>>;
  }[];
  /** Sitemaps by type, without invalid ones. */
  readonly types: Readonly<Partial<Record<SitemapType, number>>>;
  /** Pages that several sitemaps of a walk list. */
  readonly overlap: {
    /** Different URLs of each walk. */
    readonly urls: number;
    /** Those that several sitemaps list. */
    readonly repeated: number;
    /** 1 if both are exact, else one URL in so many was counted. */
    readonly sampledOneIn: number;
    /** The first of them, at most three, with the first two sitemaps of each. */
    readonly examples: readonly {
      readonly url: string;
      readonly sitemaps: readonly [string, string];
    }[];
  };
  /** Warnings by code, the most frequent first. */
  readonly warnings: readonly {
    /** Code of a warning, or of an invalid sitemap. */
    readonly code: string;
    /** How often it occurs. */
    readonly count: number;
    /** The first of them, at most three. */
    readonly examples: readonly {
      /** URL of the sitemap. */
      readonly url: string;
      readonly line?: number;
      readonly message: string;
    }[];
  }[];
  /** Invalid sitemaps by code, the most frequent first. */
  readonly invalid: Report["warnings"];
  /** Findings of a check; absent if there was none. */
  readonly findings?: {
    /** All findings by severity. */
    readonly counts: CheckResult["counts"];
    /** Findings in their order, at most 200; what to do about one is in `help`, by its code. */
    readonly items: readonly (Omit<Finding, "code" | "help"> & {
      /** Code of its rule. */
      readonly code: string;
    })[];
    /** What to do about a finding, by the code of its rule. */
    readonly help: Readonly<Record<string, string>>;
    /** Rules that could not be judged, in the order of the rules. */
    readonly skipped: readonly {
      readonly code: string;
      readonly reason: string;
    }[];
  };
  /** Pages chosen at random, the same each time, sorted by URL; at most 500. */
  readonly sample: readonly {
    /** URL of the page. */
    readonly url: string;
    /** Last modification that its sitemap declares, in ISO 8601. */
    readonly lastModified?: string;
    /** Change frequency that its sitemap declares. */
    readonly changeFrequency?: ChangeFrequency;
    /** Priority from 0 to 1 that its sitemap declares. */
    readonly priority?: number;
    /** Title of its news story. */
    readonly title?: string;
    /** URL of its sitemap. */
    readonly sitemap: string;
  }[];
  /** Runs of a snapshot, the oldest first; at most the last 400. Absent without a snapshot. */
  readonly runs?: readonly {
    /** Homepage of its site. */
    readonly site: string;
    /** When it began, in ISO 8601. */
    readonly started: string;
    /** Verdict; absent if it was interrupted. */
    readonly verdict?: string;
    /** Pages after it. */
    readonly pages: number;
    /** Pages that it added. */
    readonly added: number;
    /** Pages that it changed. */
    readonly changed: number;
    /** Pages that it removed. */
    readonly removed: number;
  }[];
}

export type ReportSite = Report["sites"][number];
export type ReportTotals = Report["totals"];
export type ReportPath = Report["paths"];
export type ReportCount = Report["hosts"][number];
export type ReportDates = Report["dates"];
export type ExtensionName = keyof Report["extensions"];
export type ReportSitemap = Report["sitemaps"][number];
export type ReportOverlap = Report["overlap"];
export type ReportFault = Report["warnings"][number];
export type ReportFindings = NonNullable<Report["findings"]>;
export type ReportFinding = ReportFindings["items"][number];
export type ReportPage = Report["sample"][number];
export type ReportRun = NonNullable<Report["runs"]>[number];
