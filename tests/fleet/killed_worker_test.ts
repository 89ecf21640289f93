import { assertEquals, assertMatch } from "@std/assert";
import { openFleet } from "../../src/fleet/mod.ts";
import { HAS_POSTGRES, startPostgres } from "../support/postgres.ts";
import { SHAPE, slowSites } from "./slow_sites.ts";

const PROCESS = new URL("killed_worker_process.ts", import.meta.url).pathname;
const PAGES = SHAPE.sitemaps * SHAPE.pages;

/** Starts a process that works on a database, and waits until it does. */
async function startWorking(url: string): Promise<Deno.ChildProcess> {
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--allow-all", PROCESS, url],
    stdout: "piped",
  }).spawn();
  const reader = process.stdout.getReader();
  const { value } = await reader.read();
  assertMatch(new TextDecoder().decode(value), /^working/);
  await reader.cancel();
  return process;
}

Deno.test("a fleet goes on after SIGKILL of a worker, without walking finished sites again", {
  ignore: !HAS_POSTGRES,
}, async () => {
  await using server = await startPostgres();
  const process = await startWorking(server.url);
  process.kill("SIGKILL");
  await process.status;

  const { homepages, fetch } = slowSites(20, 0);
  const requests = new Map<string, number>();
  const fleet = await openFleet(server.url, {
    leaseSeconds: 10,
    walk: {
      fetch: (url) => {
        requests.set(url, (requests.get(url) ?? 0) + 1);
        return fetch(url);
      },
    },
  });
  const before = await Array.fromAsync(fleet.sites("run"));
  const finished = before.filter(({ verdict }) => verdict !== undefined);
  assertEquals(finished.length >= 4 && finished.length < homepages.length, true);
  assertEquals(await fleet.enqueue("run", homepages), 0);
  await fleet.work({ drain: true });
  const sites = await Array.fromAsync(fleet.sites("run"));
  assertEquals(
    sites.map(({ homepage, verdict, pages }) => ({ homepage, verdict, pages })),
    homepages.map((homepage) => ({ homepage, verdict: "complete", pages: PAGES })),
  );
  for (const { homepage } of finished) assertEquals(requests.has(`${homepage}sitemap.xml`), false);
  const urls = new Set<string>();
  let pages = 0;
  for await (const { url } of fleet.pages("run")) {
    urls.add(url);
    pages++;
  }
  assertEquals([pages, urls.size], [homepages.length * PAGES, homepages.length * PAGES]);
  await fleet.close();
});
