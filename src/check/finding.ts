import type { Verdict } from "../data/events.ts";
import type { RuleCode } from "./rules.ts";
import type { Severity } from "./severity.ts";

/** What a rule found in one sitemap, or in the whole site. */
export interface Finding {
  /** Code of the rule, a key of `RULES`. */
  readonly code: RuleCode;
  /** Severity of the rule or of its aspect, unless `severities` of the options replaces it. */
  readonly severity: Severity;
  /** What was found as a sentence, for people. */
  readonly message: string;
  /** What to do about it as a sentence, for people. */
  readonly help: string;
  /** URL of the sitemap; absent if it concerns the site, or was merged from many sitemaps. */
  readonly sitemap?: string;
  /** How often it was found. */
  readonly count: number;
  /** Whether the count is an estimate, since not all URLs could be remembered. */
  readonly isEstimated?: true;
  /** The first places, at most five. */
  readonly examples: readonly {
    /** URL of a page or of a sitemap. */
    readonly url?: string;
    /** Line in the document, if known. */
    readonly line?: number;
    /** Value that is wrong, or a detail, for people. */
    readonly value?: string;
  }[];
}

/** What a check found, and what it could not judge. */
export interface CheckResult {
  /** URL of the root of the tree: the website, or the document. */
  readonly site: string;
  /** Verdict of the walk; `partial` if it has no end. */
  readonly verdict: Verdict;
  /** Pages that were seen. */
  readonly pages: number;
  /** Sitemaps that were read. */
  readonly sitemaps: number;
  /** Results of requests for pages; absent if none was made. A page that breaks a rule counts once. */
  readonly answers?: {
    /** Pages that were requested, whatever the result. */
    readonly requested: number;
    /** Pages that were not, because of an option such as `hosts`. */
    readonly unrequested: number;
    /** Pages that failed, perhaps after redirects. */
    readonly failed: number;
    /** Pages that redirect to others. */
    readonly redirected: number;
    /** Pages that a robots.txt disallows which the walk has not read. */
    readonly disallowed: number;
    /** Pages that must not be indexed. */
    readonly noindex: number;
  };
  /** Number of findings by severity. */
  readonly counts: Readonly<Record<Severity, number>>;
  /** The findings, errors first, then in the order of the rules and of the sitemaps. */
  readonly findings: readonly Finding[];
  /** Rules that could not be judged, in the order of the rules. */
  readonly skipped: readonly {
    /** Code of the rule, a key of `RULES`. */
    readonly code: RuleCode;
    /** Why as a sentence, for people. */
    readonly reason: string;
  }[];
}

export type FindingExample = Finding["examples"][number];
export type AnswerCounts = NonNullable<CheckResult["answers"]>;
