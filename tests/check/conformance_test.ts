import { assertEquals } from "@std/assert";
import { parseSitemap, walk } from "../../mod.ts";
import { check } from "../../src/check/mod.ts";
import type { TreeEvent } from "../../src/data/events.ts";
import { type ConformanceCase, walkOptions } from "../support/conformance_case.ts";
import { ConformanceSite } from "../support/conformance_site.ts";

const CASES = new URL("../../fixtures/conformance/", import.meta.url);
/** Findings by case: `UPDATE_GOLDEN=1` writes them; review the diff before you commit it. */
const GOLDEN = new URL("../../fixtures/check/conformance.json", import.meta.url);
/** A walk of it decompresses 100 MiB. */
const LEFT_OUT: ReadonlySet<string> = new Set(["gzip__over_100_mb"]);

function eventsOf(test: ConformanceCase): AsyncIterable<TreeEvent> {
  if (test.call === "sitemapFromString") return parseSitemap(test.content!, { notes: true });
  const site = new ConformanceSite(test.site, test.fallback);
  return walk(test.options.homepageUrl, { ...walkOptions(test, site), notes: true });
}

async function findingsOf(test: ConformanceCase): Promise<string[]> {
  const { site, findings } = await check(eventsOf(test), { now: "2026-01-01" });
  return findings.map(({ severity, code, message, sitemap = site }) =>
    `${severity} ${code} ${sitemap}: ${message}`
  );
}

Deno.test("check() has the findings of the conformance cases that were read by eye", async () => {
  const names = [...Deno.readDirSync(CASES)].map(({ name }) => name)
    .filter((name) => name.endsWith(".json")).sort();
  const found: Record<string, string[]> = {};
  for (const name of names) {
    const test: ConformanceCase = JSON.parse(Deno.readTextFileSync(new URL(name, CASES)));
    const isRefused = (test.expect as { error?: boolean }).error === true;
    if (!isRefused && !LEFT_OUT.has(test.name)) found[test.name] = await findingsOf(test);
  }
  if (Deno.env.get("UPDATE_GOLDEN") === "1") {
    Deno.mkdirSync(new URL(".", GOLDEN), { recursive: true });
    Deno.writeTextFileSync(GOLDEN, `${JSON.stringify(found, null, 2)}\n`);
  }
  assertEquals(found, JSON.parse(Deno.readTextFileSync(GOLDEN)));
});
