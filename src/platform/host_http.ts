/**
 * Requests of the command line by proxies, and without certificate checks.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { unescape } from "node:querystring";
import { Readable } from "node:stream";
import { DENO, IS_BUN } from "./environment.ts";
import { environmentProxy, exemption, FETCH_HAS_PROXIES, withBypass } from "./proxies.ts";

type HostFetch = (input: string, init: RequestInit) => Promise<Response>;

/** Except for the hosts of `NO_PROXY`. */
export function proxiedFetch(proxy: URL): HostFetch {
  const isExempt = exemption();
  return withBypass(fetchThrough(proxy), ({ hostname }) => isExempt(hostname));
}

function fetchThrough(proxy: URL): HostFetch {
  // a `%` that starts no escape is literal, as in curl
  const [username, password] = [unescape(proxy.username), unescape(proxy.password)];
  const hasCredentials = username !== "" || password !== "";
  const bare = new URL(proxy);
  bare.username = "";
  bare.password = "";
  const url = bare.href;
  if (DENO !== undefined) {
    // created with the first request, since it throws for some hosts
    let client: Deno.HttpClient | undefined;
    const basicAuth = hasCredentials ? { basicAuth: { username, password } } : {};
    const { createHttpClient } = DENO;
    const create = () => createHttpClient({ proxy: { url, ...basicAuth } });
    return (input, init) => fetch(input, { ...init, client: client ??= create() });
  }
  const token = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  if (IS_BUN) {
    const headers = hasCredentials ? { "Proxy-Authorization": token } : {};
    return (input, init) => fetch(input, { ...init, proxy: { url, headers } } as RequestInit);
  }
  return undiciFetch(url, url, hasCredentials ? { token } : {});
}

export function supportsProxy({ protocol }: URL): boolean {
  return !IS_BUN || /^https?:$/.test(protocol);
}

export function environmentFetch(): HostFetch | undefined {
  if (FETCH_HAS_PROXIES) return undefined;
  const [httpProxy, httpsProxy] = [environmentProxy("http"), environmentProxy("https")];
  if (httpProxy === "" && httpsProxy === "") return undefined;
  const proxied = undiciFetch(httpProxy, httpsProxy);
  const hasProxy = ({ protocol }: URL) => (protocol === "https:" ? httpsProxy : httpProxy) !== "";
  const isExempt = exemption();
  return withBypass(
    (input, init) => hasProxy(new URL(input)) ? proxied(input, init) : fetch(input, init),
    (url) => !hasProxy(url) || isExempt(url.hostname),
  );
}

/** Rejects with `ERR_MODULE_NOT_FOUND` without the module. */
export async function loadProxies(): Promise<void> {
  if (!FETCH_HAS_PROXIES) await import("undici");
}

/** The `fetch` of Node has no proxies, and accepts only dispatchers of its own undici. */
function undiciFetch(
  httpProxy: string,
  httpsProxy: string,
  options: { readonly token?: string } = {},
): HostFetch {
  let dispatcher: import("undici").Dispatcher | undefined;
  return async (input, init) => {
    const { EnvHttpProxyAgent, fetch } = await import("undici");
    const proxies = { httpProxy, httpsProxy, proxyTunnel: false, ...options };
    dispatcher ??= new EnvHttpProxyAgent(proxies);
    const settings = { ...init, dispatcher } as import("undici").RequestInit;
    return await fetch(input, settings) as unknown as Response;
  };
}

const NO_BODY: readonly number[] = [101, 204, 205, 304];

/** A `fetch` that accepts any certificate, which runtimes allow only for the whole process. */
export const insecureFetch: HostFetch = withBypass(fetchInsecurely, () => true);

async function fetchInsecurely(input: string, init: RequestInit): Promise<Response> {
  const url = new URL(input);
  if (url.protocol === "http:") return await fetch(input, init);
  const message = await respond(url, init);
  const headers = new Headers();
  for (let at = 0; at + 1 < message.rawHeaders.length; at += 2) {
    headers.append(message.rawHeaders[at]!, message.rawHeaders[at + 1]!);
  }
  const status = message.statusCode ?? 0;
  const hasBody = !NO_BODY.includes(status);
  if (!hasBody) message.resume();
  const body = hasBody ? Readable.toWeb(message) as ReadableStream<Uint8Array<ArrayBuffer>> : null;
  const response = new Response(body, { status, statusText: message.statusMessage ?? "", headers });
  return Object.defineProperty(response, "url", { value: input });
}

async function respond(url: URL, init: RequestInit): Promise<IncomingMessage> {
  const { request: httpsRequest } = await import("node:https");
  return await new Promise((resolve, reject) => {
    const request = httpsRequest(url, {
      headers: Object.fromEntries(new Headers(init.headers)),
      rejectUnauthorized: false,
      // reading the certificates of the system takes a permission
      ca: [],
      ...(init.signal ? { signal: init.signal } : {}),
    }, resolve);
    request.on("error", reject);
    request.end();
  });
}
