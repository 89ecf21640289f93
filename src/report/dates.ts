import { DAY, dayOfDate } from "../data/calendar.ts";
import { isoTime } from "../data/date.ts";
import { groupBy } from "../data/group_by.ts";
import type { ReportCount, ReportDates } from "./report.ts";
import { sumOfPages } from "./sums.ts";

/** First day of 1990, and of the year after 2100: dates beyond are counted together. */
const FIRST_DAY: number = dayOfDate(1990, 1, 1), END_DAY: number = dayOfDate(2101, 1, 1);
const NAME_LENGTHS = { day: 10, month: 7, year: 4 } as const;
const UNITS = ["day", "month", "year"] as const;

export class DayTally {
  readonly #counts = new Uint32Array(END_DAY - FIRST_DAY);
  #earlier = 0;
  #later = 0;

  /** `day` is counted from 1970. */
  add(day: number): void {
    if (day < FIRST_DAY) this.#earlier++;
    else if (day >= END_DAY) this.#later++;
    else this.#counts[day - FIRST_DAY]!++;
  }

  /** `none` is the number of pages without a date. */
  result(none: number): ReportDates {
    const counts = this.#counts;
    let first = 0, end = counts.length;
    while (first < end && counts[first] === 0) first++;
    while (end > first && counts[end - 1] === 0) end--;
    const periods = Array.from(counts.subarray(first, end), (pages, at): ReportCount => ({
      name: isoTime((FIRST_DAY + first + at) * DAY).slice(0, NAME_LENGTHS.day),
      pages,
    }));
    return { unit: "day", periods, earlier: this.#earlier, later: this.#later, none };
  }
}

/** Returns at most `max` periods: in the finest unit that has so few, without the oldest years. */
export function fewerPeriods(dates: ReportDates, max: number): ReportDates {
  let { unit, periods } = dates;
  for (const coarser of UNITS.slice(UNITS.indexOf(unit) + 1)) {
    if (periods.length <= max) break;
    const groups = groupBy(periods, ({ name }) => name.slice(0, NAME_LENGTHS[coarser]));
    periods = [...groups].map(([name, group]) => ({ name, pages: sumOfPages(group) }));
    unit = coarser;
  }
  const old = periods.slice(0, Math.max(0, periods.length - max));
  return {
    ...dates,
    unit,
    periods: periods.slice(old.length),
    earlier: dates.earlier + sumOfPages(old),
  };
}
