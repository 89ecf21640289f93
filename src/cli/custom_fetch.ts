/**
 * `fetch` through a proxy, and `fetch` that accepts invalid certificates.
 *
 * @module
 */

import type { IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { unescape } from "node:querystring";
import { Readable } from "node:stream";
import type { Fetch } from "../../mod.ts";

/** Returns a `fetch` that uses a proxy. */
export function proxiedFetch(proxy: URL): Fetch {
  const { username, password } = proxy;
  const bare = new URL(proxy);
  bare.username = "";
  bare.password = "";
  // made once it is needed: the URL may have a host that cannot be contacted
  let client: Deno.HttpClient | undefined;
  const create = () =>
    Deno.createHttpClient({
      proxy: {
        url: bare.href,
        // a `%` that begins no escape is literal, as in curl
        ...(username === "" && password === "" ? {} : {
          basicAuth: { username: unescape(username), password: unescape(password) },
        }),
      },
    });
  return (input, init) => fetch(input, { ...init, client: client ??= create() });
}

/** Statuses of responses without a body. */
const NO_BODY: readonly number[] = [101, 204, 205, 304];

/**
 * A `fetch` that accepts any certificate. Deno's own does so only for hosts that are named when the
 * process starts.
 */
export const insecureFetch: Fetch = async (input, init) => {
  const url = new URL(String(input));
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
  return new Response(body, { status, statusText: message.statusMessage ?? "", headers });
};

function respond(url: URL, init: RequestInit | undefined): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = httpsRequest(url, {
    headers: Object.fromEntries(new Headers(init?.headers)),
    rejectUnauthorized: false,
    // without the system's certificates, which take a permission to read
    ca: [],
    ...(init?.signal ? { signal: init.signal } : {}),
  }, resolve);
  request.on("error", reject);
  request.end();
  return promise;
}
