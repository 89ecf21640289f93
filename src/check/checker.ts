import { inBatches } from "../data/batches.ts";
import { isFuture, type LatestDates, latestDates } from "../data/date.ts";
import {
  type FinishedEvent,
  type InvalidEvent,
  isCounted,
  type NoteEvent,
  type PageEvent,
  type SitemapEnteredEvent,
  type SitemapLeftEvent,
  type SitemapRef,
  type TreeEvent,
  type Verdict,
  type WarningEvent,
} from "../data/events.ts";
import { hasExtensions } from "../data/page.ts";
import { AddressRules } from "./address_rules.ts";
import { AlternateRules } from "./alternate_rules.ts";
import { AnswerRules, type PageAnswer } from "./answer_rules.ts";
import { CodeRules } from "./code_rules.ts";
import { judgeExtensions, type OldestNews, oldestNews } from "./extension_rules.ts";
import type { CheckResult } from "./finding.ts";
import { Findings, SITE } from "./findings.ts";
import { type CheckOptions, resolveCheckOptions, type ResolvedCheckOptions } from "./options.ts";
import { Origins } from "./origins.ts";
import { type Known, skippedRules } from "./rule_needs.ts";
import { type RuleCode, RULES } from "./rules.ts";
import type { Severity } from "./severity.ts";
import { isFound, judgePlace, judgeWhole } from "./sitemap_rules.ts";
import { SitemapState } from "./sitemap_state.ts";
import type { UrlCounts } from "./url_counter.ts";

const ROBOTS_REGEXP = /^https?:\/\/[^/]+\/robots\.txt$/i;

/**
 * Judges the events of a walk, one by one.
 *
 * @example
 * ```ts
 * import { Checker } from "@sitetree/sitetree/check";
 * import { parseSitemap } from "@sitetree/sitetree";
 * import { assertEquals } from "@std/assert";
 *
 * const checker = new Checker();
 * const xml = "<urlset><url><loc>/page</loc></url></urlset>";
 * for await (const event of parseSitemap(xml, { url: "https://example.com/sitemap.xml" })) {
 *   checker.add(event);
 * }
 * const { counts, findings } = checker.result();
 * assertEquals(counts.error, 1);
 * assertEquals(findings[0]?.code, "loc-relative");
 * ```
 */
export class Checker {
  readonly #options: ResolvedCheckOptions;
  readonly #latest: LatestDates | undefined;
  readonly #oldestNews: OldestNews | undefined;
  readonly #findings = new Findings();
  readonly #origins: Origins;
  /** By number, which begins at 1. */
  readonly #urls: string[] = [""];
  readonly #addresses: AddressRules;
  readonly #alternates: AlternateRules;
  readonly #answers: AnswerRules;
  readonly #open = new Map<number, SitemapState>();
  /** Numbers of the sitemaps that were read, by their URL. */
  readonly #read = new Map<string, number>();
  readonly #codes = new CodeRules();
  /** Known at the end, and before that by what it has. */
  #source: FinishedEvent["source"] = "snapshot";
  #hasNotes = false;
  #hasRobots = false;
  #last: SitemapState | undefined;
  #site = "";
  #verdict: Verdict = "partial";
  #pages = 0;
  #sitemaps = 0;

  /**
   * Makes a checker that has seen nothing.
   *
   * @param options time of the check, rules and severities
   * @throws {TypeError} If an option is unknown or invalid.
   */
  constructor(options: CheckOptions = {}) {
    this.#options = resolveCheckOptions(options);
    const { now, agent } = this.#options;
    this.#latest = now && latestDates(now);
    this.#oldestNews = now && oldestNews(now);
    this.#origins = new Origins(agent);
    this.#addresses = new AddressRules(this.#origins, this.#urls);
    this.#alternates = new AlternateRules(this.#addresses);
    this.#answers = new AnswerRules(this.#findings, this.#origins, this.#read);
  }

  /** Judges the next event of the walk. */
  add(event: TreeEvent): void {
    this.#codes.judgeFailed(event);
    switch (event.type) {
      case "page":
        return this.#page(event);
      case "sitemap-entered":
        return this.#entered(event);
      case "invalid":
        return this.#invalid(event);
      case "warning":
      case "note":
        return this.#remark(event);
      case "sitemap-left":
        return this.#left(event);
      case "finished":
        return this.#finished(event);
    }
  }

  /**
   * Judges how a page was answered, see `probePages()`. Add it after the events of the walk, whose
   * robots.txt has a rule of its own.
   *
   * @param answer how the page was answered
   * @param sitemap URL of the sitemap that lists the page; without it, a finding is about the site
   */
  addAnswer(answer: PageAnswer, sitemap?: string): void {
    this.#answers.judge(answer, sitemap);
  }

  /**
   * URLs of pages so far, for a report.
   *
   * @internal
   */
  get urls(): UrlCounts {
    return this.#addresses.urls.counts((order) => this.#urls[order]!);
  }

  /** Returns what was found so far; more events may follow. */
  result(): CheckResult {
    this.#codes.judgeFailed();
    const findings = this.#findings.copy();
    this.#alternates.conclude(findings, this.#urls, this.#verdict === "complete");
    const { isEnabled, severities } = this.#options;
    const known = this.#known;
    // what robots.txt does not declare is only known if it was read
    const isJudged = (code: RuleCode) =>
      isEnabled(code) && (known.robots || !RULES[code].needs?.includes("robots"));
    const listed = findings.list(isJudged, severities);
    const counts: Record<Severity, number> = { error: 0, warning: 0, notice: 0 };
    for (const { severity } of listed) counts[severity]++;
    const { counts: answers } = this.#answers;
    return {
      site: this.#site,
      verdict: this.#verdict,
      pages: this.#pages,
      sitemaps: this.#sitemaps,
      ...(answers !== undefined && { answers }),
      counts,
      findings: listed,
      skipped: skippedRules(this.#options, { ...known, sitemaps: this.#sitemaps > 0 }, {
        origins: this.#origins,
        findings: this.#findings,
      }),
    };
  }

  get #known(): Known {
    const isRead = this.#source !== "snapshot";
    return {
      ...{ warnings: isRead, duration: isRead, response: isRead && this.#source !== "parse" },
      now: this.#options.now !== undefined,
      notes: this.#hasNotes,
      robots: this.#hasRobots,
      host: this.#origins.of(this.#site) !== undefined,
      answers: this.#answers.counts !== undefined,
    };
  }

  #stateOf(ref: SitemapRef): SitemapState {
    if (this.#last?.ref.id === ref.id) return this.#last;
    let state = this.#open.get(ref.id);
    if (state === undefined) {
      const parent = ref.parent === null ? undefined : this.#open.get(ref.parent);
      const place = { ref, parent, origin: this.#origins.of(ref.url) };
      state = new SitemapState(this.#findings, { ...place, order: this.#urls.push(ref.url) - 1 });
      this.#open.set(ref.id, state);
      if (ref.parent === null) this.#enterRoot(ref);
      if (parent !== undefined) this.#addChild(parent, state);
    }
    return this.#last = state;
  }

  #enterRoot({ url, type }: SitemapRef): void {
    this.#site = url;
    this.#addresses.setSite(url);
    if (type !== "IndexWebsiteSitemap") this.#source = "parse";
  }

  #addChild(parent: SitemapState, child: SitemapState): void {
    const { ref, origin } = child;
    const { lastModified } = ref;
    if (isFound(ref) || ref.type === "IndexRobotsTxtSitemap") this.#hasRobots = true;
    const url = ref.requestedUrl ?? ref.url;
    const declared = this.#origins.of(url);
    if (declared && this.#origins.robotsOf(declared)?.disallows(url, declared.text.length)) {
      child.report("sitemap-disallowed", "disallowed", { url });
    }
    if (parent.ref.type !== "IndexXmlSitemap") return;
    parent.children++;
    if (lastModified !== undefined) {
      parent.dated++;
      this.#judgeDate(parent, lastModified, ref.url);
    }
    if (origin === undefined || parent.origin === undefined) return;
    if (origin.bare === parent.origin.bare) return;
    const aspect = this.#addresses.declarationOf(child, origin);
    if (aspect === undefined) return;
    parent.report("index-other-host", aspect, { url: ref.url });
  }

  #entered({ sitemap, response }: SitemapEnteredEvent): void {
    const state = this.#stateOf(sitemap);
    if (response !== undefined) this.#source = "walk";
    const { ref, parent } = state;
    if (!isCounted(ref)) return;
    this.#sitemaps++;
    if (this.#read.has(ref.url)) {
      state.isRepeated = true;
      const value = `listed in ${parent?.ref.url ?? ""}`;
      return state.report("sitemap-repeated", "again", { url: ref.url, value });
    }
    this.#read.set(ref.url, state.order);
    judgePlace(state);
  }

  #page({ page, sitemap }: PageEvent): void {
    this.#pages++;
    const last = this.#last;
    const state = last?.ref === sitemap ? last : this.#stateOf(sitemap);
    if (state.isRepeated) return this.#addresses.recount(state, page.url);
    if (state.pages++ === 0) state.scope = this.#addresses.scopeOf(state);
    const { url, lastModified } = page;
    const scan = this.#addresses.judge(state, url);
    if (lastModified !== undefined) {
      state.addDate(lastModified);
      this.#judgeDate(state, lastModified, url);
    }
    if (!hasExtensions(page) || sitemap.type !== "PagesXmlSitemap") return;
    if (page.alternates !== undefined && scan !== undefined) {
      this.#alternates.judge(state, page, scan);
    }
    judgeExtensions(state, page, this.#oldestNews);
  }

  #judgeDate(state: SitemapState, date: string, url: string): void {
    if (this.#latest === undefined || !isFuture(date, this.#latest)) return;
    state.report("lastmod-future", "future", { url, value: date });
  }

  #invalid(event: InvalidEvent): void {
    // its warnings follow
    const state = this.#stateOf(event.sitemap);
    this.#open.delete(event.sitemap.id);
    this.#codes.judgeInvalid(state, event);
  }

  #remark(event: WarningEvent | NoteEvent): void {
    if (event.type === "note") this.#hasNotes = true;
    if (event.code === "robots-txt") {
      this.#hasRobots = true;
      this.#origins.addRobots(event.sitemap, event.message);
    } else this.#codes.judgeRemark(event, (ref) => this.#stateOf(ref));
  }

  #left(event: SitemapLeftEvent): void {
    const { sitemap, notes } = event;
    const state = this.#stateOf(sitemap);
    this.#open.delete(sitemap.id);
    this.#last = undefined;
    if (notes !== undefined) this.#hasNotes = true;
    if (state.isRepeated) return;
    this.#codes.judgeCounts(state, event);
    if (isCounted(sitemap)) judgeWhole(state, event);
  }

  #finished({ verdict, source, robots, discovery = [] }: FinishedEvent): void {
    this.#verdict = verdict;
    this.#source = source;
    const { url: robotsUrl, code, reason } = discovery.find(({ step }) => step === "robots") ?? {};
    if (code === "not-a-sitemap") {
      this.#findings.report(SITE, "robots-unreadable", "other", { value: reason! });
    }
    // crawlers read the one of the host, whatever folder was walked
    const isOfFolder = robotsUrl !== undefined && !ROBOTS_REGEXP.test(robotsUrl);
    if (robots !== undefined || isOfFolder) this.#hasRobots = false;
  }
}

/**
 * Judges the events of a walk, a parse, a saved walk or a snapshot by the rules of sitemaps. Makes no
 * request and reads no clock. Memory does not grow with the number of pages: counts that would need
 * all URLs are exact up to a million pages, then estimated.
 *
 * @param events events of any source, by batches where it has them
 * @param options time of the check, rules and severities
 * @returns a promise that rejects with the error of the events, if these fail
 * @throws {TypeError} If an option is unknown or invalid.
 *
 * @example
 * ```ts
 * import { check } from "@sitetree/sitetree/check";
 * import { parseSitemap } from "@sitetree/sitetree";
 * import { assertEquals } from "@std/assert";
 *
 * const xml = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
 *   <url><loc>https://example.com/a#top</loc><lastmod>2024-05-01</lastmod></url>
 * </urlset>`;
 * const events = parseSitemap(xml, { url: "https://example.com/sitemap.xml" });
 * const { findings, counts } = await check(events, { now: "2024-06-01" });
 * assertEquals(counts.warning, 1);
 * assertEquals(findings[0]?.message, "1 URL with a fragment");
 * ```
 */
export async function check(
  events: AsyncIterable<TreeEvent> | Iterable<TreeEvent>,
  options: CheckOptions = {},
): Promise<CheckResult> {
  const checker = new Checker(options);
  for await (const batch of inBatches(events)) {
    for (const event of batch) checker.add(event);
  }
  return checker.result();
}
