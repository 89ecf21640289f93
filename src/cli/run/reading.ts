import { isoTime } from "../../data/date.ts";
import type { Verdict } from "../../data/events.ts";
import { excerpt, quotedWord } from "../../data/text.ts";
import { sentReport } from "../../http/origin_map.ts";
import type { Reader, SourceNote } from "../../source/reader.ts";
import type { WalkOptions } from "../../walk/options.ts";
import type { PageGate } from "../../walk/page_selection.ts";
import { missingAdvice } from "./advice.ts";
import type { SourceEvent } from "./event_writer.ts";
import { EXIT_CODES, type Failure } from "../failure.ts";
import { type Log, logRequest } from "./log.ts";
import { permittedHosts, requireNet } from "./permissions.ts";
import { RequestWatch } from "./request_watch.ts";
import type { PageFilter } from "./selection.ts";
import { blockedAdvice, noneAdvice, type WalkSettings } from "./walk_settings.ts";
import { WalkTally } from "./walk_tally.ts";

export type Ending = Verdict | "interrupted";

/** What readings have in common. */
interface ReadContext {
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Prints a line on standard error. */
  readonly note: (line: string) => void;
  /** Time since the command started. */
  readonly elapsed: number;
}

/** How notes end on the command line; without `isLate`, they are printed at once. */
const NOTES: Readonly<
  Record<
    SourceNote["code"],
    { readonly isLate?: boolean; readonly more?: (note: SourceNote, name: string) => string }
  >
> = {
  "http": {},
  "no-sitemap": {},
  "served-at": { more: () => "; --url names another" },
  "other-origin": { more: ({ url }) => `: did you mean --url ${url}?` },
  "lists-sites": { more: () => "; for a list of sites: --from -" },
  "linked-out": { isLate: true },
  "unfinished": { isLate: true },
  "not-complete": { isLate: true },
  "sites-not-complete": {
    isLate: true,
    more: (_note, name) => `: "sitetree snapshot sites ${quotedWord(name)}" lists them`,
  },
};

/** One operand, or one site of a list, being read: its figures and its outcome. */
export class Reading implements Reader {
  readonly context: ReadContext;
  readonly settings: WalkSettings;
  readonly share: () => number;
  name!: string;
  tally!: WalkTally;
  watch!: RequestWatch;
  /**
   * Sitemaps that `--include`, except an index, and `--exclude` left out, and those that `--since`
   * did because their index declares them as older.
   */
  leftOut!: { readonly include: Set<string>; exclude: number; since: number };
  readonly refusedHosts: Set<string> = new Set();
  ending: Ending | undefined;
  failure: Failure | undefined;
  noneAdvice = "";
  /** The same if all responses were 404. */
  missingAdvice = "";
  /** Advice about sitemaps that an option refuses. */
  blockedAdvice: string | undefined;
  readonly advice: string[] = [];
  /** Requests under way when a deadline ended the walk. */
  pendingAtEnd: readonly string[] = [];
  /** Whether a site is read, and not a folder. */
  #isOnline = false;
  readonly #filter: PageFilter;
  readonly #started = performance.now();

  /** Several operands may share a filter, and the requests under way: `share` returns its part. */
  constructor(
    name: string,
    settings: WalkSettings,
    filter: PageFilter,
    context: ReadContext,
    share: () => number = () => settings.concurrency,
  ) {
    this.settings = settings;
    this.#filter = filter;
    this.context = context;
    this.share = share;
    this.restart(name);
  }

  restart(name: string): void {
    this.name = name;
    this.tally = new WalkTally(this.settings.options);
    this.leftOut = { include: new Set(), exclude: 0, since: 0 };
    this.watch = new RequestWatch(this.settings);
  }

  get signal(): AbortSignal {
    return this.context.signal;
  }

  note(note: SourceNote): void {
    const { isLate = false, more } = NOTES[note.code];
    const line = note.message + (more?.(note, this.name) ?? "");
    if (isLate) this.advice.push(line);
    else this.context.note(line);
  }

  /** Pages that are taken, of which `tally` counts the others; `undefined` if all are. */
  get pages(): PageGate | undefined {
    const filter = this.#filter;
    if (filter.isOpen) return undefined;
    return {
      full: filter.full,
      takes: (page) => {
        const isTaken = filter.takes(page);
        if (!isTaken && !filter.full.aborted) this.tally.pages++;
        return isTaken;
      },
    };
  }

  async connect(url: URL): Promise<void> {
    this.#isOnline = true;
    const { proxy, options: { mapOrigin } } = this.settings;
    await requireNet(proxy ?? url, mapOrigin);
  }

  /** Returns the options of the walk of a site, which tell what was left out and failed. */
  async optionsOf(homepage: URL, options: WalkOptions): Promise<WalkOptions> {
    const { include, exclude, prunedBefore } = this.settings;
    const { context: { log } } = this;
    const { useRobots, useKnownPaths = true, extraKnownPaths = [] } = options;
    const missing = new Set<string>();
    const isExcluded = (url: string) => exclude.some((regexp) => regexp.test(url));
    const isProbed = (url: string) => {
      if (isExcluded(url)) logSkipped(log, url, "excluded");
      else this.watch.knownPaths.add(url);
      return !isExcluded(url);
    };
    this.noneAdvice = noneAdvice(options);
    this.missingAdvice = this.#isOnline && useRobots && useKnownPaths
      ? missingAdvice(homepage)
      : this.noneAdvice;
    this.blockedAdvice = blockedAdvice(options);
    return {
      ...options,
      ...(useKnownPaths && { useKnownPaths: isProbed }),
      // with a list of sitemaps, extra paths are probed without the known ones
      ...(!useKnownPaths && extraKnownPaths.length > 0 && { sitemaps: [] }),
      ...await this.reach(homepage, options),
      onRequest: (report) => {
        // a sitemap that does not exist is not left out, before or after it is asked for
        const isMissing = report.phase === "failure" || (report.status ?? 0) >= 400;
        if (isMissing && include.length > 0) {
          missing.add(report.sitemap);
          this.leftOut.include.delete(report.sitemap);
        }
        logRequest(log, report);
        options.onRequest?.(report);
        this.watch.add(sentReport(report, options.mapOrigin));
      },
      recurseListCallback: (urls) => {
        this.tally.known += urls.length;
        return urls;
      },
      recurseCallback: (url, _level, _parents, { lastModified }) => {
        const isOld = prunedBefore !== undefined && lastModified !== undefined &&
          endsBefore(lastModified, prunedBefore);
        if (!isOld && !isExcluded(url)) return true;
        this.tally.known--;
        if (isOld) this.leftOut.since++;
        else this.leftOut.exclude++;
        logSkipped(log, url, isOld ? "declared as older" : "excluded");
        return false;
      },
      ...(include.length > 0 && {
        includeCallback: (url: string) => {
          const isIncluded = include.some((regexp) => regexp.test(url));
          if (!isIncluded && !missing.has(url)) this.leftOut.include.add(url);
          return isIncluded;
        },
      }),
    };
  }

  /** Returns the hosts that may be requested, and the time that is left of the whole command. */
  async reach(
    homepage: URL,
    { hosts = "any", deadline = Infinity, mapOrigin }: WalkOptions,
  ): Promise<Required<Pick<WalkOptions, "hosts" | "deadline">>> {
    const { proxy } = this.settings;
    return {
      // behind a proxy, hosts are not contacted by this process
      hosts: proxy === undefined
        ? await permittedHosts(hosts, homepage, this.refusedHosts, mapOrigin)
        : hosts,
      deadline: Math.max(0, Math.round(deadline - this.context.elapsed)),
    };
  }

  add(event: SourceEvent): void {
    this.tally.add(event);
    if (event.type === "sitemap-entered" && this.leftOut.include.size > 0) {
      const { url, requestedUrl = url } = event.sitemap;
      this.leftOut.include.delete(requestedUrl);
    } else if (event.type === "finished" && event.endedBy === "deadline") {
      this.pendingAtEnd = this.watch.pending(this.name);
    }
  }

  get elapsed(): number {
    return performance.now() - this.#started;
  }

  get isProbing(): boolean {
    return this.watch.isProbing && !this.tally.isReading;
  }

  get exitCode(): number {
    if (this.failure !== undefined) return this.failure.exitCode;
    const { ending = "partial" } = this;
    const isByUser = ending === "partial" ? this.tally.isLimitedByUser : this.leftOutAll;
    return isByUser ? EXIT_CODES.complete : EXIT_CODES[ending];
  }

  get leftOutAll(): boolean {
    const { include, exclude, since } = this.leftOut;
    const isNone = this.ending === "none" || this.ending === "complete" && this.tally.pages === 0;
    return isNone && include.size + exclude + since > 0;
  }
}

function logSkipped(log: Log, url: string, reason: string): void {
  const message = `skipped ${excerpt(url)}: ${reason}`;
  log.write(1, { level: "info", event: "skipped", message, url, reason });
}

/** Whether the day, month or year of a date ends before a time. Midnight is taken for the whole day. */
function endsBefore(lastModified: string, time: number): boolean {
  const date = lastModified.replace("T00:00:00.000Z", "");
  return date < isoTime(time).slice(0, date.length);
}
