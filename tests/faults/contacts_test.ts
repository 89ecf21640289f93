import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { lookup } from "node:dns/promises";
import type { Fetch, WalkOptions } from "../../mod.ts";
import { type HostsPolicy, resolvesToPrivate } from "../../src/http/hosts.ts";
import { FaultServer, ok, redirect, status } from "../support/fault_server.ts";
import { eventsOf, summaryOf, summaryOfEvents } from "./summary.ts";

/** A scripted web: documents and redirects by URL. */
class Web {
  readonly asked: string[] = [];
  readonly #pages: Readonly<Record<string, string>>;
  readonly #redirects: Readonly<Record<string, string>>;

  constructor(pages: Record<string, string>, redirects: Record<string, string> = {}) {
    this.#pages = pages;
    this.#redirects = redirects;
  }

  readonly fetch: Fetch = (url) => {
    this.asked.push(url);
    const target = this.#redirects[url];
    if (target !== undefined) {
      // headers are ASCII; the URL parser takes the percent signs out of hosts again
      const location = /\P{ASCII}/u.test(target) ? encodeURI(target) : target;
      return Promise.resolve(new Response(null, { status: 302, headers: { location } }));
    }
    const text = this.#pages[url];
    return Promise.resolve(new Response(text ?? null, { status: text === undefined ? 404 : 200 }));
  };
}

const HOMEPAGE = "https://example.com/";
const ROBOTS = `${HOMEPAGE}robots.txt`;
const OPTIONS: WalkOptions = { useKnownPaths: false, retries: 0 };

/** Private addresses, which a public website must not make us contact. */
const PRIVATE: readonly string[] = [
  "http://localhost/s.xml",
  "http://LOCALHOST./s.xml",
  "http://printer.local/s.xml",
  "http://metadata.google.internal/s.xml",
  "http://127.0.0.1/s.xml",
  "http://127.1/s.xml",
  "http://2130706433/s.xml", // decimal
  "http://0177.0.0.1/s.xml", // octal
  "http://0x7f.0.0.1/s.xml", // hex
  "http://0x7f000001/s.xml",
  "http://０x7f.1/s.xml", // a full-width digit
  "http://%31%32%37.0.0.1/s.xml",
  "http://127。0。0。1/s.xml", // full stops that the URL parser knows
  "http://0/s.xml",
  "http://10.0.0.1:8080/s.xml",
  "http://172.31.255.255/s.xml",
  "http://192.168.1.1/s.xml",
  "http://169.254.169.254/latest/meta-data/", // link-local, metadata of clouds
  "http://100.64.0.1/s.xml", // CGNAT
  "http://224.0.0.1/s.xml", // multicast
  "http://255.255.255.255/s.xml",
  "http://[::]/s.xml",
  "http://[::1]/s.xml",
  "http://[::ffff:127.0.0.1]/s.xml", // IPv4-mapped
  "http://[::ffff:7f00:1]/s.xml",
  "http://[64:ff9b::7f00:1]/s.xml", // NAT64
  "http://[fe80::1]/s.xml",
  "http://[fd00::1]/s.xml",
  "http://[ff02::1]/s.xml",
];

for (const address of PRIVATE) {
  Deno.test(`walk() of a public site does not contact ${address}`, async () => {
    const index = `<sitemapindex><sitemap><loc>${address}?child</loc></sitemap></sitemapindex>`;
    const web = new Web({
      [ROBOTS]: `Sitemap: ${address}\nSitemap: /index.xml\nSitemap: /moved.xml`,
      [`${HOMEPAGE}index.xml`]: index,
    }, {
      [`${HOMEPAGE}moved.xml`]: `${HOMEPAGE}further.xml`,
      [`${HOMEPAGE}further.xml`]: address,
    });
    const events = await eventsOf(HOMEPAGE, { ...OPTIONS, fetch: web.fetch });
    assertEquals(web.asked.filter((url) => !url.startsWith(HOMEPAGE)), []);
    const codes = events.flatMap((event) => event.type === "invalid" ? [event.code] : []);
    assertEquals(codes, ["blocked", "blocked", "blocked"]);
    assertEquals(summaryOfEvents(events).verdict, "partial");
  });
}

Deno.test("walk() of a public site contacts private hosts if that is allowed", async () => {
  const web = new Web({
    [ROBOTS]: "Sitemap: http://127.0.0.1/s.xml",
    "http://127.0.0.1/s.xml": "<urlset><url><loc>/a</loc></url></urlset>",
  });
  const options = { ...OPTIONS, fetch: web.fetch, allowPrivateNetwork: true };
  assertEquals((await summaryOf(HOMEPAGE, options)).pages, ["/a"]);
});

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

Deno.test("walk() contacts no host of more than 253 characters, declared or redirected to", async () => {
  const long = `https://${"a.".repeat(126)}example/s.xml`;
  const web = new Web({ [ROBOTS]: `Sitemap: ${long}\nSitemap: /moved.xml` }, {
    [`${HOMEPAGE}moved.xml`]: long,
  });
  const events = await eventsOf(HOMEPAGE, { ...OPTIONS, fetch: web.fetch });
  assertEquals(web.asked, [ROBOTS, `${HOMEPAGE}moved.xml`]);
  const found = events.flatMap((event) => event.type === "invalid" ? [event] : []);
  assertEquals(found.map(({ code, reason }) => [code, reason]), [
    ["blocked", "Host name has more than 253 characters"],
    ["blocked", "Host name has more than 253 characters"],
  ]);
});

Deno.test("walk() reads pages on hosts of any length", async () => {
  const long = `https://${"a.".repeat(1000)}example/page`;
  const web = new Web({
    [ROBOTS]: "Sitemap: /s.xml",
    [`${HOMEPAGE}s.xml`]: `<urlset><url><loc>${long}</loc></url></urlset>`,
  });
  const events = await eventsOf(HOMEPAGE, { ...OPTIONS, fetch: web.fetch });
  assertEquals(events.flatMap((event) => event.type === "page" ? [event.page.url] : []), [long]);
});

Deno.test("walk() shortens content of a site in messages", async () => {
  const long = "x".repeat(100_000);
  const web = new Web({
    [ROBOTS]: `Sitemap: /a.xml\nSitemap: /b.xml\nSitemap: /c.xml\nSitemap: /d.xml`,
    [`${HOMEPAGE}d.xml`]:
      `<urlset><url><loc>mailto:${long}</loc><lastmod>${long}</lastmod><priority>${long}</priority>` +
      `<changefreq>${long}</changefreq></url><${long}></${long}></${long}a></urlset>`,
  }, {
    [`${HOMEPAGE}a.xml`]: `ftp://${long}/`,
    [`${HOMEPAGE}b.xml`]: `http://[${long}`,
    [`${HOMEPAGE}c.xml`]: `${HOMEPAGE}c.xml?${long}`,
    [`${HOMEPAGE}c.xml?${long}`]: `${HOMEPAGE}c.xml`,
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

interface HostRow {
  readonly hosts: HostsPolicy;
  readonly allowed: readonly string[];
  readonly refused: readonly string[];
}

const HOST_ROWS: readonly HostRow[] = [
  {
    hosts: "any",
    allowed: ["https://example.org/s.xml", "http://93.184.216.34/s.xml"],
    refused: [],
  },
  {
    hosts: "same-host",
    allowed: [
      "https://example.com/s.xml",
      "http://example.com/s.xml",
      "https://EXAMPLE.com./s",
    ],
    refused: [
      "https://www.example.com/s.xml",
      "https://example.com:8443/s.xml",
      "https://example.com.evil.test/s.xml",
      "https://example.com@evil.test/s.xml",
    ],
  },
  {
    hosts: "same-site",
    allowed: ["https://www.example.com/s.xml", "https://a.b.example.com:8443/s.xml"],
    refused: [
      "https://example.org/s.xml",
      "https://example.co.uk/s.xml",
      "https://notexample.com/s.xml",
      "https://com/s.xml",
    ],
  },
  {
    hosts: (url) => url.hostname.endsWith(".cdn.test"),
    allowed: ["https://a.cdn.test/s.xml"],
    refused: ["https://cdn.test.evil.test/s.xml", "https://a.cdn.test.evil.test/s.xml"],
  },
];

for (const { hosts, allowed, refused } of HOST_ROWS) {
  const name = typeof hosts === "string" ? `"${hosts}"` : "of the caller's own";
  Deno.test(`hosts policy ${name} applies to declared sitemaps, children and redirects`, async () => {
    for (const [targets, isAllowed] of [[allowed, true], [refused, false]] as const) {
      for (const target of targets) await checkPolicy(hosts, target, isAllowed);
    }
  });
}

/** Declares `target`, lists it in an index, redirects to it, and redirects twice to it. */
async function checkPolicy(hosts: HostsPolicy, target: string, isAllowed: boolean): Promise<void> {
  const own = "https://example.com";
  const index = `<sitemapindex><sitemap><loc>${target}?child</loc></sitemap></sitemapindex>`;
  const bare = new URL(target);
  bare.username = "";
  const web = new Web({
    [ROBOTS]: `Sitemap: ${target}\nSitemap: ${own}/i.xml\nSitemap: ${own}/r.xml\n` +
      `Sitemap: ${own}/rr.xml`,
    [`${own}/i.xml`]: index,
  }, {
    [`${own}/r.xml`]: `${target}?redirect`,
    [`${own}/rr.xml`]: `${own}/rrr.xml`,
    [`${own}/rrr.xml`]: `${target}?hop`,
  });
  const ownPolicy: HostsPolicy = typeof hosts === "function"
    ? (url) => url.hostname === "example.com" || hosts(url)
    : hosts;
  const { invalid } = await summaryOf(HOMEPAGE, { ...OPTIONS, hosts: ownPolicy, fetch: web.fetch });
  const expected = ["", "?child", "?redirect", "?hop"].map((query) => bare.href + query);
  const found = web.asked.filter((url) => expected.includes(url));
  assertEquals(found.sort(), isAllowed ? expected.sort() : [], target);
  const codes = new Set(Object.values(invalid));
  assertEquals([...codes], [isAllowed ? "http-status" : "blocked"], target);
}

Deno.test("walk() throws the error of a hosts policy, without a request", async () => {
  const web = new Web({});
  const failing = () => {
    throw new RangeError("mine");
  };
  const options = { ...OPTIONS, retryDelay: 0, fetch: web.fetch, hosts: failing };
  await assertRejects(() => eventsOf(HOMEPAGE, options), RangeError, "mine");
  assertEquals(web.asked, []);
});

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
  const web = new Web({
    [ROBOTS]: addresses.map((address) => `Sitemap: ${address}`).join("\n") +
      "\nSitemap: /i.xml\n" + addresses.map((_, at) => `Sitemap: /r${at}.xml`).join("\n"),
    [`${HOMEPAGE}i.xml`]: "<sitemapindex>" +
      addresses.map((address) => `<sitemap><loc>${address}</loc></sitemap>`).join("") +
      "</sitemapindex>",
  }, Object.fromEntries(addresses.map((address, at) => [`${HOMEPAGE}r${at}.xml`, address])));
  const { invalid, verdict } = await summaryOf(HOMEPAGE, { ...OPTIONS, fetch: web.fetch });
  assertEquals(web.asked.filter((url) => !url.startsWith(HOMEPAGE)), []);
  assertEquals(Object.keys(invalid).length, addresses.length);
  assertEquals([...new Set(Object.values(invalid))], ["redirect"]);
  assertEquals(verdict, "partial");
});

Deno.test("walk() sends credentials only to the origin of the homepage", async () => {
  await using elsewhere = new FaultServer({
    "/s.xml": redirect("/there.xml"),
    "/there.xml": ok("<urlset/>"),
    "/back.xml": ok("<urlset/>"),
  });
  await using server = new FaultServer({
    "/robots.txt": ok(
      `Sitemap: ${elsewhere.origin.replace("//", "//eve:eve@")}/s.xml\n` +
        "Sitemap: {{origin}}/away.xml\nSitemap: {{origin}}/own.xml",
    ),
    "/away.xml": redirect(`${elsewhere.origin}/back.xml`),
    "/own.xml": ok("<urlset/>"),
  });
  const secrets = {
    "authorization": "Bearer 1",
    "cookie": "id=1",
    "proxy-authorization": "Basic 1",
  };
  await summaryOf(server.url, { ...OPTIONS, headers: { ...secrets, "x-plain": "1" } });
  const names = Object.keys(secrets);
  const seenBy = ({ requests }: FaultServer) =>
    requests.map(({ path, headers }) => [
      path,
      names.filter((name) => headers.has(name)).length,
      headers.get("x-plain")?.trim(),
    ]).sort();
  assertEquals(seenBy(elsewhere), [
    ["/back.xml", 0, "1"],
    ["/s.xml", 0, "1"],
    ["/there.xml", 0, "1"],
  ]);
  assertEquals(seenBy(server), [
    ["/away.xml", 3, "1"],
    ["/own.xml", 3, "1"],
    ["/robots.txt", 3, "1"],
  ]);
  await server.idle();
  await elsewhere.idle();
});

Deno.test("walk() sends the user info of the homepage as Authorization, only to its origin", async () => {
  await using elsewhere = new FaultServer({ "/s.xml": ok("<urlset/>") });
  await using server = new FaultServer({
    "/robots.txt": ok(`Sitemap: ${elsewhere.origin}/s.xml`),
  });
  await summaryOf(server.url.replace("//", "//me:p%40ss@"), OPTIONS);
  const authorizationOf = ({ requests }: FaultServer) =>
    requests.map(({ headers }) => headers.get("authorization")?.trim());
  assertEquals(authorizationOf(server), [`Basic ${btoa("me:p@ss")}`]);
  assertEquals(authorizationOf(elsewhere), [undefined]);
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
