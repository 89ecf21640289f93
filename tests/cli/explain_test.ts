/** `sitetree explain`: where sitemaps were looked for, and why. @module */

import { assert, assertEquals } from "@std/assert";
import { type Answer, FaultServer, ok, redirect, status } from "../support/fault_server.ts";
import { runCli } from "./run_cli.ts";
import { assertTranscript } from "./transcript.ts";

const SITEMAP = "<urlset><url><loc>{{origin}}/a</loc></url></urlset>";

function page(head: string): Answer {
  const fields = { "Content-Type": "text/html" };
  return ok(`<html><head>${head}</head><body>Hello</body></html>`, fields);
}

Deno.test("explain shows where sitemaps were looked for, and why they were used or not", async () => {
  await using servers = new AsyncDisposableStack();
  const serve = (site: Record<string, Answer>) => servers.use(new FaultServer(site));
  const missing = status(404);
  const declared = serve({
    "*": missing,
    "/robots.txt": ok("Sitemap: {{origin}}/s.xml\nSitemap: {{origin}}/sitemap.xml\n"),
    "/s.xml": ok(SITEMAP),
    "/sitemap.xml": ok(SITEMAP),
    "/sitemap_index.xml": redirect("/index.xml"),
    "/index.xml": ok("<sitemapindex><sitemap><loc>{{origin}}/s.xml</loc></sitemap></sitemapindex>"),
    "/sitemap": status(403),
  });
  const home = serve({
    "*": missing,
    "/": page('<link rel="sitemap" href="/shop.xml">'),
    "/shop.xml": ok(SITEMAP),
  });
  const nothing = serve({ "*": missing });
  const refusing = serve({ "*": status(403) });
  const moved = serve({
    "*": missing,
    "/robots.txt": redirect("/static/robots.txt"),
    "/static/robots.txt": ok("Sitemap: {{origin}}/s.xml\n"),
    "/s.xml": page("<title>Not found</title>"),
    "/sitemap_index.xml": redirect("/loop"),
    "/loop": redirect("/sitemap_index.xml"),
    "/": redirect("/welcome"),
    "/welcome": page('<link rel="sitemap" href="/missing.xml">'),
  });
  const sites = {
    declared: declared.url,
    home: home.url,
    nothing: nothing.url,
    refusing: refusing.url,
    moved: moved.url,
  };
  const results = await assertTranscript("explain", sites, [
    ["explain", declared.url],
    ["explain", `${home.url}de/`],
    ["explain", nothing.url],
    ["explain", refusing.url],
    ["explain", moved.url],
    ["explain", "-f", "json", "--no-known", declared.url],
    ["explain"],
    { args: ["explain", "./sitemap.xml"], options: { permissions: ["--allow-read"] } },
    ["explain", "ftp://site.test/"],
  ]);
  assertEquals(results.map(({ code }) => code), [0, 0, 4, 5, 3, 0, 2, 1, 2]);
  for (const { stdout } of results.slice(0, 5)) assert(stdout.split("\n").length <= 24);
});

Deno.test("explain reads a sitemap only until its kind is known", async () => {
  const endless: Answer = async (wire) => {
    await wire.listen();
    await wire.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n<urlset>");
    try {
      for (;;) {
        await wire.send(`<url><loc>${wire.origin}/${"x".repeat(1000)}</loc></url>`);
      }
    } catch {
      // the reader has closed the connection
    }
  };
  await using server = new FaultServer({
    "*": status(404),
    "/robots.txt": ok("Sitemap: {{origin}}/i.xml\nSitemap: {{origin}}/t.xml\n"),
    "/i.xml": ok("<sitemapindex><sitemap><loc>{{origin}}/s.xml</loc></sitemap></sitemapindex>"),
    "/t.xml": ok(SITEMAP),
    "/sitemap.xml": endless,
  });
  const { code, stdout } = await runCli(["explain", "-f", "json", server.url]);
  assertEquals(code, 0);
  const { verdict, requests, discovery } = JSON.parse(stdout);
  assertEquals([verdict, requests], ["complete", server.requests.length]);
  assertEquals([server.counts["/s.xml"], server.counts["/t.xml"]], [undefined, 1]);
  const [found] = discovery.filter(({ url }: { url: string }) => url.endsWith("/sitemap.xml"));
  assertEquals([found.status, found.sitemaps, found.reason], [200, 1, "Sitemap"]);
  // in place of robots.txt as well
  await using other = new FaultServer({ "*": status(404), "/robots.txt": endless });
  const result = await runCli(["explain", "-f", "json", other.url]);
  const [first] = JSON.parse(result.stdout).discovery;
  assertEquals([first.step, first.sitemaps, first.reason], ["robots", 1, "Sitemap"]);
});

/** Sites with documents that are not sitemaps: the verdict, and the sitemaps that could be read. */
const INVALID: Readonly<
  Record<string, readonly [site: Record<string, Answer>, verdict: string, sitemaps: number]>
> = {
  "HTML at a known path": [{ "/sitemap.xml": page("") }, "none", 0],
  "nothing but HTML": [{ "*": page("") }, "none", 0],
  "HTML that is declared": [declaring("/sitemap.xml", { "/sitemap.xml": page("") }), "partial", 0],
  "404 that is declared": [declaring("/sitemap.xml", {}), "partial", 0],
  "an empty one that is declared": [declaring("/s.xml", { "/s.xml": ok("") }), "partial", 0],
  "HTML after a sitemap": [
    declaring("/a.xml /b.xml /c.xml", { "/a.xml": ok(SITEMAP), "/b.xml": page("") }),
    "partial",
    1,
  ],
  "HTML before a sitemap": [
    declaring("/b.xml /a.xml", { "/a.xml": ok(SITEMAP), "/b.xml": page("") }),
    "partial",
    1,
  ],
  "HTML that is declared, and a sitemap at a known path": [
    declaring("/b.xml", { "/sitemap.xml": ok(SITEMAP), "/b.xml": page("") }),
    "partial",
    1,
  ],
  "HTML that the homepage names": [
    { "/": page('<link rel="sitemap" href="/b.xml">'), "/b.xml": page("") },
    "none",
    0,
  ],
  "404 and a sitemap that the homepage names": [
    {
      "/": page('<link rel="sitemap" href="/b.xml"><link rel="sitemap" href="/a.xml">'),
      "/a.xml": ok(SITEMAP),
    },
    "complete",
    1,
  ],
  "a sitemap in place of robots.txt": [{ "/robots.txt": ok(SITEMAP) }, "complete", 1],
};

function declaring(paths: string, site: Record<string, Answer>): Record<string, Answer> {
  const lines = paths.split(" ").map((path) => `Sitemap: {{origin}}${path}\n`);
  return { ...site, "/robots.txt": ok(lines.join("")) };
}

Deno.test("explain counts sitemaps that could be read, as ls does", async () => {
  for (const [what, [site, verdict, sitemaps]] of Object.entries(INVALID)) {
    await using server = new FaultServer({ "*": status(404), ...site });
    const [text, json, events] = await Promise.all([
      runCli(["explain", server.url]),
      runCli(["explain", "-f", "json", server.url]),
      runCli(["ls", "-f", "events", server.url]),
    ]);
    const found = `${sitemaps} ${sitemaps === 1 ? "sitemap" : "sitemaps"} found`;
    assertEquals(/^(\w+: \d+ \w+ found), /m.exec(text.stdout)?.[1], `${verdict}: ${found}`, what);
    const explained = JSON.parse(json.stdout);
    assertEquals([explained.verdict, explained.sitemaps], [verdict, sitemaps], what);
    const finished = JSON.parse(events.stdout.trim().split("\n").at(-1)!);
    assertEquals([finished.verdict, finished.stats.sitemaps], [verdict, sitemaps], what);
    assertEquals([text.code, json.code], [events.code, events.code], what);
  }
});

Deno.test("explain shows the control request of a site that answers all paths alike", async () => {
  await using server = new FaultServer({ "*": page("<title>Welcome</title>") });
  const { code, stdout } = await runCli(["explain", "-q", server.url]);
  assertEquals(code, 4);
  assert(/\ncontrol +200 {2}\/[0-9a-f]{13}\.xml +Answered like a known path/.test(stdout), stdout);
  assertEquals(server.requests.length, 8);
});
