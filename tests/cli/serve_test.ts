import { assertEquals, assertMatch } from "@std/assert";
import { serve } from "../../src/cli/run/serve.ts";
import { serveRoutes } from "../support/fixture_server.ts";
import { inFolder } from "../support/in_folder.ts";
import { ProcessLines } from "./process_lines.ts";
import { parseMetrics } from "./prometheus.ts";
import { ALL_PERMISSIONS, startCli } from "./run_cli.ts";

async function served(
  test: (url: URL) => Promise<void>,
  problem?: string,
  hostname = "127.0.0.1",
): Promise<void> {
  const ended = new AbortController();
  const url = await serve({
    ...{ hostname, port: 0, signal: ended.signal },
    problem: () => problem,
    metrics: () => "sitetree_a 1\n",
  });
  try {
    await test(new URL(url));
  } finally {
    ended.abort();
  }
}

/** Returns the head and the body of the response to a request as it is sent. */
async function ask(url: URL, head: string): Promise<[head: string, body: string]> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(url.port) });
  await connection.write(new TextEncoder().encode(`${head}\r\nConnection: close\r\n\r\n`));
  let text = "";
  const decoder = new TextDecoder(), buffer = new Uint8Array(4096);
  for (let size; (size = await connection.read(buffer)) !== null;) {
    text += decoder.decode(buffer.subarray(0, size), { stream: true });
  }
  const [first = "", ...rest] = text.split("\r\n\r\n");
  return [first, rest.join("\r\n\r\n")];
}

Deno.test("serve() answers only GET and HEAD of two paths, on loopback for its names", async () => {
  const rows = [
    ["GET /healthz", "localhost", 200],
    ["GET /healthz?x=1", "LOCALHOST:1", 200],
    ["GET /metrics", "127.0.0.1:9090", 200],
    ["HEAD /metrics", "[::1]:9090", 200],
    ["HEAD /healthz", "127.0.0.2", 200],
    ["GET /", "localhost", 404],
    ["GET /metrics/", "localhost", 404],
    ["GET /healthz/../metrics", "localhost", 404],
    ["POST /metrics", "localhost", 405],
    ["DELETE /", "localhost", 405],
    ["GET /metrics", "evil.test", 403],
    ["GET /metrics", "localhost.evil.test", 403],
    ["GET /metrics", "127.0.0.1.evil.test", 403],
    ["GET /healthz", "10.0.0.1", 403],
    ["POST /healthz", "evil.test", 403],
  ] as const;
  await served(async (url) => {
    for (const [line, host, status] of rows) {
      const [head, body] = await ask(url, `${line} HTTP/1.1\r\nHost: ${host}`);
      assertEquals([line, host, Number(head.split(" ")[1])], [line, host, status]);
      if (line.startsWith("HEAD")) assertEquals(body, "");
      if (status === 405) assertMatch(head, /^allow: GET, HEAD$/im);
      assertMatch(head, /^cache-control: no-store$/im);
    }
    const response = await fetch(new URL("metrics", url));
    assertEquals(response.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    assertEquals(await response.text(), "sitetree_a 1\n");
  });
});

Deno.test("serve() answers for any host on other addresses", async () => {
  await served(
    async (url) => {
      assertEquals(url.hostname, "0.0.0.0");
      const [head] = await ask(url, "GET /healthz HTTP/1.1\r\nHost: worker.test");
      assertMatch(head, /^HTTP\/1.1 200 /);
    },
    undefined,
    "0.0.0.0",
  );
});

Deno.test("serve() says why a command is not in health, on one line", async () => {
  await served(async (url) => {
    const response = await fetch(new URL("healthz", url));
    assertEquals([response.status, await response.text()], [503, "lost: \\x0a\\x1b[1m\n"]);
  }, "lost: \n\x1b[1m");
});

Deno.test("serve() names a port that it must not use", {
  ignore: !hasLowPorts(),
}, async () => {
  const program = new URL("low_port_process.ts", import.meta.url).pathname;
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "--allow-all", program],
  }).output();
  assertEquals(
    new TextDecoder().decode(stdout),
    'Cannot listen on "127.0.0.1:80": permission denied\n' +
      "choose a port from 1024 on, or 0 for a free one\n",
  );
});

/** Whether the system reserves port 80 for privileged users. */
function hasLowPorts(): boolean {
  if (Deno.build.os !== "linux") return false;
  return Number(Deno.readTextFileSync("/proc/sys/net/ipv4/ip_unprivileged_port_start")) > 80;
}

Deno.test("sync serves its health and metrics while it walks", () =>
  inFolder(async (cwd) => {
    await using site = serveRoutes({ "/sitemap.txt": ({ url }) => new Response(`${url}/page`) });
    const asked = Promise.withResolvers<void>(), answered = Promise.withResolvers<void>();
    await using slow = serveRoutes({
      "*": async () => {
        asked.resolve();
        await answered.promise;
        return new Response("no", { status: 404 });
      },
    });
    const args = ["sync", site.url, slow.url, "a.db", "--slots", "3", "--serve", "0"];
    await using lines = new ProcessLines(startCli(args, { cwd, permissions: ALL_PERMISSIONS }));
    const line = await lines.find(/serving/);
    const [, url = ""] = /^\S+ INFO serving \/healthz and \/metrics at (http:\S+)$/.exec(line)!;
    await asked.promise;
    const ask = async (path: string) => await (await fetch(url + path)).text();
    let values: Record<string, number>;
    do {
      const metrics = [...parseMetrics(await ask("metrics"))];
      values = Object.fromEntries(
        metrics.flatMap(([name, { values }]) =>
          [...values].map(([labels, value]) => [`${name} ${labels}`.trim(), value])
        ),
      );
    } while (values["sitetree_sites_total verdict=complete"] === 0);
    assertEquals(await ask("healthz"), "ok\n");
    assertEquals(
      ["slots", "active_walks", "pages_total", "repeated_commits_total"].map((name) =>
        values[`sitetree_${name}`]
      ),
      [3, 1, 1, 0],
    );
    assertEquals(Object.keys(values).filter((name) => /lease|claim|run_|database/.test(name)), []);
    answered.resolve();
    assertEquals(await lines.end(), 4);
  }));
