/**
 * How fast a host may be asked: pauses between requests, and pauses that the host asks for.
 *
 * @module
 */

import type { Cancellation } from "./cancellation.ts";
import { type Clock, sleep } from "./clock.ts";

/** How long to wait between requests to one host. */
export interface PaceOptions {
  /** Milliseconds between the starts of two requests to one host. */
  readonly wait: number;
  /** Whether the wait varies at random, from half to one and a half of it. */
  readonly randomWait: boolean;
}

/** Hosts whose pace is kept. */
const MAX_HOSTS = 1000;

/** Keeps the pace, host by host. */
export class Pace {
  readonly #options: PaceOptions;
  readonly #clock: Clock;
  /** When each host may be asked next; absent where at once. */
  readonly #freeAt = new Map<string, number>();
  /** Waits that robots.txt asks for, by host. */
  readonly #crawlDelays = new Map<string, number>();

  constructor(options: PaceOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
  }

  /**
   * Resolves when the host of a URL may be asked; rejects when it is given up. `undefined` at once
   * where there is nothing to wait for.
   */
  turn(url: URL, cancellation: Cancellation): Promise<void> | undefined {
    if (this.#isFree) return undefined;
    const { host } = url;
    const wait = Math.max(this.#wait(), this.#crawlDelays.get(host) ?? 0);
    if (wait === 0 && !this.#freeAt.has(host)) return undefined;
    return this.#inTurn(host, wait, cancellation);
  }

  /** Whether no host has to be waited for: what all of this mostly comes to. */
  get #isFree(): boolean {
    return this.#options.wait === 0 && this.#crawlDelays.size === 0 && this.#freeAt.size === 0;
  }

  async #inTurn(host: string, wait: number, cancellation: Cancellation): Promise<void> {
    for (;;) {
      const now = this.#clock.elapsed();
      const freeAt = this.#freeAt.get(host) ?? now;
      if (freeAt <= now) {
        if (wait === 0) this.#freeAt.delete(host);
        else this.#setFreeAt(host, now + wait);
        return;
      }
      // asked again afterwards: meanwhile another request or a pause may have come first
      await sleep(freeAt - now, this.#clock, cancellation);
    }
  }

  /** Nobody asks this host for so long. */
  pause(host: string, milliseconds: number): void {
    if (milliseconds <= 0) return;
    const until = this.#clock.elapsed() + milliseconds;
    if (until > (this.#freeAt.get(host) ?? 0)) this.#setFreeAt(host, until);
  }

  /** A site may name any number of hosts: those whose time is up are forgotten, else the oldest. */
  #setFreeAt(host: string, time: number): void {
    if (this.#freeAt.size >= MAX_HOSTS && !this.#freeAt.has(host)) {
      const now = this.#clock.elapsed();
      for (const [other, freeAt] of this.#freeAt) if (freeAt <= now) this.#freeAt.delete(other);
      if (this.#freeAt.size >= MAX_HOSTS) this.#freeAt.delete(this.#freeAt.keys().next().value!);
    }
    this.#freeAt.set(host, time);
  }

  /** Takes the `Crawl-delay` of a host, which was just asked for it. */
  setCrawlDelay(host: string, milliseconds: number): void {
    this.#crawlDelays.set(host, milliseconds);
    this.pause(host, milliseconds);
  }

  #wait(): number {
    const { wait, randomWait } = this.#options;
    return randomWait ? wait * (0.5 + this.#clock.random()) : wait;
  }
}
