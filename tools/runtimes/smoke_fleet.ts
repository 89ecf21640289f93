/**
 * Walks sites with a fleet on a runtime with `node:` modules.
 *
 * Takes the connection string of a server. Prints the results as JSON and ends by itself, so that a
 * timer or connection that keeps the process alive is noticed.
 *
 * @module
 */

import { type Fleet, openFleet } from "@sitetree/sitetree/fleet";
import process from "node:process";
import { assertSame, type Check, runChecks } from "./checks.ts";

const SITES = ["https://one.test/", "https://two.test/", "https://three.test/"];
/** More than one batch. */
const PAGES = 1500;

/** Serves robots.txt and one sitemap on every site. */
function serve(input: string): Promise<Response> {
  const { origin, pathname } = new URL(input);
  const respond = (text: string, status = 200) => Promise.resolve(new Response(text, { status }));
  if (pathname === "/robots.txt") return respond(`Sitemap: ${origin}/pages.txt\n`);
  if (pathname !== "/pages.txt") return respond("Not found\n", 404);
  return respond(pagesOf(origin).join("\n"));
}

function pagesOf(origin: string): string[] {
  return Array.from({ length: PAGES }, (_, at) => `${origin}/page-${at}`);
}

/** Walks all sites twice: the second time, a run finds them done. */
async function checkWork(fleet: Fleet): Promise<void> {
  assertSame(await fleet.enqueue("smoke", SITES), SITES.length, "sites added");
  assertSame(await fleet.enqueue("smoke", SITES), 0, "sites added again");
  await fleet.work({ drain: true });
  const verdicts: (string | undefined)[] = [];
  for await (const { verdict } of fleet.sites("smoke")) verdicts.push(verdict);
  assertSame(verdicts, SITES.map(() => "complete"), "verdicts");
  for (const site of SITES) {
    const found: string[] = [];
    for await (const { page } of fleet.snapshot.pages(site)) found.push(page.url);
    assertSame(found, pagesOf(new URL(site).origin), `pages of ${site}`);
  }
  const { value } = await fleet.progress("smoke").next();
  assertSame([value!.done, value!.pages], [SITES.length, SITES.length * PAGES], "progress");
  await fleet.drop("smoke");
  assertSame((await fleet.runs()).length, 0, "runs");
}

const [url = ""] = process.argv.slice(2);
const fleet = await openFleet(url, { walk: { fetch: serve } });
try {
  const checks: Record<string, Check> = {
    "a fleet walks sites and stores their pages": () => checkWork(fleet),
  };
  console.log(JSON.stringify(await runChecks(checks)));
} finally {
  await fleet.close();
}
