/**
 * robots.txt for crawlers: which URLs may be requested, how often, and which sitemaps there are.
 *
 * {@linkcode parseRobots} reads a text, {@linkcode readRobots} a stream of bytes. Both follow RFC 9309
 * and, where the two differ, Google's parser. No network, no dependency on a runtime.
 *
 * @example Ask before each request
 * ```ts ignore
 * import { readRobots } from "@sitetree/sitetree/robots";
 *
 * const { body, url } = await fetch("https://example.com/robots.txt");
 * const robots = await readRobots(body, { url });
 * if (robots.allows("https://example.com/page", "examplebot")) console.log(robots.sitemaps);
 * ```
 *
 * @module
 */

export type { Robots } from "./groups.ts";
export { parseRobots, readRobots, type RobotsOptions } from "./robots.ts";
