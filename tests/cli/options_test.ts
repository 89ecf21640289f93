import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { FaultServer, ok, status } from "../support/fault_server.ts";
import { type FixtureServer, type Route, serveRoutes } from "../support/fixture_server.ts";
import { selfSigned } from "../support/self_signed.ts";
import { test } from "./folder_cases.ts";
import { hasTerminal, runInTerminal } from "./pseudo_terminal.ts";
import { HAS_PERMISSIONS, IS_DENO, runCli, runPrinted } from "./run_cli.ts";
import { assertTranscript } from "./transcript.ts";

// deno-lint-ignore no-control-regex -- matches colors
const COLOR_REGEXP = /\x1b\[[\d;]*m/;

interface Entry {
  readonly loc: string;
  readonly lastmod?: string;
}

function elements(name: string, entries: readonly (string | Entry)[]): string {
  return entries.map((entry) => {
    const { loc, lastmod } = typeof entry === "string" ? { loc: entry } : entry;
    const date = lastmod === undefined ? "" : `<lastmod>${lastmod}</lastmod>`;
    return `<${name}><loc>{{origin}}${loc}</loc>${date}</${name}>`;
  }).join("");
}

function urlset(...entries: (string | Entry)[]): string {
  return `<urlset>${elements("url", entries)}</urlset>`;
}

function index(...entries: (string | Entry)[]): string {
  return `<sitemapindex>${elements("sitemap", entries)}</sitemapindex>`;
}

/** Serves documents by path, with `{{origin}}` replaced. */
function serve(documents: Readonly<Record<string, string>>): FixtureServer {
  const route = (body: string): Route => (request) =>
    new Response(body.replaceAll("{{origin}}", new URL(request.url).origin));
  return serveRoutes(
    Object.fromEntries(Object.entries(documents).map(([path, body]) => [path, route(body)])),
  );
}

const ROBOTS = "Sitemap: {{origin}}/index.xml\n";

Deno.test("--retries limits the retries of each sitemap", async () => {
  const busy = status(500, { "Retry-After": "0" });
  const site = { "/robots.txt": ok("Sitemap: {{origin}}/busy.xml\n"), "/busy.xml": busy };
  const servers = [new FaultServer(site), new FaultServer(site), new FaultServer(site)];
  const [none, two, usual] = servers.map(({ url }) => url);
  const ls = ["ls", "-k", "-f", "pages"];
  await assertTranscript("options_retries", { none: none!, two: two!, usual: usual! }, [
    [...ls, "--retries", "0", none!],
    [...ls, "--retries=2", two!],
    [...ls, usual!],
  ]);
  assertEquals(servers.map(({ counts }) => counts["/busy.xml"]), [1, 3, 5]);
  for (const server of servers) await server[Symbol.asyncDispose]();
});

Deno.test("--respect-robots obeys Disallow", async () => {
  await using server = serve({
    "/robots.txt": `User-agent: *\nDisallow: /private/\n${ROBOTS}`,
    "/index.xml": index("/private/a.xml", "/b.xml"),
    "/private/a.xml": urlset("/1"),
    "/b.xml": urlset("/2"),
  });
  const ls = ["ls", "-k", "-f", "pages"];
  await assertTranscript("options_respect_robots", { site: server.url }, [
    [...ls, "--respect-robots", server.url],
    [...ls, server.url],
  ]);
  assertEquals(server.counts["/private/a.xml"], 1);
});

Deno.test("-H and -A are sent with every request", async () => {
  await using server = serve({ "/robots.txt": ROBOTS, "/index.xml": urlset("/1") });
  const args = ["ls", "-k", "-f", "pages", "-H", "X-Mill: two", "-A", "mill/1.0", server.url];
  assertEquals((await runCli(args)).code, 0);
  const sent = server.requests.map(({ headers }) => [
    headers.get("x-mill"),
    headers.get("user-agent"),
  ]);
  assertEquals(sent, [["two", "mill/1.0"], ["two", "mill/1.0"]]);
});

Deno.test("-i ignores case in all regular expressions", async () => {
  await using server = serve({
    "/robots.txt": ROBOTS,
    "/index.xml": index("/News.xml", "/Shop.xml"),
    "/News.xml": urlset("/NEWS/1", "/About"),
    "/Shop.xml": urlset("/SHOP/2"),
  });
  const run = async (...args: string[]) =>
    (await runCli(["ls", "-kuf", "pages", ...args, server.url])).stdout.trimEnd().split("\n");
  const results = await Promise.all([
    run("--match", "/news/"),
    run("-i", "--match", "/news/"),
    run("-i", "--ignore", "about|shop"),
    run("--include", "news"),
    run("-i", "--include", "news"),
    run("--exclude", "news"),
    run("-i", "--exclude", "news"),
  ]);
  assertEquals(results, [
    [""],
    ["/NEWS/1"],
    ["/NEWS/1"],
    [""],
    ["/NEWS/1", "/About"],
    ["/NEWS/1", "/About", "/SHOP/2"],
    ["/SHOP/2"],
  ]);
});

Deno.test("--since skips sitemaps declared as older, unless --no-prune is given", async () => {
  const site = {
    "/robots.txt": ROBOTS,
    "/index.xml": index(
      { loc: "/old.xml", lastmod: "2023-12-31" },
      { loc: "/new.xml", lastmod: "2024-05-01T10:00:00Z" },
      { loc: "/day.xml", lastmod: "2024-05-01" },
      { loc: "/year.xml", lastmod: "2024" },
      "/undated.xml",
    ),
    // newer than its index declares
    "/old.xml": urlset({ loc: "/in-old", lastmod: "2024-06-01" }),
    "/new.xml": urlset({ loc: "/in-new", lastmod: "2024-05-02" }, { loc: "/b", lastmod: "2020" }),
    "/day.xml": urlset({ loc: "/in-day", lastmod: "2024-05-01T23:00:00Z" }),
    "/year.xml": urlset({ loc: "/in-year", lastmod: "2024-07-01" }),
    "/undated.xml": urlset({ loc: "/in-undated", lastmod: "2024-05-03" }),
  };
  await using pruned = serve(site);
  await using whole = serve(site);
  await using later = serve(site);
  const sites = { pruned: pruned.url, whole: whole.url, later: later.url };
  const ls = ["ls", "-k", "-f", "pages"];
  const since = [...ls, "--since", "2024-05-01T09:00:00Z"];
  await assertTranscript("options_since", sites, [
    [...since, "-v", "--concurrency", "1", pruned.url],
    [...since, "--no-prune", whole.url],
    [...ls, "--since", "2025-06-01", later.url],
  ]);
  assertEquals(pruned.counts["/old.xml"], undefined);
  assertEquals([pruned.counts["/day.xml"], pruned.counts["/year.xml"]], [1, 1]);
  assertEquals(whole.counts["/old.xml"], 1);
  assertEquals(Object.keys(later.counts), ["/robots.txt", "/index.xml", "/undated.xml"]);
});

Deno.test("--color always colors pipes too", async () => {
  await using server = serve({ "/sitemap.xml": urlset("/1") });
  const run = (...args: string[]) => runCli(["ls", ...args, server.url]);
  const [always, never, auto, report] = await Promise.all([
    run("--color", "always"),
    run("--color", "never"),
    run(),
    runCli(["report", "--color=always", server.url]),
  ]);
  assertMatch(always.stdout, COLOR_REGEXP);
  assertEquals(never.stdout, auto.stdout);
  assertEquals(COLOR_REGEXP.exec(auto.stdout), null);
  assertMatch(report.stdout, COLOR_REGEXP);
  const plain = always.stdout.replaceAll(new RegExp(COLOR_REGEXP, "g"), "");
  assertEquals(plain, auto.stdout);
});

Deno.test("--color and NO_COLOR turn colors off in a terminal", {
  ignore: !hasTerminal(),
}, async () => {
  await using server = serve({ "/sitemap.xml": urlset("/1") });
  const run = async (args: string[], env: string[] = []) => {
    const { output } = await runInTerminal([...args, server.url], { columns: 80, env });
    return COLOR_REGEXP.test(output);
  };
  const colored = await Promise.all([
    run(["ls"]),
    run(["report"]),
    run(["ls", "--color=never"]),
    run(["report", "--color", "never"]),
    run(["ls", "--color=auto"], ["NO_COLOR=1"]),
    run(["report", "--color=auto"], ["NO_COLOR=1"]),
    run(["ls", "--color=never", "--nonsense"]),
    run(["ls", "--nonsense"]),
  ]);
  assertEquals(colored, [true, true, false, false, false, false, false, true]);
});

Deno.test("--color=always overrides NO_COLOR, for output, summary and errors", {
  ignore: !hasTerminal(),
}, async () => {
  await using server = serve({ "/sitemap.xml": urlset("/1") });
  const always = ["--color=always", server.url];
  for (const args of [["ls"], ["report"], ["ls", "-f", "pages"], ["ls", "--nonsense"]]) {
    const env = ["NO_COLOR=1"];
    const { output } = await runInTerminal([...args, ...always], { columns: 80, env });
    assertMatch(output, COLOR_REGEXP, args.join(" "));
  }
  const piped = await runCli(["report", ...always], { env: { NO_COLOR: "1" } });
  assertMatch(piped.stdout, COLOR_REGEXP);
});

Deno.test("--insecure accepts a self-signed certificate", async () => {
  const certificate = await selfSigned("site.test");
  const site = { "/robots.txt": ok("Sitemap: {{origin}}/s.xml\n"), "/s.xml": ok(urlset("/1")) };
  await using server = new FaultServer(site, { certificate });
  const ls = ["ls", "-k", "-f", "pages"];
  const [refused] = await assertTranscript("options_insecure", { site: server.url }, [
    [...ls, server.url],
    [...ls, "--insecure", server.url],
    [...ls, "--insecure", new URL(server.url).host],
    ["report", "-k", "-q", "--insecure", `${server.url}s.xml`],
  ]);
  assertEquals(refused!.code, 5);
});

Deno.test("--insecure handles compression, redirects and empty bodies like fetch", async () => {
  const certificate = await selfSigned("site.test");
  const gzipped = await new Response(
    new Blob(["https://a.test/packed\n"]).stream().pipeThrough(new CompressionStream("gzip")),
  ).bytes();
  await using server = new FaultServer({
    "/robots.txt": ok(
      ["old.txt", "packed.txt", "empty.txt", "gone.txt"]
        .map((path) => `Sitemap: {{origin}}/${path}\n`).join(""),
    ),
    "/old.txt": status(301, { Location: "/new.txt" }),
    "/new.txt": ok("https://a.test/new\n"),
    "/packed.txt": ok(gzipped, { "Content-Encoding": "gzip" }),
    "/empty.txt": status(204),
  }, { certificate });
  const args = ["ls", "-k", "--sitemaps", "-f", "csv", "--insecure", server.url];
  const { code, stdout } = await runCli(args);
  const rows = stdout.replaceAll(server.url, "/").trimEnd().split("\r\n").slice(2);
  assertEquals(rows.map((row) => row.split(",").slice(0, 4).join(" ")), [
    "/new.txt /old.txt PagesTextSitemap ok",
    "/packed.txt  PagesTextSitemap ok",
    "/empty.txt  InvalidSitemap empty",
    "/gone.txt  InvalidSitemap http-status",
  ]);
  assertEquals(code, 3);
});

Deno.test("--proxy gets every request, with credentials parsed as by curl", async () => {
  await using proxy = serveRoutes({
    "/sitemap.txt": ({ headers }) => {
      const token = headers.get("proxy-authorization")?.replace(" ", "-");
      return new Response(`http://${headers.get("host")}/${token}\n`);
    },
  });
  const credentials = {
    "miller:two%20mills": "miller:two mills",
    // a stray `%` is literal
    "miller:%zz100%": "miller:%zz100%",
    "%E0%A4%A:%25zz": "\ufffd%A:%zz",
    ":secret": ":secret",
  };
  await Promise.all(
    Object.entries(credentials).map(async ([written, sent]) => {
      const through = proxy.url.replace("//", `//${written}@`);
      const args = ["ls", "-f", "pages", "--proxy", through, "http://site.test/"];
      const token = new TextEncoder().encode(sent).toBase64();
      assertEquals((await runCli(args)).stdout, `http://site.test/Basic-${token}\n`);
    }),
  );
});

/** Copies bytes until one side ends. */
async function copy(from: Deno.Conn, to: Deno.Conn): Promise<void> {
  try {
    for await (const chunk of from.readable) {
      for (let at = 0; at < chunk.length;) at += await to.write(chunk.subarray(at));
    }
    await to.closeWrite();
  } catch {
    // one side was closed
  }
}

/** A proxy that opens tunnels to one server for any host. */
class TunnelProxy implements AsyncDisposable {
  /** First lines of the requests. */
  readonly requests: string[] = [];
  readonly url: string;
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #open = new Set<Deno.Conn>();
  readonly #tasks: Promise<void>[] = [];

  constructor(port: number) {
    this.url = `http://127.0.0.1:${this.#listener.addr.port}`;
    this.#tasks.push(this.#accept(port));
  }

  async #accept(port: number): Promise<void> {
    for await (const client of this.#listener) {
      this.#open.add(client);
      this.#tasks.push(this.#serve(client, port));
    }
  }

  async #serve(client: Deno.Conn, port: number): Promise<void> {
    let head = "";
    const piece = new Uint8Array(4096);
    while (!head.includes("\r\n\r\n")) {
      const length = await client.read(piece);
      if (length === null) return;
      head += new TextDecoder().decode(piece.subarray(0, length));
    }
    this.requests.push(head.split("\r\n")[0]!);
    const server = await Deno.connect({ hostname: "127.0.0.1", port });
    this.#open.add(server);
    await client.write(new TextEncoder().encode("HTTP/1.1 200 OK\r\n\r\n"));
    await Promise.all([copy(client, server), copy(server, client)]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    for (const connection of this.#open) {
      try {
        connection.close();
      } catch {
        // already closed
      }
    }
    await Promise.all(this.#tasks);
  }
}

test("HTTP_PROXY, HTTPS_PROXY and NO_PROXY are used", async (folder) => {
  await using proxy = serveRoutes({
    "/sitemap.txt": ({ headers }) => new Response(`http://${headers.get("host")}/by-proxy\n`),
  });
  await using direct = serveRoutes({
    "/sitemap.txt": () => new Response("http://direct.test/\n"),
  });
  const certificate = await selfSigned("secure.test");
  await using secure = new FaultServer({
    "/sitemap.txt": ok("https://secure.test/by-tunnel\n"),
  }, { certificate });
  await using tunnel = new TunnelProxy(Number(new URL(secure.url).port));
  const authority = `${folder}/authority.pem`;
  await Deno.writeTextFile(authority, certificate.cert);
  const permissions = ["--allow-net", "--allow-env"];
  const run = async (url: string, proxies: Record<string, string>, ...args: string[]) => {
    // Deno would check for updates
    const env = {
      ...proxies,
      DENO_NO_UPDATE_CHECK: "1",
      DENO_CERT: authority,
      NODE_EXTRA_CA_CERTS: authority,
    };
    const command = ["ls", "-f", "pages", ...args, url];
    const { stdout, stderr } = await runCli(command, { permissions, env });
    return stdout || stderr;
  };
  const http_proxy = proxy.url;
  const results = await Promise.all([
    run("http://site.test/", { HTTP_PROXY: proxy.url }),
    run("http://site.test/", { http_proxy }),
    run("site.test", { HTTP_PROXY: proxy.url, HTTPS_PROXY: "http://127.0.0.1:1" }),
    run(direct.url, { HTTP_PROXY: proxy.url, NO_PROXY: "127.0.0.1" }),
    run(direct.url, { NO_PROXY: "127.0.0.1" }, "--proxy", proxy.url),
    run(direct.url, { HTTP_PROXY: proxy.url }),
    run("https://secure.test/", { HTTPS_PROXY: tunnel.url }),
  ]);
  const { host } = new URL(direct.url);
  assertEquals(results.map((text) => text.trimEnd().split("\n")[0]), [
    "http://site.test/by-proxy",
    "http://site.test/by-proxy",
    "http://site.test/by-proxy",
    "http://direct.test/",
    "http://direct.test/",
    `http://${host}/by-proxy`,
    "https://secure.test/by-tunnel",
  ]);
  assert(tunnel.requests.length > 0);
  for (const request of tunnel.requests) assertEquals(request, "CONNECT secure.test:443 HTTP/1.1");
});

Deno.test("--insecure with a proxy prints a command that works", {
  ignore: Deno.build.os === "windows" || !HAS_PERMISSIONS,
}, async () => {
  await using secure = new FaultServer({
    "/sitemap.txt": ok("https://secure.test/by-tunnel\n"),
  }, { certificate: await selfSigned("secure.test") });
  await using tunnel = new TunnelProxy(Number(new URL(secure.url).port));
  const args = ["ls", "-f", "pages", "--insecure", "--proxy", tunnel.url, "https://secure.test/"];
  const [refused] = await assertTranscript("options_insecure_proxy", { tunnel: tunnel.url }, [
    args,
    {
      args: ["ls", "-f", "pages", "--insecure", "https://secure.test/"],
      options: {
        permissions: ["--allow-net", "--allow-env"],
        env: { HTTPS_PROXY: tunnel.url },
      },
    },
  ]);
  assertEquals(refused!.code, 2);
  const { code, stdout } = await runPrinted(refused!.stderr);
  assertEquals([code, stdout], [0, "https://secure.test/by-tunnel\n"]);
});

Deno.test("--insecure with a proxy names an environment variable on Node and Bun", {
  ignore: IS_DENO,
}, async () => {
  await using secure = new FaultServer({
    "/sitemap.txt": ok("https://secure.test/by-tunnel\n"),
  }, { certificate: await selfSigned("secure.test") });
  await using tunnel = new TunnelProxy(Number(new URL(secure.url).port));
  const args = ["ls", "-f", "pages", "--proxy", tunnel.url, "https://secure.test/"];
  const [refused, named] = await Promise.all([
    runCli([...args, "--insecure"]),
    runCli(args, { env: { NODE_TLS_REJECT_UNAUTHORIZED: "0" } }),
  ]);
  assertEquals(refused.code, 2);
  assertStringIncludes(refused.stderr, "NODE_TLS_REJECT_UNAUTHORIZED=0");
  assertEquals([named.code, named.stdout], [0, "https://secure.test/by-tunnel\n"]);
});

Deno.test("the help names the environment variables for proxies", async () => {
  const { stdout } = await runCli(["ls", "--help"], { permissions: [] });
  for (const name of ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"]) assertStringIncludes(stdout, name);
});

Deno.test("--known-path probes its path despite --no-known", async () => {
  await using server = serve({ "/hidden.xml": urlset("/1"), "/sitemap.xml": urlset("/2") });
  const args = ["ls", "-rkuf", "pages", "--known-path", "/hidden.xml", server.url];
  assertEquals((await runCli(args)).stdout, "/1\n");
  assertEquals(server.requests.map(({ path }) => path), ["/hidden.xml"]);
});

Deno.test("--concurrency limits concurrent requests", async () => {
  await using server = serveRoutes({
    "/robots.txt": () =>
      new Response(Array.from({ length: 8 }, (_, at) => `Sitemap: /${at}.txt\n`).join("")),
    "*": (_request, path) => new Response(`https://a.test${path}\n`),
  }, { delay: 30 });
  const args = ["ls", "-kf", "pages", "--concurrency", "2", server.url];
  assertEquals((await runCli(args)).code, 0);
  assertEquals(server.maxUnderWay, 2);
});
