/**
 * Targets of redirects, loops and limits.
 *
 * @module
 */

import { InvalidSitemapError } from "../data/errors.ts";
import { excerpt } from "../data/text.ts";
import { addressKey, isHttp } from "../data/url.ts";

/**
 * Returns the target of a `Location`, without user info.
 *
 * @throws {InvalidSitemapError} If it is not an http(s) URL.
 */
export function redirectTarget(location: string, base: URL): URL {
  const target = URL.parse(location, base);
  if (target === null) {
    throw new InvalidSitemapError("redirect", `Invalid redirect target "${excerpt(location)}"`);
  }
  if (!isHttp(target)) {
    throw new InvalidSitemapError(
      "redirect",
      `Redirect to "${excerpt(target.href)}": expected http(s)`,
    );
  }
  target.username = "";
  target.password = "";
  return target;
}

/** The chain of redirects from one URL. */
export class RedirectTrail {
  readonly #seen: Set<string>;
  readonly #max: number;

  /** Starts at a URL. Allows `max` redirects. */
  constructor(start: URL, max: number) {
    this.#seen = new Set([addressKey(start.href)]);
    this.#max = max;
  }

  /**
   * Adds the target of the next redirect.
   *
   * @throws {InvalidSitemapError} If it was seen before, or if there are too many redirects.
   */
  add({ href }: URL): void {
    if (this.#seen.has(addressKey(href))) {
      throw new InvalidSitemapError("redirect", `Redirect loop at "${excerpt(href)}"`);
    }
    if (this.#seen.size > this.#max) {
      throw new InvalidSitemapError("redirect", `More than ${this.#max} redirects`);
    }
    this.#seen.add(addressKey(href));
  }
}
