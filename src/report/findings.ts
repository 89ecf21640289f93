import type { CheckResult, Finding } from "../check/finding.ts";
import { RULE_CODES, type RuleCode } from "../check/rules.ts";
import { SEVERITIES, type Severity } from "../check/severity.ts";
import { shortened } from "./limited.ts";
import { REPORT_LIMITS } from "./limits.ts";
import type { Report, ReportFinding, ReportFindings } from "./report.ts";

/** At most as many of each severity as a report has. */
interface Kept {
  readonly walk: number;
  readonly finding: Finding;
}

interface Skipped {
  readonly walk: number;
  readonly reason: string;
}

/** Walks end in any order, which makes no difference. */
export class FindingTally {
  #all = {
    counts: { error: 0, warning: 0, notice: 0 } as Record<Severity, number>,
    kept: { error: [], warning: [], notice: [] } as Record<Severity, Kept[]>,
    skipped: new Map<RuleCode, Skipped>(),
    sets: { unreturned: 0, incomplete: 0, isEstimated: false },
  };

  add(walk: number, { counts, findings, skipped }: CheckResult): void {
    const { sets, kept, ...all } = this.#all;
    for (const finding of findings) {
      const { code, severity, count, isEstimated } = finding;
      kept[severity].push({ walk, finding: shortened(finding) });
      // a version that is not listed, or no x-default, does not make a set incomplete
      if (severity === "notice") continue;
      if (code === "hreflang-return") sets.unreturned += count;
      else if (code === "hreflang-set") sets.incomplete += count;
      else continue;
      sets.isEstimated ||= isEstimated === true;
    }
    for (const severity of SEVERITIES) {
      all.counts[severity] += counts[severity];
      kept[severity].sort((a, b) => a.walk - b.walk).splice(REPORT_LIMITS.findings);
    }
    for (const { code, reason } of skipped) {
      const { walk: first = Infinity } = all.skipped.get(code) ?? {};
      if (walk < first) all.skipped.set(code, { walk, reason });
    }
  }

  copy(): FindingTally {
    const copy = new FindingTally();
    copy.#all = structuredClone(this.#all);
    return copy;
  }

  get sets(): NonNullable<Report["languages"]["sets"]> {
    return this.#all.sets;
  }

  /** Errors first, then in the order of the walks. */
  result(): ReportFindings {
    const { counts, kept } = this.#all;
    const findings = Object.values(kept).flat().map(({ finding }) => finding);
    return {
      counts,
      items: findings.map(({ help: _help, ...finding }): ReportFinding => finding),
      help: Object.fromEntries(findings.map(({ code, help }) => [code, help])),
      skipped: this.#skippedRules(),
    };
  }

  /** Each with the reason of the first walk. */
  #skippedRules(): ReportFindings["skipped"] {
    return RULE_CODES.flatMap((code) => {
      const skipped = this.#all.skipped.get(code);
      return skipped === undefined ? [] : [{ code, reason: skipped.reason }];
    });
  }
}
