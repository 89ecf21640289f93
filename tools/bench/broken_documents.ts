/**
 * Fixtures, broken in the ways in which sitemaps and feeds are broken, from a seed.
 *
 * @module
 */

import { documentBytes, raw } from "../../tests/formats/reading.ts";
import { readWithSaxes } from "../../tests/formats/saxes_reader.ts";
import { readFixtures } from "../../tests/support/golden_events.ts";
import { Random } from "../../tests/support/random.ts";

/** URL of every document. */
export const DOCUMENT_URL = "https://site.test/dir/sitemap.xml";

/** A well-formed document. */
export interface Original {
  readonly text: string;
  readonly isFeed: boolean;
  /** URLs of its pages, or of its sitemaps. */
  readonly urls: ReadonlySet<string>;
}

/** An original as it is or after a mutation. */
export interface TestDocument {
  readonly original: Original;
  /** Class of the mutation. */
  readonly mutation?: string;
  readonly bytes: Uint8Array;
}

// ------------------------------------------------------------------------------------------- originals

const FIXTURES = new URL("../../fixtures/", import.meta.url);

function* filesBelow(folder: URL): Generator<URL> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    if (isDirectory) yield* filesBelow(new URL(`${name}/`, folder));
    else yield new URL(name, folder);
  }
}

/** Texts of all fixtures: documents by themselves, of sites and of conformance cases. */
function fixtureTexts(): string[] {
  const sites = [...filesBelow(new URL("sites/", FIXTURES))].map((file) =>
    Deno.readTextFileSync(file).replaceAll("{{origin}}", "https://site.test")
  );
  const cases = [...filesBelow(new URL("conformance/", FIXTURES))]
    .filter(({ pathname }) => pathname.endsWith(".json"))
    .flatMap((file): string[] => {
      const { content, site } = JSON.parse(Deno.readTextFileSync(file));
      return [content, ...(site ?? []).map(({ body }: { body?: string }) => body)];
    });
  const formats = readFixtures().map(({ bytes }) => new TextDecoder().decode(bytes));
  return [...formats, ...sites, ...cases.filter((text) => typeof text === "string")];
}

/** Returns a document that is well-formed and whose addresses are all absolute. */
function originalOf(text: string): Original | undefined {
  try {
    const [type, ...entries] = readWithSaxes(text, DOCUMENT_URL);
    const urls = (entries: readonly unknown[]) =>
      entries.map((entry) => (entry as { url: string }).url);
    const isAbsolute = urls(readWithSaxes(text).slice(1)).join() === urls(entries).join();
    const isPlain = isAbsolute && !/<!DOCTYPE|encoding=["'](?!utf-8)/i.test(text);
    if (!isPlain || entries.length === 0) return undefined;
    return { text, isFeed: /Rss|Atom/.test(String(type)), urls: new Set(urls(entries)) };
  } catch {
    return undefined;
  }
}

/** Maximum length of an original: it is broken in one place. */
const MAX_LENGTH = 10_000;

/** Returns the documents to break. */
function originals(): Original[] {
  const texts = new Set(fixtureTexts().filter(({ length }) => length <= MAX_LENGTH).sort());
  return [...texts].map(originalOf).filter((original) => original !== undefined);
}

// ----------------------------------------------------------------------------------------------- places

/** Returns the offsets between which each match of a pattern is. */
function spans(text: string, pattern: RegExp): [start: number, end: number][] {
  return [...text.matchAll(pattern)].map(({ index, 0: match }) => [index, index + match.length]);
}

const TAG_REGEXP = /<\/?[a-z][^<>]*>/gi;
const ENTRY_REGEXP = /<((?:[\w-]+:)?(?:url|sitemap|item|entry))\b[^>]*>[^]*?<\/\1\s*>/gi;
/** Text that is not that of an address. */
const TEXT_REGEXP = /(?<=<(?![^>]*(?:loc|link|guid|id)\b)\/?[a-z][^<>]*>)[^<>]*(?=<)/gi;
const ANY_TEXT_REGEXP = /(?<=>)[^<>]+(?=<)/g;

/** The parts of a document: all before its first entry, its entries, and all after its last. */
interface Parts {
  readonly head: string;
  readonly entries: readonly string[];
  readonly tail: string;
}

function partsOf(text: string): Parts | undefined {
  const found = spans(text, ENTRY_REGEXP);
  if (found.length === 0) return undefined;
  const starts = found.map(([start]) => start), end = found.at(-1)![1];
  return {
    head: text.slice(0, starts[0]),
    entries: starts.map((start, at) => text.slice(start, starts[at + 1] ?? end)),
    tail: text.slice(end),
  };
}

function inserted(text: string, at: number, piece: string): string {
  return text.slice(0, at) + piece + text.slice(at);
}

function removed(text: string, at: number, length = 1): string {
  return text.slice(0, at) + text.slice(at + length);
}

/** Inserts a piece into text that matches a pattern, inside the entries. */
function insertedInto(text: string, pattern: RegExp, piece: string, random: Random) {
  const parts = partsOf(text);
  if (parts === undefined) return undefined;
  const entry = parts.entries.join(""), places = spans(entry, pattern);
  if (places.length === 0) return undefined;
  const [start, end] = random.pick(places);
  return parts.head + inserted(entry, start + random.below(end - start + 1), piece) + parts.tail;
}

/** Removes a character that ends or is in a tag. */
function removedFromTag(text: string, characters: RegExp, random: Random): string | undefined {
  const places = spans(text, TAG_REGEXP).flatMap(([start, end]) =>
    spans(text.slice(start, end), characters).map(([at]) => start + at)
  );
  return places.length === 0 ? undefined : removed(text, random.pick(places));
}

function rootStart(text: string): number {
  return text.search(/<[a-z]/i);
}

// -------------------------------------------------------------------------------------------- mutations

const PHP_WARNING =
  "<br />\n<b>Warning</b>:  Undefined variable $x in <b>/var/www/feed.php</b> on line " +
  "<b>12</b><br />\n";
const BEFORE = [
  PHP_WARNING,
  "PHP Notice:  Trying to get property of non-object in /var/www/sitemap.php on line 7\n",
  "\n\n  ",
  "\ufeff\ufeff",
  "<script>var a = 1;</script>\n",
  '<div class="notice">Maintenance</div>\n',
  "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n\r\n",
  "xml\n",
];
const AFTER = [
  PHP_WARNING,
  "\nFatal error: Allowed memory size exhausted",
  "<script>track();</script>",
  "</body></html>",
  "<div>Generated in 0.1 s",
  "\0\0\0",
  "<!-- cached",
];
const WRAPPERS = ["response", "xml", "root", "div", "data", "string"];
const UNCLOSED = [
  "<br>",
  "<p>",
  "<b>",
  '<img src="https://site.test/i.png">',
  "<hr>",
  "<li>",
  "<a>",
];
const BARE = [" & ", "&", "&nbsp", " < ", "<", " <3 ", "&;", "AT&T"];
const INVALID = [
  raw(0xe9),
  raw(0xff),
  raw(0x80),
  raw(0xc3),
  raw(0xed, 0xa0, 0x80),
  raw(0xfe, 0xff),
];
const CONTROLS = ["\0", "\x01", "\x08", "\x0b", "\x1f", "\ufffe"];
const NAMESPACES = [
  ...["http://example.com/", "http://www.google.com/schemas/sitemap/0.84", "", "x"],
  ...["https://www.w3.org/2005/Atom", "http://backend.userland.com/RSS2"],
];
const ROOTS: Readonly<Record<string, readonly string[]>> = {
  urlset: ["URLSET", "UrlSet", "sitemapindex"],
  sitemapindex: ["SITEMAPINDEX", "sitemapIndex", "urlset"],
  rss: ["RSS", "Rss"],
  feed: ["FEED", "Feed"],
  RDF: ["rdf", "Rdf"],
};

/** Returns the document after a mutation; `undefined` if it has no place for it. */
type Mutation = (text: string, random: Random) => string | Uint8Array | undefined;

/** Changes bytes in a range of up to 60. */
function inRange(change: (bytes: number[], start: number, end: number) => void): Mutation {
  return (text, random) => {
    const bytes = [...documentBytes(text)], root = rootStart(text);
    const start = root + random.below(bytes.length - root);
    change(bytes, start, start + 1 + random.below(60));
    return Uint8Array.from(bytes);
  };
}

const MUTATIONS: Readonly<Record<string, Mutation>> = {
  "junk before the root": (text, random) =>
    inserted(text, random.pick([0, rootStart(text)]), random.pick(BEFORE)),
  "junk after the root": (text, random) => text + random.pick(AFTER),
  "entries after the root": (text, random) => {
    const { head, entries, tail } = partsOf(text) ?? { entries: [] };
    if (entries.length === 0) return undefined;
    const at = random.below(entries.length);
    return [head, ...entries.slice(0, at), tail, ...entries.slice(at)].join("");
  },
  "two roots": (text, random) => {
    const { head, entries, tail } = partsOf(text) ?? { entries: [] };
    if (entries.length === 0) return undefined;
    const at = random.below(entries.length);
    return [head, ...entries.slice(0, at), tail, head, ...entries.slice(at), tail].join("");
  },
  "root inside another": (text, random) => {
    const name = random.pick(WRAPPERS), at = random.pick([0, rootStart(text)]);
    return `${inserted(text, at, `<${name}>\n`)}</${name}>`;
  },
  "root inside HTML": (text, random) => {
    const start = random.pick(["<html><body>", "<!DOCTYPE html><html><head></head><body><pre>"]);
    return `${start}${text}</body></html>`;
  },
  "wrong root": (text, random) => {
    const [, name = ""] = /<(?:[\w-]+:)?(\w+)/.exec(text.slice(rootStart(text))) ?? [];
    const other = random.pick(ROOTS[name] ?? [name]);
    return text.replaceAll(new RegExp(`(</?(?:[\\w-]+:)?)${name}\\b`, "g"), `$1${other}`);
  },
  "wrong namespace": (text, random) => {
    const places = spans(text, /(?<=\sxmlns(?::\w+)?=["'])[^"']*/g);
    if (places.length === 0) {
      return text.replace(/<[a-z]+(?=[\s>])/i, '$& xmlns="http://example.com/"');
    }
    const [start, end] = random.pick(places);
    return inserted(removed(text, start, end - start), start, random.pick(NAMESPACES));
  },
  "unclosed element": (text, random) =>
    insertedInto(text, TEXT_REGEXP, random.pick(UNCLOSED), random),
  "missing end tag": (text, random) => {
    const [start, end] = random.pick(spans(text, /<\/[^<>]*>/g));
    return removed(text, start, end - start);
  },
  "missing quote": (text, random) => removedFromTag(text, /["']/g, random),
  "missing >": (text, random) => removedFromTag(text, />$/g, random),
  "truncated": (text, random) => {
    const start = text.indexOf(">", rootStart(text)) + 1;
    return text.slice(0, start + random.below(text.length - start));
  },
  "bare & or <": (text, random) => {
    const references = spans(text, /&amp;/g);
    if (references.length > 0 && random.below(2) === 0) {
      return removed(text, random.pick(references)[0] + 1, "amp;".length);
    }
    return insertedInto(text, TEXT_REGEXP, random.pick(BARE), random);
  },
  "invalid UTF-8": (text, random) => insertedInto(text, TEXT_REGEXP, random.pick(INVALID), random),
  "control character": (text, random) =>
    insertedInto(text, ANY_TEXT_REGEXP, random.pick(CONTROLS), random),
  "bytes lost": inRange((bytes, start, end) => void bytes.splice(start, end - start)),
  "bytes repeated": inRange((bytes, start, end) =>
    void bytes.splice(end, 0, ...bytes.slice(start, end))
  ),
  "bytes swapped": inRange((bytes, start, end) =>
    void bytes.splice(end, 0, ...bytes.splice(start, (end - start) >> 1))
  ),
};

/** Yields an original as it is, then broken in every way some times. */
function* versionsOf(original: Original, times: number, random: Random): Generator<TestDocument> {
  yield { original, bytes: documentBytes(original.text) };
  for (const [mutation, mutate] of Object.entries(MUTATIONS)) {
    for (let time = 0; time < times; time++) {
      const broken = mutate(original.text, random);
      if (broken === undefined) break;
      const bytes = typeof broken === "string" ? documentBytes(broken) : broken;
      yield { original, mutation, bytes };
    }
  }
}

/** Returns all originals as they are and broken, the same from each seed. */
export function testDocuments(times: number, seed: number): TestDocument[] {
  const random = new Random(seed);
  return originals().flatMap((original) => [...versionsOf(original, times, random)]);
}
