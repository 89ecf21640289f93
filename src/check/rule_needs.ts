/**
 * Which rules cannot be judged, and why: a rule needs facts that not every source of events has.
 *
 * | source       | warnings, duration | response |
 * | ------------ | ------------------ | -------- |
 * | walk, folder | known              | known    |
 * | parse        | known              |          |
 * | snapshot     |                    |          |
 *
 * Notes and robots.txt are known once an event has them, the other facts by what the caller gave.
 *
 * @module
 */

import type { CheckResult } from "./finding.ts";
import type { Findings } from "./findings.ts";
import type { ResolvedCheckOptions } from "./options.ts";
import type { Origins } from "./origins.ts";
import { RULE_CODES, type RuleCode, type RuleNeed, RULES } from "./rules.ts";

/** Whether each fact is known. */
export type Known = Readonly<Record<RuleNeed, boolean>>;

const REASONS: Readonly<Record<RuleNeed, string>> = {
  now: "Needs the option `now`",
  notes: "Needs the option `notes` of the walk",
  warnings: "The events have no warnings, as those of a snapshot",
  robots: "robots.txt of the site was not read",
  host: "The URL of the sitemap is unknown",
  duration: "The times of the requests are unknown",
  response: "The responses are unknown",
  answers: "The pages were not requested",
};

const UNSEEN = "robots.txt of another host was not read";
const NOT_KEPT = "robots.txt of some hosts was not kept: the limit for all hosts is reached";
/** Rules that are not judged for hosts whose robots.txt is unknown. */
const BY_ROBOTS: ReadonlySet<RuleCode> = new Set<RuleCode>([
  "sitemap-disallowed",
  "page-disallowed",
  "loc-outside-path",
]);

/** Returns the rules that were not judged though they are enabled. */
export function skippedRules(
  { isEnabled, isNamed }: ResolvedCheckOptions,
  known: Known & { readonly sitemaps: boolean },
  { origins, findings }: { readonly origins: Origins; readonly findings: Findings },
): CheckResult["skipped"] {
  return RULE_CODES.filter(isEnabled).flatMap((code) => {
    // without sitemaps there is nothing to know of them
    const need = RULES[code].needs?.find((need) =>
      !known[need] && (need === "now" || known.sitemaps)
    );
    // most checks make no requests for pages, which is not worth a line in each of them
    if (need === "answers" && !isNamed(code)) return [];
    if (need !== undefined) return [{ code, reason: REASONS[need] }];
    if (origins.isFull && BY_ROBOTS.has(code)) return [{ code, reason: NOT_KEPT }];
    // found as a warning, since nothing shows that it is right either
    return findings.has(code, "unseen") ? [{ code, reason: UNSEEN }] : [];
  });
}
