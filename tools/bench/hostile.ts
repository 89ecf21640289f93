/**
 * Documents that are slow to read with a quadratic algorithm.
 *
 * @module
 */

import { generateDocument } from "./generate.ts";

/** Document whose cost must grow linearly with its size. */
export interface HostileShape {
  /** Name in the table. */
  readonly name: string;
  /** Size of the small one, in `unit`. */
  readonly size: number;
  readonly unit: "MB" | "thousand";
  /** Bytes of a chunk; 64 KiB unless given. */
  readonly chunkSize?: number;
  /** Generates a document of a size. */
  readonly make: (size: number) => string | Uint8Array;
  /** Number of pages in it. */
  readonly pages: (size: number) => number;
}

const HEAD = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">';
const TAIL = "</urlset>";

function entry(name: string): string {
  return `<url><loc>https://example.com/${name}</loc></url>`;
}

function urlset(content: string): string {
  return `${HEAD}${entry("first")}${content}${entry("last")}${TAIL}`;
}

function many(count: number, part: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => part(at)).join("");
}

/** Formats a number with a fixed length, so that ten times as many are ten times the bytes. */
function numbered(at: number): string {
  return String(at).padStart(7, "0");
}

function binding(at: number): string {
  return `xmlns:n${numbered(at)}="https://example.com/${numbered(at)}"`;
}

/** Attributes per element: the limit, and fewer than the quick bench has in total. */
const BURDEN = 1000;

function burdened(first: number, count: number): string {
  return `<x${many(count, (at) => ` a${numbered(first + at)}="${numbered(first + at)}"`)}/>`;
}

/** Nested elements, about as many as the limit allows. */
const NEST = 250;

function nest(first: number, depth: number): string {
  return many(depth, (at) => `<n${numbered(first + at)}:x ${binding(first + at)}>`) +
    many(depth, (at) => `</n${numbered(first + depth - 1 - at)}:x>`);
}

function oneLine(size: number): string {
  return HEAD + many(pagesOfOneLine(size), (at) => entry(String(at).padStart(75, "0"))) + TAIL;
}

/** A page of {@linkcode oneLine} has 120 bytes. */
function pagesOfOneLine(size: number): number {
  return Math.floor(size / 120);
}

function two(): number {
  return 2;
}

const MEGABYTE = 1_000_000;
const THOUSAND = 1000;

/** Value length that fits into the caches of a processor at both sizes. */
const BEYOND_CACHES = 20 * MEGABYTE;

/** All shapes. */
export const HOSTILE_SHAPES: readonly HostileShape[] = [
  {
    name: "pages",
    size: 10 * THOUSAND,
    unit: "thousand",
    make: (size) => generateDocument("plain", size),
    pages: (size) => size,
  },
  {
    name: "a urlset in one line",
    size: 5 * MEGABYTE,
    unit: "MB",
    make: oneLine,
    pages: pagesOfOneLine,
  },
  {
    name: "a urlset in a longer line",
    size: BEYOND_CACHES,
    unit: "MB",
    make: oneLine,
    pages: pagesOfOneLine,
  },
  {
    name: "one address",
    size: BEYOND_CACHES,
    unit: "MB",
    make: (size) => urlset(entry("a".repeat(size))),
    pages: () => 3,
  },
  {
    name: "one line of text",
    size: BEYOND_CACHES,
    unit: "MB",
    make: (size) => `https://example.com/first\nhttps://example.com/${"a".repeat(size)}\n`,
    pages: two,
  },
  {
    name: "a comment",
    size: MEGABYTE,
    unit: "MB",
    make: (size) => urlset(`<!--${"- ->".repeat(size / 4)}-->`),
    pages: two,
  },
  {
    name: "a comment without end",
    size: MEGABYTE,
    unit: "MB",
    make: (size) => HEAD + entry("first") + entry("last") + "<!--" + "- ->".repeat(size / 4),
    pages: two,
  },
  {
    name: "an attribute value",
    size: BEYOND_CACHES,
    unit: "MB",
    make: (size) => urlset(`<x y="${"a > b &lt; ".repeat(size / 11)}"/>`),
    pages: two,
  },
  {
    name: "ampersands",
    size: MEGABYTE,
    unit: "MB",
    make: (size) => urlset(`<url><loc>https://example.com/?${"&a".repeat(size / 2)}</loc></url>`),
    pages: () => 3,
  },
  {
    name: "less-than signs",
    size: MEGABYTE,
    unit: "MB",
    make: (size) => urlset("< ".repeat(size / 2)),
    pages: two,
  },
  {
    name: "closing brackets in CDATA",
    size: MEGABYTE,
    unit: "MB",
    make: (size) => urlset(`<x><![CDATA[${"]] ]>".repeat(size / 5)}]]></x>`),
    pages: two,
  },
  {
    name: "attributes, 1,000 an element",
    size: 100 * THOUSAND,
    unit: "thousand",
    make: (size) => urlset(many(size / BURDEN, (at) => burdened(at * BURDEN, BURDEN))),
    pages: two,
  },
  {
    name: "attributes of one element",
    size: 100 * THOUSAND,
    unit: "thousand",
    make: (size) => urlset(burdened(0, size)),
    pages: two,
  },
  {
    name: "unclosed elements",
    size: 100 * THOUSAND,
    unit: "thousand",
    make: (size) => HEAD + entry("first") + entry("last") + "<x>".repeat(size),
    pages: two,
  },
  {
    name: "unclosed entries",
    size: 10 * THOUSAND,
    unit: "thousand",
    make: (size) =>
      HEAD + many(size, (at) => `<url><loc>https://example.com/${numbered(at)}</loc>`) +
      entry("last") + TAIL,
    pages: (size) => size + 1,
  },
  {
    name: "end tags without start",
    size: 100 * THOUSAND,
    unit: "thousand",
    make: (size) => urlset("<x>".repeat(200) + "</y>".repeat(size) + "</x>".repeat(200)),
    pages: two,
  },
  {
    name: "namespaces",
    size: 5 * THOUSAND,
    unit: "thousand",
    make: (size) =>
      HEAD.replace(">", many(size, (at) => ` ${binding(at)}`) + ">") +
      entry("first") + many(size, (at) => `<n${numbered(at)}:x/>`) + entry("last") + TAIL,
    pages: two,
  },
  {
    name: "namespaces inside each other",
    size: 5 * THOUSAND,
    unit: "thousand",
    make: (size) => urlset(nest(0, size)),
    pages: two,
  },
  {
    name: "the same, 250 deep",
    size: 5 * THOUSAND,
    unit: "thousand",
    make: (size) => urlset(many(Math.ceil(size / NEST), (at) => nest(at * NEST, NEST))),
    pages: two,
  },
  {
    name: "the same page",
    size: 100 * THOUSAND,
    unit: "thousand",
    make: (size) => HEAD + entry("same").repeat(size) + TAIL,
    pages: () => 1,
  },
  {
    name: "chunks of one byte",
    size: MEGABYTE / 10,
    unit: "MB",
    chunkSize: 1,
    make: oneLine,
    pages: pagesOfOneLine,
  },
];
