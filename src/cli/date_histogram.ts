/**
 * How many pages were last modified when, by day, month or year.
 *
 * @module
 */

import type { ChartRow } from "./chart.ts";

const DAY = 86_400_000;
/** Dates outside of these years are counted together, so that memory has a bound. */
const FIRST_YEAR = 1990;
const LAST_YEAR = 2100;
const MAX_ROWS = 24;

/** Length of time of a row. */
interface Unit {
  /** The number of the unit that a time lies in. */
  readonly of: (time: Date) => number;
  /** Returns the name of a unit. */
  readonly label: (number: number) => string;
}

/** From the finest to the coarsest. */
const UNITS: readonly Unit[] = [
  {
    of: (time) => Math.floor(time.getTime() / DAY),
    label: (day) => new Date(day * DAY).toISOString().slice(0, 10),
  },
  {
    of: (time) => time.getUTCFullYear() * 12 + time.getUTCMonth(),
    label: (month) => `${Math.floor(month / 12)}-${String(month % 12 + 1).padStart(2, "0")}`,
  },
  { of: (time) => time.getUTCFullYear(), label: String },
];

/** Counts times. */
export class DateHistogram {
  readonly #days = new Map<number, number>();
  #earlier = 0;
  #later = 0;

  /** Counts a time, in milliseconds since 1970. */
  add(time: number): void {
    const year = new Date(time).getUTCFullYear();
    if (year < FIRST_YEAR) this.#earlier++;
    else if (year > LAST_YEAR) this.#later++;
    else {
      const day = Math.floor(time / DAY);
      this.#days.set(day, (this.#days.get(day) ?? 0) + 1);
    }
  }

  /** A row for each unit from the first to the last, in the finest unit that makes few rows. */
  rows(): ChartRow[] {
    const rows = this.#unitRows();
    const cut = rows.length - MAX_ROWS;
    const old = rows.splice(0, Math.max(0, cut));
    const earlier = old.reduce((sum, { count }) => sum + count, this.#earlier);
    if (earlier > 0) rows.unshift({ label: "earlier", count: earlier });
    if (this.#later > 0) rows.push({ label: "later", count: this.#later });
    return rows;
  }

  #unitRows(): ChartRow[] {
    if (this.#days.size === 0) return [];
    const days = [...this.#days.keys()].sort((a, b) => a - b);
    const first = new Date(days[0]! * DAY);
    const last = new Date(days.at(-1)! * DAY);
    const unit = UNITS.find(({ of }) => of(last) - of(first) < MAX_ROWS) ?? UNITS.at(-1)!;
    const counts = new Map<number, number>();
    for (const [day, count] of this.#days) {
      const number = unit.of(new Date(day * DAY));
      counts.set(number, (counts.get(number) ?? 0) + count);
    }
    const from = unit.of(first);
    return Array.from({ length: unit.of(last) - from + 1 }, (_, at) => ({
      label: unit.label(from + at),
      count: counts.get(from + at) ?? 0,
    }));
  }
}
