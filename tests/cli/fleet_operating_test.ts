import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { serveRoutes } from "../support/fixture_server.ts";
import { HAS_POSTGRES, startPostgres, type TestPostgres } from "../support/postgres.ts";
import { execute } from "../sync/stores.ts";
import { ProcessLines } from "./process_lines.ts";
import { type Metric, parseMetrics } from "./prometheus.ts";
import {
  ALL_PERMISSIONS,
  type CliOptions,
  type CliResult,
  HAS_PERMISSIONS,
  runCli,
  startCli,
} from "./run_cli.ts";

const ON_POSTGRES = { ignore: !HAS_PERMISSIONS || !HAS_POSTGRES };
/** Milliseconds in which a state that a process has to get to counts as missing. */
const TIMEOUT = 60_000;

function optionsOn(database: TestPostgres, stdin?: string): CliOptions {
  return {
    permissions: [...ALL_PERMISSIONS, "--allow-env"],
    env: { SITETREE_DATABASE: database.url },
    ...(stdin !== undefined && { stdin }),
  };
}

async function enqueue(database: TestPostgres, run: string, sites: readonly string[]) {
  const { code, stderr } = await runCli(
    ["fleet", "enqueue", run, "-"],
    optionsOn(database, sites.join("\n")),
  );
  assertEquals(code, 0, stderr);
}

async function fleet(database: TestPostgres, ...words: string[]): Promise<CliResult> {
  const result = await runCli(["fleet", ...words], optionsOn(database));
  assertEquals(result.code, 0, result.stderr);
  return result;
}

function startWorker(database: TestPostgres, ...words: string[]): ProcessLines {
  const args = ["fleet", "work", "-k", "--retries", "0", ...words];
  return new ProcessLines(startCli(args, optionsOn(database)));
}

/** Returns the URL at which a worker serves its health and metrics. */
async function servedUrl(lines: ProcessLines): Promise<string> {
  const line = await lines.find(/serving/);
  return /http:\/\/127\.0\.0\.1:\d+\//.exec(line)![0];
}

/** Returns the body of `/healthz` once it has a status. */
async function health(url: string, status: number): Promise<string> {
  for (const limit = Date.now() + TIMEOUT;;) {
    const response = await fetch(`${url}healthz`);
    const body = await response.text();
    if (response.status === status) return body;
    assert(Date.now() < limit, `${response.status} ${body}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Returns metrics once they have a value, by `prometheus.ts`. */
async function metricsWith(
  url: string,
  isWanted: (valueOf: (name: string, labels?: string) => number) => boolean,
): Promise<Map<string, Metric>> {
  for (const limit = Date.now() + TIMEOUT;;) {
    const text = await (await fetch(`${url}metrics`)).text();
    const metrics = parseMetrics(text);
    const valueOf = (name: string, labels = "") =>
      metrics.get(`sitetree_${name}`)?.values.get(labels) ?? NaN;
    if (isWanted(valueOf)) {
      await checkByPromtool(text);
      return metrics;
    }
    assert(Date.now() < limit, text);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Does nothing if `promtool` is not installed. */
async function checkByPromtool(text: string): Promise<void> {
  let child: Deno.ChildProcess;
  try {
    const args = ["check", "metrics"];
    child = new Deno.Command("promtool", { args, stdin: "piped", stdout: "piped", stderr: "piped" })
      .spawn();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    throw error;
  }
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(text));
  await writer.close();
  const { code, stdout, stderr } = await child.output();
  const [printed, errors] = [stdout, stderr].map((output) => new TextDecoder().decode(output));
  assertEquals([code, printed, errors], [0, "", ""]);
}

/** Sends the beginning of a request. Returns what comes until the server closes the connection. */
async function sendSlowly(url: string, start: string): Promise<string> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(new URL(url).port) });
  await connection.write(new TextEncoder().encode(start));
  let text = "";
  const buffer = new Uint8Array(1024);
  for (let size; (size = await connection.read(buffer)) !== null;) {
    text += new TextDecoder().decode(buffer.subarray(0, size));
  }
  return text;
}

Deno.test(
  "fleet work logs that its database is lost and found, and says so to probes",
  ON_POSTGRES,
  async () => {
    await using database = await startPostgres({ password: "s:cret" });
    await using site = serveRoutes({
      "/robots.txt": () => new Response("Sitemap: /s.txt\n"),
      "/s.txt": ({ url }) => new Response(`${new URL(url).origin}/page\n`),
    });
    await using gone = serveRoutes({ "*": () => new Response("no", { status: 403 }) });
    await enqueue(database, "nov", [site.url, gone.url.replace("127.0.0.1", "localhost")]);
    const log = await Deno.makeTempFile();
    try {
      await using worker = startWorker(database, "--serve", "0", "--slots", "7", "-l", log);
      const url = await servedUrl(worker);
      const started = await worker.find(/started/);
      assertMatch(
        started,
        /^\d{4}-\S+Z INFO started: sitetree \S+, postgres:\/\/postgres@127\.0\.0\.1:\d+\/postgres, 7 slots$/,
      );
      assertEquals(await health(url, 200), "ok\n");
      const metrics = await metricsWith(
        url,
        (valueOf) =>
          valueOf("sites_total", "verdict=complete") + valueOf("sites_total", "verdict=blocked") ===
            2,
      );
      const value = (name: string, labels = "") =>
        metrics.get(`sitetree_${name}`)!.values.get(labels);
      assertEquals([value("slots"), value("pages_total"), value("database_up")], [7, 1, 1]);
      assertEquals(value("requests_total", "status=2xx"), 2);
      assertEquals(value("requests_total", "status=4xx"), 1);
      const slow = ["", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n"]
        .map((start) => sendSlowly(url, start));
      await database.kill("SIGINT");
      const lost = await worker.find(/WARN lost the connection to the database: /);
      assertStringIncludes(await health(url, 503), "lost the connection to the database: ");
      await metricsWith(url, (valueOf) => valueOf("database_up") === 0);
      await database.start();
      const found = await worker.find(/INFO connected to the database again after /);
      assertEquals(await health(url, 200), "ok\n");
      for (const text of await Promise.all(slow)) assertMatch(text, /^HTTP\/1\.1 408 /);
      assertEquals(await worker.end("SIGTERM"), 143);
      assert(!worker.all.join("\n").includes("cret"), worker.all.join("\n"));
      const written = (await Deno.readTextFile(log)).split("\n");
      for (const line of [started, lost, found]) assert(written.includes(line), line);
    } finally {
      await Deno.remove(log);
    }
  },
);

Deno.test(
  "fleet work logs lost leases and sites that it gives up, as objects too",
  ON_POSTGRES,
  async () => {
    await using database = await startPostgres();
    const isAsked = Promise.withResolvers<void>();
    await using hanging = serveRoutes({
      "*": () => {
        isAsked.resolve();
        return new Response(new ReadableStream<Uint8Array<ArrayBuffer>>({}));
      },
    });
    await enqueue(database, "nov", [hanging.url, "http://stopped.test/", "http://suspect.test/"]);
    const change = (name: string, crashes: number, due: string) =>
      execute(
        database.url,
        `update sitetree.fleet_site set crashes = ${crashes}, due = ${due} where host = '${name}'`,
      );
    await change("stopped.test", 5, "now()");
    await change("suspect.test", 1, "'infinity'");
    const { stdout } = await fleet(database, "status", "nov");
    assertStringIncludes(stdout, "\nSuspects: 2, on a worker when it died, walked one at a time\n");
    await using worker = startWorker(database, "--log", "json", "--lease", "10s", "--serve", "0");
    const url = await servedUrl(worker);
    const entry = async (event: string) => {
      const { time, message: _, ...rest } = JSON.parse(
        await worker.find(new RegExp(`"event":"${event}"`)),
      );
      assert(!Number.isNaN(Date.parse(time)), time);
      return rest;
    };
    assertEquals(await entry("given-up"), {
      ...{ level: "warn", event: "given-up", site: "http://stopped.test/", verdict: "failed" },
      ...{ code: "stopped", reason: "its worker stopped 5 times without progress" },
    });
    await isAsked.promise;
    await execute(database.url, "delete from sitetree.lease");
    const lost = await entry("lease-lost");
    assertEquals([lost.level, lost.site], ["warn", hanging.url]);
    const metrics = await metricsWith(url, (valueOf) =>
      valueOf("lease_losses_total") >= 1 &&
      valueOf("run_sites", "run=nov round=1 verdict=failed") === 1);
    assertEquals(metrics.get("sitetree_run_suspects")!.values.get("run=nov round=1"), 1);
    assertEquals(await worker.end("SIGTERM"), 143);
    for (const line of worker.all) assertEquals(typeof JSON.parse(line).message, "string");
    assertMatch(JSON.parse(worker.all.at(-1)!).message, /^nov, round 1: interrupted: 1 of 3 sites/);
    const status = JSON.parse((await fleet(database, "status", "nov", "-f", "json")).stdout);
    assertEquals([status.suspects, status.failures], [1, [{ code: "stopped", sites: 1 }]]);
    const { stdout: sites } = await fleet(
      database,
      "sites",
      "nov",
      "--code",
      "stopped",
      "-f",
      "csv",
    );
    assertMatch(sites, /^site,.*\r\nhttp:\/\/stopped\.test\/,failed,.*\r\n$/);
  },
);
