/** Processes of `sync` and `changes` that are interrupted, or whose readers close their output. @module */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { type FixtureServer, serveRoutes } from "../support/fixture_server.ts";
import { test as testInFolder } from "./folder_cases.ts";
import { ProcessLines } from "./process_lines.ts";
import { ALL_PERMISSIONS, type CliResult, runCli, startCli } from "./run_cli.ts";

function robots({ url }: Request): Response {
  return new Response(
    ["a", "b"].map((name) => `Sitemap: ${new URL(`${name}.txt`, url)}\n`).join(""),
  );
}

/** Serves two sitemaps; the second one never ends, and has two pages once `release` is called. */
function stallingSite() {
  let isStalled = true;
  const server = serveRoutes({
    "/robots.txt": robots,
    "/a.txt": ({ url }) => new Response(linesAt(new URL("/", url).href, 1, 2, 3)),
    "/b.txt": ({ url }) => {
      const text = new TextEncoder().encode(linesAt(new URL("/", url).href, 3, 4));
      return isStalled
        ? new Response(new ReadableStream<Uint8Array<ArrayBuffer>>({}))
        : new Response(text);
    },
  });
  return { server, release: () => void (isStalled = false) };
}

function linesAt(url: string, ...pages: number[]): string {
  return pages.map((page) => `${url}${page}\n`).join("");
}

function changesAt({ url }: FixtureServer, ...pages: number[]): string {
  return pages.map((page) => `+ ${url}${page}\n`).join("");
}

interface Place {
  readonly folder: string;
  readonly run: (...args: string[]) => Promise<CliResult>;
  readonly start: (...args: string[]) => Deno.ChildProcess;
}

function test(name: string, run: (place: Place) => Promise<void>): void {
  testInFolder(name, (folder) => {
    const options = { cwd: folder, permissions: ALL_PERMISSIONS };
    return run({
      folder,
      run: (...args) => runCli(args, options),
      start: (...args) => startCli(args, options),
    });
  }, Deno.build.os === "windows");
}

const SUMMARY = String.raw`interrupted: \+3 ~0 -0, 0 of 1 sitemap unchanged, \d\.\d s`;
const KEPT = "  what was found is kept; its changes: sitetree changes site\\.db --after 0";

for (
  const [signal, exitCode, end] of [
    ["SIGINT", 130, `\n${SUMMARY}\n${KEPT}$`],
    ["SIGTERM", 143, `\n${SUMMARY}\n${KEPT}$`],
    ["SIGKILL", 137, "a\\.txt: 3 pages, .*$"],
  ] as const
) {
  test(`sync keeps each change of a run that ${signal} interrupted`, async (place) => {
    const { folder, run, start } = place;
    const { server, release } = stallingSite();
    await using _server = server;
    const args = ["sync", "-k", server.url, "site.db", "-f", "text", "-o", "changes.txt"];
    await using lines = new ProcessLines(start(...args, "-v"));
    await lines.find(/a\.txt: 3 pages/);
    assertEquals(await run("sync", server.url, "site.db"), {
      ...{ code: 1, stdout: "" },
      stderr: 'error: Cannot open "site.db": another process is writing to it\n',
    });
    assertEquals(await lines.end(signal), exitCode);
    assertMatch(lines.all.join("\n"), new RegExp(end));
    assertEquals([...Deno.readDirSync(folder)].filter(({ name }) => /^changes/.test(name)), []);
    release();
    const next = await run(...args, "-v");
    assertEquals(next.code, 0);
    assertMatch(next.stderr, /\ncomplete: \+1 ~0 -0, .*, \d+\.\d s\n$/);
    // those of its own run
    assertEquals(await Deno.readTextFile(`${folder}/changes.txt`), changesAt(server, 4));
    const all = await run("changes", "site.db", "--after", "0");
    assertEquals(all.stdout, changesAt(server, 1, 2, 3, 4));
  });
}

test("sync of several sites says once that they were interrupted", async ({ start }) => {
  await using one = stallingSite().server;
  await using two = stallingSite().server;
  await using lines = new ProcessLines(start("sync", "-kv", one.url, two.url, "site.db"));
  for (const { url } of [one, two]) await lines.find(new RegExp(`${url}a\\.txt: 3 pages`));
  assertEquals(await lines.end("SIGINT"), 130);
  assertMatch(
    lines.all.join("\n"),
    new RegExp(` 3 pages, .*\n2 sites: 2 interrupted, .*\n${KEPT}$`),
  );
});

/** Runs a command whose reader closes its output, at once or after some bytes. */
async function endOf(child: Deno.ChildProcess, bytes: number): Promise<[number, string]> {
  const reader = child.stdout.getReader();
  for (let left = bytes; left > 0;) left -= (await reader.read()).value!.length;
  await reader.cancel();
  const stderr = await new Response(child.stderr).text();
  return [(await child.status).code, stderr];
}

const CHANGES = 20_000;

/** Serves batches of changes that do not fit into a pipe. */
function serveLargeSite(): FixtureServer & { isLonger?: boolean } {
  const server: FixtureServer & { isLonger?: boolean } = serveRoutes({
    "/sitemap.txt": ({ url }) => {
      const { href } = new URL("/", url);
      const lines = Array.from(
        { length: CHANGES },
        (_, at) => `${href}${"page/".repeat(40)}${at}\n`,
      );
      return new Response(`${lines.join("")}${server.isLonger ? `${href}last\n` : ""}`);
    },
  });
  return server;
}

const linesIn = (text: string) => text.split("\n").length - 1;
const CONSUMER = ["changes", "site.db", "--consumer", "index", "-f", "ndjson"];

for (const [bytes, reads] of [[0, "nothing"], [1, "some"]] as const) {
  test(`sync saves the run, and changes acknowledges nothing, if its reader takes ${reads}`, async ({ run, start }) => {
    await using server = serveLargeSite();
    const sync = ["sync", "-k", server.url, "--known-path", "sitemap.txt", "site.db"];
    assertEquals(await endOf(start(...sync, "-f", "ndjson"), bytes), [
      1,
      "error: Output closed by its reader\n" +
      "  the run is saved; its changes: sitetree changes site.db --after 0\n",
    ]);
    assertEquals(linesIn((await run("changes", "site.db", "--after", "0")).stdout), CHANGES);
    assertEquals(await endOf(start(...CONSUMER, "--ack"), bytes), [
      1,
      'error: Output closed by its reader: nothing acknowledged for "index"\n',
    ]);
    assertEquals(linesIn((await run(...CONSUMER)).stdout), CHANGES);
    server.isLonger = true;
    const stdout = `+ ${server.url}last\n`;
    assertEquals(await run(...sync, "-f", "text"), { code: 0, stdout, stderr: "" });
  });
}

test("changes --ack acknowledges each batch that was written", async ({ run, start }) => {
  await using server = serveLargeSite();
  assertEquals((await run("sync", server.url, "site.db")).code, 0);
  const [code, stderr] = await endOf(start(...CONSUMER, "--ack"), 5000 * 400);
  const [, acknowledged] = /: only changes up to (\d+) acknowledged for "index"\n$/.exec(stderr) ??
    [];
  assertEquals(code, 1);
  assert(Number(acknowledged) >= 4000, stderr);
  const left = (await run(...CONSUMER)).stdout;
  assertEquals(linesIn(left), CHANGES - Number(acknowledged));
  assertEquals(JSON.parse(left.split("\n")[0]!).sequence, Number(acknowledged) + 1);
  assertEquals((await run(...CONSUMER, "--ack")).stdout, left);
  assertEquals(await run(...CONSUMER, "--ack"), { code: 0, stdout: "", stderr: "" });
});
