/**
 * Compares output with what is kept in `golden/`. `UPDATE_GOLDEN=1` writes it anew.
 *
 * @module
 */

import { assertEquals } from "@std/assert";

/** The output with what differs from run to run replaced: the port of the server, durations. */
export function normalized(output: string, url: string): string {
  return output
    .replaceAll(new URL(url).origin, "{{origin}}")
    .replaceAll(new URL(url).host, "{{host}}")
    .replace(/\b\d+\.\d s\b/g, "{{time}}")
    .replace(/"durationMs":\d+/g, '"durationMs":0');
}

/** Asserts that output is what `golden/<name>.txt` has. */
export async function assertGolden(name: string, output: string): Promise<void> {
  const path = new URL(`golden/${name}.txt`, import.meta.url);
  if (Deno.env.get("UPDATE_GOLDEN") === "1") await Deno.writeTextFile(path, output);
  assertEquals(output, await Deno.readTextFile(path));
}
