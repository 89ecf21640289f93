/**
 * Walks one hostile site and prints its figures as JSON. Run by `memory.ts` with the homepage, and the
 * options of the walk as JSON.
 *
 * @module
 */

import { walk } from "../../mod.ts";
import { peakRss } from "../support/peak_rss.ts";

export interface MemoryFigures {
  /** Peak resident set size in MiB. */
  readonly peak: number;
  readonly seconds: number;
  /** Decompressed bytes in MiB. */
  readonly read: number;
  readonly pages: number;
  readonly verdict: string;
  /** Codes of invalid sitemaps and warnings. */
  readonly codes: readonly string[];
}

async function figures(homepage: string, options: string): Promise<MemoryFigures> {
  const codes = new Set<string>();
  for await (const event of walk(homepage, JSON.parse(options))) {
    if (event.type === "invalid" || event.type === "warning") codes.add(event.code);
    if (event.type !== "finished") continue;
    const { verdict, stats } = event;
    return {
      peak: peakRss(),
      seconds: stats.durationMs / 1000,
      read: stats.bytes / 1024 / 1024,
      pages: stats.pages,
      verdict,
      codes: [...codes].sort(),
    };
  }
  throw new Error("The walk has no end");
}

const [homepage = "", options = "{}"] = Deno.args;
console.log(JSON.stringify(await figures(homepage, options)));
