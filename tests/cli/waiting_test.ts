/** What commands print while they wait, and why they end: transcripts, and progress. @module */

import { assertEquals, assertMatch } from "@std/assert";
import {
  type Answer,
  FaultServer,
  ok,
  redirect,
  reset,
  silence,
  status,
} from "../support/fault_server.ts";
import { hasTerminal, runInTerminal } from "./pseudo_terminal.ts";
import { transcripts } from "./transcript.ts";

const URLSET = "<urlset><url><loc>{{origin}}/page</loc></url></urlset>";
const CTRL_C = "\x03";

function robots(...paths: string[]): string {
  return paths.map((path) => `Sitemap: {{origin}}${path}\n`).join("");
}

const ODD = {
  "/robots.txt": robots("/old.xml", "/busy.xml", "/gone.xml"),
  "/old.xml": redirect("{{origin}}/new.xml", 301),
  "/new.xml": URLSET,
  "/busy.xml": [status(503, { "Retry-After": "0" }), ok(URLSET)],
};
const SLOW = { "/robots.txt": robots("/a.xml", "/slow.xml"), "/a.xml": URLSET };
const BUSY = status(503, { "Retry-After": "150" });

transcripts("summary");
transcripts("waiting", {
  log: { sites: { one: ODD, two: ODD } },
  slow_down: {
    sites: { slow: { "/robots.txt": robots("/a.xml"), "/a.xml": [status(429), ok(URLSET)] } },
  },
  deadline: {
    sites: {
      silent: { ...SLOW, "/slow.xml": silence() },
      busy: { ...SLOW, "/slow.xml": status(503, { "Retry-After": "60" }) },
    },
  },
  causes: {
    sites: {
      mixed: {
        "/robots.txt": robots("/a.xml", "/b.xml", "/c.xml", "/d.xml"),
        "/a.xml": reset(),
        "/b.xml": BUSY,
        "/c.xml": URLSET,
        "/d.xml": BUSY,
      },
      denied: { "/robots.txt": robots("/a.xml", "/b.xml"), "/a.xml": 403, "/b.xml": 406 },
      forbidden: { "*": 403 },
      busy: { "*": BUSY },
      repaired: { "/robots.txt": robots("/a.xml"), "/a.xml": [status(503), ok(URLSET)] },
      elsewhere: { "/robots.txt": "Sitemap: http://elsewhere.invalid/a.xml\n" },
    },
  },
});

Deno.test("the progress line shows pending requests and retries", {
  ignore: !hasTerminal(),
}, async () => {
  const seen = Promise.withResolvers<void>();
  let hasTyped = false;
  await using server = new FaultServer({
    "/robots.txt": ok(robots("/slow.xml", "/500.xml")),
    "/slow.xml": async (wire) => {
      await wire.listen();
      await seen.promise;
      await ok(URLSET)(wire);
    },
    "/500.xml": [status(500, { "Retry-After": "60" }), ok(URLSET)],
  });
  const args = ["ls", "-k", "-f", "pages", "--concurrency", "1", server.url];
  const { code, output } = await runInTerminal(args, {
    columns: 100,
    redirect: "> /dev/null",
    onOutput(output, type) {
      // after ten seconds the assertions fail
      if (/waiting for \/slow\.xml|0:1\d {2}/.test(output)) seen.resolve();
      if (!hasTyped && /retrying \/500\.xml|0:1\d {2}/.test(output)) {
        hasTyped = true;
        type(CTRL_C);
      }
    },
  });
  assertEquals(code, 130);
  assertMatch(
    output,
    /\d\.\d s {2}0\/2 sitemaps {2}0 pages {2}waiting for \/slow\.xml(?:, \d+ s)?/,
  );
  assertMatch(output, /sitemaps {2}1 pages {2}retrying \/500\.xml in \d\d s \(1 of 4, 500\)/);
});

Deno.test("the progress line shows the rate of a server that refuses requests", {
  ignore: !hasTerminal(),
}, async () => {
  await using server = new FaultServer({
    "/robots.txt": ok(robots("/a.xml", "/b.xml", "/c.xml")),
    "/a.xml": [status(429), ok(URLSET)],
    "/b.xml": ok(URLSET),
    "/c.xml": [status(503, { "Retry-After": "40" }), ok(URLSET)],
  });
  const args = ["ls", "-k", "-f", "pages", "--concurrency", "1", server.url];
  let hasTyped = false;
  const { code, output } = await runInTerminal(args, {
    columns: 100,
    redirect: "> /dev/null",
    onOutput(output, type) {
      // after ten seconds the assertions fail
      if (!hasTyped && /next request in|0:1\d {2}/.test(output)) {
        hasTyped = true;
        type(CTRL_C);
      }
    },
  });
  assertEquals(code, 130);
  assertMatch(output, /sitemaps {2}0 pages {2}rate limited: 1 request\/s/);
  assertMatch(output, /sitemaps {2}2 pages {2}rate limited: next request in \d\d s/);
  assertMatch(output, /slowed down by the server: 1 × 429, 1 × 503, down to 1/);
});

Deno.test("the progress line says that only known paths are being asked", {
  ignore: !hasTerminal(),
}, async () => {
  const seen = Promise.withResolvers<void>();
  const slow: Answer = async (wire) => {
    await wire.listen();
    await seen.promise;
    await status(404)(wire);
  };
  const missing = { "*": status(404), "/sitemap-index.xml": slow };
  const declared = { "/robots.txt": ok(robots("/a.xml")), "/a.xml": ok(URLSET) };
  const page = ok("<!DOCTYPE html><title>Shop</title>", { "Content-Type": "text/html" });
  await using nothing = new FaultServer(missing);
  await using site = new FaultServer({ ...missing, ...declared });
  // a path that cannot exist is asked for too
  await using pages = new FaultServer({
    "*": slow,
    "/robots.txt": status(404),
    "/sitemap_index.xml": page,
  });
  const outputs = ["", "", "", ""];
  const run = (urls: readonly string[], at: number) =>
    runInTerminal(["ls", "-f", "pages", ...urls], {
      columns: 100,
      redirect: "> /dev/null",
      onOutput(output) {
        outputs[at] = output;
        // after ten seconds the assertions fail
        const isSeen = (text: string) =>
          /known paths {2}waiting for \/(?:sitemap-index|[\da-f]{13})\.xml|0:1\d {2}/.test(text);
        if (outputs.every(isSeen)) seen.resolve();
      },
    });
  const operands = [[nothing], [site], [pages], [nothing, site]]
    .map((servers) => servers.map(({ url }) => url));
  const results = await Promise.all(operands.map(run));
  assertEquals(results.map(({ code }) => code), [4, 0, 4, 4]);
  assertMatch(outputs[0]!, /0\/0 sitemaps {2}0 pages {2}asking known paths {2}waiting for \//);
  assertMatch(outputs[1]!, /1\/1 sitemaps {2}1 pages {2}asking known paths {2}waiting for \//);
  assertMatch(outputs[2]!, /asking known paths {2}waiting for \/[\da-f]{13}\.xml/);
  // of both operands
  assertMatch(outputs[3]!, /1\/1 sitemaps {2}1 pages {2}asking known paths {2}waiting for \//);
});

const SILENT = new URL("silent_process.ts", import.meta.url).pathname;

/** Starts a session that prints progress after a short silence. */
function startSilent(...args: string[]): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--allow-all", SILENT, ...args],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

Deno.test("progress is printed after silence elsewhere than on a terminal, unless -q", async () => {
  const seen = Promise.withResolvers<void>();
  await using server = new FaultServer({
    "/robots.txt": ok(robots("/a.xml", "/slow.xml")),
    "/a.xml": ok(URLSET),
    "/slow.xml": async (wire) => {
      await wire.listen();
      await seen.promise;
      await ok(URLSET)(wire);
    },
  });
  const loud = startSilent(server.url), quiet = startSilent("-q", server.url);
  const stdout = new Response(loud.stdout).text();
  let stderr = "";
  try {
    for await (const text of loud.stderr.pipeThrough(new TextDecoderStream())) {
      stderr += text;
      if (/waiting for \/slow\.xml, \d+ s\n/.test(stderr)) seen.resolve();
    }
  } finally {
    seen.resolve();
  }
  const lines = stderr.trimEnd().split("\n");
  for (const line of lines) assertMatch(line, /^\d+\.\d s {2}\d\/\d sitemaps {2}\d pages {2}/);
  assertMatch(stderr, / {2}1 pages {2}waiting for \/slow\.xml, \d+ s$/m);
  const page = `${server.url}page\n`;
  assertEquals([(await loud.status).code, await stdout], [0, page + page]);
  const { code, stderr: errors } = await quiet.output();
  assertEquals([code, new TextDecoder().decode(errors)], [0, ""]);
});
