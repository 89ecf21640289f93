import { assertEquals, assertMatch } from "@std/assert";
import { serveRoutes } from "../support/fixture_server.ts";
import { inFolder } from "../support/in_folder.ts";
import { ProcessLines } from "./process_lines.ts";
import { parseMetrics } from "./prometheus.ts";
import { ALL_PERMISSIONS, runCli, startCli } from "./run_cli.ts";

/** Serves a site with a page. */
function serveSite() {
  return serveRoutes({
    "/robots.txt": () => new Response("Sitemap: /s.txt\n"),
    "/s.txt": ({ url }) => new Response(`${new URL(url).origin}/page\n`),
  });
}

Deno.test("sync logs with --from, or if --log is given, what it prints besides", () =>
  inFolder(async (cwd) => {
    await using site = serveSite();
    await using busy = serveRoutes({ "*": () => new Response("busy", { status: 503 }) });
    const options = { cwd, permissions: ALL_PERMISSIONS };
    const list = { ...options, stdin: `${site.url}\n` };
    const both = { ...options, stdin: `${site.url}\n${busy.url}\n` };
    const walk = ["-k", "--retries", "0"];
    const started = String.raw`\S+ INFO started: sitetree \S+, a\.db, 50 slots\n`;
    const rows = [
      [["sync", "--from", "-", "a.db", ...walk], list, 0, started],
      [["sync", "a.db", ...walk], options, 0, ""],
      [["sync", site.url, "a.db", ...walk], options, 0, ""],
      [["sync", "--from", "-", "a.db", "-q", ...walk], list, 0, ""],
      [["sync", "a.db", "--log", "text", ...walk], options, 0, started],
      [
        ["sync", "--from", "-", "a.db", ...walk],
        both,
        5,
        `${started}\\S+ WARN gave up ${busy.url} \\(blocked\\): 503 Service Unavailable\\n` +
        `${busy.url}: blocked: .*\\n  Cannot read robots\\.txt: 503 .*\\n  .*\\n2 sites: .*\\n`,
      ],
    ] as const;
    for (const [args, given, code, stderr] of rows) {
      const result = await runCli(args, given);
      assertEquals(result.code, code, result.stderr);
      assertMatch(result.stderr, new RegExp(`^${stderr}$`), args.join(" "));
    }
    const lines = (await runCli([...rows[5][0], "--log=json"], both)).stderr.trim().split("\n");
    const entries = lines.map((line) => JSON.parse(line));
    assertEquals(entries.slice(0, 3).map(({ level, event }) => [level, event]), [
      ["info", "started"],
      ["warn", "given-up"],
      ["info", "message"],
    ]);
    const { site: homepage, verdict, code, reason } = entries[1];
    assertEquals([homepage, verdict, code, reason], [
      ...[busy.url, "blocked", "http-status", "503 Service Unavailable"],
    ]);
    assertMatch(entries.at(-1).message, /^2 sites: /);
  }));

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
