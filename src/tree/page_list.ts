import type { PageLog } from "../bytes/page_log.ts";
import type { SitemapPage } from "../data/page.ts";

/** Pages of one sitemap, in document order. An array of pages is a page list too. */
export type PageList = Iterable<SitemapPage> & Pick<readonly SitemapPage[], "length" | "at">;

export const NO_PAGES: PageList = Object.freeze<SitemapPage[]>([]);

/** Pages to read at once: other lists may read elsewhere in the log before the next. */
const MAX_READ = 64;

/** Pages of a sitemap in the log of its tree, in runs: those of several sitemaps may alternate. */
export class LoggedPages implements PageList {
  readonly #log: PageLog;
  /** Positions and numbers in the log of the first page of each run. */
  #runs: number[] = [];
  /** Number of the page after the last one, if it continues the run. */
  #next = -1;
  length = 0;

  constructor(log: PageLog) {
    this.#log = log;
  }

  append(page: SitemapPage): void {
    const number = this.#log.append(page, undefined);
    // A literal of two numbers: the first `push()` would allocate capacity for seventeen.
    if (this.length === 0) this.#runs = [0, number];
    else if (number !== this.#next) this.#runs.push(this.length, number);
    this.#next = number + 1;
    this.length++;
  }

  at(index: number): SitemapPage | undefined {
    const whole = Math.trunc(index) || 0;
    const position = whole < 0 ? whole + this.length : whole;
    if (position < 0 || position >= this.length) return undefined;
    const runs = this.#runs;
    let low = 0;
    for (let high = runs.length / 2; high - low > 1;) {
      const middle = (low + high) >>> 1;
      if (runs[2 * middle]! <= position) low = middle;
      else high = middle;
    }
    return this.#log.page(runs[2 * low + 1]! + position - runs[2 * low]!);
  }

  *[Symbol.iterator](): Generator<SitemapPage, void, undefined> {
    const runs = this.#runs;
    for (let run = 0; run < runs.length; run += 2) {
      const first = runs[run + 1]!;
      const end = first + (runs[run + 2] ?? this.length) - runs[run]!;
      for (let number = first; number < end;) {
        const pages: SitemapPage[] = [];
        for (const last = Math.min(number + MAX_READ, end); number < last; number++) {
          pages.push(this.#log.page(number));
        }
        yield* pages;
      }
    }
  }
}
