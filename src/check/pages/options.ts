import { checkNames, checkOption } from "../../data/option_rules.ts";
import {
  REQUEST_OPTIONS,
  type ResolvedWalkOptions,
  resolveWalkOptions,
  type WalkOptions,
} from "../../walk/options.ts";
import { AGENT } from "../options.ts";

/**
 * Options of {@linkcode probePages}: as those of `walk()`, for pages instead of sitemaps. With
 * `respectRobots`, each host has its own robots.txt. After `deadline`, there are no more answers.
 */
export interface ProbeOptions extends
  Pick<
    WalkOptions,
    | "fetch"
    | "mapOrigin"
    | "headers"
    | "userAgent"
    | "hosts"
    | "allowPrivateNetwork"
    | "timeout"
    | "maxRequestTime"
    | "deadline"
    | "maxRedirects"
    | "respectRobots"
    | "retries"
    | "retryDelay"
    | "maxRetryDelay"
    | "maxWait"
    | "wait"
    | "randomWait"
    | "concurrency"
    | "onRequest"
    | "signal"
  > {
  /** Product token of the crawler whose rules count, of robots.txt and `X-Robots-Tag`. Default: `*`. */
  readonly agent?: string;
}

/** Options with every default filled in. */
export type ResolvedProbeOptions =
  & Pick<ResolvedWalkOptions, Exclude<keyof ProbeOptions, "agent">>
  & { readonly agent: string };

const NAMES = Object.fromEntries(["agent", ...REQUEST_OPTIONS].map((name) => [name, true]));

/**
 * Returns options with their defaults.
 *
 * @throws {RangeError} if a number is out of range
 * @throws {TypeError} if an option is unknown, or any other has an invalid value
 */
export function resolveProbeOptions(options: ProbeOptions): ResolvedProbeOptions {
  checkNames(NAMES, options);
  const { agent = AGENT.default, ...others } = options;
  checkOption("agent", agent, AGENT);
  return { ...resolveWalkOptions(others), agent };
}
