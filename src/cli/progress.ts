/**
 * The progress line.
 *
 * @module
 */

import { grouped } from "../data/text.ts";
import { format as formatBytes } from "@std/fmt/bytes";
import { escapeControls } from "../write/escape.ts";
import type { Reading } from "./reading.ts";
import { clock, type Screen, terminalColumns } from "./terminal.ts";
import { cutMiddle, widthOf } from "./terminal.ts";
import type { WalkTally } from "./reading.ts";

/** Milliseconds between two updates. */
const INTERVAL = 100;
/** A URL that must be cut shorter than this says nothing. */
const LEAST_URL_WIDTH = 12;

/** Figures of all operands. */
export class Totals {
  /** Operands by how they ended. */
  readonly endings: Map<string, number> = new Map();
  /** Sitemaps read. */
  sitemaps = 0;
  /** Pages read. */
  pages = 0;
  readonly #active = new Set<Reading>();
  readonly #ended: Progressing = { done: 0, known: 0, pages: 0, bytes: 0, current: "" };

  /** An operand is read from now on. */
  begin(reading: Reading): void {
    this.#active.add(reading);
  }

  /** An operand was read. */
  end(reading: Reading): void {
    const { tally, ending, failure } = reading;
    this.#active.delete(reading);
    add(this.#ended, tally);
    this.sitemaps += tally.sitemaps;
    this.pages += tally.pages;
    const word = failure === undefined ? ending ?? "interrupted" : "failed";
    this.endings.set(word, (this.endings.get(word) ?? 0) + 1);
  }

  /** Returns the figures of this moment. */
  get now(): Progressing {
    const sum = { ...this.#ended };
    for (const reading of this.#active) {
      add(sum, reading.tally);
      sum.current = reading.tally.current || reading.name;
    }
    for (const { watch, name } of this.#active) {
      const waiting = watch.waiting(name);
      if (waiting === undefined) continue;
      sum.current = waiting;
      break;
    }
    return sum;
  }
}

/** Figures that the progress line shows. */
export interface Progressing {
  /** Sitemaps read, and those that are invalid. */
  done: number;
  /** Sitemaps known so far. */
  known: number;
  /** Pages read. */
  pages: number;
  /** Bytes read, decompressed. */
  bytes: number;
  /** The URL being read, or what is waited for. */
  current: string;
}

function add(sum: Progressing, tally: WalkTally): void {
  const { sitemapsRead, invalid, known, sitemaps, pages, bytes } = tally;
  sum.done += sitemapsRead + invalid;
  sum.known += Math.max(known, sitemaps + invalid);
  sum.pages += pages;
  sum.bytes += bytes;
}

/**
 * Returns the line for a width: elapsed time, sitemaps done and known, pages, and as far as there is
 * room pages a second, bytes read, and the current URL or what is waited for, which comes first of
 * these.
 */
export function progressLine(walk: Progressing, elapsed: number, columns: number): string {
  // the last column stays free, since some terminals break the line there; before it there is room
  // for the `^C` that a terminal shows
  const width = columns - 3;
  const rate = elapsed < 500 ? 0 : Math.round(walk.pages / (elapsed / 1000));
  const current = escapeControls(walk.current);
  const isWaiting = /^(?:retrying|waiting|reading) /.test(current);
  const parts = [
    `${grouped(walk.done)}/${grouped(walk.known)} sitemaps`,
    `${grouped(walk.pages)} pages`,
    ...(isWaiting ? [] : [`${grouped(rate)}/s`, formatBytes(walk.bytes) as string]),
  ];
  let line = clock(elapsed);
  for (const part of parts) {
    const longer = `${line}  ${part}`;
    if (longer.length > width) return cutMiddle(line, width);
    line = longer;
  }
  const room = width - widthOf(line) - 2;
  return room < LEAST_URL_WIDTH ? line : `${line}  ${cutMiddle(current, room)}`;
}

/** Shows how a run gets on, until it is stopped. */
export class Progress {
  readonly #screen: Screen;
  readonly #timer: ReturnType<typeof setInterval>;

  /** Starts to show. */
  constructor(totals: Totals, screen: Screen) {
    this.#screen = screen;
    const started = performance.now();
    this.#timer = setInterval(() => {
      const elapsed = performance.now() - started;
      screen.showProgress(progressLine(totals.now, elapsed, terminalColumns()));
    }, INTERVAL);
  }

  /** Removes the line for good. */
  stop(): void {
    clearInterval(this.#timer);
    this.#screen.erase();
  }
}
