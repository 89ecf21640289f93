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
  const sites = {
    declared: declared.url,
    home: home.url,
    nothing: nothing.url,
    refusing: refusing.url,
  };
  const results = await assertTranscript("explain", sites, [
    ["explain", declared.url],
    ["explain", `${home.url}de/`],
    ["explain", nothing.url],
    ["explain", refusing.url],
    ["explain", "-f", "json", "--no-known", declared.url],
    ["explain"],
    ["explain", "./sitemap.xml"],
    ["explain", "ftp://site.test/"],
  ]);
  assertEquals(results.map(({ code }) => code), [0, 0, 4, 5, 0, 2, 2, 2]);
  for (const { stdout } of results.slice(0, 4)) assert(stdout.split("\n").length <= 24);
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
  assertEquals([server.counts["/s.xml"], server.counts["/t.xml"]], [undefined, undefined]);
  const [found] = discovery.filter(({ url }: { url: string }) => url.endsWith("/sitemap.xml"));
  assertEquals([found.status, found.sitemaps, found.reason], [200, 1, "Sitemap"]);
  // in place of robots.txt as well
  await using other = new FaultServer({ "*": status(404), "/robots.txt": endless });
  const result = await runCli(["explain", "-f", "json", other.url]);
  const [first] = JSON.parse(result.stdout).discovery;
  assertEquals([first.step, first.sitemaps, first.reason], ["robots", 1, "Sitemap"]);
});

Deno.test("explain shows the control request of a site that answers all paths alike", async () => {
  await using server = new FaultServer({ "*": page("<title>Welcome</title>") });
  const { code, stdout } = await runCli(["explain", "-q", server.url]);
  assertEquals(code, 4);
  assert(/\ncontrol +200 {2}\/[0-9a-f]{13}\.xml +Answered like a known path/.test(stdout), stdout);
  assertEquals(server.requests.length, 8);
});
