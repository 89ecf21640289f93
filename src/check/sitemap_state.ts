import type { SitemapRef } from "../data/events.ts";
import type { FindingPlace } from "./findings.ts";
import type { Origin } from "./origins.ts";

export class SitemapState implements FindingPlace {
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
    ref: SitemapRef,
    { order, parent, origin }: {
      readonly order: number;
      readonly parent: SitemapState | undefined;
      readonly origin: Origin | undefined;
    },
  ) {
    this.ref = ref;
    this.url = ref.type === "IndexWebsiteSitemap" ? undefined : ref.url;
    this.order = order;
    this.parent = parent;
    this.origin = origin;
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
