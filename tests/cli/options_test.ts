/** What options do, as transcripts; and what their printed commands do. @module */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { FaultServer, ok, status } from "../support/fault_server.ts";
import { type FixtureServer, serveRoutes } from "../support/fixture_server.ts";
import { selfSigned } from "../support/self_signed.ts";
import { HAS_PERMISSIONS, IS_DENO, runCli, runPrinted } from "./run_cli.ts";
import { index, robots, urlset } from "./sites.ts";
import { transcripts, withTls } from "./transcript.ts";

const CERTIFICATE = await selfSigned("secure.test");
const SECURE = { "/sitemap.txt": ok("https://secure.test/by-tunnel\n") };
const ROBOTS = robots("{{origin}}/index.xml");
const GZIPPED = await new Response(
  new Blob(["https://a.test/packed\n"]).stream().pipeThrough(new CompressionStream("gzip")),
).bytes();

/** Returns a proxy that answers itself, with the credentials that it gets. */
function answeringProxy(): FixtureServer {
  return serveRoutes({
    "/sitemap.txt": ({ headers }) => {
      const token = headers.get("proxy-authorization")?.replace(" ", "-") ?? "by-proxy";
      return new Response(`http://${headers.get("host")}/${token}\n`);
    },
  });
}

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
  readonly url: string;
  readonly #server = new FaultServer(SECURE, { certificate: CERTIFICATE });
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #open = new Set<Deno.Conn>();
  readonly #tasks: Promise<void>[] = [];

  constructor() {
    this.url = `http://127.0.0.1:${this.#listener.addr.port}`;
    this.#tasks.push(this.#accept());
  }

  async #accept(): Promise<void> {
    for await (const client of this.#listener) {
      this.#open.add(client);
      this.#tasks.push(this.#serve(client));
    }
  }

  async #serve(client: Deno.Conn): Promise<void> {
    let head = "";
    const piece = new Uint8Array(4096);
    while (!head.includes("\r\n\r\n")) {
      const length = await client.read(piece);
      if (length === null) return;
      head += new TextDecoder().decode(piece.subarray(0, length));
    }
    assertMatch(head, /^CONNECT secure\.test:443 HTTP\/1\.1\r\n/);
    const port = Number(new URL(this.#server.url).port);
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
    await this.#server[Symbol.asyncDispose]();
  }
}

const NET = ["--allow-net", "--allow-env"];

transcripts("options", {
  retries: {
    sites: {
      busy: {
        "/robots.txt": robots("{{origin}}/busy.xml"),
        "/busy.xml": status(500, { "Retry-After": "0" }),
      },
    },
  },
  respect_robots: {
    sites: {
      site: {
        "/robots.txt": `User-agent: *\nDisallow: /private/\n${ROBOTS}`,
        "/index.xml": index("{{origin}}/private/a.xml", "{{origin}}/b.xml"),
        "/private/a.xml": urlset("{{origin}}/1"),
        "/b.xml": urlset("{{origin}}/2"),
      },
    },
  },
  headers: { sites: { site: { "/robots.txt": ROBOTS, "/index.xml": urlset("{{origin}}/1") } } },
  ignore_case: {
    sites: {
      site: {
        "/robots.txt": ROBOTS,
        "/index.xml": index("{{origin}}/News.xml", "{{origin}}/Shop.xml"),
        "/News.xml": urlset("{{origin}}/NEWS/1", "{{origin}}/About"),
        "/Shop.xml": urlset("{{origin}}/SHOP/2"),
      },
    },
  },
  since: {
    sites: {
      site: {
        "/robots.txt": ROBOTS,
        "/index.xml": index(
          "{{origin}}/old.xml 2023-12-31",
          "{{origin}}/new.xml 2024-05-01T10:00:00Z",
          "{{origin}}/day.xml 2024-05-01",
          "{{origin}}/year.xml 2024",
          "{{origin}}/undated.xml",
        ),
        // newer than its index declares
        "/old.xml": urlset("{{origin}}/in-old 2024-06-01"),
        "/new.xml": urlset("{{origin}}/in-new 2024-05-02", "{{origin}}/b 2020"),
        "/day.xml": urlset("{{origin}}/in-day 2024-05-01T23:00:00Z"),
        "/year.xml": urlset("{{origin}}/in-year 2024-07-01"),
        "/undated.xml": urlset("{{origin}}/in-undated 2024-05-03"),
      },
    },
  },
  known_path: {
    sites: {
      site: { "/hidden.xml": urlset("{{origin}}/1"), "/sitemap.xml": urlset("{{origin}}/2") },
    },
  },
  color: { sites: { site: { "/sitemap.xml": urlset("{{origin}}/1") } } },
  insecure: {
    sites: {
      site: withTls(
        { "/robots.txt": robots("{{origin}}/s.xml"), "/s.xml": urlset("{{origin}}/1") },
        { certificate: CERTIFICATE },
      ),
      bodies: withTls({
        "/robots.txt": robots(
          ...["old.txt", "packed.txt", "empty.txt", "gone.txt"].map((path) => `{{origin}}/${path}`),
        ),
        "/old.txt": status(301, { Location: "/new.txt" }),
        "/new.txt": "https://a.test/new\n",
        "/packed.txt": ok(GZIPPED, { "Content-Encoding": "gzip" }),
        "/empty.txt": 204,
      }, { certificate: CERTIFICATE }),
    },
  },
  insecure_proxy: {
    sites: { tunnel: () => new TunnelProxy() },
    permissions: NET,
    ignore: !HAS_PERMISSIONS,
  },
  proxy: { sites: { proxy: answeringProxy } },
  proxies: {
    sites: {
      proxy: answeringProxy,
      direct: { "/sitemap.txt": "http://direct.test/\n" },
      tunnel: () => new TunnelProxy(),
    },
    files: { "authority.pem": CERTIFICATE.cert },
    // Deno would check for updates
    env: {
      DENO_NO_UPDATE_CHECK: "1",
      DENO_CERT: "{{folder}}/authority.pem",
      NODE_EXTRA_CA_CERTS: "{{folder}}/authority.pem",
    },
    permissions: NET,
  },
});

Deno.test("--insecure with a proxy prints a command that works", {
  ignore: Deno.build.os === "windows" || !HAS_PERMISSIONS,
}, async () => {
  await using tunnel = new TunnelProxy();
  const args = ["ls", "-f", "pages", "--insecure", "--proxy", tunnel.url, "https://secure.test/"];
  const { code, stdout } = await runPrinted((await runCli(args)).stderr);
  assertEquals([code, stdout], [0, "https://secure.test/by-tunnel\n"]);
});

Deno.test("--insecure with a proxy names an environment variable on Node and Bun", {
  ignore: IS_DENO,
}, async () => {
  await using tunnel = new TunnelProxy();
  const args = ["ls", "-f", "pages", "--proxy", tunnel.url, "https://secure.test/"];
  const [refused, named] = await Promise.all([
    runCli([...args, "--insecure"]),
    runCli(args, { env: { NODE_TLS_REJECT_UNAUTHORIZED: "0" } }),
  ]);
  assertEquals(refused.code, 2);
  assertStringIncludes(refused.stderr, "NODE_TLS_REJECT_UNAUTHORIZED=0");
  assertEquals([named.code, named.stdout], [0, "https://secure.test/by-tunnel\n"]);
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
