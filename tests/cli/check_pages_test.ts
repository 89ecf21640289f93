/** `sitetree check --pages`: what is requested, by which operands, and what is said about it. @module */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { type FixtureServer, type Route, serveRoutes } from "../support/fixture_server.ts";
import { inFolder } from "../support/in_folder.ts";
import { ALL_PERMISSIONS, HAS_PERMISSIONS, runCli, startCli } from "./run_cli.ts";

const PATHS = ["a", "gone", "moved", "noindex", "private", "a#again", "refused"];

function sitemap(origin: string, paths: readonly string[]): string {
  const entries = paths.map((path) =>
    `<url><loc>${origin}/${path}</loc><lastmod>2024-05-01</lastmod></url>`
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join("\n")}</urlset>`;
}

function answer(status: number, headers: HeadersInit = {}, body: string | null = null): Route {
  return () => new Response(body, { status, headers });
}

function serveSite(paths: readonly string[] = PATHS, more: Record<string, Route> = {}) {
  const server: FixtureServer = serveRoutes({
    "*": answer(404),
    "/robots.txt": () =>
      new Response(`User-agent: *\nDisallow: /private\nSitemap: ${server.origin}/s.xml\n`),
    "/s.xml": () =>
      new Response(sitemap(server.origin, paths), { headers: { "content-type": "text/xml" } }),
    "/a": answer(200),
    "/gone": answer(410),
    "/moved": answer(301, { location: "/a" }),
    "/noindex": answer(200, { "x-robots-tag": "none" }),
    "/private": answer(200),
    "/refused": ({ method }) => new Response(null, { status: method === "HEAD" ? 405 : 200 }),
    ...more,
  });
  return server;
}

/** Returns the requests for pages, such as `HEAD /a`. */
function pageLog({ requests }: FixtureServer): string[] {
  return requests.map(({ method, path }) => `${method} ${path}`)
    .filter((line) => PATHS.includes(line.replace(/^\w+ \//, "")));
}

const ONLY = ["--retries", "0", "--concurrency", "1", "--only", "page-status,page-disallowed"];

Deno.test("check --pages requests each page once, and says what is wrong with it", async () => {
  await using server = serveSite();
  const { code, stdout } = await runCli(["check", "--pages", server.url, ...ONLY]);
  assertEquals(code, 11);
  assertEquals(
    stdout.replaceAll(server.origin, "http://site.test"),
    `http://site.test/

error page-status
  /s.xml: 1 page that fails; 1 page that redirects; 1 page with \`X-Robots-Tag: noindex\` (3 times)
    /gone     410 Gone
    /moved    to http://site.test/a
    /noindex
  help: List the final URLs of pages that are there and may be indexed, and no others

warning page-disallowed
  /s.xml: 1 page disallowed by robots.txt
    /private
  help: Allow the page in robots.txt, or remove it from the sitemap

1 error, 1 warning in 1 sitemap, 7 pages; 6 pages requested: 1 failed, 1 redirected, 1 noindex
`,
  );
  assertEquals(pageLog(server), [
    ...["HEAD /a", "HEAD /gone", "HEAD /moved", "HEAD /a", "HEAD /noindex", "HEAD /private"],
    ...["HEAD /refused", "GET /refused"],
  ]);
});

Deno.test("check --pages=N requests a sample, and --seed the same one again", async () => {
  await using server = serveSite();
  const args = ["check", server.url, "--seed", "7", ...ONLY];
  const runs = [];
  // one after the other, to compare what the server got
  for (const options of [["--pages", "2"], ["--pages", "--sample", "2"]]) {
    const before = pageLog(server).length;
    const { stdout } = await runCli([...args, ...options]);
    assertStringIncludes(stdout, "; 2 pages requested");
    assertStringIncludes(stdout, "sampled 2 of 6 pages: --seed 7 gives them again\n");
    runs.push(pageLog(server).slice(before));
  }
  assertEquals(runs[0], runs[1]);
});

Deno.test("check requests no pages without --pages", async () => {
  await using server = serveSite();
  const [plain, named, sampled] = await Promise.all([
    runCli(["check", server.url, "-f", "json"]),
    runCli(["check", server.url, "-f", "json", "--only", "page-status"]),
    runCli(["check", server.url, "--sample", "2"]),
  ]);
  assertEquals(pageLog(server), []);
  assertEquals(JSON.parse(plain.stdout).answers, undefined);
  assertEquals(JSON.parse(plain.stdout).skipped, []);
  assertEquals(JSON.parse(named.stdout).skipped, [
    { code: "page-status", reason: "The pages were not requested" },
  ]);
  assertEquals([sampled.code, sampled.stderr.split("\n")[0]], [
    ...[2, 'error: Option "--sample" needs "--pages"'],
  ]);
});

Deno.test("check --pages requests the pages of folders, files, saved walks and snapshots", {
  ignore: !HAS_PERMISSIONS,
}, async () => {
  await using server = serveSite(["a", "gone"]);
  await inFolder(async (folder) => {
    const permissions = [...ALL_PERMISSIONS, "--allow-env", "--allow-sys"];
    const run = (...args: string[]) => runCli(args, { permissions });
    await Deno.mkdir(`${folder}/dist`);
    await Deno.writeTextFile(`${folder}/dist/sitemap.xml`, sitemap(server.origin, ["a", "gone"]));
    await Promise.all([
      run("ls", server.url, "-f", "events", "-o", `${folder}/walk.ndjson`),
      run("sync", server.url, `${folder}/site.db`, "-q"),
    ]);
    const operands: readonly (readonly string[])[] = [
      [`${folder}/dist`],
      [`${folder}/dist/sitemap.xml`, "--url", `${server.url}sitemap.xml`],
      [`${folder}/walk.ndjson`],
      [`${folder}/site.db`],
      [`${server.url}s.xml`],
    ];
    await Promise.all(operands.map(async (operand) => {
      const only = ["--only", "page-status", "-f", "json", "-q"];
      const { code, stdout, stderr } = await run("check", "--pages", ...operand, ...only);
      assertEquals([code, stderr], [11, ""], operand.join(" "));
      const { answers, findings } = JSON.parse(stdout);
      assertEquals([answers.requested, answers.failed], [2, 1], operand.join(" "));
      assertEquals(findings[0].examples, [{ url: `${server.url}gone`, value: "410 Gone" }]);
    }));
    // private hosts that only the file names
    const alone = await run("check", "--pages", `${folder}/dist/sitemap.xml`, "-q", "-f", "json");
    assertEquals(JSON.parse(alone.stdout).answers, {
      ...{ requested: 0, unrequested: 2, failed: 0, redirected: 0, disallowed: 0, noindex: 0 },
    });
  });
});

Deno.test("check --pages logs each page with -v, and requests with -vv", async () => {
  await using server = serveSite(["moved", "gone"]);
  const { stderr } = await runCli(["check", server.url, "-vv", "--pages", "-f", "json", ...ONLY]);
  const log = stderr.replaceAll(server.origin, "").replace(/^\S+Z /gm, "").split("\n");
  for (
    const line of [
      "DEBUG HEAD /moved",
      "DEBUG 301 /moved -> /a",
      "WARN /moved: redirects to /a",
      "ERROR /gone: 410 Gone (http-status)",
      "2 pages requested: 1 failed, 1 redirected",
    ]
  ) assert(log.includes(line), `${line}\n${stderr}`);
});

Deno.test("check --pages reports what was seen when it is interrupted", {
  ignore: Deno.build.os === "windows",
}, async () => {
  let reached = () => {}, stopped = () => {};
  const isStopped = new Promise<void>((resolve) => stopped = resolve);
  const isReached = new Promise<void>((resolve) => reached = resolve);
  await using server = serveSite(["gone", "a", "slow"], {
    "/slow": async () => {
      reached();
      await isStopped;
      return new Response(null);
    },
  });
  const child = startCli(["check", "--pages", server.url, ...ONLY]);
  await isReached;
  child.kill("SIGINT");
  const { code, stdout } = await child.output();
  stopped();
  const text = new TextDecoder().decode(stdout);
  assertEquals(code, 130);
  assertStringIncludes(text, "/gone  410 Gone\n");
  assertMatch(text, /; interrupted after 2 of 3 pages: 1 failed\n$/);
});
