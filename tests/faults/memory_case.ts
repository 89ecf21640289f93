/**
 * Walks one hostile site and prints what that took, as JSON. Run by `memory.ts` in a process of its
 * own, with the homepage and the options of the walk as JSON.
 *
 * @module
 */

import { walk } from "../../mod.ts";
import { peakRss } from "../bench/peak_rss.ts";

/** What a walk took. */
export interface MemoryFigures {
  /** Peak resident set size in MiB. */
  readonly peak: number;
  /** Seconds. */
  readonly seconds: number;
  /** Inflated bytes in MiB. */
  readonly read: number;
  readonly pages: number;
  readonly verdict: string;
  /** Codes of what was invalid or warned of. */
  readonly told: readonly string[];
}

async function figures(homepage: string, options: string): Promise<MemoryFigures> {
  const told = new Set<string>();
  for await (const event of walk(homepage, JSON.parse(options))) {
    if (event.type === "invalid" || event.type === "warning") told.add(event.code);
    if (event.type !== "finished") continue;
    const { verdict, stats } = event;
    return {
      peak: peakRss(),
      seconds: stats.durationMs / 1000,
      read: stats.bytes / 1024 / 1024,
      pages: stats.pages,
      verdict,
      told: [...told].sort(),
    };
  }
  throw new Error("The walk has no end");
}

const [homepage = "", options = "{}"] = Deno.args;
console.log(JSON.stringify(await figures(homepage, options)));
