import { HashTable } from "../bytes/hash_table.ts";
import { NumberList } from "../bytes/number_list.ts";
import { PageLog, PageRecords } from "../bytes/page_log.ts";
import { randomKey, ValueScan } from "../bytes/value_scan.ts";
import { inBatches } from "../data/batches.ts";
import { checkList, checkWord } from "../data/checks.ts";
import type { SitemapRef, TreeEvent, Verdict } from "../data/events.ts";
import { applyRules, flag, option, type OptionRules } from "../data/option_rules.ts";
import type { SitemapPage } from "../data/page.ts";
import type { PageChangedEvent, PageRemovedEvent } from "./events.ts";
import {
  arePlain,
  changedFields,
  identityOf,
  PAGE_FIELDS,
  type PageField,
  plainOriginOf,
} from "./identity.ts";
import { type RowStream, rowStream } from "./row_stream.ts";

/** What {@linkcode diff} takes as the same. */
export interface DiffOptions {
  /** Whether pages of different origins are the same if path and query are. Default: `false`. */
  readonly ignoreOrigin?: boolean;
  /** Fields whose differences make a page changed. Default: all. */
  readonly fields?: readonly PageField[];
}

/**
 * Event of a comparison. First `incomplete` for a walk that did not read everything: what is missing
 * on that side may exist nevertheless. `finished` is the last one.
 */
export type DiffEvent =
  | PageChangedEvent
  | PageRemovedEvent
  | {
    /** Type of the event. */
    readonly type: "incomplete";
    /** Which of the two walks it is. */
    readonly side: "a" | "b";
    /** Its verdict; `partial` if it has no end. */
    readonly verdict: Exclude<Verdict, "complete">;
  }
  | {
    /** Type of the event. */
    readonly type: "finished";
    /** Verdicts of the two walks; `partial` without an end. */
    readonly verdicts: { readonly a: Verdict; readonly b: Verdict };
    /** Numbers of pages, those without a difference included. */
    readonly stats: {
      /** Pages of the second walk alone. */
      readonly added: number;
      /** Pages of both, with other values. */
      readonly changed: number;
      /** Pages of the first walk alone. */
      readonly removed: number;
      /** Pages of both, with the same values. */
      readonly unchanged: number;
    };
  };

export type DiffStats = Extract<DiffEvent, { readonly type: "finished" }>["stats"];

const RULES = {
  ignoreOrigin: flag(false),
  fields: option(
    checkList(checkWord(PAGE_FIELDS), `a list of ${PAGE_FIELDS.join(", ")}`),
    PAGE_FIELDS,
  ),
} satisfies OptionRules<DiffOptions>;

/**
 * Compares two walks. Both are read before the first event: a walk that is not `complete` is said first,
 * as what seems to be added or removed may then only be unread. Then follow the pages of `b` that are
 * new or have other values, in the order of `b`, and those of `a` that are missing, in the order of `a`.
 *
 * URLs and values are the same as in snapshots: if they denote the same. A page that a walk lists
 * several times counts once, with the values of the first. Memory grows by about 40 bytes a page; the
 * pages themselves are in temporary files.
 *
 * @param a events of a walk, a parse, a saved walk or a snapshot, by batches where there are any
 * @param b events to compare them with
 * @param options what is compared
 * @returns a stream of events; to read it again reads the walks again, if they can be
 * @throws {TypeError} If an option is unknown or invalid.
 *
 * @example
 * ```ts
 * import { parseSitemap } from "@sitetree/sitetree";
 * import { diff } from "@sitetree/sitetree/sync";
 * import { assertEquals } from "@std/assert";
 *
 * const before = parseSitemap("https://example.com/\nhttps://example.com/old\n");
 * const after = parseSitemap("https://example.com/\nhttps://example.com/new\n");
 * const lines: string[] = [];
 * for await (const event of diff(before, after)) {
 *   if ("page" in event) lines.push(`${event.type} ${event.page.url}`);
 * }
 * assertEquals(lines, ["added https://example.com/new", "removed https://example.com/old"]);
 * ```
 */
export function diff(
  a: AsyncIterable<TreeEvent> | Iterable<TreeEvent>,
  b: AsyncIterable<TreeEvent> | Iterable<TreeEvent>,
  options: DiffOptions = {},
): RowStream<DiffEvent> {
  const { ignoreOrigin, fields } = applyRules(RULES, options);
  return rowStream<DiffEvent>(async function* () {
    using comparison = new Comparison(ignoreOrigin, fields);
    const first = await eachSitemap(a, (pages, sitemap) => comparison.add(pages, sitemap));
    comparison.begin();
    const second = await eachSitemap(b, (pages, sitemap) => comparison.compare(pages, sitemap));
    const verdicts = { a: first, b: second };
    for (const side of ["a", "b"] as const) {
      const verdict = verdicts[side];
      if (verdict !== "complete") yield [{ type: "incomplete", side, verdict }];
    }
    yield* comparison.differences();
    yield [{ type: "finished", verdicts, stats: comparison.stats }];
  });
}

async function eachSitemap(
  events: AsyncIterable<TreeEvent> | Iterable<TreeEvent>,
  call: (pages: readonly SitemapPage[], sitemap: SitemapRef) => void,
): Promise<Verdict> {
  let verdict: Verdict | undefined, sitemap: SitemapRef | undefined;
  for await (const batch of inBatches(events)) {
    let pages: SitemapPage[] = [];
    for (const event of batch) {
      // there may be several walks, such as those of a snapshot
      if (event.type === "finished" && (verdict ?? "complete") === "complete") {
        verdict = event.verdict;
      }
      if (event.type !== "page") continue;
      if (sitemap === undefined || !isSameSitemap(event.sitemap, sitemap)) {
        if (pages.length > 0) call(pages, sitemap!);
        pages = [];
        sitemap = event.sitemap;
      }
      pages.push(event.page);
    }
    if (pages.length > 0) call(pages, sitemap!);
  }
  return verdict ?? "partial";
}

/** References of a saved walk are not the same objects. */
function isSameSitemap(one: SitemapRef, other: SitemapRef): boolean {
  return one === other || one.id === other.id && one.url === other.url;
}

/** Number of a page that the first walk does not have. */
const NONE = -1;
const WIDE_TABLE = { width: 3, maxLoad: 0.75 };

class Comparison implements Disposable {
  readonly #ignoreOrigin: boolean;
  readonly #fields: readonly PageField[];
  readonly #scan = new ValueScan(randomKey());
  readonly #records = new PageRecords();
  readonly #before = new PageLog<SitemapRef>("spill");
  /** Hashes of pages of the first walk, two numbers each: of identities until it ends, and of values. */
  #identities = new NumberList(Int32Array);
  readonly #values = new NumberList(Int32Array);
  /** Pages of both walks: the hash of their identity, and their number in the first or `NONE`. */
  #numbers = new HashTable(WIDE_TABLE);
  /** Whether the second walk has a page, or the first has listed it before. */
  readonly #seen = new NumberList(Uint8Array);
  #repeated = 0;
  /** Pages of the second walk that differ, and their numbers in the first. */
  readonly #after = new PageLog<SitemapRef>("spill");
  readonly #previous = new NumberList(Int32Array);
  /** Number of the page of the first walk that was found last. */
  #last = -1;
  #unchanged = 0;
  #added = 0;

  constructor(ignoreOrigin: boolean, fields: readonly PageField[]) {
    this.#ignoreOrigin = ignoreOrigin;
    this.#fields = fields;
  }

  [Symbol.dispose](): void {
    this.#before[Symbol.dispose]();
    this.#after[Symbol.dispose]();
  }

  get stats(): DiffStats {
    const added = this.#added, unchanged = this.#unchanged;
    const changed = this.#after.length - added;
    const removed = this.#before.length - this.#repeated - changed - unchanged;
    return { added, changed, removed, unchanged };
  }

  /** Adds pages of the first walk. */
  add(pages: readonly SitemapPage[], sitemap: SitemapRef): void {
    const records = this.#records, identities = this.#identities, values = this.#values;
    for (let from = 0, to = 0; from < pages.length; from = to) {
      to = records.set(pages, from);
      for (let at = 0; at < records.count; at++) {
        const { high, low } = this.#hashIdentity(pages[from + at]!.url, at);
        identities.push(high);
        identities.push(low);
        const scan = this.#hashValues(at);
        values.push(scan.high);
        values.push(scan.low);
      }
      this.#before.add(records, sitemap);
    }
  }

  /** Ends the first walk. A table of known size takes a quarter of the time of one that grows. */
  begin(): void {
    const { length } = this.#before, identities = this.#identities;
    this.#numbers = new HashTable({ ...WIDE_TABLE, size: length });
    for (let number = 0; number < length; number++) {
      const high = identities.at(2 * number), low = identities.at(2 * number + 1);
      const isRepeated = this.#enter(high, low, number) !== undefined;
      this.#seen.push(isRepeated ? 1 : 0);
      if (isRepeated) this.#repeated++;
    }
    this.#identities = new NumberList(Int32Array);
  }

  /** Returns the number of the page with an identity; adds it if there is none. */
  #enter(high: number, low: number, number: number): number | undefined {
    const numbers = this.#numbers, slot = numbers.find(high, low);
    if (slot >= 0) return numbers.rows[3 * slot + 2];
    numbers.rows[3 * ~slot + 2] = number;
    numbers.fill(~slot, high, low);
    return undefined;
  }

  compare(pages: readonly SitemapPage[], sitemap: SitemapRef): void {
    const records = this.#records;
    for (let from = 0, to = 0; from < pages.length; from = to) {
      to = records.set(pages, from);
      for (let at = 0; at < records.count; at++) {
        if (this.#isNext(at)) continue;
        const page = pages[from + at]!, previous = this.#previousOf(page, at);
        if (previous === undefined) continue;
        this.#after.append(page, sitemap);
        this.#previous.push(previous);
      }
    }
  }

  /** Whether a page follows the last one as it did before, as most do. */
  #isNext(at: number): boolean {
    const next = this.#last + 1;
    if (next >= this.#before.length || this.#seen.at(next) !== 0) return false;
    if (!this.#before.isAt(next, this.#records, at)) return false;
    this.#seen.set(next, 1);
    this.#last = next;
    this.#unchanged++;
    return true;
  }

  /** Returns the number of a page in the first walk if it differs there, `undefined` if it is the same. */
  #previousOf(page: SitemapPage, at: number): number | undefined {
    const identity = this.#hashIdentity(page.url, at);
    const number = this.#enter(identity.high, identity.low, NONE);
    if (number === undefined) {
      this.#added++;
      return NONE;
    }
    // it was listed before
    if (number === NONE || this.#seen.at(number) !== 0) return undefined;
    this.#seen.set(number, 1);
    this.#last = number;
    const values = this.#values, { high, low } = this.#hashValues(at);
    const isSame = values.at(2 * number) === high && values.at(2 * number + 1) === low;
    if (!isSame && this.#changed(page, this.#before.page(number)).length > 0) return number;
    this.#unchanged++;
    return undefined;
  }

  /** Hashes the values of a record. The result is valid until the next one, as that of its identity. */
  #hashValues(at: number): ValueScan {
    const scan = this.#scan, records = this.#records;
    scan.range(records.view, records.startOf(at), records.urlOf(at));
    return scan;
  }

  #hashIdentity(url: string, at: number): ValueScan {
    const scan = this.#scan, { bytes, view } = this.#records;
    const start = this.#records.urlOf(at), end = this.#records.endOf(at);
    scan.range(view, start, end);
    const length = scan.prefix?.length;
    if (length !== undefined && arePlain(bytes, start + length, end)) {
      if (this.#ignoreOrigin) scan.range(view, start + length - 1, end);
      return scan;
    }
    const origin = length === undefined && start < end ? plainOriginOf(url) : undefined;
    if (origin !== undefined) scan.expect(scan.hashPrefix(origin));
    const identity = identityOf(url);
    scan.text(this.#ignoreOrigin ? withoutOrigin(identity) : identity);
    return scan;
  }

  *differences(): Generator<(PageChangedEvent | PageRemovedEvent)[], void, void> {
    for (const batch of this.#after.batches()) {
      yield batch.map(({ number, page, sitemap }) => {
        const before = this.#previous.at(number);
        if (before === NONE) return { type: "added", page, sitemap };
        const previous = this.#before.page(before);
        return { type: "changed", page, sitemap, previous, fields: this.#changed(page, previous) };
      });
    }
    for (const batch of this.#before.batches((number) => this.#seen.at(number) === 0)) {
      yield batch.map(({ page, sitemap }) => ({ type: "removed", page, sitemap }));
    }
  }

  #changed(page: SitemapPage, previous: SitemapPage): PageField[] {
    const fields = changedFields(page, previous, this.#fields);
    if (!this.#ignoreOrigin || fields.length === 0) return fields;
    return changedFields(withoutOwnOrigin(page), withoutOwnOrigin(previous), fields);
  }
}

const ORIGIN_REGEXP = /^https?:\/\/[^/?#]*/i;

function withoutOrigin(identity: string): string {
  return identity.slice(Math.max(0, identity.indexOf("/", "https://".length)));
}

/** Returns a page whose images, videos and alternates at its own origin are named without it. */
function withoutOwnOrigin(page: SitemapPage): SitemapPage {
  const originIn = (text: string) => ORIGIN_REGEXP.exec(text)?.[0].toLowerCase();
  const own = originIn(page.url);
  return JSON.parse(
    JSON.stringify(page),
    (_key, value) =>
      own !== undefined && typeof value === "string" && originIn(value) === own
        ? value.slice(own.length)
        : value,
  );
}
