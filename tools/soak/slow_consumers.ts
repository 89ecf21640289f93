/**
 * Consumers that pause while servers time out: no page may be lost.
 *
 * @module
 */

import { gzipSync } from "node:zlib";
import { walk } from "../../mod.ts";
import { Random } from "../../tests/support/random.ts";
import { FaultServer, type FaultSite, impatient, ok } from "../../tests/support/fault_server.ts";

const SITEMAPS = 3;
/** Pages of a sitemap: more than the buffers of a connection hold. */
const PAGES = 200_000;
/** Milliseconds that a server waits for its client, and that a consumer pauses at most. */
const PATIENCE = 200;
const MAX_PAUSE = 1000;
const ENCODER = new TextEncoder();

/** A site of large sitemaps in several formats, each from a server with a short timeout. */
function siteOf(random: Random): FaultSite {
  const site: Record<string, FaultSite[string]> = {};
  for (let at = 0; at < SITEMAPS; at++) {
    const addresses = Array.from({ length: PAGES }, (_, page) => `https://site.test/${at}/${page}`);
    const isXml = random.fraction() < 0.7;
    const text = isXml
      ? `<urlset>${addresses.map((url) => `<url><loc>${url}</loc></url>`).join("\n")}</urlset>`
      : addresses.join("\n");
    const isPacked = random.fraction() < 0.3;
    const body = isPacked ? new Uint8Array(gzipSync(text, { level: 1 })) : ENCODER.encode(text);
    const hasTag = random.fraction() < 0.3;
    site[`/${at}`] = impatient(body, PATIENCE, hasTag ? { "ETag": `"${at}"` } : {});
  }
  const paths = Object.keys(site).map((path) => `Sitemap: {{origin}}${path}\n`);
  return { ...site, "/robots.txt": ok(paths.join("")) };
}

/** Walks sites with pauses; returns the failures. */
export async function soakSlowConsumers(walks: number, seed: number): Promise<string[]> {
  const faults: string[] = [];
  const random = new Random(seed);
  let requests = 0;
  for (let at = 0; at < walks; at++) {
    await using server = new FaultServer(siteOf(random));
    const pauses = new Set(
      Array.from({ length: 6 }, () => random.below(SITEMAPS * PAGES)),
    );
    let pages = 0, verdict = "";
    for await (const event of walk(server.url, { useKnownPaths: false, retryDelay: 1 })) {
      if (event.type === "finished") verdict = event.verdict;
      if (event.type !== "page" || !pauses.has(pages++)) continue;
      await new Promise((resolve) => setTimeout(resolve, random.below(MAX_PAUSE)));
    }
    requests += server.requests.length;
    if (pages !== SITEMAPS * PAGES || verdict !== "complete") {
      faults.push(`slow walk ${at} has ${pages} pages and is ${verdict}`);
    }
  }
  const expected = walks * (SITEMAPS + 1);
  console.log(`${walks} slow walks, ${requests - expected} sitemaps requested again`);
  if (walks > 3 && requests === expected) faults.push("no server has lost patience");
  return faults;
}
