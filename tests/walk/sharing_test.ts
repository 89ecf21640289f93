import { assertEquals } from "@std/assert";
import { Slots } from "../../src/walk/prefetch.ts";
import { walk } from "../../mod.ts";
import { walkSharing } from "../../src/walk/walk.ts";
import { serveRoutes } from "../support/fixture_server.ts";

/** A server of ten sitemaps, slow enough for requests to be under way at once. */
function server(): ReturnType<typeof serveRoutes> {
  const served = serveRoutes({
    "/robots.txt": () =>
      new Response(Array.from({ length: 10 }, (_, at) => `Sitemap: ${served.url}${at}\n`).join("")),
    "*": (_, path) => new Response(`https://site.test${path}\n`),
  }, { delay: 10 });
  return served;
}

Deno.test("walkSharing() makes as many requests at once as its share, whatever concurrency says", async () => {
  for (const share of [1, 2, 5]) {
    await using served = server();
    const options = { concurrency: 3, useKnownPaths: false };
    const events = await Array.fromAsync(walkSharing(served.url, options, () => share));
    assertEquals(served.maxUnderWay, share);
    const tree = await Array.fromAsync(walk(served.url, options));
    assertEquals(events.map(({ type }) => type), tree.map(({ type }) => type));
  }
});

Deno.test("walkSharing() uses a share that grows during the walk", async () => {
  await using served = server();
  let share = 1;
  const options = { useKnownPaths: false };
  for await (const event of walkSharing(served.url, options, () => share)) {
    if (event.type !== "page") continue;
    assertEquals(served.maxUnderWay <= share, true);
    share = 6;
  }
  assertEquals(served.maxUnderWay, 6);
});

Deno.test("walkSharing() ends although its share is nothing", async () => {
  await using served = server();
  const events = await Array.fromAsync(walkSharing(served.url, { useKnownPaths: false }, () => 0));
  assertEquals(events.filter(({ type }) => type === "page").length, 10);
  assertEquals(served.maxUnderWay, 1);
});

Deno.test("Slots lets all in that there is room for once it has grown", async () => {
  let size = 1;
  const slots = new Slots(() => size);
  assertEquals(slots.take(), undefined);
  const waiting = [slots.take(), slots.take(), slots.take()];
  size = 3;
  slots.release();
  const seen: number[] = [];
  waiting.forEach((turn, at) => turn!.then(() => seen.push(at)));
  await new Promise((resolve) => setTimeout(resolve, 0));
  assertEquals(seen.toSorted(), [0, 1, 2]);
  size = 2;
  slots.release();
  const late = slots.take();
  assertEquals(late instanceof Promise, true, "two are still in use");
  slots.release();
  await late;
});
