import type { CheckResult, Finding } from "../check/finding.ts";
import { RULE_CODES } from "../check/rules.ts";
import { rankOf } from "../check/severity.ts";
import { groupBy } from "../data/group_by.ts";
import { REPORT_LIMITS, shortened } from "./limits.ts";
import type { Report, ReportFindings } from "./report.ts";
import { sumsOf } from "./sums.ts";

interface OfWalk<T> {
  readonly walk: number;
  readonly value: T;
}

/** Findings of several walks, which end in any order: that makes no difference. */
export interface FindingSums {
  readonly counts: CheckResult["counts"];
  /** At most as many as a report has: errors first, then in the order of the walks. */
  readonly kept: readonly OfWalk<Finding>[];
  /** Each with the reason of the first walk. */
  readonly skipped: readonly OfWalk<CheckResult["skipped"][number]>[];
  readonly sets: NonNullable<Report["languages"]["sets"]>;
}

export const NO_FINDINGS: FindingSums = {
  counts: { error: 0, warning: 0, notice: 0 },
  kept: [],
  skipped: [],
  sets: { unreturned: 0, incomplete: 0, isEstimated: false },
};

export function withFindings(sums: FindingSums, walk: number, result: CheckResult): FindingSums {
  const { counts, findings, skipped } = result;
  const kept = inOrder(sums.kept, walk, findings.map((finding) => shortened(finding)));
  const byRule = groupBy(inOrder(sums.skipped, walk, skipped), ({ value }) => value.code);
  return {
    counts: sumsOf(sums.counts, counts),
    kept: kept.sort((a, b) => rankOf(a.value.severity) - rankOf(b.value.severity))
      .slice(0, REPORT_LIMITS.findings),
    skipped: [...byRule.values()].map(([first]) => first),
    sets: setsWith(sums.sets, findings),
  };
}

function inOrder<T>(some: readonly OfWalk<T>[], walk: number, more: readonly T[]): OfWalk<T>[] {
  return [...some, ...more.map((value) => ({ walk, value }))].sort((a, b) => a.walk - b.walk);
}

function setsWith(sets: FindingSums["sets"], findings: readonly Finding[]): FindingSums["sets"] {
  let { unreturned, incomplete, isEstimated } = sets;
  for (const finding of findings) {
    const { code, severity, count } = finding;
    // a version that is not listed, or no x-default, does not make a set incomplete
    if (severity === "notice" || !/^hreflang-(?:return|set)$/.test(code)) continue;
    if (code === "hreflang-return") unreturned += count;
    else incomplete += count;
    isEstimated ||= finding.isEstimated === true;
  }
  return { unreturned, incomplete, isEstimated };
}

export function reportFindings({ counts, kept, skipped }: FindingSums): ReportFindings {
  return {
    counts,
    items: kept.map(({ value: { help: _help, ...finding } }) => finding),
    help: Object.fromEntries(kept.map(({ value: { code, help } }) => [code, help])),
    skipped: RULE_CODES.flatMap((code) =>
      skipped.flatMap(({ value }) => value.code === code ? [value] : [])
    ),
  };
}
