/** Compares output with files in `fixtures/transcripts/`; `UPDATE_GOLDEN=1` rewrites them. @module */

import { assertEquals } from "@std/assert";
import { timeless } from "../support/timeless.ts";

/**
 * Replaces the origin of the server and durations, which differ between runs, and the encodings of
 * bodies, which some runtimes hide.
 */
export function normalized(output: string, url: string): string {
  return timeless(output)
    .replaceAll(new URL(url).origin, "{{origin}}")
    .replaceAll(new URL(url).host, "{{host}}")
    .replace(/\b\d+\.\d s\b/g, "{{time}}")
    .replaceAll('"contentEncoding":"gzip",', "");
}

/** Asserts that output equals `fixtures/transcripts/<name>.txt`. */
export async function assertGolden(name: string, output: string): Promise<void> {
  const path = new URL(`../../fixtures/transcripts/${name}.txt`, import.meta.url);
  if (Deno.env.get("UPDATE_GOLDEN") === "1") await Deno.writeTextFile(path, output);
  assertEquals(output, await Deno.readTextFile(path));
}
