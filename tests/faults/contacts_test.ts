import { assertEquals, assertStringIncludes } from "@std/assert";
import { lookup } from "node:dns/promises";
import type { WalkOptions } from "../../mod.ts";
import { type HostsPolicy, resolvesToPrivate } from "../../src/http/hosts.ts";
import { redirect, ScriptedFetch, text } from "../http/scripted_fetch.ts";
import { FaultServer, ok, status } from "../support/fault_server.ts";
import { eventsOf, summaryOf, summaryOfEvents } from "./summary.ts";

const HOMEPAGE = "https://example.com/";
const ROBOTS = `${HOMEPAGE}robots.txt`;
const OPTIONS: WalkOptions = { useKnownPaths: false, retries: 0 };

/** Private addresses, which a public website must not make us contact. */
const PRIVATE: readonly string[] = [
  "http://localhost/s.xml",
  "http://2130706433/s.xml", // decimal
  "http://169.254.169.254/latest/meta-data/", // link-local, metadata of clouds
  "http://[::ffff:127.0.0.1]/s.xml", // IPv4-mapped
];

for (const address of PRIVATE) {
  Deno.test(`walk() of a public site does not contact ${address}`, async () => {
    const index = `<sitemapindex><sitemap><loc>${address}?child</loc></sitemap></sitemapindex>`;
    const web = new ScriptedFetch({
      [ROBOTS]: text(`Sitemap: ${address}\nSitemap: /index.xml\nSitemap: /moved.xml`),
      [`${HOMEPAGE}index.xml`]: text(index),
      [`${HOMEPAGE}moved.xml`]: redirect("further.xml"),
      [`${HOMEPAGE}further.xml`]: redirect(address),
    });
    const events = await eventsOf(HOMEPAGE, { ...OPTIONS, fetch: web.fetch });
    assertEquals(web.urls.filter((url) => !url.startsWith(HOMEPAGE)), []);
    const codes = events.flatMap((event) => event.type === "invalid" ? [event.code] : []);
    assertEquals(codes, ["blocked", "blocked", "blocked"]);
    assertEquals(summaryOfEvents(events).verdict, "partial");
  });
}

Deno.test("walk() of a private site contacts private hosts, unless that is forbidden", async () => {
  await using other = new FaultServer({
    "/s.xml": ok("<urlset><url><loc>/a</loc></url></urlset>"),
  });
  await using server = new FaultServer({
    "/robots.txt": ok(`Sitemap: ${other.origin}/s.xml`),
  });
  assertEquals((await summaryOf(server.url, OPTIONS)).pages, ["/a"]);
  const before = [server.requests.length, other.requests.length];
  const strict = { ...OPTIONS, useKnownPaths: true, allowPrivateNetwork: false };
  const { verdict, warnings } = await summaryOf(server.url, strict);
  assertEquals([verdict, warnings], ["blocked", ["probe-failed", "robots-unreadable"]]);
  assertEquals([server.requests.length, other.requests.length], before, "no request was made");
  await server.idle();
  await other.idle();
});

Deno.test("walk() reads pages on hosts of any length", async () => {
  const long = `https://${"a.".repeat(1000)}example/page`;
  const fetch = new ScriptedFetch({ "*": text(long) }).fetch;
  const events = await eventsOf(HOMEPAGE, { ...OPTIONS, fetch, sitemaps: [`${HOMEPAGE}s.txt`] });
  assertEquals(events.flatMap((event) => event.type === "page" ? [event.page.url] : []), [long]);
});

Deno.test("walk() shortens content of a site in messages", async () => {
  const long = "x".repeat(100_000);
  const web = new ScriptedFetch({
    [ROBOTS]: text("Sitemap: /a.xml\nSitemap: /b.xml\nSitemap: /c.xml\nSitemap: /d.xml"),
    [`${HOMEPAGE}a.xml`]: redirect(`ftp://${long}/`),
    [`${HOMEPAGE}b.xml`]: redirect(`http://[${long}`),
    [`${HOMEPAGE}c.xml`]: redirect(`?${long}`),
    [`${HOMEPAGE}c.xml?${long}`]: redirect("c.xml"),
    [`${HOMEPAGE}d.xml`]: text(
      `<urlset><url><loc>mailto:${long}</loc><lastmod>${long}</lastmod><priority>${long}</priority>` +
        `<changefreq>${long}</changefreq></url><${long}></${long}></${long}a></urlset>`,
    ),
  });
  const events = await eventsOf(HOMEPAGE, { ...OPTIONS, fetch: web.fetch });
  let messages = 0;
  for (const event of events) {
    if (event.type !== "invalid" && event.type !== "warning") continue;
    const { length } = event.type === "invalid" ? event.reason : event.message;
    assertEquals(length < 600, true, `${length} characters`);
    messages++;
  }
  assertEquals(messages > 6, true);
});

Deno.test("walk() resolves names before requests by the fetch of the runtime", async () => {
  // the host name of this machine has a private address, a public one, or none
  const name = Deno.hostname();
  const addresses = await lookup(name, { all: true }).catch(() => []);
  const isPrivate = addresses.length > 0 &&
    await resolvesToPrivate(
      "a.test",
      () => Promise.resolve(addresses.map((found) => found.address)),
    );
  await using server = new FaultServer({ "*": ok("Sitemap: /s.xml") });
  const homepage = `http://${name}:${new URL(server.url).port}/`;
  const events = await eventsOf(homepage, { ...OPTIONS, allowPrivateNetwork: false });
  const [message] = events.flatMap((event) => event.type === "warning" ? [event.message] : []);
  assertStringIncludes(message, isPrivate ? "resolves to a private network" : "fetch failed");
  assertEquals(server.accepted, 0);
});

/** Policies with the hosts that they allow and refuse. */
const POLICIES: readonly (readonly [HostsPolicy, allowed: string, refused: string])[] = [
  ["same-host", "http://example.com", "https://www.example.com"],
  ["same-site", "https://a.b.example.com:8443", "https://notexample.com"],
  [({ hostname }) => /^(example|cdn)\.test$/.test(hostname), "https://cdn.test", "https://cdn.com"],
];

for (const [hosts, allowed, refused] of POLICIES) {
  const name = typeof hosts === "string" ? `"${hosts}"` : "of the caller's own";
  Deno.test(`hosts policy ${name} applies to declared sitemaps, children and redirects`, async () => {
    const own = typeof hosts === "string" ? "https://example.com" : "https://example.test";
    for (const host of [allowed, refused]) {
      const others = ["declared", "child", "redirect", "hop"].map((path) => `${host}/${path}`);
      const index = `<sitemapindex><sitemap><loc>${others[1]}</loc></sitemap></sitemapindex>`;
      const web = new ScriptedFetch({
        [`${own}/robots.txt`]: text(
          `Sitemap: ${others[0]}\nSitemap: /i.xml\nSitemap: /r.xml\nSitemap: /rr.xml`,
        ),
        [`${own}/i.xml`]: text(index),
        [`${own}/r.xml`]: redirect(others[2]!),
        [`${own}/rr.xml`]: redirect("/rrr.xml"),
        [`${own}/rrr.xml`]: redirect(others[3]!),
      });
      const { invalid } = await summaryOf(own, { ...OPTIONS, hosts, fetch: web.fetch });
      const isAllowed = host === allowed;
      const found = web.urls.filter((url) => others.includes(url));
      assertEquals(found.sort(), isAllowed ? others.sort() : [], host);
      const codes = new Set(Object.values(invalid));
      assertEquals([...codes], [isAllowed ? "http-status" : "blocked"], host);
    }
  });
}

Deno.test("walk() makes no requests by other schemes than http and https", async () => {
  const addresses = [
    "ftp://example.com/s.xml",
    "file:///etc/passwd",
    "data:text/plain,https://example.com/a",
    "javascript:alert(1)",
    "ws://example.com/s.xml",
    "blob:https://example.com/1",
    "//user@/s.xml",
  ];
  const web = new ScriptedFetch({
    [ROBOTS]: text(
      addresses.map((address, at) => `Sitemap: ${address}\nSitemap: /r${at}.xml\n`).join("") +
        "Sitemap: /i.xml",
    ),
    [`${HOMEPAGE}i.xml`]: text(
      `<sitemapindex>${addresses.map((address) => `<sitemap><loc>${address}</loc></sitemap>`)}` +
        "</sitemapindex>",
    ),
    ...Object.fromEntries(
      addresses.map((address, at) => [`${HOMEPAGE}r${at}.xml`, redirect(address)]),
    ),
  });
  const { invalid, verdict } = await summaryOf(HOMEPAGE, { ...OPTIONS, fetch: web.fetch });
  assertEquals(web.urls.filter((url) => !url.startsWith(HOMEPAGE)), []);
  assertEquals(Object.keys(invalid).length, addresses.length);
  assertEquals([...new Set(Object.values(invalid))], ["redirect"]);
  assertEquals(verdict, "partial");
});

Deno.test("walk() keeps no cookies", async () => {
  const cookie = { "Set-Cookie": "id=1; Path=/" };
  await using server = new FaultServer({
    "/robots.txt": ok("Sitemap: {{origin}}/a.xml\nSitemap: {{origin}}/b.xml", cookie),
    "/a.xml": status(503, cookie),
    "/b.xml": ok("<urlset/>", cookie),
  });
  await summaryOf(server.url, { ...OPTIONS, retries: 2, retryDelay: 1 });
  const cookies = server.requests.map(({ headers }) => headers.get("cookie"));
  assertEquals(cookies, [null, null, null, null, null]);
});
