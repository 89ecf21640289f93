import { assertEquals } from "@std/assert";
import { walk } from "../../mod.ts";
import { walkWith } from "../../src/walk/walk.ts";
import { serveRoutes } from "../support/fixture_server.ts";
import { numbered, robots } from "./site.ts";
import { eventsOf } from "./walked.ts";

/** Starts a server of ten sitemaps that is slow enough for concurrent requests. */
function server(): ReturnType<typeof serveRoutes> {
  const served = serveRoutes({
    "/robots.txt": () => new Response(robots(...numbered(10, (at) => `${served.url}${at}`))),
    "*": (_, path) => new Response(`https://site.test${path}\n`),
  }, { delay: 10 });
  return served;
}

Deno.test("walkWith() makes as many concurrent requests as its share, regardless of concurrency", async () => {
  for (const share of [1, 2, 5]) {
    await using served = server();
    const options = { concurrency: 3, useKnownPaths: false };
    const events = await Array.fromAsync(walkWith(served.url, options, { share: () => share }));
    assertEquals(served.maxUnderWay, share);
    const tree = await Array.fromAsync(walk(served.url, options));
    assertEquals(events.map(({ type }) => type), tree.map(({ type }) => type));
  }
});

Deno.test("walkWith() uses a share that grows during the walk", async () => {
  await using served = server();
  let share = 1;
  const options = { useKnownPaths: false };
  for await (const event of walkWith(served.url, options, { share: () => share })) {
    if (event.type !== "page") continue;
    assertEquals(served.maxUnderWay <= share, true);
    share = 6;
  }
  assertEquals(served.maxUnderWay, 6);
});

Deno.test("walkWith() ends with a share of zero", async () => {
  await using served = server();
  const events = walkWith(served.url, { useKnownPaths: false }, { share: () => 0 });
  assertEquals(eventsOf(await Array.fromAsync(events), "page").length, 10);
  assertEquals(served.maxUnderWay, 1);
});
