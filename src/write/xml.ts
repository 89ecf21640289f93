/**
 * XML sitemaps: a `urlset` of pages by the table of their fields, or a `sitemapindex`.
 *
 * `@libs/xml` writes the markup of each kind of element once, with placeholders for values that are
 * filled in for each page. Values are escaped here: `@libs/xml` writes control characters, and `<` in
 * attributes, as they are.
 *
 * @module
 */

import { stringify } from "@libs/xml/stringify";
import { compactDate, timeOfDate } from "../data/date.ts";
import { PROTOCOL_LIMITS } from "../data/limits.ts";
import { hasExtensions, type SitemapPage } from "../data/page.ts";
import {
  type Data,
  EXTENSIONS,
  type Field,
  NAMESPACES,
  PAGE,
  type RecordSchema,
} from "../data/page_schema.ts";
import { FORMAT_CONTROLS } from "./escape.ts";
import {
  byteWriterStream,
  pageOf,
  type TextFormat,
  type WriterChunk,
  type WriterInput,
} from "./text_stream.ts";

// ---------------------------------------------------------------------------------------------- values

const ENTITIES: Readonly<Record<string, string>> = {
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

const DECIMAL = new Intl.NumberFormat("en-US", {
  useGrouping: false,
  maximumSignificantDigits: 21,
});

/** Returns a number as `xsd:decimal` has it, without exponent; `undefined` if it is not finite. */
function decimal(number: number): string | undefined {
  if (!Number.isFinite(number)) return undefined;
  const text = String(number);
  return text.includes("e") ? DECIMAL.format(number) : text;
}

const TEXT_UNSAFE = "\\0-\\x08\\x0b-\\x1f<>";
/** Quotes end an attribute, and white space becomes spaces in it. */
const ATTRIBUTE_UNSAFE = "\\0-\\x1f\"'<";

const escapeText = escaper(TEXT_UNSAFE, () => "");
const escapeUrl = escaper(TEXT_UNSAFE, encodeURIComponent);
const escapeAttribute = escaper(ATTRIBUTE_UNSAFE, () => "");
const escapeUrlAttribute = escaper(ATTRIBUTE_UNSAFE, encodeURIComponent);

/** A reference that was escaped twice, by the rules of the reader. */
const REFERENCE_REGEXP = /&(?=#?\w+;)/g;

/**
 * Escapes text that the reader decodes twice, since many sites escape it twice: references in it are
 * escaped once more.
 */
function escapeTitle(text: string): string {
  return escapeText(text.includes("&") ? text.replace(REFERENCE_REGEXP, "&amp;") : text);
}

function escaper(
  characters: string,
  replaceForbidden: (text: string) => string,
): (text: string) => string {
  const all = `${characters}\\x7f-\\x9f${FORMAT_CONTROLS}\\ufffe\\uffff`;
  const unsafe = new RegExp(`[${all}]`, "g");
  // surrogates may be lone
  const test = new RegExp(`[&\\ud800-\\udfff${all}]`);
  function escapeCharacter(character: string): string {
    const isWhitespace = character === "\t" || character === "\n" || character === "\r";
    // XML 1.0 §2.2 forbids them even as references
    const isForbidden = !isWhitespace && (character < " " || character > "\ufffd");
    if (isForbidden) return replaceForbidden(character);
    return ENTITIES[character] ?? `&#x${character.charCodeAt(0).toString(16)};`;
  }
  // most values need no escaping, which search() finds faster than replace()
  return (text) =>
    text.search(test) < 0
      ? text
      : text.toWellFormed().replaceAll("&", "&amp;").replace(unsafe, escapeCharacter);
}

// ---------------------------------------------------------------------------------------------- markup

/** Placeholder of a value; for private use, so that no markup contains it. */
const HOLE = "\ue000";

/** Placeholder of elements inside of an element. */
const CHILDREN = "_";

const HOLES_REGEXP = /\ue000|\s*<_\/>/;

interface Markup {
  readonly start: string;
  readonly end: string;
}

function elementMarkup(path: readonly string[], content: unknown): Markup {
  const document = path.reduceRight((inner, name) => ({ [name]: inner }), content);
  const { start, end } = documentMarkup(document as object);
  // cut off the elements around it
  return {
    start: start.slice(start.lastIndexOf(">", start.lastIndexOf("<")) + 1),
    end: end.slice(0, end.indexOf(">") + 1),
  };
}

function documentMarkup(document: object): Markup {
  const text: string = stringify(document as Parameters<typeof stringify>[0], {
    // text is never broken into lines: a URL would get white space around it
    format: { indent: "", breakline: Infinity },
  });
  const [start = "", end = ""] = text.split(HOLES_REGEXP);
  return { start, end };
}

// ----------------------------------------------------------------------------------------------- pages

/** Returns `""` for a value that is not written. */
type ValueWriter = (value: never) => string;

/** The function returns `""` for an incomplete record. */
function elementWriter(
  path: readonly string[],
  { inXmlOrder, fixed = [] }: RecordSchema,
): (record: object) => string {
  const attributes = inXmlOrder.filter(isAttribute);
  const content = inXmlOrder.filter((field) => !isAttribute(field));
  const isText = content.every(({ xml }) => xml === "#text");
  const { start, end } = elementMarkup(path, isText ? HOLE : { [CHILDREN]: null });
  const head = start.slice(0, -1) + fixed.map(([name, value]) => ` ${name}="${value}"`).join("");
  const fields = [...attributes, ...content];
  const writers = fields.map((field) => fieldWriter(path, field));
  const indexes = new Map(fields.map(({ name }, index) => [name, index]));
  const empty = fields.map(() => "");
  const required = fields.flatMap(({ required }, index) => required ? [index] : []);
  const groups = groupsOf(path, fields);
  return (record) => {
    const texts = empty.slice();
    // visits no absent fields, which are slow to look up (`docs/ARCHITECTURE.md`, V8)
    for (const name in record) {
      const index = indexes.get(name);
      const value = (record as Data)[name];
      if (index === undefined || value === undefined) continue;
      texts[index] = writers[index]!(value as never);
    }
    for (const index of required) if (texts[index] === "") return "";
    let xml = head;
    for (let index = 0; index < attributes.length; index++) xml += texts[index];
    if (content.length === 0) return `${xml}/>`;
    xml += ">";
    let group: Markup | undefined;
    for (let index = attributes.length; index < fields.length; index++) {
      const text = texts[index];
      if (text === "") continue;
      if (groups[index] !== group) {
        xml += (group?.end ?? "") + (groups[index]?.start ?? "");
        group = groups[index];
      }
      xml += text;
    }
    return xml + (group?.end ?? "") + end;
  };
}

function isAttribute({ xml }: Field): boolean {
  return xml.startsWith("@");
}

/** Returns the markup of the element around each field, if the table has one. */
function groupsOf(
  path: readonly string[],
  fields: readonly Field[],
): readonly (Markup | undefined)[] {
  const groups = new Map<string | undefined, Markup>();
  for (const { inside } of fields) {
    if (inside === undefined || groups.has(inside)) continue;
    groups.set(inside, elementMarkup([...path, inside], { [CHILDREN]: null }));
  }
  return fields.map(({ inside }) => groups.get(inside));
}

function fieldWriter(path: readonly string[], field: Field): ValueWriter {
  const { xml, inside, record, isList, separator } = field;
  if (xml === "#text") return textWriter(field);
  if (isAttribute(field)) {
    return enclosed({ start: ` ${xml.slice(1)}="`, end: '"' }, textWriter(field));
  }
  const inner = [...path, ...(inside === undefined ? [] : [inside]), xml];
  const write: ValueWriter = record === undefined
    ? enclosed(elementMarkup(inner, HOLE), textWriter(field))
    : elementWriter(inner, record);
  if (!isList || separator !== undefined) return write;
  return (items: readonly never[]) => {
    let text = "";
    for (const item of items) text += write(item);
    return text;
  };
}

function enclosed({ start, end }: Markup, write: ValueWriter): ValueWriter {
  return (value) => {
    const text = write(value);
    return text && start + text + end;
  };
}

function textWriter(field: Field): ValueWriter {
  const { kind, separator, words } = field;
  const escapeString = escapeOf(field);
  switch (kind) {
    case "priority":
      return (number: number) => number >= 0 && number <= 1 ? decimal(number) ?? "" : "";
    case "number":
      return (number: number) => number < 0 ? "" : decimal(number) ?? "";
    case "flag":
      return (flag: boolean) => flag ? "yes" : "no";
    case "date":
      return (date: string) => Number.isNaN(timeOfDate(date)) ? "" : compactDate(date);
    case "word":
      return (word: string) => words!.includes(word) ? word : "";
    default: {
      if (separator === undefined) return escapeString;
      const joint = separator === "," ? ", " : " ";
      return (items: readonly string[]) => escapeString(items.join(joint));
    }
  }
}

function escapeOf(field: Field): (text: string) => string {
  if (field.isEscapedTwice) return escapeTitle;
  if (field.kind === "url") return isAttribute(field) ? escapeUrlAttribute : escapeUrl;
  return isAttribute(field) ? escapeAttribute : escapeText;
}

function isExtension(field: Field): boolean {
  return EXTENSIONS.includes(field);
}

/** URL, date, change frequency and priority. */
const PROTOCOL_FIELDS = PAGE.inXmlOrder.filter((field) => !isExtension(field));

function pageWriter(): (page: SitemapPage) => string {
  const path = ["urlset", "url"];
  const { start, end } = elementMarkup(path, { [CHILDREN]: null });
  const writerOf = (field: Field) => ({ ...field, write: fieldWriter(path, field) });
  const [loc, lastmod, changefreq, priorityElement] = PROTOCOL_FIELDS.map(writerOf);
  // most sitemaps have none
  let extensions: ReturnType<typeof writerOf>[] | undefined;
  return (page) => {
    const { url, lastModified, changeFrequency, priority } = page;
    const location = loc!.write(url as never);
    if (location === "") return "";
    let xml = start + location;
    if (lastModified !== undefined) xml += lastmod!.write(lastModified as never);
    if (changeFrequency !== undefined) xml += changefreq!.write(changeFrequency as never);
    if (priority !== undefined) xml += priorityElement!.write(priority as never);
    if (hasExtensions(page)) {
      extensions ??= PAGE.inXmlOrder.filter(isExtension).map(writerOf);
      for (const { name, write } of extensions) {
        const value = page[name as keyof SitemapPage];
        if (value !== undefined) xml += write(value as never);
      }
    }
    return xml + end;
  };
}

// ------------------------------------------------------------------------------------------- documents

/**
 * Writes pages as one XML sitemap, as UTF-8: a `urlset` with the extensions for news, images,
 * videos and alternates.
 *
 * The output is well-formed whatever the pages contain: characters that XML forbids are
 * percent-encoded in URLs and dropped elsewhere. A priority that was not given is omitted, dates have
 * the precision that was given, and a story without a date is dropped, since the news extension
 * requires one. Other incomplete extensions are written as they are. The protocol allows a sitemap
 * 50,000 URLs and 50 MiB, and requires at least one URL; none of it is checked.
 *
 * @example
 * ```ts
 * import { toReadableStream, toSitemapXml } from "@sitetree/sitetree/write";
 * import { assertStringIncludes } from "@std/assert";
 *
 * const pages = [{ url: "https://example.com/?a&b", priority: 0.8 }];
 * const xml = toReadableStream(pages).pipeThrough(toSitemapXml());
 * assertStringIncludes(
 *   await new Response(xml).text(),
 *   "<url><loc>https://example.com/?a&amp;b</loc><priority>0.8</priority></url>",
 * );
 * ```
 *
 * @returns A stream of pages or events in, one by one or in batches, bytes out.
 */
export function toSitemapXml(): TransformStream<WriterChunk, Uint8Array<ArrayBuffer>> {
  return byteWriterStream(sitemapXmlFormat());
}

/** The document has a line for each page. */
/** Calls `warn` once, when the sitemap exceeds what the protocol allows. */
export function sitemapXmlFormat(warn?: (line: string) => void): TextFormat<WriterInput> {
  const attributes = Object.entries(NAMESPACES).map(([prefix, uri]) =>
    [prefix === "" ? "@xmlns" : `@xmlns:${prefix}`, uri] as const
  );
  const { start, end } = documentMarkup({
    "@version": "1.0",
    "@encoding": "UTF-8",
    urlset: { ...Object.fromEntries(attributes), [CHILDREN]: null },
  });
  const writePage = pageWriter();
  const head = start.replace("?>", "?>\n"), last = `\n${end}\n`;
  const measure = warn && excessMeter(head + last, warn);
  return {
    head,
    write(input) {
      const page = pageOf(input);
      const text = page === undefined ? "" : writePage(page);
      if (text === "") return "";
      measure?.(`\n${text}`);
      return `\n${text}`;
    },
    end: () => last,
  };
}

function excessMeter(frame: string, warn: (line: string) => void): (text: string) => void {
  const encoder = new TextEncoder();
  const { maxUrls, maxBytes } = PROTOCOL_LIMITS;
  let urls = 0, bytes = encoder.encode(frame).length;
  return (text) => {
    if (urls > maxUrls || bytes > maxBytes) return;
    urls++;
    bytes += encoder.encode(text).length;
    if (urls <= maxUrls && bytes <= maxBytes) return;
    const excess = urls > maxUrls ? "50,000 URLs" : "50 MiB (52,428,800 bytes)";
    warn(`Writing one XML sitemap of more than ${excess}: the protocol requires several files`);
  };
}
