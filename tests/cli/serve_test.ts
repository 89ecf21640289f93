import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { Failure } from "../../src/cli/run/failure.ts";
import { serve } from "../../src/cli/run/serve.ts";
import { ALL_PERMISSIONS, HAS_PERMISSIONS, runCli } from "./run_cli.ts";

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

Deno.test("serve() names an address that it cannot use, and what to do", async () => {
  const { signal } = new AbortController();
  const options = { problem: () => undefined, metrics: () => "", signal };
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  const inUse = await assertRejects(
    () => serve({ ...options, hostname: "127.0.0.1", port }),
    Failure,
  );
  assertEquals(inUse.message, `Cannot listen on "127.0.0.1:${port}": address in use`);
  assertEquals(inUse.hint, "choose another port, or 0 for a free one");
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

Deno.test("--serve needs the permission to listen, and a free port, before it walks", {
  ignore: !HAS_PERMISSIONS,
}, async () => {
  const folder = await Deno.makeTempDir();
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  const sync = ["sync", "https://a.test/", `${folder}/sites.db`, "--serve"];
  try {
    const permissions = ["--allow-net=a.test", "--allow-read", "--allow-write"];
    const refused = await runCli([...sync, "9090"], { permissions });
    assertEquals(refused.code, 1);
    assertMatch(
      refused.stderr,
      /^error: Cannot listen on "127.0.0.1:9090": no permission to listen\n {2}run: deno run .*\n$/,
    );
    const inUse = await runCli([...sync, `${port}`], { permissions: ALL_PERMISSIONS });
    assertEquals(inUse.code, 1);
    assertEquals(
      inUse.stderr,
      `error: Cannot listen on "127.0.0.1:${port}": address in use\n` +
        "  choose another port, or 0 for a free one\n",
    );
    const asJson = await runCli([...sync, `${port}`, "--log", "json"], {
      permissions: ALL_PERMISSIONS,
    });
    const { time: _, ...entry } = JSON.parse(asJson.stderr);
    assertEquals(entry, {
      ...{ level: "error", event: "failed" },
      message: `Cannot listen on "127.0.0.1:${port}": address in use`,
      hint: "choose another port, or 0 for a free one",
    });
    assertEquals([...Deno.readDirSync(folder)], []);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
