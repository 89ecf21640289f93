import { assertEquals, assertRejects } from "@std/assert";
import { type HttpReply, serveHttp } from "../../src/platform/http_server.ts";

const HEADERS = { "content-type": "text/plain", "x-content-type-options": "nosniff" };

/** Serves what each request asked for. */
async function serveEcho() {
  const stop = new AbortController();
  const server = await serveHttp(({ method, path, host }): HttpReply => {
    if (path === "/fault") throw new Error("secret");
    return { status: 200, headers: HEADERS, body: `${method} ${path} ${host}` };
  }, { port: 0, hostname: "127.0.0.1", signal: stop.signal });
  return {
    ...server,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await server.closed;
    },
  };
}

Deno.test("serveHttp() answers by method, path and host", async () => {
  await using server = await serveEcho();
  const host = `127.0.0.1:${server.port}`;
  const cases = [
    ["/", "GET", 200, `GET / ${host}`],
    ["/a?b=/c", "GET", 200, `GET /a ${host}`],
    ["/a", "POST", 200, `POST /a ${host}`],
    ["/a", "HEAD", 200, ""],
    ["/fault", "GET", 500, "Internal error\n"],
  ] as const;
  for (const [path, method, status, body] of cases) {
    const response = await fetch(`http://${host}${path}`, { method });
    assertEquals([response.status, await response.text()], [status, body], `${method} ${path}`);
  }
  const { headers, body } = await fetch(`http://${host}/`);
  await body!.cancel();
  assertEquals(headers.get("x-content-type-options"), "nosniff");
});

Deno.test("serveHttp() fails with a code if its port is in use", async () => {
  await using server = await serveEcho();
  const { signal } = new AbortController();
  const options = { port: server.port, hostname: "127.0.0.1", signal };
  const error = await assertRejects(() => serveHttp(() => Promise.reject(), options), Error);
  assertEquals((error as { code?: string }).code, "EADDRINUSE");
});

Deno.test("serveHttp() closes open connections when it is aborted", async () => {
  const asked = Promise.withResolvers<void>();
  const stop = new AbortController();
  const server = await serveHttp(() => {
    asked.resolve();
    return new Promise(() => {});
  }, { port: 0, hostname: "127.0.0.1", signal: stop.signal });
  const response = fetch(`http://127.0.0.1:${server.port}/`);
  await asked.promise;
  stop.abort();
  await assertRejects(() => response);
  await server.closed;
});
