import type { SitemapRef } from "../data/events.ts";
import type { FindingExample } from "./finding.ts";
import type { FindingPlace, Findings } from "./findings.ts";
import type { Origin } from "./origins.ts";
import type { RuleCode } from "./rules.ts";

export class SitemapState implements FindingPlace {
  readonly #findings: Findings;
  readonly ref: SitemapRef;
  readonly url: string | undefined;
  readonly order: number;
  readonly parent: SitemapState | undefined;
  readonly origin: Origin | undefined;
  /** Whether its pages were read before, as it is listed twice. */
  isRepeated = false;
  /** Warnings and notes that were sent as events. */
  readonly sent: Map<string, number> = new Map();
  pages = 0;
  children = 0;
  /** Children, or pages, with a date. */
  dated = 0;
  newest = "";
  /** The date that may be that of most pages, and how often it was seen. */
  date = "";
  sameDates = 0;
  lead = 0;
  news = 0;
  /** Origin that pages should have. */
  reference: Origin | undefined;
  lastOrigin: Origin | undefined;
  lastFault: OriginFault | undefined;
  /** Folder that pages must be in; `undefined` if it does not matter. */
  scope: string | undefined;

  constructor(
    findings: Findings,
    { ref, order, parent, origin }: Pick<SitemapState, "ref" | "order" | "parent" | "origin">,
  ) {
    this.#findings = findings;
    this.ref = ref;
    this.url = ref.type === "IndexWebsiteSitemap" ? undefined : ref.url;
    this.order = order;
    this.parent = parent;
    this.origin = origin;
  }

  report(code: RuleCode, aspect: string, example?: FindingExample, count?: number): void {
    this.#findings.report(this, code, aspect, example, count);
  }

  estimate(code: RuleCode, aspect: string, example: FindingExample, weight: number): void {
    this.#findings.estimate(this, code, aspect, example, weight);
  }

  addDate(date: string): void {
    this.dated++;
    if (date > this.newest) this.newest = date;
    // the vote of Boyer and Moore: a date of more than half of the pages wins
    if (date === this.date) {
      this.sameDates++;
      this.lead++;
    } else if (this.lead === 0) {
      this.date = date;
      this.sameDates = 1;
      this.lead = 1;
    } else this.lead--;
  }
}

export type OriginFault =
  | readonly ["loc-other-host", "undeclared" | "unseen"]
  | readonly ["loc-mixed-origin", "scheme" | "www"];
