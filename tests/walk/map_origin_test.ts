import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { type RequestReport, walk, type WalkOptions } from "../../mod.ts";
import { resolveWalkOptions } from "../../src/walk/options.ts";
import { followed } from "../http/scripted_fetch.ts";
import { serveRoutes } from "../support/fixture_server.ts";
import { HOME, index, type Pages, robots, urlset } from "./site.ts";
import { walked, walkedFrom } from "./walked.ts";

const PREVIEW = "http://localhost:8081";
const MAP = { mapOrigin: { "https://site.test": PREVIEW } };

/** Walks a site whose requests are answered by {@linkcode PREVIEW}, or by other URLs. */
async function mapped(pages: Pages, options: WalkOptions = MAP) {
  const reports: RequestReport[] = [];
  const onRequest = (report: RequestReport) => void reports.push(report);
  const moved = Object.entries(pages)
    .map(([path, page]) => [path.startsWith("/") ? PREVIEW + path : path, page]);
  const result = await walked(Object.fromEntries(moved), { onRequest, ...options });
  const urls = result.requests.map(({ url }) => url.replace(PREVIEW, "preview:"));
  const authorizations = result.requests.map(({ headers }) => headers.get("authorization"));
  return { result, reports, urls, authorizations };
}

Deno.test("walk() sends requests to the mapped origin, and reports them under the first", async () => {
  const { result, urls, reports } = await mapped({
    "/robots.txt": robots("/index.xml?a=1&b", "https://other.test/x.xml"),
    "/index.xml?a=1&b": index("/s%20p.xml"),
    "/s%20p.xml": urlset("/1"),
    "https://other.test/x.xml": urlset("/2"),
  });
  assertEquals(result.outline, [
    ...["entered /", "entered /robots.txt", "entered /index.xml?a=1&b"],
    ...["entered /s%20p.xml", "page /1", "left /s%20p.xml", "left /index.xml?a=1&b"],
    ...["entered https://other.test/x.xml", "page /2", "left https://other.test/x.xml"],
    ...["left /robots.txt", "left /", "finished complete"],
  ]);
  assertEquals(urls.toSorted(), [
    "https://other.test/x.xml",
    "preview:/index.xml?a=1&b",
    "preview:/robots.txt",
    "preview:/s%20p.xml",
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
    const { result, urls, reports } = await mapped({
      "/robots.txt": robots("/old.xml"),
      "/old.xml": `-> ${location}`,
      [requested]: urlset("/1"),
    }, { mapOrigin: { ...MAP.mapOrigin, "https://www.site.test": "http://localhost:8082" } });
    assertEquals(result.outline.slice(2, 5), [`entered ${url}`, "page /1", `left ${url}`]);
    const target = requested.replace(PREVIEW, "preview:");
    assertEquals(urls, ["preview:/robots.txt", "preview:/old.xml", target]);
    assertEquals(result.of("page")[0]?.sitemap.requestedUrl, "https://site.test/old.xml");
    const redirects = reports.filter(({ phase }) => phase === "redirect");
    assertEquals(redirects.map(({ location }) => location), [new URL(url, HOME).href]);
  });
}

Deno.test("a redirect that fetch followed by itself is mapped back", async () => {
  const { result } = await mapped({
    "/robots.txt": robots("/old.xml"),
    "/old.xml": followed(`${PREVIEW}/new.xml`, urlset("/1")),
  });
  const { url, requestedUrl } = result.of("page")[0]!.sitemap;
  assertEquals([url, requestedUrl], ["https://site.test/new.xml", "https://site.test/old.xml"]);
});

Deno.test("a redirect of another host to the mapped origin is not mapped back", async () => {
  const { result, urls } = await mapped({
    "/robots.txt": robots("https://other.test/x.xml"),
    "https://other.test/x.xml": `-> ${PREVIEW}/secret.xml`,
  });
  const [invalid] = result.of("invalid");
  assertMatch(`${invalid?.code} ${invalid?.reason}`, /^blocked .*private network/);
  assertEquals(urls, ["preview:/robots.txt", "https://other.test/x.xml"]);
});

Deno.test("a loop of redirects by way of the mapped origin is recognised", async () => {
  const site = { "/robots.txt": robots("/old.xml"), "/old.xml": "-> https://site.test/old.xml" };
  const { result } = await mapped(site);
  const [invalid] = result.of("invalid");
  assertEquals(invalid?.reason, 'Redirect loop at "https://site.test/old.xml"');
});

Deno.test("retries of a mapped sitemap go to the mapped origin", async () => {
  const { result, urls } = await mapped({
    "/robots.txt": [500, robots("/s.xml")],
    "/s.xml": [503, 502, urlset("/1")],
  });
  assertEquals(result.outline[3], "page /1");
  assertEquals(urls, [
    ...Array(2).fill("preview:/robots.txt"),
    ...Array(3).fill("preview:/s.xml"),
  ]);
  assertEquals(result.stats.retries, 3);
});

Deno.test("robots.txt, hosts and credentials are those of the first origin", async () => {
  const declared = robots("/no.xml", "/s.xml", "https://cdn.test/s.xml");
  const { result, urls, authorizations } = await mapped({
    "/robots.txt": `${declared}User-agent: *\nDisallow: /no`,
    "/s.xml": urlset("/1"),
  }, {
    ...MAP,
    hosts: "same-host",
    respectRobots: true,
    headers: { authorization: "Basic eDp5", "x-trace": "1" },
  });
  assertEquals(urls, ["preview:/robots.txt", "preview:/s.xml"]);
  assertEquals(authorizations, ["Basic eDp5", "Basic eDp5"]);
  assertEquals(result.invalid, ["blocked /no.xml", "blocked https://cdn.test/s.xml"]);
});

Deno.test("credentials are not sent to the target of another origin than the homepage's", async () => {
  const { authorizations } = await mapped({
    "https://site.test/robots.txt": robots("https://cdn.test/s.xml"),
    "/s.xml": urlset("/1"),
  }, { mapOrigin: { "https://cdn.test": PREVIEW }, headers: { authorization: "Basic eDp5" } });
  assertEquals(authorizations, ["Basic eDp5", null]);
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
  const { outline } = await walkedFrom(HOME, options);
  assertEquals(outline.slice(1, 4), ["entered /robots.txt", "entered /t.xml", "page /1"]);
  assertEquals(hosts, [new URL(server.url).host]);
  const strict = await walkedFrom(HOME, { ...options, allowPrivateNetwork: false });
  assertEquals(strict.verdict, "complete");
});

Deno.test("origins are compared as the URL parser serialises them", () => {
  const spellings = {
    "HTTPS://Site.test:443": "http://LOCALHOST:80/",
    "http://bücher.test": "https://[::1]:8443",
  };
  assertEquals(resolveWalkOptions({ mapOrigin: spellings }).mapOrigin, {
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
