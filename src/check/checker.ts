import { DAY } from "../data/calendar.ts";
import type { InvalidCode, NoteCode, WarningCode } from "../data/codes.ts";
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
import { PROTOCOL_LIMITS } from "../data/limits.ts";
import { hasExtensions } from "../data/page.ts";
import { grouped } from "../data/text.ts";
import { AddressRules } from "./address_rules.ts";
import { AlternateRules } from "./alternate_rules.ts";
import { AnswerRules, type PageAnswer } from "./answer_rules.ts";
import { judgeImages, judgeNews, judgeVideos } from "./extension_rules.ts";
import type { CheckResult, FindingExample } from "./finding.ts";
import { Findings, type Place } from "./findings.ts";
import { type CheckOptions, resolveCheckOptions, type ResolvedCheckOptions } from "./options.ts";
import { Origins } from "./origins.ts";
import { type RuleCode, type RuleNeed, RULES } from "./rules.ts";
import type { Severity } from "./severity.ts";
import { SitemapState } from "./sitemap_state.ts";
import type { UrlCounts } from "./url_counter.ts";

type Judgement = readonly [code: RuleCode, aspect: string];

const WARNINGS = judgements<WarningCode>("warnings");
const INVALID = judgements<InvalidCode>("invalid");
const NOTES = judgements<NoteCode>("notes");

function judgements<Code extends string>(
  kind: "warnings" | "invalid" | "notes",
): ReadonlyMap<Code, Judgement> {
  return new Map(
    Object.entries(RULES).flatMap(([code, { aspects }]) =>
      Object.entries(aspects).flatMap(([aspect, rule]) =>
        ((rule[kind] ?? []) as Code[]).map((key) => [key, [code as RuleCode, aspect]] as const)
      )
    ),
  );
}

const REASONS: Readonly<Record<RuleNeed, string>> = {
  now: "Needs the option `now`",
  notes: "Needs the option `notes` of the walk",
  warnings: "The events have no warnings, as those of a snapshot",
  robots: "robots.txt of the site was not read",
  host: "The URL of the sitemap is unknown",
  bytes: "The sizes of the sitemaps are unknown",
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

/** Length of a date without a time. */
const DAY_LENGTH = 10;
const MAX_DURATION = 10_000;
const MAX_NEWS = 1000;
/** Least number of pages for which the same date is unlikely, with a time and without. */
const MIN_SAME_TIMES = 20, MIN_SAME_DATES = 100;
const MIN_SAME_SHARE = 0.9;
/** The start of a day in some zone, as generators write it for a date without a time. */
const DAY_START_REGEXP = /:[03]0:00\.000Z$/;

const SITE: Place = { url: undefined, order: 0 };
const ROBOTS_REGEXP = /^https?:\/\/[^/]+\/robots\.txt$/i;

interface TimeLimits {
  readonly latest: LatestDates;
  readonly oldestNews: { readonly time: string; readonly date: string };
}

function timeLimits(now: Date): TimeLimits {
  const iso = (offset: number) => new Date(Number(now) + offset).toISOString();
  return {
    latest: latestDates(now),
    oldestNews: { time: iso(-2 * DAY), date: iso(-3 * DAY).slice(0, DAY_LENGTH) },
  };
}

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
  readonly #limits: TimeLimits | undefined;
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
  readonly #facts = new Set<RuleNeed>();
  /** A sitemap that could not be fetched, unless its next warning says why. */
  #failed: { readonly state: SitemapState; readonly example: FindingExample } | undefined;
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
    if (now !== undefined) this.#facts.add("now");
    this.#limits = now && timeLimits(now);
    this.#origins = new Origins(agent);
    this.#addresses = new AddressRules(this.#findings, this.#origins, this.#urls);
    this.#alternates = new AlternateRules(this.#findings, this.#addresses);
    this.#answers = new AnswerRules(this.#findings, this.#origins, this.#read);
  }

  /** Judges the next event of the walk. */
  add(event: TreeEvent): void {
    if (this.#failed !== undefined) this.#judgeFailed(event);
    switch (event.type) {
      case "page":
        return this.#page(event);
      case "sitemap-entered":
        return this.#entered(event);
      case "invalid":
        return this.#invalid(event);
      case "warning":
        return this.#warning(event);
      case "note":
        return this.#note(event);
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
    this.#facts.add("answers");
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
    this.#judgeFailed();
    const findings = this.#findings.copy();
    this.#alternates.conclude(findings, {
      places: (order) => ({ url: this.#urls[order], order }),
      isComplete: this.#verdict === "complete",
    });
    const { isEnabled, severities } = this.#options;
    // what robots.txt does not declare is only known if it was read
    const isJudged = (code: RuleCode) =>
      isEnabled(code) && (this.#facts.has("robots") || !RULES[code].needs?.includes("robots"));
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
      skipped: this.#skipped(),
    };
  }

  #skipped(): CheckResult["skipped"] {
    return (Object.keys(RULES) as RuleCode[]).filter(this.#options.isEnabled).flatMap((code) => {
      // without sitemaps there is nothing to know of them
      const need = RULES[code].needs?.find((need) =>
        !this.#facts.has(need) && (need === "now" || this.#sitemaps > 0)
      );
      // most checks make no requests for pages, which is not worth a line in each of them
      if (need === "answers" && !this.#options.isNamed(code)) return [];
      if (need !== undefined) return [{ code, reason: REASONS[need] }];
      if (this.#origins.isFull && BY_ROBOTS.has(code)) return [{ code, reason: NOT_KEPT }];
      // found as a warning, since nothing shows that it is right either
      return this.#findings.has(code, "unseen") ? [{ code, reason: UNSEEN }] : [];
    });
  }

  #stateOf(ref: SitemapRef): SitemapState {
    if (this.#last?.ref.id === ref.id) return this.#last;
    let state = this.#open.get(ref.id);
    if (state === undefined) {
      const parent = ref.parent === null ? undefined : this.#open.get(ref.parent);
      const origin = this.#origins.of(ref.url);
      if (origin !== undefined) this.#facts.add("host");
      state = new SitemapState(ref, { order: this.#urls.push(ref.url) - 1, parent, origin });
      this.#open.set(ref.id, state);
      if (ref.parent === null) this.#enterRoot(ref);
      if (parent !== undefined) this.#addChild(parent, state);
    }
    return this.#last = state;
  }

  #enterRoot({ url, type }: SitemapRef): void {
    this.#site = url;
    this.#addresses.setSite(url);
    // a document that was parsed, whose events have warnings
    if (type !== "IndexWebsiteSitemap") this.#facts.add("warnings");
  }

  #addChild(parent: SitemapState, child: SitemapState): void {
    const { ref, origin } = child;
    const { lastModified, foundBy } = ref;
    if (foundBy === "known-path" || foundBy === "homepage") this.#facts.add("robots");
    if (ref.type === "IndexRobotsTxtSitemap") this.#facts.add("robots");
    const url = ref.requestedUrl ?? ref.url;
    const declared = this.#origins.of(url);
    if (declared && this.#origins.robotsOf(declared)?.disallows(url, declared.text.length)) {
      this.#findings.report(child, "sitemap-disallowed", "disallowed", { url });
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
    this.#findings.report(parent, "index-other-host", aspect, { url: ref.url });
  }

  #entered({ sitemap, response }: SitemapEnteredEvent): void {
    const state = this.#stateOf(sitemap);
    // a snapshot has none, nor warnings
    if (response !== undefined) this.#facts.add("response").add("warnings");
    const { ref, parent } = state;
    if (!isCounted(ref)) return;
    this.#sitemaps++;
    if (this.#read.has(ref.url)) {
      state.isRepeated = true;
      const value = `listed in ${parent?.ref.url ?? ""}`;
      return this.#findings.report(state, "sitemap-repeated", "again", { url: ref.url, value });
    }
    this.#read.set(ref.url, state.order);
    const { requestedUrl, foundBy, type } = ref;
    const isFound = foundBy === "known-path" || foundBy === "homepage";
    if (requestedUrl !== undefined && !isFound && foundBy !== "variant") {
      const example = { url: requestedUrl, value: requestedUrl };
      this.#findings.report(state, "sitemap-redirected", "redirected", example);
    }
    if (isFound) this.#findings.report(state, "sitemap-undeclared", "undeclared", { url: ref.url });
    if (type === "IndexXmlSitemap" && parent?.ref.type === "IndexXmlSitemap") {
      const value = `listed in ${parent.ref.url}`;
      this.#findings.report(state, "index-nested", "nested", { url: ref.url, value });
    }
  }

  /**
   * Returns the folder that pages must be in by the protocol: that of the sitemap, or of an index above
   * it, unless robots.txt declares one of them, or is not known.
   */
  #scopeOf(state: SitemapState): string | undefined {
    const { origin } = state;
    if (origin === undefined) return undefined;
    let folder: string | undefined;
    let isUndeclared = false;
    for (let above: SitemapState | undefined = state; above; above = above.parent) {
      const { ref } = above;
      if (ref.type === "IndexRobotsTxtSitemap") return undefined;
      if (ref.foundBy === "known-path" || ref.foundBy === "homepage") isUndeclared = true;
      if (ref.type === "IndexWebsiteSitemap" || above.origin !== origin) continue;
      const own = folderOf(ref.url, origin.text.length);
      if (folder === undefined || own.length < folder.length) folder = own;
    }
    isUndeclared ||= this.#addresses.declarationOf(state, origin) === "undeclared";
    return isUndeclared && folder !== "/" ? folder : undefined;
  }

  #page({ page, sitemap }: PageEvent): void {
    this.#pages++;
    const last = this.#last;
    const state = last?.ref === sitemap ? last : this.#stateOf(sitemap);
    if (state.isRepeated) return this.#addresses.recount(state, page.url);
    if (state.pages++ === 0) state.scope = this.#scopeOf(state);
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
    if (page.newsStory !== undefined) {
      judgeNews(this.#findings, state, page, this.#limits?.oldestNews);
    }
    if (page.images !== undefined) judgeImages(this.#findings, state, page);
    if (page.videos !== undefined) judgeVideos(this.#findings, state, page);
  }

  #judgeDate(state: SitemapState, date: string, url: string): void {
    const latest = this.#limits?.latest;
    if (latest === undefined || !isFuture(date, latest)) return;
    this.#findings.report(state, "lastmod-future", "future", { url, value: date });
  }

  #invalid({ sitemap, code, reason }: InvalidEvent): void {
    // its warnings follow
    const state = this.#stateOf(sitemap);
    this.#open.delete(sitemap.id);
    const judgement = INVALID.get(code);
    if (judgement === undefined) return;
    const [rule, aspect] = judgement;
    const example = { url: sitemap.requestedUrl ?? sitemap.url, value: reason };
    if (rule === "sitemap-failed") this.#failed = { state, example };
    else this.#findings.report(state, rule, aspect, example);
  }

  #judgeFailed(next?: TreeEvent): void {
    const { state, example } = this.#failed ?? {};
    this.#failed = undefined;
    const isEncoding = next?.type === "warning" && next.code === "content-encoding" &&
      next.sitemap.id === state?.ref.id;
    // that is another rule
    if (state === undefined || isEncoding) return;
    this.#findings.report(state, "sitemap-failed", "failed", example);
  }

  #warning(event: WarningEvent): void {
    this.#facts.add("warnings");
    this.#count(event, WARNINGS.get(event.code), event.message);
  }

  #note(event: NoteEvent): void {
    const { code, sitemap, message } = event;
    this.#facts.add("notes");
    if (code === "robots-txt") {
      this.#facts.add("robots");
      this.#origins.addRobots(sitemap, message);
    } else this.#count(event, NOTES.get(code), message);
  }

  #count(
    { code, sitemap, line }: WarningEvent | NoteEvent,
    judgement: Judgement | undefined,
    message: string,
  ): void {
    // what is not a sitemap breaks the rules of sitemaps in many ways
    const isMeant = sitemap.type !== "InvalidSitemap" || judgement?.[0] === "compression";
    if (judgement === undefined || !isMeant) return;
    const state = this.#stateOf(sitemap);
    state.sent.set(code, (state.sent.get(code) ?? 0) + 1);
    const [rule, aspect] = judged(judgement, sitemap, message);
    const example: FindingExample = { ...(line !== undefined && { line }), value: message };
    if (!state.isRepeated) this.#findings.report(state, rule, aspect, example);
  }

  #left(event: SitemapLeftEvent): void {
    const { sitemap, warnings, notes, bytes, durationMs } = event;
    const state = this.#stateOf(sitemap);
    this.#open.delete(sitemap.id);
    this.#last = undefined;
    if (notes !== undefined) this.#facts.add("notes");
    if (bytes > 0) this.#facts.add("bytes");
    if (durationMs !== undefined) this.#facts.add("duration").add("warnings");
    if (state.isRepeated) return;
    this.#addCounts(state, warnings, WARNINGS);
    this.#addCounts(state, notes ?? {}, NOTES);
    if (isCounted(sitemap)) this.#judgeWhole(state, event);
  }

  /** Adds what was counted, but not sent as events. */
  #addCounts<Code extends string>(
    state: SitemapState,
    counts: Readonly<Partial<Record<Code, number>>>,
    table: ReadonlyMap<Code, Judgement>,
  ): void {
    for (const [code, count] of Object.entries(counts) as [Code, number][]) {
      const judgement = table.get(code);
      const more = count - (state.sent.get(code) ?? 0);
      if (judgement === undefined || more <= 0) continue;
      const [rule, aspect] = judged(judgement, state.ref, "");
      this.#findings.report(state, rule, aspect, undefined, more);
    }
  }

  #judgeWhole(state: SitemapState, event: SitemapLeftEvent): void {
    const { bytes, complete, warnings, durationMs = 0 } = event;
    const { ref: { type, lastModified }, children, newest } = state;
    const findings = this.#findings;
    const pages = Math.max(event.pages, state.pages);
    const isIndex = type === "IndexXmlSitemap";
    const entries = (isIndex ? children : pages) + (warnings["duplicate-address"] ?? 0);
    if (entries > PROTOCOL_LIMITS.maxUrls) {
      const code = isIndex ? "index-over-limit" : "urls-over-limit";
      findings.report(state, code, "many", { value: grouped(entries) });
    }
    if (bytes > PROTOCOL_LIMITS.maxBytes) {
      findings.report(state, "size-over-limit", "large", { value: grouped(bytes) });
    }
    if (durationMs > MAX_DURATION) {
      findings.report(state, "sitemap-slow", "slow", {
        value: `${(durationMs / 1000).toFixed(1)} s`,
      });
    }
    if (state.news > MAX_NEWS) {
      findings.report(state, "news-limits", "many", { value: grouped(state.news) });
    }
    const isEmpty = entries === 0 && type !== "IndexRobotsTxtSitemap";
    if (complete && isEmpty && Object.keys(warnings).length === 0) {
      findings.report(state, "sitemap-empty", "entries", { url: state.ref.url });
    }
    // an unreadable date is not missing
    const isUndated = state.dated === 0 && entries > 0 && warnings["bad-date"] === undefined;
    if (complete && isUndated && (isIndex || type === "PagesXmlSitemap")) {
      const aspect = isIndex ? "sitemaps" : "pages";
      findings.report(state, "lastmod-missing", aspect, undefined, entries);
    }
    const isTime = state.date.length > DAY_LENGTH && !DAY_START_REGEXP.test(state.date);
    const min = isTime ? MIN_SAME_TIMES : MIN_SAME_DATES;
    if (!isIndex && state.dated >= min && state.sameDates >= state.dated * MIN_SAME_SHARE) {
      const example = { value: state.date };
      findings.report(state, "lastmod-identical", "identical", example, state.sameDates);
    }
    if (lastModified !== undefined && newest !== "" && isAfter(newest, lastModified)) {
      const value = `${newest} after ${lastModified}`;
      findings.report(state, "lastmod-index", "older", { url: state.ref.url, value });
    }
  }

  #finished({ verdict, stats, robots, discovery = [] }: FinishedEvent): void {
    this.#verdict = verdict;
    // a snapshot has made no request
    if (stats.requests > 0 || stats.warnings > 0) this.#facts.add("warnings");
    const { url: robotsUrl, code, reason } = discovery.find(({ step }) => step === "robots") ?? {};
    if (code === "not-a-sitemap") {
      this.#findings.report(SITE, "robots-unreadable", "other", { value: reason! });
    }
    // crawlers read the one of the host, whatever folder was walked
    const isOfFolder = robotsUrl !== undefined && !ROBOTS_REGEXP.test(robotsUrl);
    if (robots !== undefined || isOfFolder) this.#facts.delete("robots");
  }
}

/** Returns the judgement of a warning or note where its code alone does not say it. */
function judged(judgement: Judgement, { type }: SitemapRef, message: string): Judgement {
  const [code] = judgement;
  if (code === "loc-duplicate" && type.startsWith("Index")) return ["sitemap-repeated", "twice"];
  const isSpace = code === "xml-leading-junk" && message.endsWith("before the XML declaration");
  return isSpace ? [code, "space"] : judgement;
}

function folderOf(url: string, pathAt: number): string {
  const [path = ""] = /^[^?#]*\//.exec(url.slice(pathAt)) ?? [];
  return path === "" ? "/" : path;
}

/** Whether a date is after another, by more than dates of a day can differ between zones. */
function isAfter(date: string, other: string): boolean {
  const length = Math.min(date.length, other.length);
  if (length > DAY_LENGTH) return date > other;
  const start = date.slice(0, length), otherStart = other.slice(0, length);
  if (length < DAY_LENGTH) return start > otherStart;
  return Number(new Date(start)) - Number(new Date(otherStart)) > DAY;
}
