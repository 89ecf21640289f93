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

/** A site, with options that shorten the walk without lowering a limit. */
interface Row {
  readonly name: string;
  readonly site: FaultSite;
  readonly options?: WalkOptions;
}

/** Returns an endless response in pieces. */
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

/** A site that declares one sitemap. */
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
  return {
    "/robots.txt": ok("Sitemap: {{origin}}/s.xml\n"),
    "*": (wire) =>
      many(`${INDEX}<sitemap><loc>/deep/${level++}</loc></sitemap>`, (at) => child(at, 190))(wire),
  };
}

/** Returns an index of `count` sitemaps, all of them empty. */
function indexOf(count: number, length: number): FaultSite {
  const children = Array.from({ length: count }, (_, at) => child(at, length));
  return {
    "/robots.txt": ok("Sitemap: {{origin}}/s.xml\n"),
    "/s.xml": ok(`${INDEX}${children.join("")}</sitemapindex>`),
    "*": ok("<urlset/>"),
  };
}

const SHORT: WalkOptions = { maxSitemaps: 20 };

const ROWS: readonly Row[] = [
  { name: "nothing", site: {} },
  { name: "a small sitemap", site: declaring(ok("<urlset><url><loc>/a</loc></url></urlset>")) },
  {
    name: "pages without end",
    site: declaring(many(URLSET, (at) => `<url><loc>/${at}</loc></url>`)),
  },
  {
    name: "pages of 200 letters without end",
    site: declaring(many(URLSET, (at) => `<url><loc>${addressOf(at, 200)}</loc></url>`)),
  },
  {
    name: "pages of 1 MB without end",
    site: declaring(many(URLSET, (at) => `<url><loc>/${at}${letters(1_000_000, at)}</loc></url>`)),
  },
  { name: "one page of 100 MB", site: declaring(many(`${URLSET}<url><loc>/`, () => "a")) },
  { name: "lines without end", site: declaring(many("", (at) => `https://a.test/${at}\n`)) },
  { name: "one line without end", site: declaring(many("https://a.test/", () => "a")) },
  {
    name: "robots.txt without end",
    site: { "/robots.txt": many("", (at) => `Sitemap: /${at}\n`) },
    options: SHORT,
  },
  {
    name: "an HTML page without end",
    site: declaring(many("<html><head>", () => "<meta a='b'/>")),
  },
  { name: "a comment without end", site: declaring(many("<!--", () => "- -")) },
  { name: "a gzip bomb", site: declaring(ok(bomb(1))) },
  { name: "a gzip bomb of three layers", site: declaring(ok(bomb(3))) },
  {
    name: "a gzip bomb by Content-Encoding",
    // one member, since fetch reads no second one
    site: declaring(ok(
      new Uint8Array(
        gzipSync(ENCODER.encode(`<urlset><url><loc>/a</loc></url>${" ".repeat(256 * MEBIBYTE)}`)),
      ),
      { "Content-Encoding": "gzip" },
    )),
  },
  {
    name: "a brotli bomb by Content-Encoding",
    site: declaring(ok(
      new Uint8Array(
        brotliCompressSync(
          ENCODER.encode(`<urlset><url><loc>/a</loc></url>${" ".repeat(256 * MEBIBYTE)}`),
        ),
      ),
      { "Content-Encoding": "br" },
    )),
  },
  {
    name: "gzip members of nothing without end",
    site: declaring(
      endless(() => new Uint8Array(Array.from({ length: 2000 }, () => [...gzipSync("")]).flat())),
    ),
  },
  {
    name: "attributes of 100 KB, a thousand an element",
    site: declaring(many(`${URLSET}<x`, (at) => ` a${at}="${letters(100_000, at)}"`)),
  },
  {
    name: "element names of 1 MB",
    site: declaring(many(URLSET, (at) => `<${letters(1_000_000, at)}${at}/>`)),
  },
  {
    name: "open elements with attributes of 400 KB",
    site: declaring(many(URLSET, (at) => `<x${at} y="${letters(400_000, at)}ж">`)),
  },
  {
    name: "elements of ever new names",
    site: declaring(many(URLSET, (at) => `<x${at}/>`)),
  },
  {
    name: "attributes of ever new names",
    site: declaring(many(URLSET, (at) => `<x a${at}="" b${at}="" c${at}=""/>`)),
  },
  {
    name: "prefixes of ever new names, bound",
    site: declaring(many(URLSET, (at) => `<p${at}:x xmlns:p${at}="urn:${at}"/>`)),
  },
  {
    name: "prefixes of ever new names, not bound",
    site: declaring(many(URLSET, (at) => `<p${at}:x/>`)),
  },
  {
    name: "namespaces of 100 KB",
    site: declaring(many(URLSET, (at) => `<a${at}:b xmlns:a${at}="${letters(100_000, at)}"/>`)),
  },
  {
    name: "namespaces of 100 KB and elements in them",
    site: declaring(
      many(URLSET, (at) => `<b${at} xmlns:a="${letters(100_000, at)}"><a:c${at}/></b${at}>`),
    ),
  },
  {
    name: "faults without end before the root",
    site: declaring(
      many("<?xml version='1.0'?>", (at) => `</${letters(1000, at)}> &${letters(500, at)}; <!`),
    ),
  },
  {
    name: "faults without end",
    site: declaring(many(URLSET, (at) => `<${letters(1000, at)} a=b a=b>&</${letters(900, at)}>`)),
  },
  {
    name: "images of one page without end",
    site: declaring(
      many(EXTENSIONS, (at) => `<image:image><image:loc>/${at}</image:loc></image:image>`),
    ),
  },
  {
    name: "videos of one page without end",
    site: declaring(
      many(EXTENSIONS, (at) => `<video:video><video:title>${at}</video:title></video:video>`),
    ),
  },
  {
    name: "tags of one video without end",
    site: declaring(many(`${EXTENSIONS}<video:video>`, (at) => `<video:tag>${at}</video:tag>`)),
  },
  {
    name: "alternates of one page without end",
    site: declaring(
      many(EXTENSIONS, (at) => `<xhtml:link rel="alternate" hreflang="x" href="/${at}"/>`),
    ),
  },
  {
    name: "keywords of one story without end",
    site: declaring(many(`${EXTENSIONS}<news:news><news:keywords>`, () => "a,")),
  },
  {
    name: "stories with a million characters of keywords",
    site: declaring(
      many("<urlset>", (at) =>
        `<url><loc>/${at}</loc><news:news><news:title>a</news:title>` +
        `<news:publication_date>2005-01-01</news:publication_date>` +
        `<news:keywords>${"a,".repeat(500_000)}</news:keywords></news:news></url>`),
    ),
  },
  {
    name: "an RSS item without end",
    site: declaring(many("<rss><channel><item><link>/a</link>", (at) => `<title>${at}</title>`)),
  },
  {
    name: "an index of short addresses",
    site: declaring(many(INDEX, (at) => child(at, 8))),
    options: SHORT,
  },
  {
    name: "an index of addresses of 190 letters",
    site: declaring(many(INDEX, (at) => child(at, 190))),
    options: SHORT,
  },
  {
    name: "an index of addresses of 60 KB",
    site: declaring(many(INDEX, (at) => child(at, 60_000))),
    options: SHORT,
  },
  { name: "eleven such indexes inside each other", site: nestedIndex(), options: SHORT },
  {
    name: "four such indexes at once",
    site: {
      "/robots.txt": ok("Sitemap: /1\nSitemap: /2\nSitemap: /3\nSitemap: /4\n"),
      "*": many(INDEX, (at) => child(at, 190)),
    },
    options: { ...SHORT, order: "arrival" },
  },
  {
    name: "ten thousand sitemaps",
    site: indexOf(10_000, 60),
  },
  {
    name: "fifty thousand sitemaps",
    site: indexOf(50_000, 60),
  },
  {
    name: "sitemaps at addresses of 2 KB",
    site: indexOf(20_000, 2000),
  },
  {
    name: "sitemaps on hosts of 1 MB each",
    site: {
      "/robots.txt": ok("Sitemap: {{origin}}/s.xml\n"),
      "*": ok(gzipSync(
        `${INDEX}${
          Array.from(
            { length: 90 },
            (_, at) => `<sitemap><loc>https://${"a.".repeat(500_000)}${at}.test/</loc></sitemap>`,
          ).join("")
        }</sitemapindex>`,
      )),
    },
  },
  {
    name: "sitemaps that are too deep, without end",
    site: declaring(many(INDEX, (at) => child(at, 190))),
    options: { maxDepth: 1 },
  },
];

async function measure({ site, options = {} }: Row): Promise<MemoryFigures> {
  await using server = new FaultServer(site);
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
for (const row of ROWS.filter(({ name }) => name.includes(filter))) {
  const { peak, seconds, read, pages, verdict, codes } = await measure(row);
  if (peak > MAX_PEAK) tooLarge.push(row.name);
  const cells = [
    row.name,
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
