/**
 * Preloaded where examples run, on any runtime: requests to `https://example.com` go to the fixture
 * server at `SITETREE_EXAMPLE_SERVER`; other hosts, except loopback, are refused.
 *
 * @module
 */

import process from "node:process";

const EXAMPLE = "https://example.com";

const realFetch = globalThis.fetch;
const server = process.env["SITETREE_EXAMPLE_SERVER"];
if (server === undefined) throw new TypeError("SITETREE_EXAMPLE_SERVER is not set");

globalThis.fetch = async function fetch(input, init): Promise<Response> {
  const request = new Request(input, init);
  const url = new URL(request.url);
  if (url.hostname === "127.0.0.1" || url.hostname === "localhost") return realFetch(request);
  if (url.origin !== EXAMPLE) {
    throw new TypeError(`Cannot fetch "${url.href}": examples may only fetch from "${EXAMPLE}"`);
  }
  const target = new URL(url.pathname + url.search, server);
  const response = await realFetch(new Request(target, request));
  const answered = new URL(response.url);
  Object.defineProperty(response, "url", {
    value: EXAMPLE + answered.pathname + answered.search,
  });
  return response;
} as typeof fetch;

// names are resolved before requests, and tests have no network
const dns = process.getBuiltinModule("node:dns/promises") as { lookup: unknown };
dns.lookup = () => Promise.resolve([{ address: "93.184.216.34", family: 4 }]);
