/** Requests for pages of a server on loopback. @module */

import type { ProbeOptions } from "../../../src/check/pages/options.ts";
import { probePages } from "../../../src/check/pages/probe_pages.ts";
import type { PageAnswer } from "../../../src/check/answer_rules.ts";
import { type FixtureServer, type Route, serveRoutes } from "../../support/fixture_server.ts";

/** Options of tests that wait for nothing worth mentioning. */
export const FAST = { retryDelay: 1, retries: 1 } as const;

/** Returns a route with a status, for both methods. */
export function answer(status: number, headers: HeadersInit = {}, body = ""): Route {
  return () => new Response(body === "" ? null : body, { status, headers });
}

export function byMethod(head: Route, get: Route): Route {
  return (request, path) => (request.method === "HEAD" ? head : get)(request, path);
}

export function redirectTo(location: string, status = 301): Route {
  return answer(status, { location });
}

/** Serves pages; robots.txt and all others are missing. */
export function servePages(routes: Readonly<Record<string, Route>>): FixtureServer {
  return serveRoutes({ "*": answer(404), ...routes });
}

/** Returns the answers of pages of a server, without its origin, in order. */
export async function probe(
  server: Pick<FixtureServer, "url" | "origin">,
  paths: readonly string[],
  options: ProbeOptions = {},
): Promise<PageAnswer[]> {
  const urls = paths.map((path) => /^https?:/i.test(path) ? path : server.origin + path);
  const answers: PageAnswer[] = [];
  for await (const found of probePages(urls, server.url, { ...FAST, ...options })) {
    answers.push(JSON.parse(JSON.stringify(found).replaceAll(server.origin, "")));
  }
  return answers;
}

/** Returns the requests that a server got, such as `HEAD /a`, without those for robots.txt. */
export function log({ requests }: Pick<FixtureServer, "requests">): string[] {
  return requests.map(({ method, path }) => `${method} ${path}`)
    .filter((line) => line !== "GET /robots.txt");
}
