/**
 * The progress line.
 *
 * @module
 */

import { format as formatBytes } from "@std/fmt/bytes";
import { escapeControls } from "../write/escape.ts";
import { type Screen, terminalColumns } from "./screen.ts";
import { cutMiddle, widthOf } from "./text_width.ts";
import type { WalkTally } from "./walk_tally.ts";
import { clock, grouped } from "./wording.ts";

/** Milliseconds between two looks at the walk. */
const INTERVAL = 100;
/** A URL that must be cut shorter than this says nothing. */
const LEAST_URL_WIDTH = 12;

/** What the progress line tells of. */
export type Progressing = Pick<
  WalkTally,
  "sitemapsRead" | "invalid" | "known" | "sitemaps" | "pages" | "bytes" | "current"
>;

/**
 * The line for a width: elapsed time, sitemaps done and known, pages, and as far as there is room
 * pages a second, bytes read and the current URL.
 */
export function progressLine(walk: Progressing, elapsed: number, columns: number): string {
  // The last column stays free, since some terminals break the line there; before it there is room
  // for the `^C` that a terminal shows when someone presses it.
  const width = columns - 3;
  const done = walk.sitemapsRead + walk.invalid;
  const known = Math.max(walk.known, walk.sitemaps + walk.invalid);
  const rate = elapsed < 500 ? 0 : Math.round(walk.pages / (elapsed / 1000));
  const parts = [
    clock(elapsed),
    `${grouped(done)}/${grouped(known)} sitemaps`,
    `${grouped(walk.pages)} pages`,
    `${grouped(rate)}/s`,
    formatBytes(walk.bytes) as string,
  ];
  let line = parts.shift()!;
  for (const part of parts) {
    const longer = `${line}  ${part}`;
    if (longer.length > width) return cutMiddle(line, width);
    line = longer;
  }
  const room = width - widthOf(line) - 2;
  if (room < LEAST_URL_WIDTH) return line;
  return `${line}  ${cutMiddle(escapeControls(walk.current), room)}`;
}

/** Shows how a walk gets on, until it is stopped. */
export class Progress {
  readonly #screen: Screen;
  readonly #timer: ReturnType<typeof setInterval>;

  /** Starts to show. */
  constructor(walk: Progressing, screen: Screen) {
    this.#screen = screen;
    const started = performance.now();
    this.#timer = setInterval(() => {
      const elapsed = performance.now() - started;
      screen.showProgress(progressLine(walk, elapsed, terminalColumns()));
    }, INTERVAL);
  }

  /** Takes the line away for good. */
  stop(): void {
    clearInterval(this.#timer);
    this.#screen.erase();
  }
}
