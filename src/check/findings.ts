/**
 * Collects what rules find: one record for each rule and sitemap, a bounded number in all.
 *
 * @module
 */

import { groupBy } from "../data/group_by.ts";
import { excerpt, grouped, ownCopy } from "../data/text.ts";
import type { Finding, FindingExample } from "./finding.ts";
import { type Rule, RULE_CODES, type RuleCode, RULES } from "./rules.ts";
import { rankOf, type Severity } from "./severity.ts";

/** Maximum number of findings; then those of the rule with the most are merged. */
const MAX_FINDINGS = 1000;
const MAX_EXAMPLES = 5;
/** Length from which URLs are shortened: those are too long for a sitemap. */
const MAX_URL_LENGTH = 2048;

const ORDER: ReadonlyMap<RuleCode, number> = new Map(
  RULE_CODES.map((code, order) => [code, order]),
);

export interface FindingPlace {
  /** `undefined` for the site. */
  readonly url: string | undefined;
  /** Position among the sitemaps. */
  readonly order: number;
}

export const SITE: FindingPlace = { url: undefined, order: 0 };

interface Tally {
  count: number;
  examples: readonly FindingExample[];
}

interface FindingRecord {
  readonly code: RuleCode;
  readonly place: FindingPlace;
  readonly aspects: Map<string, Tally>;
  /** Positions of the sitemaps that were merged; absent for one. */
  readonly merged: Set<number> | undefined;
  isEstimated: boolean;
}

export class Findings {
  readonly #records = new Map<string, FindingRecord>();
  /** Last record of each rule: most follow one of the same sitemap. */
  readonly #last = new Map<RuleCode, FindingRecord>();

  report(
    place: FindingPlace,
    code: RuleCode,
    aspect: string,
    example?: FindingExample,
    count: number = 1,
  ): void {
    const record = this.#recordOf(place, code);
    record.merged?.add(place.order);
    let tally = record.aspects.get(aspect);
    if (tally === undefined) record.aspects.set(aspect, tally = { count: 0, examples: [] });
    tally.count += count;
    if (example === undefined || tally.examples.length >= MAX_EXAMPLES) return;
    const kept = keptExample(example, record.merged && place);
    tally.examples = [...tally.examples, kept];
  }

  /** Reports a fault of one of `weight` places, of which only that one was looked at. */
  estimate(
    place: FindingPlace,
    code: RuleCode,
    aspect: string,
    example: FindingExample | undefined,
    weight: number,
  ): void {
    this.report(place, code, aspect, example, weight);
    if (weight > 1) this.#recordOf(place, code).isEstimated = true;
  }

  has(code: RuleCode, aspect: string): boolean {
    return [...this.#records.values()].some((record) =>
      record.code === code && record.aspects.has(aspect)
    );
  }

  copy(): Findings {
    const copy = new Findings();
    for (const [key, record] of this.#records) {
      const aspects = [...record.aspects].map(([name, tally]) => [name, { ...tally }] as const);
      const merged = record.merged && new Set(record.merged);
      copy.#records.set(key, { ...record, aspects: new Map(aspects), merged });
    }
    return copy;
  }

  /** Errors first; `severities` replace those of the rules. */
  list(
    isWanted: (code: RuleCode) => boolean,
    severities: Readonly<Partial<Record<RuleCode, Severity>>>,
  ): Finding[] {
    return [...this.#records.values()].filter(({ code }) => isWanted(code))
      .map((record) => [record, findingOf(record, severities[record.code])] as const)
      .sort(([one, a], [other, b]) =>
        rankOf(a.severity) - rankOf(b.severity) || ORDER.get(a.code)! - ORDER.get(b.code)! ||
        one.place.order - other.place.order
      )
      .map(([, finding]) => finding);
  }

  #recordOf(place: FindingPlace, code: RuleCode): FindingRecord {
    const last = this.#last.get(code);
    if (last !== undefined && (last.place === place || last.merged !== undefined)) return last;
    const key = `${code} ${place.url ?? ""}`;
    let record = this.#records.get(code) ?? this.#records.get(key);
    if (record === undefined && this.#records.size >= MAX_FINDINGS) {
      this.#merge();
      return this.#recordOf(place, code);
    }
    if (record === undefined) {
      record = { code, place, aspects: new Map(), merged: undefined, isEstimated: false };
      this.#records.set(key, record);
    }
    this.#last.set(code, record);
    return record;
  }

  /** Merges the records of the rule that has the most; the key of the result is the code alone. */
  #merge(): void {
    const byCode = groupBy(this.#records, ([, { code }]) => code);
    const [code, records] = [...byCode].reduce((most, some) =>
      some[1].length > most[1].length ? some : most
    );
    for (const [key] of records) this.#records.delete(key);
    const isEstimated = records.some(([, record]) => record.isEstimated);
    const tallies = { aspects: new Map(), merged: new Set<number>() };
    const merged: FindingRecord = { code, place: SITE, ...tallies, isEstimated };
    this.#records.set(code, merged);
    this.#last.set(code, merged);
    for (const [, record] of records) {
      for (const [aspect, { count, examples: [example = {}] }] of record.aspects) {
        this.report(record.place, code, aspect, example, count);
      }
    }
  }
}

/** Returns short texts, which keep no longer ones alive; `place` is that of an example of many. */
function keptExample(
  { url, line, value }: FindingExample,
  place: FindingPlace | undefined,
): FindingExample {
  const shown = place === undefined ? url : place.url;
  const detail = place === undefined ? value : value ?? url;
  return {
    ...(shown !== undefined &&
      { url: ownCopy(shown.length < MAX_URL_LENGTH ? shown : excerpt(shown)) }),
    ...(line !== undefined && { line }),
    ...(detail !== undefined && { value: ownCopy(excerpt(detail)) }),
  };
}

function findingOf(record: FindingRecord, replaced: Severity | undefined): Finding {
  const { code, place: { url }, isEstimated, merged } = record;
  const rule: Rule = RULES[code];
  const broken = Object.entries(rule.aspects).flatMap(([name, aspect]) => {
    const tally = record.aspects.get(name);
    return tally === undefined ? [] : [{ severity: rule.severity, ...aspect, ...tally }];
  }).sort((one, other) => rankOf(one.severity) - rankOf(other.severity));
  const phrases = broken.map((aspect) => phrase(aspect, record)).join("; ");
  const message = merged ? `in ${grouped(merged.size)} sitemaps: ${phrases}` : phrases;
  return {
    code,
    severity: replaced ?? broken[0]!.severity,
    message: message.startsWith("robots.txt")
      ? message
      : message.slice(0, 1).toUpperCase() + message.slice(1),
    help: rule.help,
    ...(url !== undefined && { sitemap: url }),
    count: broken.reduce((sum, { count }) => sum + count, 0),
    ...(isEstimated && { isEstimated }),
    examples: broken.flatMap(({ examples }) => examples).slice(0, MAX_EXAMPLES),
  };
}

/** `3 URLs with a fragment`, `cannot be fetched: 404 Not Found`. */
function phrase(
  { noun, plural, text, count, examples }: Rule["aspects"][string] & Tally,
  { merged, isEstimated }: FindingRecord,
): string {
  if (noun === undefined) {
    // many sitemaps have many details
    const detail = merged ? undefined : examples[0]?.value;
    return detail === undefined ? text.replace(": {}", "") : text.replace("{}", () => detail);
  }
  const about = isEstimated ? "about " : "";
  return `${about}${grouped(count)} ${count === 1 ? noun : plural ?? `${noun}s`} ${text}`.trim();
}
