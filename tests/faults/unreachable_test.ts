import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Fetch, FinishedEvent, WalkOptions } from "../../mod.ts";
import { FaultServer, ok, redirect, type TlsFault } from "../support/fault_server.ts";
import { selfSigned } from "../support/self_signed.ts";
import { eventsOf, summary, summaryOfEvents } from "./summary.ts";

const OPTIONS: WalkOptions = { useKnownPaths: false, retries: 1, retryDelay: 1, timeout: 1000 };

const PAGE = ok("<urlset><url><loc>{{origin}}/good</loc></url></urlset>");

interface Hermit extends AsyncDisposable {
  readonly origin: string;
  /** Rejects if a connection stays open. */
  idle(): Promise<void>;
}

type Row = readonly [code: "network" | "timeout", reason: string, start: () => Promise<Hermit>];

/** Unreachable hosts, with a part of the reason reported. */
const HERMITS: Readonly<Record<string, Row>> = {
  "a port without a server": ["network", "Connection refused", startNothing],
  "a host that meets TLS with alert": ["network", "TLS handshake failed", tlsHermit("alert")],
  "a host that meets TLS with close": ["network", "Connection reset", tlsHermit("close")],
  "a host that meets TLS with garbage": ["network", "TLS handshake failed", tlsHermit("garbage")],
  "a host that meets TLS with silence": ["timeout", "No byte", tlsHermit("silence")],
  "a host with a self-signed certificate": [
    "network",
    "Invalid TLS certificate",
    async () => new FaultServer({ "*": PAGE }, { certificate: await selfSigned("x.test") }),
  ],
};

async function startNothing(): Promise<Hermit> {
  await using server = new FaultServer({});
  const { origin } = server;
  return { origin, idle: async () => {}, [Symbol.asyncDispose]: async () => {} };
}

function tlsHermit(tls: TlsFault): () => Promise<Hermit> {
  return () => {
    const server = new FaultServer({}, { tls });
    return Promise.resolve({
      origin: server.origin.replace("http:", "https:"),
      idle: () => server.idle(),
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    });
  };
}

for (const [name, [code, reason, start]] of Object.entries(HERMITS)) {
  Deno.test(`walk() reports ${name} as homepage`, async () => {
    await using hermit = await start();
    const events = await eventsOf(hermit.origin, OPTIONS);
    const expected = summary({ warnings: ["robots-unreadable"], verdict: "blocked" });
    assertEquals(summaryOfEvents(events), expected);
    for (const event of events) {
      if (event.type === "warning") assertStringIncludes(event.message, reason);
    }
    await hermit.idle();
  });

  Deno.test(`walk() reports ${name} as the host of a declared sitemap, a child and a target`, async () => {
    await using hermit = await start();
    await using server = new FaultServer({
      "/robots.txt": ok(
        `Sitemap: ${hermit.origin}/declared.xml\nSitemap: {{origin}}/index.xml\n` +
          "Sitemap: {{origin}}/moved.xml\nSitemap: {{origin}}/good.xml\n",
      ),
      "/index.xml": ok(
        `<sitemapindex><sitemap><loc>${hermit.origin}/child.xml</loc></sitemap></sitemapindex>`,
      ),
      "/moved.xml": redirect(`${hermit.origin}/target.xml`),
      "/good.xml": PAGE,
    });
    const events = await eventsOf(server.url, OPTIONS);
    const invalid = { "/declared.xml": code, "/child.xml": code, "/moved.xml": code };
    const expected = summary({ pages: ["/good"], invalid, verdict: "partial" });
    assertEquals(summaryOfEvents(events), expected);
    for (const event of events) {
      if (event.type === "invalid") assertStringIncludes(event.reason, reason);
    }
    await server.idle();
    await hermit.idle();
  });
}

Deno.test("walk() does not retry an invalid certificate", async () => {
  const certificate = await selfSigned("x.test");
  using client = Deno.createHttpClient({ caCerts: [certificate.cert] });
  const trusting: Fetch = (url, init) => fetch(url, { ...init, client });
  const rows: readonly (readonly [name: string, host: string, fetch: Fetch | undefined])[] = [
    ["self-signed", "127.0.0.1", undefined],
    ["of another host", "localhost", trusting],
  ];
  for (const [name, host, fetch] of rows) {
    await using server = new FaultServer({ "*": PAGE }, { certificate });
    const url = server.url.replace("127.0.0.1", host);
    const options = { sitemaps: [`${url}a.xml`], retryDelay: 60_000, ...(fetch && { fetch }) };
    const events = await eventsOf(url, options);
    const { invalid, verdict } = summaryOfEvents(events);
    assertEquals([invalid, verdict], [{ "/a.xml": "network" }, "blocked"], name);
    const { stats } = events.at(-1) as FinishedEvent;
    assertEquals([stats.requests, stats.retries, server.accepted], [1, 0, 1], name);
    await server.idle();
  }
});
