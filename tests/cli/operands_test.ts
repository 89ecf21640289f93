/** Operands of every kind, and several of them at once. @module */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { gzipSync } from "node:zlib";
import { FaultServer, ok, silence } from "../support/fault_server.ts";
import { type FixtureServer, type Route, serveRoutes } from "../support/fixture_server.ts";
import { ALL_PERMISSIONS, runCli, startCli } from "./run_cli.ts";
import { index, robots, urlset } from "./sites.ts";
import { type Site, transcripts, withTls } from "./transcript.ts";

const RSS = "<rss><channel><item><link>/story</link></item></channel></rss>";
const HTML = ok("<!doctype html><html><body>Hello</body></html>", { "Content-Type": "text/html" });

/** A site of every kind of sitemap, with more of them than its robots.txt declares. */
const BLOG: Site = {
  "/robots.txt": robots("/post-sitemap1.xml"),
  "/post-sitemap1.xml": urlset("/one"),
  "/post-sitemap2.xml": urlset("/two"),
  "/post-sitemap2.xml?page=1": urlset("/two"),
  "/index.xml": index("/post-sitemap2.xml", "/packed.xml.gz"),
  "/packed.xml.gz": ok(gzipSync(urlset("/three")), { "Content-Type": "application/gzip" }),
  "/feed": ok(RSS, { "Content-Type": "application/rss+xml" }),
  "/pages.txt": "http://pages.test/four\n",
  "/": HTML,
  "/?lang=de": HTML,
  "/blog/": HTML,
  "/blog/about.html": HTML,
  "/blog/sitemap.xml": urlset("/blog/five"),
  "/sitemap.xml": urlset("/six"),
};

const SMALL: Site = { "/sitemap.xml": urlset("/one") };

const CUT = '{"type":"sitemap-entered","sitemap":{"id":0,"type":"PagesXmlSitemap",' +
  '"url":"https://a.test/s.xml","level":0,"parent":null,"index":0}}\n{"type":"pa';

transcripts("operands", {
  every_kind: { sites: { mill: { "/sitemap.xml": urlset("{{origin}}/one", "{{origin}}/two") } } },
  sitemap: { sites: { blog: BLOG, small: BLOG } },
  not_a_sitemap: { sites: { blog: BLOG } },
  known_paths: { sites: { folder: {}, path: {}, file: {}, blog: BLOG } },
  host: {
    sites: {
      plain: SMALL,
      alert: withTls(SMALL, { tls: "alert" }),
      close: withTls(SMALL, { tls: "close" }),
    },
  },
  file: {
    files: {
      "sitemap.xml": urlset("/one"),
      "example.com": urlset("https://in.the.file.test/"),
      "two words.txt": "https://a.test/\n",
      "packed.xml.gz": gzipSync(urlset("https://packed.test/")),
    },
  },
  lists: {
    sites: { one: SMALL, two: { "/sitemap.xml": urlset("/two"), "/s.xml": RSS } },
    files: { "sites.txt": "# sites\nhttp://one.test/\n\n  http://two.test/s.xml  \r\n" },
  },
  saved: { sites: { blog: BLOG } },
  several: {
    sites: {
      full: { "/robots.txt": robots("/s.xml"), "/s.xml": urlset("/one") },
      empty: {},
      partial: { "/robots.txt": robots("/gone.xml", "/s.xml"), "/s.xml": urlset("/two") },
      blocked: { "*": 403 },
    },
  },
  one_document: {
    sites: {
      one: { "/sitemap.xml": urlset("/one", "/1") },
      two: { "/sitemap.xml": urlset("/two") },
      silent: { "*": silence() },
    },
  },
  failure: { sites: { blog: SMALL }, files: { "cut.ndjson": CUT } },
  long_list: {},
});

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 30));
}

/** Counts the requests that several servers are answering. */
class Gauge {
  most = 0;
  mostSites = 0;
  readonly #underWay: string[] = [];

  /** Keeps a request until `isEnough`, or for long enough to notice that it never is. */
  async hold(site: string, isEnough: () => boolean): Promise<void> {
    this.#underWay.push(site);
    this.most = Math.max(this.most, this.#underWay.length);
    this.mostSites = Math.max(this.mostSites, new Set(this.#underWay).size);
    for (let turn = 0; turn < 100 && !isEnough(); turn++) await pause();
    // long enough for more to arrive, if there are more than there should be
    await pause();
    this.#underWay.splice(this.#underWay.indexOf(site), 1);
  }
}

/** A site of six sitemaps that are declared by an index. */
function serveSix(site: string, hold: (path: string) => Promise<void>): FixtureServer {
  const paths = Array.from({ length: 6 }, (_, at) => `/${site}${at}.xml`);
  const held = (body: string): Route => async (_request, path) => {
    await hold(path);
    return new Response(body);
  };
  return serveRoutes({
    "/robots.txt": held("Sitemap: /index.xml\n"),
    "/index.xml": held(index(...paths)),
    ...Object.fromEntries(paths.map((path) => [path, held(urlset(`${path}/page`))])),
  });
}

for (const concurrency of [1, 3, 4, 8]) {
  Deno.test(`several sites share ${concurrency} requests at once`, async () => {
    const gauge = new Gauge();
    const sites = Math.min(concurrency, 3);
    const hold = (site: string) => () => gauge.hold(site, () => gauge.mostSites >= sites);
    await using one = serveSix("a", hold("a"));
    await using two = serveSix("b", hold("b"));
    await using three = serveSix("c", hold("c"));
    const urls = [one.url, two.url, three.url];
    const args = ["ls", "-kf", "pages", `--concurrency=${concurrency}`, ...urls];
    const { code, stdout } = await runCli(args);
    assertEquals([code, stdout.split("\n").length], [0, 19]);
    assert(gauge.most <= concurrency, `${gauge.most} requests at once`);
    assertEquals(gauge.mostSites, sites);
  });
}

Deno.test("the last of several sites has the share of those that ended", async () => {
  const [others, last] = [new Gauge(), new Gauge()];
  let left = 8;
  await using one = serveSix("a", async () => {
    await others.hold("a", () => true);
    left--;
  });
  await using two = serveSix(
    "b",
    (path) =>
      path.endsWith(".txt")
        ? last.hold("b", () => left === 0)
        : last.hold("b", () => last.most >= 4 || !path.startsWith("/b")),
  );
  const args = ["ls", "-kf", "pages", "--concurrency=4", one.url, two.url];
  const { code } = await runCli(args);
  assertEquals([code, last.most], [0, 4]);
});

Deno.test("sites are read one after the other if their output cannot be mixed", async () => {
  const gauge = new Gauge();
  await using one = serveSix("a", () => gauge.hold("a", () => true));
  await using two = serveSix("b", () => gauge.hold("b", () => true));
  const args = ["ls", "-ku", "--concurrency=4", one.url, two.url];
  const { code, stdout } = await runCli(args);
  assertEquals(code, 0);
  assertEquals(gauge.mostSites, 1);
  const pages = [...stdout.matchAll(/\/([ab])\d\.xml\/page/g)].map(([, name]) => name);
  assertEquals(pages.join(""), "aaaaaabbbbbb");
});

Deno.test("Ctrl-C ends all operands, with exit code 130", {
  ignore: Deno.build.os === "windows",
}, async () => {
  const asked = Promise.withResolvers<void>();
  await using silent = new FaultServer({
    "/robots.txt": (wire) => {
      asked.resolve();
      return silence()(wire);
    },
  });
  await using other = serveRoutes({ "/sitemap.xml": () => new Response(urlset("/one")) });
  const child = startCli(["ls", "-f", "pages", "./missing.xml", other.url, silent.url], {
    permissions: ALL_PERMISSIONS,
  });
  await asked.promise;
  child.kill("SIGINT");
  const { code, stderr } = await child.output();
  assertEquals(code, 130);
  assertMatch(new TextDecoder().decode(stderr), /^3 operands: .*\b1 failed\b.*\binterrupted\b/m);
});
