import { NumberList } from "../bytes/number_list.ts";
import { randomKey } from "../bytes/value_scan.ts";
import { inBatches } from "../data/batches.ts";
import { checkList, checkWord } from "../data/checks.ts";
import type { SitemapRef, TreeEvent, Verdict } from "../data/events.ts";
import { applyRules, flag, option, type OptionRules } from "../data/option_rules.ts";
import type { SitemapPage } from "../data/page.ts";
import type { PageChangedEvent, PageRemovedEvent } from "./events.ts";
import { changedFields, PAGE_FIELDS, type PageField } from "./identity.ts";
import { PageIndex } from "./page_index.ts";
import { isSameSitemap, PageLog } from "./page_log.ts";
import { PageTexts } from "./page_texts.ts";
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
  let verdict: Verdict | undefined;
  for await (const batch of inBatches(events)) {
    let pages: SitemapPage[] = [], sitemap: SitemapRef | undefined;
    for (const event of batch) {
      // there may be several walks, such as those of a snapshot
      if (event.type === "finished" && (verdict ?? "complete") === "complete") {
        verdict = event.verdict;
      }
      if (event.type !== "page") continue;
      if (sitemap !== undefined && !isSameSitemap(event.sitemap, sitemap)) {
        call(pages, sitemap);
        pages = [];
      }
      sitemap = event.sitemap;
      pages.push(event.page);
    }
    if (pages.length > 0) call(pages, sitemap!);
  }
  return verdict ?? "partial";
}

/** Number of a page that the first walk does not have. */
const NONE = -1;

const UNSEEN = 0, SEEN = 1, REPEATED = 2;

class Comparison implements Disposable {
  readonly #ignoreOrigin: boolean;
  readonly #fields: readonly PageField[];
  readonly #texts: PageTexts;
  /** Pages of both walks. */
  readonly #index = new PageIndex();
  /** Pages of the first walk, which have the first numbers. */
  readonly #before = new PageLog();
  /** Whether the second walk has them, or the first has listed them before. */
  readonly #states = new NumberList(Uint8Array);
  #repeated = 0;
  /** Pages of the second walk that differ, and their numbers in the first. */
  readonly #after = new PageLog();
  readonly #previous = new NumberList(Int32Array);
  /** Number of the page of the first walk that was found last. */
  #last = -1;
  #unchanged = 0;
  #added = 0;

  constructor(ignoreOrigin: boolean, fields: readonly PageField[]) {
    this.#texts = new PageTexts(randomKey(), ignoreOrigin);
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
    const texts = this.#texts, { hashes } = texts;
    for (let from = 0; from < pages.length;) {
      from = texts.set(pages, from);
      for (let at = 0; at < texts.count; at++) {
        texts.hash(at);
        this.#index.push(hashes);
        this.#states.push(UNSEEN);
      }
      this.#before.add(texts, 0, texts.count, sitemap);
    }
  }

  /** Ends the first walk. */
  begin(): void {
    this.#index.settle((number) => {
      this.#states.set(number, REPEATED);
      this.#repeated++;
    });
  }

  compare(pages: readonly SitemapPage[], sitemap: SitemapRef): void {
    const texts = this.#texts;
    for (let from = 0, to = 0; from < pages.length; from = to) {
      to = texts.set(pages, from);
      for (let at = 0; at < texts.count; at++) {
        if (this.#isNext(at)) continue;
        const previous = this.#previousOf(pages[from + at]!, at);
        if (previous === undefined) continue;
        this.#after.add(texts, at, at + 1, sitemap);
        this.#previous.push(previous);
      }
    }
  }

  /** Whether a page follows the last one as it did before, as most do. */
  #isNext(at: number): boolean {
    const next = this.#last + 1;
    if (next >= this.#before.length || this.#states.at(next) !== UNSEEN) return false;
    if (!this.#before.isAt(next, this.#texts, at)) return false;
    this.#states.set(next, SEEN);
    this.#last = next;
    this.#unchanged++;
    return true;
  }

  /** Returns the number of a page in the first walk if it differs there, `undefined` if it is the same. */
  #previousOf(page: SitemapPage, at: number): number | undefined {
    const { hashes } = this.#texts;
    this.#texts.hash(at);
    const number = this.#index.find(hashes);
    if (number === undefined) {
      this.#index.add(hashes);
      this.#added++;
      return NONE;
    }
    // it was listed before
    if (number >= this.#before.length || this.#states.at(number) !== UNSEEN) return undefined;
    this.#states.set(number, SEEN);
    this.#last = number;
    const isSame = this.#index.hasValues(number, hashes);
    if (!isSame && this.#changed(page, this.#before.page(number)).length > 0) return number;
    this.#unchanged++;
    return undefined;
  }

  *differences(): Generator<(PageChangedEvent | PageRemovedEvent)[], void, void> {
    for (const batch of this.#after.pages()) {
      yield batch.map(({ number, page, sitemap }) => {
        const before = this.#previous.at(number);
        if (before === NONE) return { type: "added", page, sitemap };
        const previous = this.#before.page(before);
        return { type: "changed", page, sitemap, previous, fields: this.#changed(page, previous) };
      });
    }
    for (const batch of this.#before.pages((number) => this.#states.at(number) === UNSEEN)) {
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
