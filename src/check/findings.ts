/**
 * Collects what rules find: one record for each rule and sitemap, a bounded number in all.
 *
 * @module
 */

import { excerpt, grouped, ownCopy } from "../data/text.ts";
import type { Finding, FindingExample } from "./finding.ts";
import { type Rule, type RuleCode, RULES } from "./rules.ts";
import { rankOf, type Severity } from "./severity.ts";

/** Maximum number of findings; then those of the rule with the most are merged. */
const MAX_FINDINGS = 1000;
const MAX_EXAMPLES = 5;
/** Length from which URLs are shortened: those are too long for a sitemap. */
const MAX_URL_LENGTH = 2048;

const MERGED = -1;

const CODES = Object.keys(RULES) as RuleCode[];
const ORDER: ReadonlyMap<RuleCode, number> = new Map(CODES.map((code, order) => [code, order]));

export interface Place {
  /** `undefined` for the site. */
  readonly url: string | undefined;
  /** Position among the sitemaps. */
  readonly order: number;
}

interface Tally {
  count: number;
  readonly examples: FindingExample[];
}

interface FindingRecord {
  readonly code: RuleCode;
  readonly place: Place;
  readonly aspects: Map<string, Tally>;
  sitemaps: number;
  /** Positions of the sitemaps that were counted, if it was merged. */
  readonly counted?: Set<number>;
  isEstimated: boolean;
}

export class Findings {
  readonly #records = new Map<string, FindingRecord>();
  /** Last record of each rule: most follow one of the same sitemap. */
  readonly #last = new Map<RuleCode, FindingRecord>();
  /** Number of records by rule. */
  readonly #sizes = new Map<RuleCode, number>();

  report(
    place: Place,
    code: RuleCode,
    aspect: string,
    example?: FindingExample,
    count: number = 1,
  ): void {
    const record = this.#recordOf(place, code);
    if (record.counted !== undefined && !record.counted.has(place.order)) {
      record.counted.add(place.order);
      record.sitemaps++;
    }
    let tally = record.aspects.get(aspect);
    if (tally === undefined) record.aspects.set(aspect, tally = { count: 0, examples: [] });
    tally.count += count;
    if (example === undefined || tally.examples.length >= MAX_EXAMPLES) return;
    tally.examples.push(isMerged(record) ? siteExample(place, example) : shortened(example));
  }

  markEstimated(place: Place, code: RuleCode): void {
    this.#recordOf(place, code).isEstimated = true;
  }

  has(code: RuleCode, aspect: string): boolean {
    return [...this.#records.values()].some((record) =>
      record.code === code && record.aspects.has(aspect)
    );
  }

  copy(): Findings {
    const copy = new Findings();
    for (const [key, record] of this.#records) {
      const aspects: [string, Tally][] = [...record.aspects].map((
        [name, { count, examples }],
      ) => [name, { count, examples: [...examples] }]);
      const { counted } = record;
      copy.#records.set(key, {
        ...record,
        aspects: new Map(aspects),
        ...(counted !== undefined && { counted: new Set(counted) }),
      });
    }
    for (const [code, size] of this.#sizes) copy.#sizes.set(code, size);
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

  #recordOf(place: Place, code: RuleCode): FindingRecord {
    const last = this.#last.get(code);
    if (last !== undefined && (last.place === place || isMerged(last))) return last;
    const key = `${code} ${place.url ?? ""}`;
    let record = this.#records.get(code) ?? this.#records.get(key);
    if (record === undefined && this.#records.size >= MAX_FINDINGS) {
      this.#merge();
      return this.#recordOf(place, code);
    }
    if (record === undefined) {
      record = { code, place, aspects: new Map(), sitemaps: 1, isEstimated: false };
      this.#records.set(key, record);
      this.#sizes.set(code, (this.#sizes.get(code) ?? 0) + 1);
    }
    this.#last.set(code, record);
    return record;
  }

  /** Merges the records of the rule that has the most; the key of the result is the code alone. */
  #merge(): void {
    const [code] = [...this.#sizes].reduce((most, size) => size[1] > most[1] ? size : most);
    const merged: FindingRecord = {
      code,
      place: { url: undefined, order: MERGED },
      aspects: new Map(),
      sitemaps: 0,
      counted: new Set(),
      isEstimated: false,
    };
    for (const [key, record] of this.#records) {
      if (record.code !== code) continue;
      this.#records.delete(key);
      merged.sitemaps++;
      merged.counted!.add(record.place.order);
      merged.isEstimated ||= record.isEstimated;
      for (const [name, { count, examples }] of record.aspects) {
        const tally = merged.aspects.get(name) ?? { count: 0, examples: [] };
        merged.aspects.set(name, tally);
        tally.count += count;
        if (tally.examples.length < MAX_EXAMPLES) {
          tally.examples.push(siteExample(record.place, examples[0] ?? {}));
        }
      }
    }
    this.#records.set(code, merged);
    this.#last.set(code, merged);
    this.#sizes.set(code, 1);
  }
}

function isMerged({ place }: FindingRecord): boolean {
  return place.order === MERGED;
}

function siteExample({ url }: Place, { url: page, line, value }: FindingExample): FindingExample {
  const detail = value ?? page;
  return shortened({
    ...(url !== undefined && { url }),
    ...(line !== undefined && { line }),
    ...(detail !== undefined && { value: detail }),
  });
}

/** Returns an example with short texts, which keep no longer ones alive. */
function shortened(example: FindingExample): FindingExample {
  const { url, value } = example;
  return {
    ...example,
    ...(url !== undefined && { url: ownCopy(url.length < MAX_URL_LENGTH ? url : excerpt(url)) }),
    ...(value !== undefined && { value: ownCopy(excerpt(value)) }),
  };
}

function findingOf(record: FindingRecord, replaced: Severity | undefined): Finding {
  const { code, place: { url }, isEstimated } = record;
  const rule = RULES[code];
  const aspects = Object.keys(rule.aspects).filter((name) => record.aspects.has(name))
    .sort((one, other) => rankOf(severityOf(rule, one)) - rankOf(severityOf(rule, other)));
  const tallies = aspects.map((name) => record.aspects.get(name)!);
  const message = aspects.map((name) =>
    phrase(rule.aspects[name]!, record.aspects.get(name)!, record)
  ).join("; ");
  return {
    code,
    severity: replaced ?? severityOf(rule, aspects[0] ?? ""),
    message: capitalized(
      isMerged(record) ? `in ${grouped(record.sitemaps)} sitemaps: ${message}` : message,
    ),
    help: rule.help,
    ...(url !== undefined && { sitemap: url }),
    count: tallies.reduce((sum, { count }) => sum + count, 0),
    ...(isEstimated && { isEstimated }),
    examples: tallies.flatMap(({ examples }) => examples).slice(0, MAX_EXAMPLES),
  };
}

function severityOf({ severity, aspects }: Rule, aspect: string): Severity {
  return aspects[aspect]?.severity ?? severity;
}

/** `3 URLs with a fragment`, `cannot be fetched: 404 Not Found`. */
function phrase(
  aspect: Rule["aspects"][string],
  { count, examples }: Tally,
  record: FindingRecord,
): string {
  const { noun, plural, text } = aspect;
  if (noun === undefined) {
    // many sitemaps have many details
    const detail = isMerged(record) ? undefined : examples[0]?.value;
    return detail === undefined ? text.replace(": {}", "") : text.replace("{}", () => detail);
  }
  const about = record.isEstimated ? "about " : "";
  return `${about}${grouped(count)} ${count === 1 ? noun : plural ?? `${noun}s`} ${text}`.trim();
}

function capitalized(message: string): string {
  return message.startsWith("robots.txt")
    ? message
    : message.slice(0, 1).toUpperCase() + message.slice(1);
}
