/**
 * A `fetch` that sends the requests to all hosts to the server of the chaos test.
 *
 * @module
 */

import process from "node:process";
import type { Fetch } from "../../src/http/exchange.ts";

/** Headers by which a worker describes a request. */
export const HEADERS = { url: "x-url", pid: "x-pid", issued: "x-issued" } as const;
/** Header of a response at which a worker ends its process. */
export const POISON = "x-poison";

/** Returns a `fetch` for a process. */
export function mappedFetch(server: string, pid: number): Fetch {
  return async (input, init) => {
    const headers = new Headers(init.headers);
    headers.set(HEADERS.url, input);
    headers.set(HEADERS.pid, String(pid));
    headers.set(HEADERS.issued, String(Date.now()));
    const response = await fetch(server, { ...init, headers });
    if (response.headers.has(POISON)) process.exit(137);
    return response;
  };
}
