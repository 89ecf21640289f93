/**
 * Checks that a request goes through a proxy of the environment, or the addresses of its host are
 * checked: by the table below, and by what the `fetch` of the runtime does.
 *
 * @module
 */

import { type Command, run } from "../command.ts";
import { assertSame } from "./checks.ts";
import type { Proxied } from "./proxied.ts";

/** Runtimes that differ. */
export type ProxyRuntime = "deno" | "node" | "node20" | "bun";

type Route = "proxy" | "checked";

interface ProxyCase {
  /** Environment; `{{proxy}}` is the URL of the proxy, `{{host}}` its host and port. */
  readonly env: Readonly<Record<string, string>>;
  /** Routes of http and https, for hosts that are exempt too if there are any. */
  readonly routes: readonly [Route, Route];
  /** Routes of some runtimes; `null` if they refuse the value. */
  readonly others?: Readonly<Partial<Record<ProxyRuntime, readonly [Route, Route] | null>>>;
}

const BOTH = { HTTP_PROXY: "{{proxy}}", HTTPS_PROXY: "{{proxy}}" };
const PROXIED: readonly [Route, Route] = ["proxy", "proxy"];
const CHECKED: readonly [Route, Route] = ["checked", "checked"];

/** Lists with localhost, and all other hosts of the check. */
const EXEMPT = [
  "localhost,private.test",
  "LOCALHOST, Private.Test",
  ".localhost,.private.test",
  "localhost private.test",
  "localhost:80,private.test:80",
  "*.localhost,*.test",
  "alhost,test",
  "localhost.,private.test.",
  "*",
];

const CASES: readonly ProxyCase[] = [
  { env: {}, routes: CHECKED },
  { env: BOTH, routes: PROXIED },
  { env: { http_proxy: "{{proxy}}", https_proxy: "{{proxy}}" }, routes: PROXIED },
  { env: { HTTP_PROXY: "{{proxy}}" }, routes: ["proxy", "checked"] },
  { env: { HTTPS_PROXY: "{{proxy}}" }, routes: ["checked", "proxy"] },
  { env: { ALL_PROXY: "{{proxy}}" }, routes: CHECKED, others: { deno: PROXIED } },
  { env: { ...BOTH, http_proxy: "" }, routes: ["checked", "proxy"] },
  { env: { ...BOTH, NO_PROXY: "other.test,10.0.0.0/8,localhost.test" }, routes: PROXIED },
  ...EXEMPT.map((list): ProxyCase => ({ env: { ...BOTH, NO_PROXY: list }, routes: CHECKED })),
  { env: { ...BOTH, no_proxy: EXEMPT[0]!, NO_PROXY: "other.test" }, routes: CHECKED },
  { env: { ...BOTH, no_proxy: "other.test", NO_PROXY: EXEMPT[0]! }, routes: CHECKED },
  {
    env: { ...BOTH, REQUEST_METHOD: "GET" },
    routes: PROXIED,
    others: { deno: ["checked", "proxy"] },
  },
  {
    env: { HTTP_PROXY: "{{host}}/", HTTPS_PROXY: "ftp://{{host}}" },
    routes: CHECKED,
    others: { node: null },
  },
];

/** Requests of a server, by scheme. */
class Listener implements AsyncDisposable {
  readonly #requests: SeenRequest[] = [];
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #accepting = this.#accept();

  get port(): number {
    return this.#listener.addr.port;
  }

  /** Returns the requests so far, and forgets them. */
  take(): SeenRequest[] {
    return this.#requests.splice(0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    await this.#accepting;
  }

  async #accept(): Promise<void> {
    for await (const connection of this.#listener) {
      try {
        const piece = new Uint8Array(4096);
        const length = await connection.read(piece) ?? 0;
        if (length === 0) continue;
        const request = requestOf(piece.subarray(0, length));
        this.#requests.push(request);
        const body = "<urlset><url><loc>/a</loc></url></urlset>";
        // a tunnel is not opened
        const status = request.isTunnel ? "502 Bad Gateway" : "200 OK";
        const response = `HTTP/1.1 ${status}\r\nContent-Length: ${body.length}\r\n` +
          `Connection: close\r\n\r\n${body}`;
        await connection.write(new TextEncoder().encode(response));
      } catch {
        // the client has closed the connection
      } finally {
        connection.close();
      }
    }
  }
}

/** A request, or the start of one. */
interface SeenRequest {
  readonly scheme: string;
  readonly host: string;
  readonly isTunnel: boolean;
}

/** Returns scheme and host of `GET http://host/`, `CONNECT host:443` or the start of TLS. */
function requestOf(bytes: Uint8Array): SeenRequest {
  if (bytes[0] === 0x16) return { scheme: "https", host: "localhost", isTunnel: false };
  const [method = "", target = ""] = new TextDecoder().decode(bytes).split(" ");
  const host = /^(?:http:\/\/)?([^:/]*)/.exec(target)![1] || "localhost";
  // Node opens tunnels for http too
  const isTunnel = method === "CONNECT";
  return { scheme: isTunnel && !target.endsWith(":80") ? "https" : "http", host, isTunnel };
}

/** Runs the script `proxied.ts` in each environment. `env` is that of the check. */
export async function checkProxies(
  command: Command,
  runtime: ProxyRuntime,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  await using proxy = new Listener();
  await using direct = new Listener();
  const [host, port] = [`127.0.0.1:${proxy.port}`, String(direct.port)];
  for (const { env: given, routes, others = {} } of CASES) {
    const expected = runtime === "node20" ? CHECKED : others[runtime] ?? routes;
    if (others[runtime] === null) continue;
    const variables = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [
        name,
        value.replace("{{proxy}}", `http://${host}`).replace("{{host}}", host),
      ]),
    );
    const all = { ...env, ...variables, NODE_USE_ENV_PROXY: "1", DENO_NO_UPDATE_CHECK: "1" };
    const output = await run([...command, port], { env: all });
    const { results, given: ofOption } = JSON.parse(output) as {
      readonly results: readonly Proxied[];
      readonly given: readonly boolean[];
    };
    const [throughProxy, around] = [proxy.take(), direct.take()];
    const what = JSON.stringify(given);
    for (const [at, scheme] of ["http", "https"].entries()) {
      const { reason, mayBypass } = results[at]!;
      const isProxied = throughProxy.some((seen) =>
        seen.scheme === scheme && seen.host === "private.test"
      );
      const isChecked = reason.endsWith("resolves to a private network");
      assertSame(isProxied ? "proxy" : isChecked ? "checked" : reason, expected[at], what);
      const isDirect = around.some((seen) => seen.scheme === scheme);
      if (isDirect && !mayBypass[0]) throw new Error(`${what}: ${scheme} bypasses the proxy`);
      if (expected[at] === "proxy" && mayBypass.includes(true)) {
        throw new Error(`${what}: names of ${scheme} are resolved`);
      }
    }
    const list = `${given["NO_PROXY"] ?? ""},${given["no_proxy"] ?? ""}`;
    const isExempt = EXEMPT.some((entries) => list.includes(entries));
    assertSame(ofOption, [isExempt, isExempt], `--proxy with ${what}`);
  }
}
