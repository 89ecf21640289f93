/**
 * `check --pages`: requests the pages of an operand after its walk, and judges the answers.
 *
 * @module
 */

import type { PageAnswer } from "../../../check/answer_rules.ts";
import type { Checker } from "../../../check/checker.ts";
import type { AnswerCounts } from "../../../check/finding.ts";
import type { ProbeOptions } from "../../../check/pages/options.ts";
import { probeWith } from "../../../check/pages/probe_pages.ts";
import type { TreeEvent } from "../../../data/events.ts";
import { count, excerpt, grouped } from "../../../data/text.ts";
import { isHttp } from "../../../data/url.ts";
import { namedCounts } from "../../../data/words.ts";
import { REQUEST_OPTIONS } from "../../../walk/options.ts";
import type { Arguments } from "../../arguments.ts";
import { type Log, logRequest } from "../../run/log.ts";
import { pagesLine } from "../../run/progress.ts";
import type { Reading } from "../../run/reading.ts";
import { Sampling } from "../../run/sampling.ts";
import type { Session } from "../../run/session.ts";
import type { Operand } from "../../../source/reader.ts";
import { requireProxies, type WalkSettings, walkSettings } from "../../run/walk_settings.ts";
import { type ListedPage, ListedPages } from "./listed_pages.ts";

export async function pageSettings(args: Arguments): Promise<WalkSettings | undefined> {
  if (!args.has("pages")) return undefined;
  const settings = walkSettings(args);
  await requireProxies(settings);
  return settings;
}

export class PageRequests implements Disposable {
  readonly #agent: string | undefined;
  readonly #settings: WalkSettings;
  readonly #session: Session;
  readonly #sampling: Sampling<ListedPage> | undefined;
  readonly #pages: ListedPages;

  constructor(args: Arguments, settings: WalkSettings, session: Session) {
    this.#agent = args.value("agent");
    this.#settings = settings;
    this.#session = session;
    this.#sampling = Sampling.of(args);
    this.#pages = new ListedPages(this.#sampling);
  }

  add(event: TreeEvent): void {
    if (event.type === "page") this.#pages.add(event.page.url, event.sitemap.url);
  }

  [Symbol.dispose](): void {
    this.#pages[Symbol.dispose]();
  }

  /** Returns a clause about the pages. */
  async run(checker: Checker, operand: Operand, reading: Reading): Promise<string> {
    const [total, pages] = this.#pages.kept();
    const { signal } = this.#session;
    const named = namedUrl([operand.home, operand.site, URL.parse(checker.result().site)]);
    const homepage = named ?? namedUrl([URL.parse(this.#pages.first ?? "")]);
    let done = 0, arrived = 0;
    if (homepage !== undefined && !signal.aborted) {
      const options = {
        ...await this.#options(homepage, reading),
        // a file must not lead to a private host that the user did not name
        ...(named === undefined && { allowPrivateNetwork: false }),
      };
      const started = performance.now();
      const stopStage = this.#session.showStage((width) =>
        pagesLine(
          { done: arrived, total, waiting: reading.watch.slowDowns.now() },
          performance.now() - started,
          width,
        )
      );
      const sitemaps: string[] = [];
      const urls = function* () {
        for (const { url, sitemap } of pages) {
          sitemaps.push(sitemap);
          yield url;
        }
      };
      const { log } = reading.context;
      try {
        const answers = probeWith(urls(), homepage, options, undefined, () => arrived++);
        for await (const answer of answers) {
          checker.addAnswer(answer, sitemaps.shift());
          logAnswer(log, answer);
          done++;
        }
      } catch (error) {
        if (!signal.aborted || error !== signal.reason) throw error;
      } finally {
        stopStage();
      }
    }
    return this.#summary(checker.result().answers, done, total);
  }

  async #options(homepage: URL, reading: Reading): Promise<ProbeOptions> {
    const { options } = this.#settings;
    const { watch, context: { log } } = reading;
    await reading.connect(homepage);
    return {
      ...Object.fromEntries(
        Object.entries(options).filter(([name]) => REQUEST_OPTIONS.includes(name)),
      ),
      ...await reading.reach(homepage, options),
      ...(this.#agent !== undefined && { agent: this.#agent }),
      onRequest(report) {
        logRequest(log, report);
        watch.slowDowns.add(report);
      },
      signal: this.#session.signal,
    };
  }

  #summary(counts: AnswerCounts | undefined, done: number, total: number): string {
    const ending = this.#session.signal.aborted ? "interrupted" : "--deadline reached";
    const all = `${grouped(done)} of ${count(total, "page")}`;
    const requested = done < total ? `${ending} after ${all}` : `${count(total, "page")} requested`;
    const { failed = 0, redirected = 0, disallowed = 0, noindex = 0, unrequested = 0 } = counts ??
      {};
    const parts = namedCounts({
      ...{ failed, redirected, disallowed, noindex },
      "not requested because of an option": unrequested,
    });
    return [
      `${requested}${parts.length === 0 ? "" : `: ${parts.join(", ")}`}`,
      ...(this.#sampling === undefined ? [] : [this.#sampling.summary]),
    ].join("; ");
  }
}

function namedUrl(urls: readonly (URL | null | undefined)[]): URL | undefined {
  return urls.find((url) => url && isHttp(url)) ?? undefined;
}

function logAnswer(log: Log, answer: PageAnswer): void {
  const { url, code, reason, redirects, noindex, disallowed } = answer;
  const [target] = redirects.slice(-1);
  const parts = [
    ...(target === undefined ? [] : [`redirects to ${excerpt(target)}`]),
    ...(reason === undefined ? [] : [`${excerpt(reason)} (${code})`]),
    ...(disallowed ? ["disallowed by robots.txt"] : []),
    ...(noindex ? ["noindex"] : []),
  ];
  if (parts.length === 0) return;
  const level = code === undefined || code === "blocked" ? "warn" : "error";
  const message = `${excerpt(url)}: ${parts.join("; ")}`;
  log.write(1, { level, event: "page-answer", message });
}
