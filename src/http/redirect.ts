/**
 * Redirects: where they lead, and when they lead nowhere.
 *
 * @module
 */

import { InvalidSitemapError } from "../data/errors.ts";
import { excerpt } from "../data/text.ts";
import { addressKey, isHttp } from "../data/url.ts";

/** Where a `Location` leads. Throws for what cannot be followed. */
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

/** The URLs that one request was redirected over. */
export class RedirectTrail {
  readonly #start: URL;
  readonly #max: number;
  /** Made with the first step: most requests take none. */
  #seen: Set<string> | undefined;

  constructor(start: URL, max: number) {
    this.#start = start;
    this.#max = max;
  }

  /** Takes a step. Throws when it closes a loop or is one too many. */
  step(target: URL): URL {
    const key = addressKey(target.href);
    const seen = this.#seen ??= new Set([addressKey(this.#start.href)]);
    if (seen.has(key)) {
      throw new InvalidSitemapError("redirect", `Redirect loop at "${excerpt(target.href)}"`);
    }
    if (seen.size > this.#max) {
      throw new InvalidSitemapError("redirect", `More than ${this.#max} redirects`);
    }
    seen.add(key);
    return target;
  }
}
