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
import { isoDate } from "../data/date.ts";
import { isPriorityGiven, type SitemapPage } from "../data/page.ts";
import {
  type Data,
  type Field,
  NAMESPACES,
  PAGE,
  precisionAt,
  type RecordSchema,
} from "../data/page_schema.ts";
import { FORMAT_CONTROLS } from "./escape.ts";
import { strictPage } from "./strict_page.ts";
import {
  byteWriterStream,
  pageOf,
  type TextFormat,
  type WriterChunk,
  type WriterInput,
} from "./text_stream.ts";

// ---------------------------------------------------------------------------------------------- values

const EXPONENT_REGEXP = /^(-?)(\d+)\.?(\d*)e([+-]\d+)$/;

/** Returns a number as `xsd:decimal` has it, without exponent; `undefined` if it is not finite. */
export function decimal(number: number): string | undefined {
  if (!Number.isFinite(number)) return undefined;
  const text = String(number);
  const match = EXPONENT_REGEXP.exec(text);
  if (match === null) return text;
  const [, sign = "", whole = "", fraction = "", exponent] = match;
  const point = whole.length + Number(exponent);
  const digits = whole + fraction;
  // `String()` uses an exponent only if the point is outside of the digits
  return point > 0 ? sign + digits.padEnd(point, "0") : `${sign}0.${"0".repeat(-point)}${digits}`;
}

/** Characters that are escaped in text, terminal controls included, except for `&`. */
const TEXT_REGEXP = new RegExp(
  `[\\0-\\x08\\x0b-\\x1f<>\\x7f-\\x9f${FORMAT_CONTROLS}\\ufffe\\uffff]`,
  "g",
);

/** The same for attributes, in which quotes end the value and white space becomes spaces. */
const ATTRIBUTE_REGEXP = new RegExp(
  `[\\0-\\x1f"'<\\x7f-\\x9f${FORMAT_CONTROLS}\\ufffe\\uffff]`,
  "g",
);

/** A reference that was escaped twice, by the rules of the reader. */
const REFERENCE_REGEXP = /&(?=#?\w+;)/g;

const ENTITIES: Readonly<Record<string, string>> = {
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Escapes text of an element. Characters that XML forbids are dropped. */
function escapeText(text: string): string {
  return escape(text, TEXT_REGEXP, nothing);
}

/** Escapes a URL in an element. Characters that XML forbids are percent-encoded. */
function escapeUrl(url: string): string {
  return escape(url, TEXT_REGEXP, encodeURIComponent);
}

/** Escapes the value of an attribute. Characters that XML forbids are dropped. */
function escapeAttribute(text: string): string {
  return escape(text, ATTRIBUTE_REGEXP, nothing);
}

/** Escapes a URL in an attribute. Characters that XML forbids are percent-encoded. */
function escapeUrlAttribute(url: string): string {
  return escape(url, ATTRIBUTE_REGEXP, encodeURIComponent);
}

/**
 * Escapes text that the reader decodes twice, since many sites escape it twice: references in it are
 * escaped once more.
 */
function escapeTitle(text: string): string {
  return escapeText(text.includes("&") ? text.replace(REFERENCE_REGEXP, "&amp;") : text);
}

function escape(text: string, pattern: RegExp, replaceForbidden: (text: string) => string): string {
  let escaped = text.toWellFormed();
  if (escaped.includes("&")) escaped = escaped.replaceAll("&", "&amp;");
  if (escaped.search(pattern) < 0) return escaped;
  return escaped.replace(pattern, (character) => {
    const entity = ENTITIES[character];
    if (entity !== undefined) return entity;
    return isForbidden(character) ? replaceForbidden(character) : reference(character);
  });
}

/** Whether XML 1.0 §2.2 forbids a character, even as a reference. */
function isForbidden(character: string): boolean {
  const isWhitespace = character === "\t" || character === "\n" || character === "\r";
  return !isWhitespace && (character < " " || character > "\ufffd");
}

function reference(character: string): string {
  return `&#x${character.charCodeAt(0).toString(16)};`;
}

function nothing(): string {
  return "";
}

// ---------------------------------------------------------------------------------------------- markup

/** Placeholder of a value; for private use, so that no markup contains it. */
const HOLE = "\ue000";

/** Placeholder of elements inside of an element. */
const CHILDREN = "_";

const HOLES_REGEXP = /\ue000|\s*<_\/>/;

/** Start and end of an element or document. */
interface Markup {
  readonly start: string;
  readonly end: string;
}

/** Returns the markup of the last element of a path from the root. */
function elementMarkup(pretty: boolean, path: readonly string[], content: unknown): Markup {
  const document = path.reduceRight((inner, name) => ({ [name]: inner }), content);
  const { start, end } = documentMarkup(pretty, document as object);
  // cut off the elements around it
  return {
    start: start.slice(start.lastIndexOf(">", start.lastIndexOf("<")) + 1),
    end: end.slice(0, end.indexOf(">") + 1),
  };
}

function documentMarkup(pretty: boolean, document: object): Markup {
  const text: string = stringify(document as Parameters<typeof stringify>[0], {
    // text is never broken into lines: a URL would get white space around it
    format: { indent: pretty ? "  " : "", breakline: Infinity },
  });
  const [start = "", end = ""] = text.split(HOLES_REGEXP);
  return { start, end };
}

// ----------------------------------------------------------------------------------------------- pages

/** First and last time of `xsd:dateTime` with four digits of the year. */
const FIRST_TIME = Date.parse("0001-01-01T00:00:00.000Z");
const LAST_TIME = Date.parse("9999-12-31T23:59:59.999Z");

/** Writes an element for a record, or for a field of it; returns `""` if there is nothing to write. */
type ElementWriter = (record: Data) => string;

/** Writes the records of a path as elements; an incomplete one is not written. */
function recordWriter(
  pretty: boolean,
  path: readonly string[],
  schema: RecordSchema,
): ElementWriter {
  const { start, end } = elementMarkup(pretty, path, { [CHILDREN]: null });
  const writers = fieldWriters(pretty, path, schema.inXmlOrder);
  return (record) => {
    let children = "";
    for (const { write, isRequired } of writers) {
      const text = write(record);
      if (text === "" && isRequired) return "";
      children += text;
    }
    return start + children + end;
  };
}

interface FieldWriter {
  readonly write: ElementWriter;
  readonly isRequired: boolean;
}

/** Writers of fields; those inside of another element are written together. */
function fieldWriters(
  pretty: boolean,
  path: readonly string[],
  fields: readonly Field[],
): FieldWriter[] {
  const writers: FieldWriter[] = [];
  for (const field of fields) {
    const { inside } = field;
    if (inside === undefined) writers.push(fieldWriter(pretty, path, field));
    else {
      const group = fields.filter((other) => other.inside === inside);
      if (field === group[0]) writers.push(groupWriter(pretty, [...path, inside], group));
    }
  }
  return writers;
}

function groupWriter(
  pretty: boolean,
  path: readonly string[],
  fields: readonly Field[],
): FieldWriter {
  const { start, end } = elementMarkup(pretty, path, { [CHILDREN]: null });
  const writers = fields.map((field) => fieldWriter(pretty, path, field));
  return {
    isRequired: false,
    write(record) {
      const children = writers.map(({ write }) => write(record)).join("");
      return children && start + children + end;
    },
  };
}

function fieldWriter(pretty: boolean, path: readonly string[], field: Field): FieldWriter {
  const isRequired = field.required === "always" || field.required === "xml";
  return { isRequired, write: elementWriter(pretty, [...path, field.xml], field) };
}

function elementWriter(pretty: boolean, path: readonly string[], field: Field): ElementWriter {
  const { name, record, isList, separator } = field;
  if (record === undefined && (!isList || separator !== undefined)) {
    const { start, end } = elementMarkup(pretty, path, HOLE);
    const text = textOf(field);
    return (data) => {
      const value = text(data);
      return value && start + value + end;
    };
  }
  const write: (item: never) => string = record === undefined
    ? repeatedWriter(pretty, path, field)
    : record.fields.some(({ xml }) => xml.includes(":"))
    ? recordWriter(pretty, path, record)
    : attributesWriter(pretty, path, record);
  return (data) => {
    const value = data[name];
    if (value === undefined) return "";
    if (!isList) return write(value as never);
    let text = "";
    for (const item of value as readonly never[]) text += write(item);
    return text;
  };
}

/** Writes an item of a list that has an element for each. */
function repeatedWriter(
  pretty: boolean,
  path: readonly string[],
  { kind }: Field,
): (item: string) => string {
  const { start, end } = elementMarkup(pretty, path, HOLE);
  return (item) => {
    const text = kind === "url" ? escapeUrl(item) : escapeText(item);
    return text && start + text + end;
  };
}

/** Writes a record whose fields are the attributes and the text of one element. */
function attributesWriter(
  pretty: boolean,
  path: readonly string[],
  { fields, fixed = [] }: RecordSchema,
): ElementWriter {
  const content = fields.find(({ xml }) => xml === "#text");
  const { start, end } = elementMarkup(pretty, path, HOLE);
  const head = start.slice(0, -1) +
    fixed.map(([name, value]) => ` ${name}="${value}"`).join("");
  const writers = fields.filter((field) => field !== content).map((field) => ({
    isRequired: field.required === "always",
    name: field.xml.slice(1),
    text: textOf(field),
  }));
  const contentText = content && textOf(content);
  return (record) => {
    let text = head;
    for (const { name, text: attribute, isRequired } of writers) {
      const value = attribute(record);
      if (value !== "") text += ` ${name}="${value}"`;
      else if (isRequired) return "";
    }
    if (contentText === undefined) return `${text}/>`;
    const value = contentText(record);
    return value && `${text}>${value}${end}`;
  };
}

/** Returns a function that writes the value of a field of a record; `""` if it has none. */
function textOf(field: Field): (record: Data) => string {
  const { property, kind, separator, words, isEscapedTwice } = field;
  const isAttribute = field.xml.startsWith("@");
  const escapeString = isEscapedTwice
    ? escapeTitle
    : kind === "url"
    ? isAttribute ? escapeUrlAttribute : escapeUrl
    : isAttribute
    ? escapeAttribute
    : escapeText;
  const joint = separator === "," ? ", " : " ";
  if (separator === undefined && (kind === "text" || kind === "url")) {
    return (record) => {
      const value = record[property] as string | undefined;
      return value === undefined ? "" : escapeString(value);
    };
  }
  return (record) => {
    const value = record[property];
    if (value === undefined) return "";
    switch (kind) {
      case "priority":
        return priorityText(record as unknown as SitemapPage);
      case "number":
        return (value as number) < 0 ? "" : decimal(value as number) ?? "";
      case "flag":
        return value ? "yes" : "no";
      case "date": {
        const time = value as number;
        const isWritable = time >= FIRST_TIME && time <= LAST_TIME;
        return isWritable ? isoDate(time, precisionAt(record, field)) : "";
      }
      case "word":
        return words!.includes(value as string) ? value as string : "";
      default:
        return escapeString((value as readonly string[]).join(joint));
    }
  };
}

function priorityText(page: SitemapPage): string {
  const { priority } = page;
  return isPriorityGiven(page) && priority >= 0 && priority <= 1 ? decimal(priority) ?? "" : "";
}

// ------------------------------------------------------------------------------------------- documents

/** Format of a document with many entries. */
export interface DocumentFormat<Entry> {
  /** Text before the entries. */
  readonly head: string;
  /** Writes an entry; returns `""` for one that is dropped. */
  readonly entry: (entry: Entry) => string;
  /** Text after the entries. */
  readonly tail: string;
}

/** Entry of an index. */
export interface IndexEntry {
  /** URL of the sitemap. */
  readonly url: string;
  /** Date of its last change, as an ISO string. */
  readonly lastModified: string | undefined;
}

/** Returns the format of a `urlset`; a strict one contains only what the schemas allow. */
export function urlsetFormat(pretty: boolean, strict: boolean): DocumentFormat<SitemapPage> {
  const write = recordWriter(pretty, ["urlset", "url"], PAGE);
  return inLines(pretty, "urlset", NAMESPACES, (page) => {
    const written = strict ? strictPage(page) : page;
    return written === undefined ? "" : write(written as unknown as Data);
  });
}

/** Returns the format of a `sitemapindex`. */
export function indexFormat(pretty: boolean): DocumentFormat<IndexEntry> {
  const path = ["sitemapindex", "sitemap"];
  const sitemap = elementMarkup(pretty, path, { [CHILDREN]: null });
  const loc = elementMarkup(pretty, [...path, "loc"], HOLE);
  const lastmod = elementMarkup(pretty, [...path, "lastmod"], HOLE);
  return inLines(pretty, "sitemapindex", { "": NAMESPACES[""]! }, ({ url, lastModified }) => {
    const date = lastModified && lastmod.start + lastModified + lastmod.end;
    return `${sitemap.start}${loc.start}${escapeUrl(url)}${loc.end}${date ?? ""}${sitemap.end}`;
  });
}

/** Writes a document, a compact one with a line for each entry. */
function inLines<Entry>(
  pretty: boolean,
  root: string,
  namespaces: Readonly<Record<string, string>>,
  entry: (entry: Entry) => string,
): DocumentFormat<Entry> {
  const attributes = Object.entries(namespaces).map(([prefix, uri]) =>
    [prefix === "" ? "@xmlns" : `@xmlns:${prefix}`, uri] as const
  );
  const { start, end } = documentMarkup(pretty, {
    "@version": "1.0",
    "@encoding": "UTF-8",
    [root]: { ...Object.fromEntries(attributes), [CHILDREN]: null },
  });
  if (pretty) return { head: start, entry, tail: `${end}\n` };
  return {
    head: start.replace("?>", "?>\n"),
    entry(value) {
      const text = entry(value);
      return text && `\n${text}`;
    },
    tail: `\n${end}\n`,
  };
}

/** Options of {@linkcode toSitemapXml}. */
export interface SitemapXmlOptions {
  /** Whether every element is on its own line, indented. Default: false, a line for each page. */
  readonly pretty?: boolean;
  /**
   * Whether the output is valid by the schemas of sitemaps.org and of the extensions, whatever the
   * pages contain. URLs that are not URIs are percent-encoded, and pages without an http(s) URL of
   * less than 2,048 characters are dropped. So are records without a field that their extension
   * requires: a story without publication, a video without thumbnail. A year or month is written as
   * its first day. Default: false, everything that can be read back is written.
   */
  readonly strict?: boolean;
}

/**
 * Writes pages as one XML sitemap, as UTF-8: a `urlset` with the extensions for news, images,
 * videos and alternates.
 *
 * The output is well-formed whatever the pages contain: characters that XML forbids are
 * percent-encoded in URLs and dropped elsewhere. A priority that was not given is omitted, dates have
 * the precision that was given, and a story without a date is dropped, since the news extension
 * requires one. Other incomplete extensions are written as they are, unless `strict` is set. A sitemap
 * may have 50,000 URLs and 50 MB, and at least one URL; `writeSitemapSet()` splits pages accordingly.
 *
 * @example
 * ```ts
 * import { SitemapPage } from "@sitetree/sitetree";
 * import { toReadableStream, toSitemapXml } from "@sitetree/sitetree/write";
 * import { assertStringIncludes } from "@std/assert";
 *
 * const pages = [new SitemapPage({ url: "https://example.com/?a&b", priority: 0.8 })];
 * const xml = toReadableStream(pages).pipeThrough(toSitemapXml());
 * assertStringIncludes(
 *   await new Response(xml).text(),
 *   "<url><loc>https://example.com/?a&amp;b</loc><priority>0.8</priority></url>",
 * );
 * ```
 *
 * @param options Layout and strictness.
 * @returns A stream of pages or events in, one by one or in batches, bytes out.
 */
export function toSitemapXml(
  options: SitemapXmlOptions = {},
): TransformStream<WriterChunk, Uint8Array<ArrayBuffer>> {
  return byteWriterStream(sitemapXmlFormat(options));
}

/** Text format of {@linkcode toSitemapXml}. */
export function sitemapXmlFormat(options: SitemapXmlOptions): TextFormat<WriterInput> {
  const { pretty = false, strict = false } = options;
  const format = urlsetFormat(pretty, strict);
  return {
    head: format.head,
    write(input) {
      const page = pageOf(input);
      return page === undefined ? "" : format.entry(page);
    },
    end: () => format.tail,
  };
}
