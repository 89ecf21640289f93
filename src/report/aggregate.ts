import { Checker } from "../check/checker.ts";
import type { CheckOptions } from "../check/options.ts";
import { resolveCheckOptions } from "../check/options.ts";
import { inBatches } from "../data/batches.ts";
import { ANYTHING, checkAny, checkList, checkRecord, FLAG } from "../data/checks.ts";
import type { TreeEvent } from "../data/events.ts";
import type { Mutable } from "../data/page.ts";
import { applyRules, option, type OptionRules, STRING, TIME } from "../data/option_rules.ts";
import { quotedWord } from "../data/text.ts";
import { NO_FINDINGS, reportFindings } from "./findings.ts";
import { limited } from "./limited.ts";
import { REPORT_LIMITS } from "./limits.ts";
import { NO_OVERLAP } from "./overlap.ts";
import { PageTally } from "./pages.ts";
import type { Report, ReportSite } from "./report.ts";
import { SitemapTree } from "./sitemaps.ts";
import { FaultTally } from "./sums.ts";
import { type Figures, WalkFold } from "./walk_fold.ts";

/** Time, rules of a check, and what else {@linkcode aggregate} includes. */
export interface ReportOptions {
  /** Time of the report, for the rules of a check and for ages. Default: none, so that neither has one. */
  readonly now?: Date | string;
  /** Whether to check the sitemaps too, or how. Default: `true`. */
  readonly check?: boolean | Omit<CheckOptions, "now">;
  /** Command that lists all pages. Default: `sitetree ls` with the sites. */
  readonly command?: string;
  /** Runs of a snapshot. Default: none. */
  readonly runs?: Report["runs"];
}

const OPTIONS = {
  now: TIME,
  check: option(checkAny("true, false, or options of a check", FLAG, checkRecord({})), true),
  command: STRING,
  runs: option(checkList(ANYTHING, "a list of runs")),
} satisfies OptionRules<ReportOptions>;

/**
 * Folds the events of one or several walks, in memory that does not grow with the number of pages.
 */
export class Aggregate {
  readonly #options: ReportOptions;
  /** `undefined` without a check. */
  readonly #check: CheckOptions | undefined;
  readonly #open = new Set<WalkFold>();
  readonly #sites: ReportSite[] = [];
  #walks = 0;
  readonly #figures: Figures = {
    pages: new PageTally(),
    tree: new SitemapTree(),
    types: {},
    totals: {
      sites: 0,
      pages: 0,
      dated: 0,
      sitemaps: 0,
      listings: 0,
      invalid: 0,
      warnings: 0,
      bytes: 0,
      requests: 0,
      durationMs: 0,
    },
    warnings: new FaultTally(),
    invalid: new FaultTally(),
    findings: NO_FINDINGS,
    overlap: NO_OVERLAP,
  };

  /**
   * Makes an aggregate of no walk.
   *
   * @param options time, rules of the check, and what else to include
   * @throws {TypeError} If an option is unknown or invalid.
   */
  constructor(options: ReportOptions = {}) {
    this.#options = applyRules(OPTIONS, options);
    const { now, check } = this.#options;
    if (check === false) return;
    this.#check = { ...(check === true ? {} : check), ...(now !== undefined && { now }) };
    resolveCheckOptions(this.#check);
  }

  /** Begins a walk. Walks may be folded at the same time. */
  walk(): { add(event: TreeEvent): void } {
    const number = this.#walks++;
    const checker = this.#check && new Checker(this.#check);
    const site: Mutable<ReportSite> = { url: "", pages: 0, sitemaps: 0 };
    if (number < REPORT_LIMITS.sites) this.#sites.push(site);
    const end = () => this.#open.delete(walk);
    const walk = new WalkFold(this.#figures, { number, site, checker, end });
    this.#open.add(walk);
    return walk;
  }

  /** Returns the report on what was added so far. */
  result(): Report {
    const { now, runs } = this.#options;
    const { pages, tree, types, warnings, invalid, totals, findings, overlap } = this.#figures;
    const { languages, ...figures } = pages.result();
    const { dated } = pages;
    const sums = {
      totals: { ...totals, sites: this.#walks, pages: pages.pages, dated },
      findings,
      overlap,
    };
    for (const walk of this.#open) walk.conclude(sums);
    const command = this.#options.command ?? defaultCommand(this.#sites.map(({ url }) => url));
    return limited({
      format: "sitetree-report",
      version: 1,
      ...(now !== undefined && { created: new Date(now).toISOString() }),
      command,
      sites: this.#sites.map((site) => ({ ...site })),
      totals: sums.totals,
      ...figures,
      overlap: sums.overlap,
      languages: { ...languages, ...(this.#judgesSets() && { sets: sums.findings.sets }) },
      sitemaps: tree.result(),
      types: { ...types },
      warnings: warnings.result(),
      invalid: invalid.result(),
      ...(this.#check && { findings: reportFindings(sums.findings) }),
      ...(runs !== undefined && { runs }),
    }, REPORT_LIMITS);
  }

  /** Whether the rules for sets of languages are judged: others say nothing about these. */
  #judgesSets(): boolean {
    if (this.#check === undefined) return false;
    const { isEnabled } = resolveCheckOptions(this.#check);
    return isEnabled("hreflang-return") && isEnabled("hreflang-set");
  }
}

const MAX_COMMAND_SITES = 5;

function defaultCommand(urls: readonly string[]): string {
  const words = urls.slice(0, MAX_COMMAND_SITES).map(quotedWord);
  return ["sitetree ls", ...words, ...(urls.length > MAX_COMMAND_SITES ? ["…"] : [])].join(" ");
}

/**
 * Folds the events of one walk.
 *
 * @param events events of any source, by batches where it has them
 * @param options time, rules of the check, and what else to include
 * @returns a promise that rejects with the error of the events, if these fail
 * @throws {TypeError} If an option is unknown or invalid.
 */
export async function aggregate(
  events: AsyncIterable<TreeEvent> | Iterable<TreeEvent>,
  options: ReportOptions = {},
): Promise<Report> {
  const aggregate = new Aggregate(options);
  const walk = aggregate.walk();
  for await (const batch of inBatches(events)) {
    for (const event of batch) walk.add(event);
  }
  return aggregate.result();
}
