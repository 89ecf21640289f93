/**
 * The fixtures of every format, as seeds for mutations.
 *
 * @module
 */

import type { ParseOptions } from "../../mod.ts";
import { ROBOTS_URL, type Sample, SITEMAP_URL } from "./documents.ts";

const FORMATS = new URL("../../fixtures/formats/", import.meta.url);

/** All fixtures, in the order of their names. */
export function corpus(): Sample[] {
  const samples = new Map<string, Sample>();
  for (const { name: format } of Deno.readDirSync(FORMATS)) {
    const folder = new URL(`${format}/`, FORMATS);
    for (const { name } of Deno.readDirSync(folder)) {
      if (name.endsWith(".expected.json")) continue;
      const stem = name.slice(0, name.indexOf("."));
      const expectation = Deno.readTextFileSync(new URL(`${stem}.expected.json`, folder));
      const options: ParseOptions = JSON.parse(expectation).options ?? {};
      const bytes = Deno.readFileSync(new URL(name, folder));
      const url = String(options.url ?? (format === "robots" ? ROBOTS_URL : SITEMAP_URL));
      const { contentType } = options;
      samples.set(`${format}/${name}`, {
        bytes,
        url,
        ...(contentType === undefined ? {} : { contentType }),
      });
    }
  }
  return [...samples].sort(([a], [b]) => a < b ? -1 : 1).map(([, sample]) => sample);
}
