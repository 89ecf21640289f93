import { ownCopy, startOf } from "../data/text.ts";

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

/** Texts that are not values, and short. */
const WHOLE: ReadonlySet<string> = new Set(["format", "help", "skipped"]);

/** The same data, with fields that may be missing. */
export type Loose<T> = { readonly [Name in keyof T]: T[Name] | undefined };

/** Returns data as a report keeps it: with short texts, which keep no longer ones alive. */
export function shortened<T>(
  value: T | Loose<T>,
  maxLength: number = REPORT_LIMITS.valueLength,
): T {
  if (typeof value === "string") return ownCopy(startOf(value, Math.max(1, maxLength - 1))) as T;
  if (Array.isArray(value)) return value.map((item) => shortened(item, maxLength)) as T;
  if (typeof value !== "object" || value === null) return value as T;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(
    entries.map(([name, item]) => [name, WHOLE.has(name) ? item : shortened(item, maxLength)]),
  ) as T;
}
