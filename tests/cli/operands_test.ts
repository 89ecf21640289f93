import { assert, assertEquals, assertMatch } from "@std/assert";
import { parseArguments } from "../../src/cli/arguments.ts";
import { readingPlan } from "../../src/cli/sources.ts";
import { gzipSync } from "node:zlib";
import { FURTHER_PATHS, KNOWN_PATHS } from "../../src/walk/known_paths.ts";
import { FaultServer, ok, silence } from "../support/fault_server.ts";
import { type FixtureServer, type Route, serveRoutes } from "../support/fixture_server.ts";
import { test } from "./folder_cases.ts";
import { ALL_PERMISSIONS, runCli, startCli } from "./run_cli.ts";
import { closedUrl, index, urlset } from "./sites.ts";
import { assertTranscript, transcripts } from "./transcript.ts";

const ALL = { permissions: ALL_PERMISSIONS };

const RSS = "<rss><channel><item><link>/story</link></item></channel></rss>";
const HTML = "<!doctype html><html><body>Hello</body></html>";

function text(body: string | Uint8Array<ArrayBuffer>, type = "application/xml"): Route {
  return () => new Response(body, { headers: { "content-type": type } });
}

/** A site of every kind of sitemap, with more of them than its robots.txt declares. */
function serveBlog(): FixtureServer {
  return serveRoutes({
    "/robots.txt": text("Sitemap: /post-sitemap1.xml\n", "text/plain"),
    "/post-sitemap1.xml": text(urlset("/one")),
    "/post-sitemap2.xml": text(urlset("/two")),
    "/index.xml": text(index("/post-sitemap2.xml", "/packed.xml.gz")),
    "/packed.xml.gz": text(new Uint8Array(gzipSync(urlset("/three"))), "application/gzip"),
    "/feed": text(RSS, "application/rss+xml"),
    "/pages.txt": text("http://pages.test/four\n", "text/plain"),
    "/": text(HTML, "text/html"),
    "/blog/": text(HTML, "text/html"),
    "/blog/about.html": text(HTML, "text/html"),
    "/blog/sitemap.xml": text(urlset("/blog/five")),
    "/sitemap.xml": text(urlset("/six")),
  });
}

Deno.test("a URL of a sitemap of any type is read without the rest of the site", async () => {
  await using server = serveBlog();
  const urls = ["post-sitemap2.xml", "index.xml", "packed.xml.gz", "feed", "pages.txt"]
    .map((path) => server.url + path);
  await assertTranscript("operands_sitemap", { site: server.url }, [
    ...urls.map((url) => ["ls", url]),
    ["ls", "-f", "pages", `${server.url}post-sitemap2.xml?page=1#top`],
    ["ls", "-f", "pages", `${server.url}robots.txt`],
    ["report", `${server.url}post-sitemap2.xml`],
  ]);
  // requested once, for the operand robots.txt
  assertEquals(server.counts["/post-sitemap1.xml"], 1);
  assertEquals(server.counts["/sitemap.xml"], undefined);
  assertEquals(server.counts["/robots.txt"], 1);
});

Deno.test("the site of a URL that is not a sitemap is walked, with a note on standard error", async () => {
  await using server = serveBlog();
  const ls = ["ls", "-f", "pages"];
  const [folder] = await assertTranscript("operands_not_a_sitemap", { site: server.url }, [
    [...ls, `${server.url}blog/`],
    [...ls, `${server.url}blog`],
    [...ls, `${server.url}blog/about.html`],
    [...ls, `${server.url}?lang=de`],
    [...ls, "-k", `${server.url}blog/`],
    [...ls, "-q", `${server.url}blog/`],
  ]);
  assertEquals(folder!.stderr.trimEnd().split("\n").length, 1);
});

Deno.test("the two most common known paths are tried below a folder, by the library", async () => {
  for (const [path, folder] of [["blog/", "/blog/"], ["a/b", "/a/b/"], ["a/b.html", "/a/"]]) {
    await using server = serveRoutes({});
    const { code } = await runCli(["ls", "-f", "pages", server.url + path!]);
    assertEquals(code, 4);
    const paths = server.requests.map(({ path }) => path);
    assertEquals(paths.slice(0, 2), [`/${path}`, "/robots.txt"]);
    const known = [...KNOWN_PATHS, ...FURTHER_PATHS].map((known) => `/${known}`);
    const below = ["sitemap.xml", "sitemap_index.xml"].map((known) => folder + known);
    assertEquals(paths.slice(2).sort(), [...known, ...below, "/"].sort());
  }
});

Deno.test("a URL without a path is not requested itself", async () => {
  await using server = serveBlog();
  const { code, stderr } = await runCli(["ls", "-f", "pages", server.url.replace(/\/$/, "")]);
  assertEquals({ code, stderr }, { code: 0, stderr: "" });
  assertEquals(server.counts["/"], undefined);
});

Deno.test("a host is https, and http if https cannot be connected to", async () => {
  // those that do not speak TLS: by an answer in plain text, an alert, or the end of the connection
  await using plain = serveRoutes({ "/sitemap.xml": text(urlset("/one")) });
  const site = { "/sitemap.xml": ok(urlset("/one")) };
  await using alert = new FaultServer(site, { tls: "alert" });
  await using close = new FaultServer(site, { tls: "close" });
  const host = ({ url }: { url: string }) => new URL(url).host;
  const sites = { plain: plain.url, alert: alert.url, close: close.url };
  await assertTranscript("operands_host", sites, [
    ["ls", "-f", "pages", host(plain)],
    ["ls", "-f", "pages", `${host(plain)}/sitemap.xml`],
    ["ls", "-f", "pages", `//${host(plain)}`],
    ["ls", "-f", "pages", "-q", host(plain)],
    ["ls", "-u", host(plain)],
    ["ls", "-f", "pages", host(alert)],
    ["report", host(close)],
  ]);
});

Deno.test("a host that cannot be connected to at all is reported once", async () => {
  const closed = closedUrl();
  const { host } = new URL(closed);
  await assertTranscript("operands_closed", { closed }, [
    ["ls", "-f", "pages", host],
    ["report", host],
  ]);
});

test("an existing file is a sitemap document, and ./x always is a file", async (cwd) => {
  await Deno.writeTextFile(`${cwd}/sitemap.xml`, urlset("/one"));
  await Deno.writeTextFile(`${cwd}/example.com`, urlset("https://in.the.file.test/"));
  await Deno.writeTextFile(`${cwd}/two words.txt`, "https://a.test/\n");
  await Deno.writeFile(`${cwd}/packed.xml.gz`, gzipSync(urlset("https://packed.test/")));
  const options = { ...ALL, cwd };
  const ls = ["ls", "-f", "pages", "--url", "http://a.test/b/"];
  await assertTranscript("operands_file", {}, [
    { args: [...ls, "sitemap.xml"], options },
    { args: [...ls, "./sitemap.xml"], options },
    { args: [...ls, "example.com"], options },
    { args: [...ls, "two words.txt"], options },
    { args: [...ls, "packed.xml.gz"], options },
    { args: [...ls, "./missing.xml"], options },
    { args: ["report", "--url", "http://a.test/sitemap.xml", "sitemap.xml"], options },
  ]);
});

test("- is a document on standard input, and --from a list in a file", async (cwd) => {
  await using one = serveRoutes({ "/sitemap.xml": text(urlset("/one")) });
  await using two = serveRoutes({ "/sitemap.xml": text(urlset("/two")), "/s.xml": text(RSS) });
  const list = `# sites\n${one.url}\n\n  ${two.url}s.xml  \r\n`;
  const ls = ["ls", "-f", "pages", "--concurrency", "1"];
  await Deno.writeTextFile(`${cwd}/sites.txt`, list);
  const options = { ...ALL, cwd };
  await assertTranscript("operands_lists", { one: one.url, two: two.url }, [
    { args: [...ls, "-"], options: { ...options, stdin: list } },
    { args: [...ls, "-"], options: { ...options, stdin: `${two.url}\n${two.url}one\n` } },
    ...["a.test\nb.test:8080/\nhttps://c.test", "# sites\n\na.test/\n", "a.test/1\nb.test\n"]
      .map((stdin) => ({ args: [...ls, "-"], options: { ...options, stdin } })),
    { args: ["check", "-", "-q"], options: { ...options, stdin: "a.test\n" } },
    { args: ["sync", "-", "site.db"], options },
    { args: ["explain", "-"], options },
    { args: ["diff", "-", "-"], options },
    { args: [...ls, "-", "--from", "-"], options },
    { args: [...ls, "--from", "sites.txt"], options },
    { args: [...ls, two.url, "--from", "sites.txt", "-q"], options },
    { args: [...ls, "--from", "-"], options: { ...options, stdin: `${one.url}\n` } },
    { args: [...ls, "--from", "-"], options: { ...options, stdin: "\n# nothing\n" } },
    { args: [...ls, "--from", "missing.txt"], options },
  ]);
});

test("ls reads saved events as if walking, from files and standard input", async (cwd) => {
  await using server = serveBlog();
  const saved = await runCli(["ls", "-f", "events", server.url]);
  assertEquals(saved.code, 0);
  await Deno.writeTextFile(`${cwd}/walk.ndjson`, saved.stdout);
  await Deno.writeFile(`${cwd}/walk.ndjson.gz`, gzipSync(saved.stdout));
  await Deno.copyFile(`${cwd}/walk.ndjson.gz`, `${cwd}/cut.ndjson.gz.part`);
  await Deno.writeTextFile(`${cwd}/cut.ndjson`, saved.stdout.slice(0, -300));
  await Deno.writeTextFile(`${cwd}/plain.ndjson.gz`, saved.stdout);
  const options = { ...ALL, cwd };
  await assertTranscript("operands_saved", { site: server.url }, [
    { args: ["ls", "walk.ndjson"], options },
    { args: ["ls", "-f", "pages", "walk.ndjson.gz"], options },
    { args: ["ls", "-f", "pages", "cut.ndjson.gz.part"], options },
    { args: ["ls", "-f", "pages", "--match", "six", "walk.ndjson"], options },
    { args: ["ls", "-f", "pages", "cut.ndjson"], options },
    { args: ["ls", "-f", "pages", "plain.ndjson.gz"], options },
    { args: ["ls", "./missing.ndjson"], options },
  ]);
  const live = await runCli(["ls", server.url]);
  const piped = await runCli(["ls", "-"], { ...options, stdin: saved.stdout });
  assertEquals(piped, live);
});

transcripts("operands", {
  several: {
    sites: {
      full: { "/robots.txt": "Sitemap: /s.xml\n", "/s.xml": urlset("/one") },
      empty: {},
      partial: { "/robots.txt": "Sitemap: /gone.xml\nSitemap: /s.xml\n", "/s.xml": urlset("/two") },
      blocked: { "*": 403 },
    },
  },
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

Deno.test("pages of several sites are one document", async () => {
  await using one = serveRoutes({ "/sitemap.xml": text(urlset("/one")) });
  await using two = serveRoutes({ "/sitemap.xml": text(urlset("/two")) });
  const run = (...args: string[]) => runCli(["ls", "--concurrency=1", ...args, one.url, two.url]);
  const [json, csv, xml, few] = await Promise.all([
    run("-f", "json"),
    run("-f", "csv", "--columns", "url"),
    run("-f", "xml"),
    run("-f", "pages", "--max-pages=1"),
  ]);
  const urls = [`${one.url}one`, `${two.url}two`];
  assertEquals(JSON.parse(json.stdout).map(({ url }: { url: string }) => url), urls);
  assertEquals(csv.stdout, ["url", ...urls, ""].join("\r\n"));
  assertEquals(xml.stdout.match(/<urlset|<loc>.*?(?=<\/loc>)|<\/urlset>/g), [
    "<urlset",
    ...urls.map((url) => `<loc>${url}`),
    "</urlset>",
  ]);
  assertEquals([few.code, few.stdout], [0, `${urls[0]}\n`]);
});

test("a failure of one operand does not stop the others", async (cwd) => {
  await using server = serveRoutes({ "/sitemap.xml": text(urlset("/one")) });
  const saved = '{"type":"sitemap-entered","sitemap":{"id":0,"type":"PagesXmlSitemap",' +
    '"url":"https://a.test/s.xml","level":0,"parent":null,"index":0}}\n{"type":"pa';
  await Deno.writeTextFile(`${cwd}/cut.ndjson`, saved);
  const options = { ...ALL, cwd };
  const unknown = "http://unknown-host-of-more-than-63-characters-so-that-none-can-have-it.test/";
  const results = await assertTranscript("operands_failure", { site: server.url }, [
    { args: ["ls", "-f", "pages", "--concurrency=1", unknown, server.url], options },
    { args: ["ls", "-u", unknown, server.url], options },
    { args: ["ls", "-f", "json", "--concurrency=1", unknown, "./missing.xml"], options },
    { args: ["report", "--concurrency=1", unknown, server.url, server.url], options },
    { args: ["ls", "-f", "tabtree", "cut.ndjson", "cut.ndjson"], options },
  ]);
  assertEquals(results.map(({ code }) => code), [5, 5, 1, 5, 1]);
});

Deno.test("--max-pages counts all operands together, and those still waiting do not fail", async () => {
  await using silent = new FaultServer({ "*": silence() });
  await using server = serveRoutes({ "/sitemap.xml": text(urlset("/one", "/two")) });
  const args = ["ls", "-f", "pages", "--max-pages", "1", silent.url, server.url];
  const { code, stdout, stderr } = await runCli(args);
  assertEquals([code, stdout], [0, `${server.url}one\n`]);
  assertEquals(stderr.match(/--max-pages 1 reached/g)?.length, 2);
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
  await using other = serveRoutes({ "/sitemap.xml": text(urlset("/one")) });
  const child = startCli(["ls", "-f", "pages", "./missing.xml", other.url, silent.url], ALL);
  await asked.promise;
  child.kill("SIGINT");
  const { code, stderr } = await child.output();
  assertEquals(code, 130);
  assertMatch(new TextDecoder().decode(stderr), /^3 operands: .*\b1 failed\b.*\binterrupted\b/m);
});

Deno.test("--from reads lists of more operands than a call has arguments", async () => {
  const path = await Deno.makeTempFile();
  try {
    await Deno.writeTextFile(path, "http://a.test/\n".repeat(200_000));
    const { sources } = await readingPlan(parseArguments("ls", ["--from", path]));
    assertEquals(sources.length, 200_000);
  } finally {
    await Deno.remove(path);
  }
});
