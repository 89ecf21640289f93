import type { CheckResult, Finding } from "../check/finding.ts";
import { type RuleCode, RULES } from "../check/rules.ts";
import type { Severity } from "../check/severity.ts";
import { shortened } from "./limited.ts";
import { REPORT_LIMITS } from "./limits.ts";
import type { Report, ReportFinding, ReportFindings } from "./report.ts";

/** Of each severity. */
const MAX_KEPT: number = REPORT_LIMITS.findings;

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
  readonly #counts: Record<Severity, number> = { error: 0, warning: 0, notice: 0 };
  readonly #kept: Record<Severity, Kept[]> = { error: [], warning: [], notice: [] };
  readonly #skipped = new Map<RuleCode, Skipped>();
  #unreturned = 0;
  #incomplete = 0;
  #isEstimated = false;

  add(walk: number, { counts, findings, skipped }: CheckResult): void {
    for (const finding of findings) {
      const { code, severity, count, isEstimated } = finding;
      this.#kept[severity].push({ walk, finding: shortened(finding, REPORT_LIMITS.valueLength) });
      // a version that is not listed, or no x-default, does not make a set incomplete
      if (severity === "notice") continue;
      if (code === "hreflang-return") this.#unreturned += count;
      else if (code === "hreflang-set") this.#incomplete += count;
      else continue;
      this.#isEstimated ||= isEstimated === true;
    }
    for (const severity of Object.keys(counts) as Severity[]) {
      this.#counts[severity] += counts[severity];
      const kept = this.#kept[severity];
      kept.sort((a, b) => a.walk - b.walk).splice(MAX_KEPT);
    }
    for (const { code, reason } of skipped) {
      const { walk: first = Infinity } = this.#skipped.get(code) ?? {};
      if (walk < first) this.#skipped.set(code, { walk, reason });
    }
  }

  copy(): FindingTally {
    const copy = new FindingTally();
    Object.assign(copy.#counts, this.#counts);
    for (const severity of Object.keys(this.#kept) as Severity[]) {
      copy.#kept[severity].push(...this.#kept[severity]);
    }
    for (const [code, skipped] of this.#skipped) copy.#skipped.set(code, skipped);
    copy.#unreturned = this.#unreturned;
    copy.#incomplete = this.#incomplete;
    copy.#isEstimated = this.#isEstimated;
    return copy;
  }

  get sets(): NonNullable<Report["languages"]["sets"]> {
    return {
      unreturned: this.#unreturned,
      incomplete: this.#incomplete,
      isEstimated: this.#isEstimated,
    };
  }

  /** Errors first, then in the order of the walks. */
  result(): ReportFindings {
    const findings = Object.values(this.#kept).flat().map(({ finding }) => finding);
    return {
      counts: { ...this.#counts },
      items: findings.map(({ help: _help, ...finding }): ReportFinding => finding),
      help: Object.fromEntries(findings.map(({ code, help }) => [code, help])),
      skipped: this.#skippedRules(),
    };
  }

  /** Each with the reason of the first walk. */
  #skippedRules(): ReportFindings["skipped"] {
    return (Object.keys(RULES) as RuleCode[]).flatMap((code) => {
      const skipped = this.#skipped.get(code);
      return skipped === undefined ? [] : [{ code, reason: skipped.reason }];
    });
  }
}
