import { grouped } from "../../data/text.ts";
import { duration, rate, roughDuration, size } from "../../data/words.ts";
import { escapeControls } from "../../write/escape.ts";
import { widthOf } from "../../write/layout.ts";
import type { Reading } from "./reading.ts";
import { fittingLine } from "../../write/layout.ts";

/** Elapsed time before a rate is shown. */
const RATE_DELAY = 500;
interface ProgressFigures {
  sitemaps: number;
  /** Sitemaps that were read or are invalid. */
  done: number;
  known: number;
  pages: number;
  bytes: number;
  current: string;
  /** The request that the walk waits for. */
  waiting?: string;
  /** Whether only known paths are being asked. */
  isProbing?: boolean;
}

export class Totals {
  /** Number of operands by ending. */
  readonly endings: Map<string, number> = new Map();
  readonly #active = new Set<Reading>();
  #ended: ProgressFigures = { sitemaps: 0, done: 0, known: 0, pages: 0, bytes: 0, current: "" };

  begin(reading: Reading): void {
    this.#active.add(reading);
  }

  end(reading: Reading): void {
    const { ending = "interrupted", failure } = reading;
    this.#active.delete(reading);
    this.#ended = plus(this.#ended, reading);
    const word = failure === undefined ? ending : "failed";
    this.endings.set(word, (this.endings.get(word) ?? 0) + 1);
  }

  get now(): ProgressFigures {
    let sum = this.#ended;
    for (const reading of this.#active) {
      const { tally, name, watch } = reading;
      const waiting = sum.waiting ?? watch.waiting(name);
      sum = { ...plus(sum, reading), current: tally.current || name, ...(waiting && { waiting }) };
    }
    const active = [...this.#active];
    const isProbing = active.length > 0 && active.every((reading) => reading.isProbing);
    return isProbing ? { ...sum, isProbing } : sum;
  }
}

function plus(sum: ProgressFigures, { tally }: Reading): ProgressFigures {
  const { sitemapsRead, invalid, known, sitemaps, pages, bytes } = tally;
  return {
    ...sum,
    sitemaps: sum.sitemaps + sitemaps,
    done: sum.done + sitemapsRead + invalid,
    known: sum.known + Math.max(known, sitemaps + invalid),
    pages: sum.pages + pages,
    bytes: sum.bytes + bytes,
  };
}

/**
 * Returns the progress line: elapsed time, sitemaps and pages, then what fits of
 *
 * | the walk                  | fields                                                            |
 * | ------------------------- | ----------------------------------------------------------------- |
 * | waits, or asks known paths | that, and the request; pages and sitemaps are left out before it |
 * | reads                     | pages per second, bytes, the current URL or its path              |
 */
export function progressLine(figures: ProgressFigures, elapsed: number, width: number): string {
  const { done, known, pages, bytes, current, waiting, isProbing } = figures;
  const counts = [
    duration(elapsed),
    `${grouped(done)}/${grouped(known)} sitemaps`,
    `${grouped(pages)} pages`,
  ];
  const state = [...(isProbing ? ["asking known paths"] : []), ...(waiting ? [waiting] : [])]
    .map(escapeControls);
  for (let kept = state.length; kept > 0; kept--) {
    for (let shown = counts.length; shown > 0; shown--) {
      const line = [...counts.slice(0, shown), ...state.slice(0, kept)].join("  ");
      if (widthOf(line) <= width) return line;
    }
  }
  const rates = [rate(elapsed < RATE_DELAY ? 0 : pages / (elapsed / 1000)), size(bytes)];
  const parts = state.length === 0 ? [...counts, ...rates] : counts;
  const line = fittingLine(parts, width);
  if (state.length > 0 || line !== parts.join("  ")) return line;
  const { pathname = "", search = "" } = URL.parse(current) ?? {};
  const left = width - widthOf(line) - 2;
  const name = [current, pathname + search].map(escapeControls)
    .find((name) => name !== "" && widthOf(name) <= left);
  return name === undefined ? line : `${line}  ${name}`;
}

interface PageProgress {
  readonly done: number;
  readonly total: number;
  readonly waiting?: string | undefined;
}

/** Returns a line such as `checking pages: 1,234 of 10,000, 12/s, about 12 min left`. */
export function pagesLine(
  { done, total, waiting }: PageProgress,
  elapsed: number,
  width: number,
): string {
  const parts = [`checking pages: ${grouped(done)} of ${grouped(total)}`];
  if (done > 0 && elapsed >= RATE_DELAY) {
    parts.push(rate(done / (elapsed / 1000)));
    if (done < total) parts.push(`about ${roughDuration((total - done) / done * elapsed)} left`);
  }
  return fittingLine([...parts, ...(waiting === undefined ? [] : [waiting])], width, ", ");
}
