/**
 * Peak memory of walks of hostile sites under the default limits, each in a separate process:
 * `deno run --allow-all tests/faults/memory.ts [part of a name]`. Fails above 170 MiB.
 *
 * @module
 */

import { brotliCompressSync, gzipSync } from "node:zlib";
import type { WalkOptions } from "../../mod.ts";
import {
  type Answer,
  FaultServer,
  type FaultSite,
  type Fields,
  head,
  ok,
} from "../support/fault_server.ts";
import type { MemoryFigures } from "./memory_case.ts";

/** Maximum peak of each walk, in MiB. */
const MAX_PEAK = 170;

const PROGRAM = new URL("memory_case.ts", import.meta.url);
const ENCODER = new TextEncoder();
const MEBIBYTE = 1024 * 1024;

/** A site or its only sitemap, with options that shorten the walk without lowering a limit. */
type Row = readonly [site: FaultSite | Answer, options?: WalkOptions];

function endless(pieces: (turn: number) => string | Uint8Array, fields: Fields = {}): Answer {
  return async (wire) => {
    await wire.listen();
    await wire.send(head(200, fields));
    for (let turn = 0;; turn++) await wire.send(pieces(turn));
  };
}

/** Returns an endless response: `first`, then pieces of about 64 KiB made of many parts. */
function many(first: string, part: (at: number) => string): Answer {
  let at = 0;
  return endless((turn) => {
    if (turn === 0) return first;
    let piece = "";
    while (piece.length < 64 * 1024) piece += part(at++);
    return piece;
  });
}

function declaring(sitemap: Answer): FaultSite {
  return { "/robots.txt": ok("Sitemap: {{origin}}/s.xml\n"), "*": sitemap };
}

/** Returns the beginning of a urlset, then gzip members of 64 MiB of white space each. */
function bomb(layers: number): Uint8Array<ArrayBuffer> {
  const spaces = gzipSync(new Uint8Array(64 * MEBIBYTE).fill(0x20));
  const first = gzipSync("<urlset><url><loc>https://a.test/first</loc></url>");
  let bytes = new Uint8Array(first.length + 32 * spaces.length);
  bytes.set(first);
  for (let at = 0; at < 32; at++) bytes.set(spaces, first.length + at * spaces.length);
  for (let layer = 1; layer < layers; layer++) bytes = new Uint8Array(gzipSync(bytes));
  return bytes;
}

/** Returns a page and 256 MiB of white space, compressed at once. */
function packedBomb(compress: (bytes: Uint8Array) => Uint8Array): Uint8Array<ArrayBuffer> {
  const text = `<urlset><url><loc>/a</loc></url>${" ".repeat(256 * MEBIBYTE)}`;
  return new Uint8Array(compress(ENCODER.encode(text)));
}

function letters(length: number, seed: number): string {
  return String.fromCharCode(0x61 + seed % 26).repeat(length);
}

const URLSET = "<urlset>";
const INDEX = "<sitemapindex>";
const EXTENSIONS = '<urlset xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"' +
  ' xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"' +
  ' xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"' +
  ' xmlns:xhtml="http://www.w3.org/1999/xhtml"><url><loc>/a</loc>';

/** Returns addresses of a given length that begin alike, as those of one site do. */
function addressOf(at: number, length: number): string {
  return `/${String(at).padStart(length - 1, "0")}`;
}

function child(at: number, length: number): string {
  return `<sitemap><loc>${addressOf(at, length)}</loc></sitemap>`;
}

/** Returns an index of 100 MiB whose first child is another such index, and so on. */
function nestedIndex(): FaultSite {
  let level = 0;
  return declaring((wire) =>
    many(`${INDEX}<sitemap><loc>/deep/${level++}</loc></sitemap>`, (at) => child(at, 190))(wire)
  );
}

/** Returns an index of `count` sitemaps, all of them empty. */
function indexOf(count: number, length: number): FaultSite {
  const children = Array.from({ length: count }, (_, at) => child(at, length));
  return {
    ...declaring(ok("<urlset/>")),
    "/s.xml": ok(`${INDEX}${children.join("")}</sitemapindex>`),
  };
}

const SHORT: WalkOptions = { maxSitemaps: 20 };

const ROWS: Readonly<Record<string, Row>> = {
  "nothing": [{}],
  "a small sitemap": [ok("<urlset><url><loc>/a</loc></url></urlset>")],
  "pages without end": [many(URLSET, (at) => `<url><loc>/${at}</loc></url>`)],
  "pages of 200 letters without end": [
    many(URLSET, (at) => `<url><loc>${addressOf(at, 200)}</loc></url>`),
  ],
  "pages of 1 MB without end": [
    many(URLSET, (at) => `<url><loc>/${at}${letters(1_000_000, at)}</loc></url>`),
  ],
  "one page of 100 MB": [many(`${URLSET}<url><loc>/`, () => "a")],
  "lines without end": [many("", (at) => `https://a.test/${at}\n`)],
  "one line without end": [many("https://a.test/", () => "a")],
  "robots.txt without end": [{ "/robots.txt": many("", (at) => `Sitemap: /${at}\n`) }, SHORT],
  "an HTML page without end": [many("<html><head>", () => "<meta a='b'/>")],
  "a comment without end": [many("<!--", () => "- -")],
  "a gzip bomb": [ok(bomb(1))],
  "a gzip bomb of three layers": [ok(bomb(3))],
  // one member, since fetch reads no second one
  "a gzip bomb by Content-Encoding": [ok(packedBomb(gzipSync), { "Content-Encoding": "gzip" })],
  "a brotli bomb by Content-Encoding": [
    ok(packedBomb(brotliCompressSync), { "Content-Encoding": "br" }),
  ],
  "gzip members of nothing without end": [
    endless(() => new Uint8Array(Array.from({ length: 2000 }, () => [...gzipSync("")]).flat())),
  ],
  "attributes of 100 KB, a thousand an element": [
    many(`${URLSET}<x`, (at) => ` a${at}="${letters(100_000, at)}"`),
  ],
  "element names of 1 MB": [many(URLSET, (at) => `<${letters(1_000_000, at)}${at}/>`)],
  "open elements with attributes of 400 KB": [
    many(URLSET, (at) => `<x${at} y="${letters(400_000, at)}ж">`),
  ],
  "elements of ever new names": [many(URLSET, (at) => `<x${at}/>`)],
  "attributes of ever new names": [many(URLSET, (at) => `<x a${at}="" b${at}="" c${at}=""/>`)],
  "prefixes of ever new names, bound": [
    many(URLSET, (at) => `<p${at}:x xmlns:p${at}="urn:${at}"/>`),
  ],
  "prefixes of ever new names, not bound": [many(URLSET, (at) => `<p${at}:x/>`)],
  "namespaces of 100 KB": [
    many(URLSET, (at) => `<a${at}:b xmlns:a${at}="${letters(100_000, at)}"/>`),
  ],
  "namespaces of 100 KB and elements in them": [
    many(URLSET, (at) => `<b${at} xmlns:a="${letters(100_000, at)}"><a:c${at}/></b${at}>`),
  ],
  "faults without end before the root": [
    many("<?xml version='1.0'?>", (at) => `</${letters(1000, at)}> &${letters(500, at)}; <!`),
  ],
  "faults without end": [
    many(URLSET, (at) => `<${letters(1000, at)} a=b a=b>&</${letters(900, at)}>`),
  ],
  "images of one page without end": [
    many(EXTENSIONS, (at) => `<image:image><image:loc>/${at}</image:loc></image:image>`),
  ],
  "videos of one page without end": [
    many(EXTENSIONS, (at) => `<video:video><video:title>${at}</video:title></video:video>`),
  ],
  "tags of one video without end": [
    many(`${EXTENSIONS}<video:video>`, (at) => `<video:tag>${at}</video:tag>`),
  ],
  "alternates of one page without end": [
    many(EXTENSIONS, (at) => `<xhtml:link rel="alternate" hreflang="x" href="/${at}"/>`),
  ],
  "keywords of one story without end": [
    many(`${EXTENSIONS}<news:news><news:keywords>`, () => "a,"),
  ],
  "stories with a million characters of keywords": [
    many("<urlset>", (at) =>
      `<url><loc>/${at}</loc><news:news><news:title>a</news:title>` +
      `<news:publication_date>2005-01-01</news:publication_date>` +
      `<news:keywords>${"a,".repeat(500_000)}</news:keywords></news:news></url>`),
  ],
  "an RSS item without end": [
    many("<rss><channel><item><link>/a</link>", (at) => `<title>${at}</title>`),
  ],
  "an index of short addresses": [many(INDEX, (at) => child(at, 8)), SHORT],
  "an index of addresses of 190 letters": [many(INDEX, (at) => child(at, 190)), SHORT],
  "an index of addresses of 60 KB": [many(INDEX, (at) => child(at, 60_000)), SHORT],
  "eleven such indexes inside each other": [nestedIndex(), SHORT],
  "four such indexes at once": [{
    "/robots.txt": ok("Sitemap: /1\nSitemap: /2\nSitemap: /3\nSitemap: /4\n"),
    "*": many(INDEX, (at) => child(at, 190)),
  }, SHORT],
  "ten thousand sitemaps": [indexOf(10_000, 60)],
  "fifty thousand sitemaps": [indexOf(50_000, 60)],
  "sitemaps at addresses of 2 KB": [indexOf(20_000, 2000)],
  "sitemaps on hosts of 1 MB each": [
    ok(gzipSync(
      `${INDEX}${
        Array.from(
          { length: 90 },
          (_, at) => `<sitemap><loc>https://${"a.".repeat(500_000)}${at}.test/</loc></sitemap>`,
        ).join("")
      }</sitemapindex>`,
    )),
  ],
  "sitemaps that are too deep, without end": [many(INDEX, (at) => child(at, 190)), { maxDepth: 1 }],
};

async function measure([site, options = {}]: Row): Promise<MemoryFigures> {
  await using server = new FaultServer(typeof site === "function" ? declaring(site) : site);
  const { stdout, success } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-check",
      "--allow-all",
      PROGRAM.href,
      server.url,
      JSON.stringify({ useKnownPaths: false, retries: 0, ...options }),
    ],
    stdout: "piped",
    stderr: "inherit",
  }).output();
  if (!success) throw new Error("The walk failed");
  return JSON.parse(new TextDecoder().decode(stdout));
}

const [filter = ""] = Deno.args;
const tooLarge: string[] = [];
console.log("| case | peak RSS | read | time | pages | verdict | codes |");
console.log("| --- | ---: | ---: | ---: | ---: | --- | --- |");
for (const [name, row] of Object.entries(ROWS).filter(([name]) => name.includes(filter))) {
  const { peak, seconds, read, pages, verdict, codes } = await measure(row);
  if (peak > MAX_PEAK) tooLarge.push(name);
  const cells = [
    name,
    `${peak.toFixed(0)} MiB`,
    `${read.toFixed(0)} MiB`,
    `${seconds.toFixed(1)} s`,
    pages,
    verdict,
    codes.join(", "),
  ];
  console.log(`| ${cells.join(" | ")} |`);
}
for (const name of tooLarge) console.error(`Too large: ${name}`);
if (tooLarge.length > 0) Deno.exit(1);
