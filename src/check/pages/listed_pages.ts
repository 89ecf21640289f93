/**
 * The pages that a walk lists, to be requested and judged after it.
 *
 * @module
 */

import { PageLog } from "../../bytes/page_log.ts";
import { UniquePages } from "../../bytes/unique_pages.ts";
import type { TreeEvent } from "../../data/events.ts";
import type { Sample } from "../../data/sample.ts";
import { count, excerpt, grouped } from "../../data/text.ts";
import { addressKey } from "../../data/url.ts";
import { namedCounts } from "../../data/words.ts";
import type { PageAnswer } from "../answer_rules.ts";
import type { Checker } from "../checker.ts";
import type { ProbeOptions } from "./options.ts";
import { probeWith } from "./probe_pages.ts";

/** `sitemap` is the first one that lists the page. */
export interface ListedPage {
  readonly url: string;
  readonly sitemap: string;
}

interface AnswerObserver {
  /** Called for each answer that arrives, which may have to wait for those before it. */
  readonly onArrival: () => void;
  /** Called for each answer, in the order of the pages. */
  readonly onAnswer: (answer: PageAnswer) => void;
}

/** Distinct pages in the order of the walk: all of them, kept on disk, or a sample. */
export class ListedPages implements Disposable {
  first: string | undefined;
  readonly #sample: Sample<ListedPage> | undefined;
  readonly #seen = new UniquePages();
  readonly #log = new PageLog<string>("spill");
  #listed = 0;

  constructor(sample?: Sample<ListedPage>) {
    this.#sample = sample;
  }

  add(event: TreeEvent): void {
    if (event.type !== "page") return;
    const { url } = event.page, sitemap = event.sitemap.url;
    if (!this.#seen.add(addressKey(url))) return;
    this.#listed++;
    this.first ??= url;
    if (this.#sample === undefined) this.#log.append({ url }, sitemap);
    else this.#sample.add(url, () => ({ url, sitemap }));
  }

  /** Number of pages to request. */
  get total(): number {
    return this.#sample?.items().length ?? this.#listed;
  }

  [Symbol.dispose](): void {
    this.#log[Symbol.dispose]();
  }

  /** Requests the pages and judges their answers. Returns the number of those before the deadline. */
  async judge(
    checker: Checker,
    homepage: URL,
    options: ProbeOptions,
    { onArrival, onAnswer }: AnswerObserver,
  ): Promise<number> {
    const sitemaps: string[] = [];
    const pages = this.pages();
    const urls = function* () {
      for (const { url, sitemap } of pages) {
        sitemaps.push(sitemap);
        yield url;
      }
    };
    let done = 0;
    try {
      for await (const answer of probeWith(urls(), homepage, options, undefined, onArrival)) {
        checker.addAnswer(answer, sitemaps.shift());
        onAnswer(answer);
        done++;
      }
    } catch (error) {
      if (!options.signal?.aborted || error !== options.signal.reason) throw error;
    }
    return done;
  }

  *pages(): Generator<ListedPage, void, void> {
    if (this.#sample !== undefined) return yield* this.#sample.items();
    for (const batch of this.#log.batches()) {
      for (const { page: { url }, sitemap } of batch) yield { url, sitemap };
    }
  }
}

/** Returns a clause such as `6 pages requested: 1 failed`; `ending` is why not all were. */
export function answersText(
  answers: ReturnType<Checker["result"]>["answers"],
  { done, total, ending }: {
    readonly done: number;
    readonly total: number;
    readonly ending: string;
  },
): string {
  const pages = count(total, "page");
  const requested = done < total
    ? `${ending} after ${grouped(done)} of ${pages}`
    : `${pages} requested`;
  const { failed = 0, redirected = 0, disallowed = 0, noindex = 0, unrequested = 0 } = answers ??
    {};
  const parts = namedCounts({
    ...{ failed, redirected, disallowed, noindex },
    "not requested because of an option": unrequested,
  });
  return parts.length === 0 ? requested : `${requested}: ${parts.join(", ")}`;
}

/** Returns what is wrong with an answer, after its URL; `undefined` if nothing is. */
export function answerFault(answer: PageAnswer): string | undefined {
  const { url, code, reason, redirects, noindex, disallowed } = answer;
  const [target] = redirects.slice(-1);
  const parts = [
    ...(target === undefined ? [] : [`redirects to ${excerpt(target)}`]),
    ...(reason === undefined ? [] : [`${excerpt(reason)} (${code})`]),
    ...(disallowed ? ["disallowed by robots.txt"] : []),
    ...(noindex ? ["noindex"] : []),
  ];
  return parts.length === 0 ? undefined : `${excerpt(url)}: ${parts.join("; ")}`;
}
