import { count } from "../data/text.ts";

/** How serious a finding is. */
export type Severity = "error" | "warning" | "notice";

/** The worst first. */
export const SEVERITIES: readonly Severity[] = ["error", "warning", "notice"];

/** Order of severities: 0 is that of the worst one. */
export function rankOf(severity: Severity): number {
  return SEVERITIES.indexOf(severity);
}

export function isAtLeast(severity: Severity, other: Severity): boolean {
  return rankOf(severity) <= rankOf(other);
}

/** Returns the number of findings, such as `3 errors, 1 warning`. */
export function countsText(counts: Readonly<Partial<Record<Severity, number>>>): string {
  return SEVERITIES
    .flatMap((severity) => counts[severity] ? [count(counts[severity], severity)] : [])
    .join(", ");
}
