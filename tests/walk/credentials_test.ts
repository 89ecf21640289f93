/** Passwords of the caller are in no event, report and error. @module */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { collect, parseSitemap, type RequestReport, walk, type WalkOptions } from "../../mod.ts";
import { openSnapshot, sync } from "../../src/sync/mod.ts";
import { FaultServer, ok, redirect, reset, status } from "../support/fault_server.ts";
import { eventsOf } from "./walked.ts";

const SECRET = "kT9vQ2xW";
const USER = `ann:${SECRET}`;
const HEADERS = { "Cookie": SECRET, "X-Api-Key": SECRET };

function assertWithoutSecret(value: unknown): void {
  const text = `${Deno.inspect(value, { depth: 20 })}${JSON.stringify(value)}`;
  assert(!text.includes(SECRET) && !text.includes(btoa(USER)), text.slice(0, 2000));
}

function siteOf({ url }: FaultServer): string {
  return url.replace("//", `//${USER}@`);
}

const SITE = {
  "/robots.txt": ok("Sitemap: {{origin}}/s.xml\nSitemap: /moved\nSitemap: /reset\nSitemap: /403\n"),
  "/s.xml": ok("<urlset><url><loc>/a</loc></url></urlset>"),
  "/moved": redirect("{{origin}}/s.xml"),
  "/reset": reset(),
  "/403": status(403),
};

Deno.test("walk() has no password in events, reports and trees", async () => {
  await using server = new FaultServer(SITE);
  const site = siteOf(server);
  const reports: RequestReport[] = [];
  const options: WalkOptions = {
    headers: HEADERS,
    retryDelay: 0,
    retries: 1,
    onRequest: (report) => reports.push(report),
  };
  for (const more of [{}, { sitemaps: [`${site}s.xml`, new URL("/reset", site)] }]) {
    const events = await Array.fromAsync(walk(`${site}path`, { ...options, ...more }));
    assertWithoutSecret(events);
    assertWithoutSecret((await collect(events)).toJSON());
  }
  assert(reports.length > 0);
  assertWithoutSecret(reports);
  assert(server.requests.some(({ headers }) => headers.get("cookie")?.trim() === SECRET));
});

Deno.test("walk() sends no password of the homepage to another origin", async () => {
  await using other = new FaultServer({ "*": ok("<urlset><url><loc>/a</loc></url></urlset>") });
  await using server = new FaultServer({
    "/robots.txt": ok(`Sitemap: ${siteOf(other)}s.xml\nSitemap: /moved\n`),
    "/moved": redirect(`${siteOf(other)}moved.xml`),
  });
  const options: WalkOptions = { headers: HEADERS, useKnownPaths: false };
  const events = await Array.fromAsync(walk(siteOf(server), options));
  assertWithoutSecret(events);
  assertEquals(other.requests.map(({ path }) => path), ["/s.xml", "/moved.xml"]);
  for (const { headers } of other.requests) {
    for (const name of ["authorization", "cookie", "x-api-key"]) assert(!headers.has(name), name);
  }
});

Deno.test("sync() has no password in events and snapshots", async () => {
  await using server = new FaultServer(SITE);
  const site = siteOf(server);
  const path = await Deno.makeTempFile();
  try {
    {
      await using snapshot = await openSnapshot(path);
      const options = { snapshot, headers: HEADERS, retries: 0, useKnownPaths: false };
      assertWithoutSecret(await Array.fromAsync(sync(site, options)));
      const changesOf = (site: string) => Array.fromAsync(snapshot.changes({ site }));
      const changes = await changesOf(site);
      assertWithoutSecret(changes);
      assertEquals(changes.length, 1);
      assertWithoutSecret(await assertRejects(() => changesOf(`https://${USER}@b/`)));
    }
    assertWithoutSecret(new TextDecoder("latin1").decode(await Deno.readFile(path)));
  } finally {
    await Deno.remove(path);
  }
});

Deno.test("parseSitemap() resolves addresses without user info of its URL", async () => {
  const url = `https://${USER}@a.test/s.xml`;
  const xml = "<urlset><url><loc>/a</loc></url></urlset>";
  const events = await Array.fromAsync(parseSitemap(xml, { url }));
  assertWithoutSecret(events);
  assertEquals(eventsOf(events, "page").map(({ page }) => page.url), ["https://a.test/a"]);
});

Deno.test("no error about an option or a homepage quotes a password", async () => {
  const homepages = [
    `ftp://${USER}@a.test/`,
    `${USER}@a.test`,
    `https://ann:x/${SECRET}@a.test/`,
    `https://${USER}@a.test:99999/`,
  ];
  const failureOf = (homepage: string, options: WalkOptions = {}) =>
    assertRejects(() => walk(homepage, options).next(), Error, "", Deno.inspect(options));
  for (const homepage of homepages) assertWithoutSecret(await failureOf(homepage));
  const options: readonly unknown[] = [
    ...homepages.map((url) => ({ sitemaps: [url] })),
    { sitemaps: [new URL(homepages[0]!)] },
    { sitemaps: homepages[0] },
    { headers: { "Cookie": `${SECRET}\n` + "x" } },
    { headers: [["Cookie", SECRET, "x"]] },
    { headers: { "a cookie": SECRET } },
    { userAgent: `https://${USER}@a.test/\n` + "x" },
    { hosts: `https://${USER}@a.test/` },
  ];
  for (const given of options) {
    assertWithoutSecret(await failureOf("https://a.test/", given as WalkOptions));
  }
});
