import { checkNames, checkOption } from "../../data/option_rules.ts";
import { type ResolvedOptions, resolveOptions, type WalkOptions } from "../../walk/options.ts";

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

/** Names of the options of a walk that apply. */
type RequestOption = Exclude<keyof ProbeOptions, "agent">;

/** Options with every default filled in. */
export type ResolvedProbeOptions =
  & Pick<ResolvedOptions, RequestOption>
  & { readonly agent: string };

const NAMES: Readonly<Record<keyof ProbeOptions, true>> = {
  fetch: true,
  mapOrigin: true,
  headers: true,
  userAgent: true,
  hosts: true,
  allowPrivateNetwork: true,
  timeout: true,
  maxRequestTime: true,
  deadline: true,
  maxRedirects: true,
  respectRobots: true,
  retries: true,
  retryDelay: true,
  maxRetryDelay: true,
  maxWait: true,
  wait: true,
  randomWait: true,
  concurrency: true,
  onRequest: true,
  signal: true,
  agent: true,
};

/** Names of the options. */
export const PROBE_OPTIONS: readonly string[] = Object.keys(NAMES);

/**
 * Returns options with their defaults.
 *
 * @throws {RangeError} if a number is out of range
 * @throws {TypeError} if an option is unknown, or any other has an invalid value
 */
export function resolveProbeOptions(options: ProbeOptions): ResolvedProbeOptions {
  checkNames(NAMES, options);
  const { agent = "*", ...others } = options;
  checkOption("agent", agent, {
    expected: "a product token, or `*`",
    accepts: (value) => typeof value === "string" && value !== "",
  });
  return { ...resolveOptions(others), agent };
}
