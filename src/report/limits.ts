export const REPORT_LIMITS = {
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
} as const;

export type ReportLimits = Readonly<Record<keyof typeof REPORT_LIMITS, number>>;

/** Nodes of paths while events are folded. */
export const MAX_FOLDED_PATHS = 20_000;
