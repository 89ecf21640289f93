import { assertEquals } from "@std/assert";
import { serveRoutes } from "../support/fixture_server.ts";
import { inFolder } from "../support/in_folder.ts";
import { ProcessLines } from "./process_lines.ts";
import { parseMetrics } from "./prometheus.ts";
import { ALL_PERMISSIONS, startCli } from "./run_cli.ts";

/** Serves a site with a page. */
function serveSite() {
  return serveRoutes({
    "/robots.txt": () => new Response("Sitemap: /s.txt\n"),
    "/s.txt": ({ url }) => new Response(`${new URL(url).origin}/page\n`),
  });
}

Deno.test("sync serves its health and metrics while it walks", () =>
  inFolder(async (cwd) => {
    await using site = serveSite();
    const asked = Promise.withResolvers<void>(), answered = Promise.withResolvers<void>();
    await using slow = serveRoutes({
      "*": async () => {
        asked.resolve();
        await answered.promise;
        return new Response("no", { status: 404 });
      },
    });
    const args = ["sync", site.url, slow.url, "a.db", "-k", "--slots", "3", "--serve", "0"];
    await using lines = new ProcessLines(startCli(args, { cwd, permissions: ALL_PERMISSIONS }));
    const line = await lines.find(/serving/);
    const [, url = ""] = /^\S+ INFO serving \/healthz and \/metrics at (http:\S+)$/.exec(line)!;
    await asked.promise;
    const ask = async (path: string) => await (await fetch(url + path)).text();
    let values: Record<string, number>;
    do {
      const metrics = [...parseMetrics(await ask("metrics"))];
      values = Object.fromEntries(
        metrics.flatMap(([name, { values }]) =>
          [...values].map(([labels, value]) => [`${name} ${labels}`.trim(), value])
        ),
      );
    } while (values["sitetree_sites_total verdict=complete"] === 0);
    assertEquals(await ask("healthz"), "ok\n");
    assertEquals(
      ["slots", "active_walks", "pages_total", "repeated_commits_total"].map((name) =>
        values[`sitetree_${name}`]
      ),
      [3, 1, 1, 0],
    );
    assertEquals(Object.keys(values).filter((name) => /lease|claim|run_|database/.test(name)), []);
    answered.resolve();
    assertEquals(await lines.end(), 4);
  }));
