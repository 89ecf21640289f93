/**
 * Options of requests for pages: those of a walk that concern requests.
 *
 * @module
 */

import { checkNames, checkOption } from "../data/option_rules.ts";
import { type ResolvedOptions, resolveOptions, type WalkOptions } from "../walk/options.ts";

/** Names of the options of a walk that apply. */
export const REQUEST_OPTIONS = [
  "fetch",
  "mapOrigin",
  "headers",
  "userAgent",
  "hosts",
  "allowPrivateNetwork",
  "timeout",
  "maxRequestTime",
  "deadline",
  "maxRedirects",
  "respectRobots",
  "retries",
  "retryDelay",
  "maxRetryDelay",
  "maxWait",
  "wait",
  "randomWait",
  "concurrency",
  "onRequest",
  "signal",
] as const;

type RequestOption = typeof REQUEST_OPTIONS[number];

/**
 * Options of {@linkcode probePages}: as those of `walk()`, for pages instead of sitemaps. With
 * `respectRobots`, each host has its own robots.txt. After `deadline`, there are no more answers.
 */
export interface ProbeOptions extends Pick<WalkOptions, RequestOption> {
  /** Product token of the crawler whose rules count, of robots.txt and `X-Robots-Tag`. Default: `*`. */
  readonly agent?: string;
}

/** Options with every default filled in. */
export type ResolvedProbeOptions =
  & Pick<ResolvedOptions, RequestOption>
  & { readonly agent: string };

/**
 * Returns options with their defaults.
 *
 * @throws {RangeError} if a number is out of range
 * @throws {TypeError} if an option is unknown, or any other has an invalid value
 */
export function resolveProbeOptions(options: ProbeOptions): ResolvedProbeOptions {
  checkNames(
    Object.fromEntries([...REQUEST_OPTIONS, "agent"].map((name) => [name, true])),
    options,
  );
  const { agent = "*", ...others } = options;
  checkOption("agent", agent, {
    expected: "a product token, or `*`",
    accepts: (value) => typeof value === "string" && value !== "",
  });
  return { ...resolveOptions(others), agent };
}
