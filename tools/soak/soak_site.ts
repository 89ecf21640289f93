/**
 * Ten thousand small sites, generated from their number: some are valid, most have faults.
 *
 * @module
 */

import { gzipSync } from "node:zlib";
import { Random } from "../../tests/support/random.ts";
import {
  type Answer,
  bodyOf,
  head,
  ok,
  raw,
  redirect,
  reset,
  silence,
  status,
} from "../../tests/support/fault_server.ts";

/** Writes a document of the site at a path. */
type Page = (random: Random, site: string) => string;

function several(random: Random, most: number, part: (at: number) => string): string {
  return Array.from({ length: random.below(most + 1) }, (_, at) => part(at)).join("");
}

const DOCUMENTS: readonly Page[] = [
  (random, site) =>
    `<urlset>${several(random, 40, (at) => `<url><loc>${site}page/${at}</loc></url>\n`)}</urlset>`,
  (random, site) =>
    `<?xml version="1.0"?><urlset>${
      several(random, 400, (at) => `<url><loc>${site}${at}</loc><priority>0.5</priority></url>`)
    }</urlset>`,
  (random, site) => several(random, 30, (at) => `http://example.com${site}line/${at}\n`),
  (random, site) =>
    `<rss><channel>${
      several(random, 10, (at) => `<item><link>${site}item/${at}</link><title>R&D</title></item>`)
    }</channel></rss>`,
  (random, site) =>
    `<feed>${
      several(
        random,
        10,
        (at) => `<entry><link href="${site}entry/${at}"/><title>a</title></entry>`,
      )
    }</feed>`,
  () => "<!doctype html><html><head><title>Log in</title></head><body>Please</body></html>",
  () => "",
  () => '<!DOCTYPE a [<!ENTITY b "c">]><urlset/>',
];

/** An index of up to four documents; deeper ones are ever less likely. */
function index(random: Random, path: string): string {
  const children = several(random, 4, (at) => `<sitemap><loc>${path}/${at}</loc></sitemap>`);
  return `<sitemapindex>${children}</sitemapindex>`;
}

/** Faults of a response. */
const FAULTS: readonly ((body: Uint8Array, random: Random) => Answer)[] = [
  () => reset(),
  () => raw(),
  () => raw("HTTP/1.1 200 OK\r\nContent-"),
  () => raw("SSH-2.0-OpenSSH\r\n"),
  (body) => reset(head(200, { "Content-Length": "99999" }), body),
  (body, random) => raw(head(200, { "Content-Length": "99999" }), cut(body, random)),
  (body, random) =>
    raw(head(200, { "Transfer-Encoding": "chunked" }), "fff\r\n", cut(body, random)),
  (body, random) => silence(head(200), cut(body, random)),
  () => silence(),
  (body) => ok(body, { "Content-Encoding": "gzip" }),
  (body, random) => ok(cut(new Uint8Array(gzipSync(body)), random)),
  (body) => ok(damaged(body)),
  () => status(403),
  () => status(404),
  () => status(429, { "Retry-After": "1" }),
  () => status(500),
  () => status(204),
  () => redirect("/site/elsewhere"),
  () => redirect("javascript:alert(1)"),
  (_, random) => redirect(`/maze/${random.below(1000)}`),
];

function cut(body: Uint8Array, random: Random): Uint8Array {
  return body.subarray(0, random.below(body.length + 1));
}

function damaged(body: Uint8Array): Uint8Array {
  const bytes = body.slice();
  for (let at = 7; at < bytes.length; at += 97) bytes[at] = (bytes[at]! * 31 + at) & 0xff;
  return bytes;
}

/** Hash of a string. */
function seedOf(text: string): number {
  let seed = 0x811c9dc5;
  for (const letter of text) seed = Math.imul(seed ^ letter.charCodeAt(0), 0x01000193);
  return seed;
}

/** Returns the response for a path; deterministic for a seed. */
export function answerTo(seed: number): Answer {
  return (wire) => {
    const { path } = wire.request;
    const random = new Random(seedOf(`${seed} ${path}`));
    if (path.startsWith("/maze/")) return redirect(`/maze/${random.below(1000)}`)(wire);
    const [site] = /^\/site\/\d+\//.exec(path) ?? ["/"];
    const text = textAt(path, site, random);
    if (text === undefined) return status(404)(wire);
    const body = bodyOf(text, wire.origin);
    if (random.fraction() < 0.3) return random.pick(FAULTS)(body, random)(wire);
    return ok(random.fraction() < 0.2 ? new Uint8Array(gzipSync(body)) : body)(wire);
  };
}

/** Returns the document at a path, if any. */
function textAt(path: string, site: string, random: Random): string | undefined {
  if (path.endsWith("/robots.txt")) {
    if (random.fraction() < 0.1) return undefined;
    return `User-agent: *\nCrawl-delay: 0\n${
      several(random, 3, (at) => `Sitemap: {{origin}}${site}declared/${at}\n`)
    }Sitemap: {{origin}}${site}declared/index\n`;
  }
  if (path.includes("/declared/")) {
    const depth = path.split("/").length;
    if (random.fraction() < 1.6 / depth) return index(random, path);
    return random.pick(DOCUMENTS)(random, site);
  }
  if (path.endsWith("/sitemap.xml") && random.fraction() < 0.5) {
    return random.pick(DOCUMENTS)(random, site);
  }
  return undefined;
}
