import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { CSV_COLUMNS } from "../write/samples.ts";
import { type FixtureServer, serveRoutes } from "../support/fixture_server.ts";
import { timeless } from "../support/timeless.ts";
import { test } from "./folder_cases.ts";
import { assertGolden, normalized } from "./golden.ts";
import { ALL_PERMISSIONS, runCli } from "./run_cli.ts";
import { assertTranscript } from "./transcript.ts";

const ALL = { permissions: ALL_PERMISSIONS };

/** A site with a redirect, dates in its index, a dead link, a cut sitemap and a repeated page. */
function mixedSite(): FixtureServer {
  return serveRoutes({
    "/robots.txt": () => new Response("Sitemap: /old-index.xml\n"),
    "/old-index.xml": () =>
      new Response(null, { status: 301, headers: { location: "/index.xml" } }),
    "/index.xml": () =>
      new Response(
        "<sitemapindex><sitemap><loc>/a.xml</loc><lastmod>2024-05-01</lastmod></sitemap>" +
          "<sitemap><loc>/dead.xml</loc><lastmod>2023-01</lastmod></sitemap>" +
          "<sitemap><loc>/cut.xml</loc></sitemap></sitemapindex>",
      ),
    "/a.xml": () =>
      new Response("<urlset><url><loc>/1</loc></url><url><loc>/2</loc></url></urlset>"),
    "/cut.xml": () =>
      new Response("<urlset><url><loc>/2</loc></url><url><loc>/3 & more</loc></url>"),
  });
}

for (const format of ["text", "csv", "ndjson", "json"]) {
  Deno.test(`--sitemaps -f ${format} writes a row for each sitemap`, async () => {
    await using server = mixedSite();
    const { code, stdout, stderr } = await runCli([
      "ls",
      "-k",
      "--sitemaps",
      "-f",
      format,
      server.url,
    ]);
    assertEquals(code, 3);
    assertMatch(stderr, /^partial: 3 sitemaps, 4 pages, 1 invalid, /);
    // The port has more or fewer digits, which moves the columns.
    const text = normalized(stdout, server.url);
    await assertGolden(`mixed_sitemaps_${format}`, text.replace(/(?<=\S)  +/g, "  "));
  });
}

Deno.test("-f events --notes keeps notes, and only they differ", async () => {
  await using server = mixedSite();
  const run = async (...args: string[]) => {
    const { stdout } = await runCli(["ls", "-k", "-f", "events", ...args, server.url]);
    const events = timeless(stdout).replaceAll(/,"notes":\{[^}]*\}/g, "").trimEnd().split("\n");
    return events.map((line) => JSON.parse(line));
  };
  const noted = await run("--notes");
  const notes = noted.filter(({ type }) => type === "note");
  const codes = new Set(notes.map(({ code }) => code));
  assert(codes.has("namespace") && codes.has("robots-txt"), [...codes].join());
  assertEquals(noted.filter((event) => !notes.includes(event)), await run());
});

Deno.test("--sitemaps --strip-url aligns its columns", async () => {
  await using server = mixedSite();
  const { stdout } = await runCli(["ls", "-ku", "--sitemaps", server.url]);
  await assertGolden("mixed_sitemaps_stripped", normalized(stdout, server.url));
});

Deno.test("ndjson, json and csv name the sitemap of each page, csv has all columns on request", async () => {
  await using server = mixedSite();
  const run = async (...args: string[]) =>
    (await runCli(["ls", "-k", ...args, server.url])).stdout.replaceAll(server.url, "/");
  const sitemaps = ["/a.xml", "/a.xml", "/cut.xml", "/cut.xml"];
  const lines = (await run("-f", "ndjson")).trimEnd().split("\n");
  assertEquals(lines.map((line) => JSON.parse(line).sitemap), sitemaps);
  const array: { sitemap: string }[] = JSON.parse(await run("-f", "json"));
  assertEquals(array.map(({ sitemap }) => sitemap), sitemaps);
  const usual = (await run("-f", "csv")).split("\r\n");
  assertEquals(usual[1]?.split(",").at(-1), "/a.xml");
  const rows = (await run("-f", "csv", "--columns", "sitemap,url")).split("\r\n");
  assertEquals(rows.slice(0, 2), ["sitemap,url", "/a.xml,/1"]);
  const all = (await run("-f", "csv", "--columns", "all")).split("\r\n");
  assertEquals(all[0], [...CSV_COLUMNS, "site"].join(","));
});

Deno.test("csv shows where a sitemap redirects from, and the date in its index", async () => {
  await using server = mixedSite();
  const columns = "url,sitemap.requestedUrl,sitemap.lastModified";
  const { stdout } = await runCli(["ls", "-k", "-f", "csv", "--columns", columns, server.url]);
  assertEquals(stdout.replaceAll(server.url, "/").split("\r\n").slice(1, 2), [
    "/1,,2024-05-01",
  ]);
  await using moved = serveRoutes({
    "/robots.txt": () => new Response("Sitemap: /old.txt\n"),
    "/old.txt": () => new Response(null, { status: 301, headers: { location: "/new.txt" } }),
    "/new.txt": () => new Response("https://a.test/a\n"),
  });
  const other = await runCli(["ls", "-k", "-f", "csv", "--columns", columns, moved.url]);
  assertEquals(other.stdout.split("\r\n")[1], `https://a.test/a,${moved.url}old.txt,`);
});

test("ls prints formats, columns and the limit of XML as in the transcript", async (folder) => {
  for (const name of ["one", "two"]) {
    const urls = Array.from({ length: 30_000 }, (_, at) => `https://a.test/${name}/${at}\n`);
    await Deno.writeTextFile(`${folder}/${name}.txt`, urls.join(""));
  }
  await using server = mixedSite();
  const options = { ...ALL, cwd: folder };
  const commands = [
    ["ls", "-k", "-o", "pages.parquet", server.url],
    ["ls", "-k", "-f", "pages", "--unique", server.url],
    ["ls", "-k", "-f", "csv", "--columns", "url,sitmap", server.url],
    ["ls", "-k", "-f", "xml", server.url],
    ["ls", "-f", "xml", "--concurrency", "1", "-o", "all.xml", "./one.txt", "./two.txt"],
    ["ls", "-qf", "xml", "-o", "quiet.xml", "./one.txt", "./two.txt"],
    ["report", "-f", "yaml", server.url],
  ];
  await assertTranscript(
    "formats",
    { site: server.url },
    commands.map((args) => ({ args, options })),
  );
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
  assertEquals(names, ["all.xml", "one.txt", "quiet.xml", "two.txt"]);
  for (const name of ["all.xml", "quiet.xml"]) {
    const text = await Deno.readTextFile(`${folder}/${name}`);
    assertEquals(text.match(/<loc>/g)?.length, 60_000);
    assertStringIncludes(text, "</urlset>\n");
  }
});

Deno.test("--columns help lists the columns on standard output, without a URL", async () => {
  const { code, stdout, stderr } = await runCli(["ls", "--columns", "help"], { permissions: [] });
  assertEquals({ code, stderr }, { code: 0, stderr: "" });
  await assertGolden("columns_help", stdout);
});
