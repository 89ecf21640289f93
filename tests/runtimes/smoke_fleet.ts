/**
 * Walks sites with a fleet on a runtime with `node:` modules, in a directory or on a server.
 *
 * Takes a location as JSON, and the command that runs this script as JSON. Prints the results as JSON
 * and ends by itself, so that a timer or connection that keeps the process alive is noticed. Without a
 * command it only opens the fleet, and prints the message of the error.
 *
 * @module
 */

import { type Fleet, FleetError, type FleetLocation, openFleet } from "@sitetree/sitetree/fleet";
import { spawnSync } from "node:child_process";
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
  const found: Record<string, string[]> = {};
  for await (const { site, url } of fleet.pages("smoke")) (found[site] ??= []).push(url);
  for (const site of SITES) {
    assertSame(found[site], pagesOf(new URL(site).origin), `pages of ${site}`);
  }
  const { value } = await fleet.progress("smoke").next();
  assertSame([value!.done, value!.pages], [SITES.length, SITES.length * PAGES], "progress");
  await fleet.drop("smoke");
  assertSame((await fleet.runs()).length, 0, "runs");
}

/** Opens the same location in another process. */
function checkSecond(command: readonly string[], location: string): void {
  const { stdout, stderr } = spawnSync(command[0]!, [...command.slice(1), location], {
    encoding: "utf8",
  });
  const { directory } = JSON.parse(location);
  assertSame(
    `${stdout}${stdout === "" ? stderr : ""}`.trim(),
    `FleetError in-use: Cannot open "${directory}": in use by pid ${process.pid}`,
    "second process",
  );
}

function fleetChecks(fleet: Fleet, command: string[], location: string): Record<string, Check> {
  return {
    "a fleet walks sites and stores their pages": () => checkWork(fleet),
    ...("directory" in JSON.parse(location) && {
      "a directory in use is refused": () => checkSecond(command, location),
    }),
  };
}

const [location = "", command] = process.argv.slice(2);
try {
  const fleet = await openFleet(JSON.parse(location) as FleetLocation, { walk: { fetch: serve } });
  try {
    const checks = fleetChecks(fleet, JSON.parse(command ?? "[]"), location);
    if (command !== undefined) console.log(JSON.stringify(await runChecks(checks)));
  } finally {
    await fleet.close();
  }
} catch (error) {
  const { name, message } = error as Error;
  console.log(`${name}${error instanceof FleetError ? ` ${error.code}` : ""}: ${message}`);
}
