/**
 * Runs `site_client.ts` in a process of its own.
 *
 * @module
 */

import { endedTime } from "./cpu_time.ts";
import { denoCommand, resultOf } from "./launch.ts";
import type { WalkResult } from "./site_client.ts";

/** Result of a run, with its time. */
export type SiteRun<T extends WalkResult = WalkResult> = T & {
  /** Seconds of a core, of the whole process. */
  readonly cpu: number;
};

/** Runs a mode on a site, which must see all of its pages. */
export async function runSite<T extends WalkResult>(
  mode: string,
  origin: string,
  pages: number,
): Promise<SiteRun<T>> {
  console.error(`  ${mode} …`);
  const cpuTime = async () => Deno.build.os === "linux" ? await endedTime() : NaN;
  const before = await cpuTime();
  const result = await resultOf<T>(denoCommand("site_client.ts", [mode, origin]));
  if (result.pages !== pages) throw new Error(`"${mode}" saw ${result.pages} pages of ${pages}`);
  return { ...result, cpu: await cpuTime() - before };
}
