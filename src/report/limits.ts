export interface ReportLimits {
  readonly sites: number;
  readonly paths: number;
  readonly hosts: number;
  readonly periods: number;
  readonly languages: number;
  readonly patterns: number;
  readonly sitemaps: number;
  readonly findings: number;
  readonly sample: number;
  readonly runs: number;
  readonly valueLength: number;
}

export const REPORT_LIMITS: ReportLimits = {
  sites: 100,
  paths: 2000,
  hosts: 100,
  periods: 400,
  languages: 40,
  patterns: 200,
  sitemaps: 1000,
  findings: 200,
  sample: 500,
  runs: 400,
  valueLength: 300,
};

/** Nodes of paths while events are folded. */
export const MAX_FOLDED_PATHS = 20_000;
