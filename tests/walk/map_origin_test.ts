import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { type RequestReport, walk, type WalkOptions } from "../../mod.ts";
import { resolveOptions } from "../../src/walk/options.ts";
import {
  type Answer,
  redirect,
  type Script,
  ScriptedFetch,
  status,
  text,
} from "../http/scripted_fetch.ts";
import { serveRoutes } from "../support/fixture_server.ts";
import { finishedOf, HOME, index, outline, robots, urlset } from "./walk_support.ts";

const PREVIEW = "http://localhost:8081";
const MAP = { mapOrigin: { "https://site.test": PREVIEW } };

/** Walks a site whose requests are answered from a script, by their full URLs. */
async function mapped(script: Script, options: WalkOptions = MAP) {
  const scripted = new ScriptedFetch(script);
  const reports: RequestReport[] = [];
  const events = await Array.fromAsync(walk(HOME, {
    fetch: scripted.fetch,
    retryDelay: 0,
    useKnownPaths: false,
    onRequest: (report) => void reports.push(report),
    ...options,
  }));
  return { events, outline: outline(events), scripted, reports };
}

Deno.test("walk() sends requests to the mapped origin, and reports them under the first", async () => {
  const { outline, scripted, reports } = await mapped({
    [`${PREVIEW}/robots.txt`]: text(robots("/index.xml?a=1&b", "https://other.test/x.xml")),
    [`${PREVIEW}/index.xml?a=1&b`]: text(index("/s%20p.xml")),
    [`${PREVIEW}/s%20p.xml`]: text(urlset("/1")),
    "https://other.test/x.xml": text(urlset("/2")),
  });
  assertEquals(outline, [
    "entered /",
    "entered /robots.txt",
    "entered /index.xml?a=1&b",
    "entered /s%20p.xml",
    "page /1",
    "left /s%20p.xml",
    "left /index.xml?a=1&b",
    "entered https://other.test/x.xml",
    "page /2",
    "left https://other.test/x.xml",
    "left /robots.txt",
    "left /",
    "finished complete",
  ]);
  assertEquals(scripted.urls.toSorted(), [
    `${PREVIEW}/index.xml?a=1&b`,
    `${PREVIEW}/robots.txt`,
    `${PREVIEW}/s%20p.xml`,
    "https://other.test/x.xml",
  ]);
  assertEquals(reports.filter(({ url }) => url.startsWith(PREVIEW)), []);
});

/** Redirects of a sitemap of a mapped site: location, then where it leads, if it is followed. */
const REDIRECTS: readonly (readonly [location: string, url: string, requested: string])[] = [
  [`${PREVIEW}/new.xml`, "/new.xml", `${PREVIEW}/new.xml`],
  ["/new.xml", "/new.xml", `${PREVIEW}/new.xml`],
  [`${PREVIEW}/new.xml?a#b`, "/new.xml?a", `${PREVIEW}/new.xml?a`],
  ["https://site.test/new.xml", "/new.xml", `${PREVIEW}/new.xml`],
  [
    "http://localhost:8082/new.xml",
    "https://www.site.test/new.xml",
    "http://localhost:8082/new.xml",
  ],
  ["https://other.test/new.xml", "https://other.test/new.xml", "https://other.test/new.xml"],
];

for (const [location, url, requested] of REDIRECTS) {
  Deno.test(`walk() maps the redirect of a mapped sitemap to ${location}`, async () => {
    const { events, outline, scripted, reports } = await mapped({
      [`${PREVIEW}/robots.txt`]: text(robots("/old.xml")),
      [`${PREVIEW}/old.xml`]: redirect(location),
      [requested]: text(urlset("/1")),
    }, { mapOrigin: { ...MAP.mapOrigin, "https://www.site.test": "http://localhost:8082" } });
    assertEquals(outline.slice(2, 5), [`entered ${url}`, "page /1", `left ${url}`]);
    assertEquals(scripted.urls, [`${PREVIEW}/robots.txt`, `${PREVIEW}/old.xml`, requested]);
    const [entered] = events.filter((event) => event.type === "page");
    assertEquals(entered?.sitemap.requestedUrl, "https://site.test/old.xml");
    assertEquals(
      reports.filter(({ phase }) => phase === "redirect").map(({ location }) => location),
      [new URL(url, HOME).href],
    );
  });
}

Deno.test("a redirect that fetch followed by itself is mapped back", async () => {
  const followed: Answer = () => {
    const response = new Response(urlset("/1"));
    Object.defineProperty(response, "redirected", { value: true });
    return Object.defineProperty(response, "url", { value: `${PREVIEW}/new.xml` });
  };
  const { events } = await mapped({
    [`${PREVIEW}/robots.txt`]: text(robots("/old.xml")),
    [`${PREVIEW}/old.xml`]: followed,
  });
  const [page] = events.filter((event) => event.type === "page");
  assertEquals(
    [page?.sitemap.url, page?.sitemap.requestedUrl],
    ["https://site.test/new.xml", "https://site.test/old.xml"],
  );
});

Deno.test("a redirect of another host to the mapped origin is not mapped back", async () => {
  const { events, scripted } = await mapped({
    [`${PREVIEW}/robots.txt`]: text(robots("https://other.test/x.xml")),
    "https://other.test/x.xml": redirect(`${PREVIEW}/secret.xml`),
  });
  const [invalid] = events.filter((event) => event.type === "invalid");
  assertMatch(`${invalid?.code} ${invalid?.reason}`, /^blocked .*private network/);
  assertEquals(scripted.urls, [`${PREVIEW}/robots.txt`, "https://other.test/x.xml"]);
});

Deno.test("a loop of redirects by way of the mapped origin is recognised", async () => {
  const { events } = await mapped({
    [`${PREVIEW}/robots.txt`]: text(robots("/old.xml")),
    [`${PREVIEW}/old.xml`]: redirect("https://site.test/old.xml"),
  });
  const [invalid] = events.filter((event) => event.type === "invalid");
  assertEquals(invalid?.reason, 'Redirect loop at "https://site.test/old.xml"');
});

Deno.test("retries of a mapped sitemap go to the mapped origin", async () => {
  const { outline, scripted, events } = await mapped({
    [`${PREVIEW}/robots.txt`]: [status(500), text(robots("/s.xml"))],
    [`${PREVIEW}/s.xml`]: [status(503), status(502), text(urlset("/1"))],
  });
  assertEquals(outline[3], "page /1");
  assertEquals(scripted.counts, { [`${PREVIEW}/robots.txt`]: 2, [`${PREVIEW}/s.xml`]: 3 });
  assertEquals(finishedOf(events).stats.retries, 3);
});

Deno.test("robots.txt, hosts and credentials are those of the first origin", async () => {
  const { scripted, outline } = await mapped({
    [`${PREVIEW}/robots.txt`]: text(
      `${robots("/no.xml", "/s.xml", "https://cdn.test/s.xml")}User-agent: *\nDisallow: /no`,
    ),
    [`${PREVIEW}/s.xml`]: text(urlset("/1")),
  }, {
    ...MAP,
    hosts: "same-host",
    respectRobots: true,
    headers: { authorization: "Basic eDp5", "x-trace": "1" },
  });
  assertEquals(scripted.urls, [`${PREVIEW}/robots.txt`, `${PREVIEW}/s.xml`]);
  assertEquals(scripted.requests.map(({ headers }) => headers.get("authorization")), [
    "Basic eDp5",
    "Basic eDp5",
  ]);
  assertEquals(outline.filter((line) => line.startsWith("invalid")), [
    "invalid blocked /no.xml",
    "invalid blocked https://cdn.test/s.xml",
  ]);
});

Deno.test("credentials are not sent to the target of another origin than the homepage's", async () => {
  const { scripted } = await mapped({
    "https://site.test/robots.txt": text(robots("https://cdn.test/s.xml")),
    [`${PREVIEW}/s.xml`]: text(urlset("/1")),
  }, { mapOrigin: { "https://cdn.test": PREVIEW }, headers: { authorization: "Basic eDp5" } });
  assertEquals(scripted.requests.map(({ headers }) => headers.get("authorization")), [
    "Basic eDp5",
    null,
  ]);
});

Deno.test("a name that does not resolve is walked on a private target, with its Host header", async () => {
  const hosts: (string | null)[] = [];
  await using server = serveRoutes({
    "/robots.txt": (request) => {
      hosts.push(request.headers.get("host"));
      return new Response(robots("/s.xml"));
    },
    "/s.xml": () => Response.redirect(`${server.url}t.xml`),
    "/t.xml": () => new Response(urlset("/1")),
  });
  const options = { useKnownPaths: false, mapOrigin: { "https://site.test": server.origin } };
  const events = await Array.fromAsync(walk(HOME, options));
  assertEquals(outline(events).slice(1, 4), ["entered /robots.txt", "entered /t.xml", "page /1"]);
  assertEquals(hosts, [new URL(server.url).host]);
  const strict = { ...options, allowPrivateNetwork: false };
  assertEquals(finishedOf(await Array.fromAsync(walk(HOME, strict))).verdict, "complete");
});

Deno.test("origins are compared as the URL parser serialises them", () => {
  const spellings = {
    "HTTPS://Site.test:443": "http://LOCALHOST:80/",
    "http://bücher.test": "https://[::1]:8443",
  };
  assertEquals(resolveOptions({ mapOrigin: spellings }).mapOrigin, {
    "https://site.test": "http://localhost",
    "http://xn--bcher-kva.test": "https://[::1]:8443",
  });
});

Deno.test("walk() rejects an invalid origin with its text", async () => {
  const mapOrigin = { "https://site.test/docs": PREVIEW };
  await assertRejects(
    () => walk(HOME, { mapOrigin }).next(),
    TypeError,
    'Cannot use option "mapOrigin": "https://site.test/docs" is not an http(s) origin such as ' +
      "https://example.com",
  );
});
