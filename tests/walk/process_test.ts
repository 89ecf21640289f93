import { assertEquals } from "@std/assert";
import type { WalkOptions } from "../../mod.ts";
import { serveRoutes } from "../support/fixture_server.ts";
import { index, robots, untilIdle, urlset } from "./walk_support.ts";

const SCRIPT = new URL("abandoned_walk.ts", import.meta.url);
const CONFIG = new URL("../../deno.json", import.meta.url);

/** Milliseconds after which a process that hangs is killed. */
const PATIENCE = 60_000;

/** Runs a process that abandons a walk. */
async function abandon(url: string, count: number, options: WalkOptions): Promise<unknown> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--allow-net=127.0.0.1", `--config=${CONFIG.pathname}`, "--no-prompt"],
      ...[SCRIPT.pathname, url, String(count), JSON.stringify(options)],
    ],
    signal: AbortSignal.timeout(PATIENCE),
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** An endless urlset, sent with backpressure. */
function endless(): Response {
  let at = 0;
  const encoder = new TextEncoder();
  return new Response(
    new ReadableStream({
      start: (controller) => controller.enqueue(encoder.encode("<urlset>")),
      pull(controller) {
        let piece = "";
        for (let i = 0; i < 100; i++) piece += `<url><loc>https://a.test/${at++}</loc></url>`;
        controller.enqueue(encoder.encode(piece));
      },
    }),
  );
}

Deno.test("a process that stops iterating without closing exits by itself", async () => {
  await using server = serveRoutes({
    "/robots.txt": () => new Response(robots(`${server.url}index.xml`)),
    "/index.xml": () =>
      new Response(index(...["a", "b", "c", "d"].map((name) => `${server.url}${name}.xml`))),
    "/a.xml": endless,
    "/b.xml": endless,
    "/c.xml": () => new Response(urlset("https://a.test/c")),
    "/d.xml": endless,
  });
  const settings: readonly WalkOptions[] = [
    {},
    { deadline: 3_600_000 },
    { order: "arrival", deadline: 3_600_000 },
    { concurrency: 1 },
  ];
  for (const options of settings) {
    assertEquals(await abandon(server.url, 1000, options), {
      code: 0,
      stdout: "forgotten\n",
      stderr: "",
    }, JSON.stringify(options));
    await untilIdle(server);
  }
});
