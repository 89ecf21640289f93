import type { WarningCode } from "../data/codes.ts";
import type { ChangeFrequency, Mutable, PageValues, SitemapAlternate } from "../data/page.ts";
import {
  CHANGE_FREQUENCIES,
  type Field,
  NAMESPACES,
  PAGE,
  type RecordSchema,
} from "../data/page_schema.ts";
import { excerpt } from "../data/text.ts";
import { decodeReferences } from "../xml/references.ts";
import type { ElementContext, ElementSpec, ElementTable, Format } from "./schema.ts";
import { SITEMAP_INDEX, SITEMAP_NAMESPACES } from "./sitemap_index.ts";

type Fields = Record<string, unknown>;

/** Fields of the page but its URL; all are present, so that they have one hidden class. */
interface UrlDraft extends Mutable<Required<PageValues>> {
  /** Record of the open element of an extension. */
  record: Fields;
  /** Attributes of the open element. */
  attributes: readonly string[];
}

const NO_RECORD: Fields = {};
const NO_ATTRIBUTES: readonly string[] = [];

// ----------------------------------------------------------------------------------------------- values

const PRIORITY_REGEXP = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const NUMBER_REGEXP = /^\d+(?:\.\d+)?$/;
const SPACE = 0x20, POINT = 0x2e, ZERO = 0x30;
const MAX_DIGITS = 9;

/** Reads `0.5`, `12` or `.75` from its bytes; returns NaN for any other form. */
function parseDecimalBytes(view: DataView, start: number, end: number): number {
  if (end - start > MAX_DIGITS) return NaN;
  let digits = 0, scale = 0, count = 0;
  for (let at = start; at < end; at++) {
    const digit = view.getUint8(at) - ZERO;
    if (digit >= 0 && digit <= 9) {
      digits = digits * 10 + digit;
      scale *= 10;
      count++;
    } else if (digit === POINT - ZERO && scale === 0) scale = 1;
    else return NaN;
  }
  // division rounds as `Number()` does
  return count === 0 ? NaN : scale > 1 ? digits / scale : digits;
}

function parsePriority(value: string): number | undefined {
  if (!PRIORITY_REGEXP.test(value)) return undefined;
  const priority = Number(value) + 0;
  return priority >= 0 && priority <= 1 ? priority : undefined;
}

function splitAtCommas(value: string): string[] {
  const items: string[] = [];
  for (let at = 0; at < value.length;) {
    const comma = value.indexOf(",", at);
    const end = comma < 0 ? value.length : comma;
    // most are separated by a comma and a space
    const item = value.slice(value.charCodeAt(at) === SPACE ? at + 1 : at, end).trim();
    if (item !== "") items.push(item);
    at = end + 1;
  }
  return items;
}

function parseFlag(value: string): boolean | undefined {
  const word = value.toLowerCase();
  if (word === "yes" || word === "true") return true;
  return word === "no" || word === "false" ? false : undefined;
}

/** Returns a function that reads a value of a field; it returns `undefined` for an invalid one. */
function parserOf({ kind, words, separator, isEscapedTwice }: Field): (value: string) => unknown {
  if (separator === ",") return splitAtCommas;
  if (separator === " ") return (value) => value.split(/\s+/);
  switch (kind) {
    case "number":
      // JSON has no Infinity, which is the value of 309 digits
      return (value) =>
        NUMBER_REGEXP.test(value) && Number(value) < Infinity ? Number(value) : undefined;
    case "flag":
      return parseFlag;
    case "word":
      return (value) => wordIn(words!, value);
    default:
      return isEscapedTwice ? decodeReferences : verbatim;
  }
}

function wordIn<Word extends string>(words: readonly Word[], value: string): Word | undefined {
  const word = value.toLowerCase() as Word;
  return words.includes(word) ? word : undefined;
}

function verbatim(value: string): string {
  return value;
}

// ------------------------------------------------------------------------------------- direct elements

interface FrequencyBytes {
  readonly word: ChangeFrequency;
  readonly first: number;
  readonly last: number;
}

/** Change frequencies by their first letter, which is unique. */
const BY_LETTER: readonly (FrequencyBytes | undefined)[] = byLetter(CHANGE_FREQUENCIES);

function byLetter(words: readonly ChangeFrequency[]): FrequencyBytes[] {
  const table: FrequencyBytes[] = [];
  for (const word of words) {
    const view = new DataView(new TextEncoder().encode(word).buffer);
    const first = view.getInt32(0, true), last = view.getInt32(word.length - 4, true);
    table[word.charCodeAt(0)] = { word, first, last };
  }
  return table;
}

/**
 * Elements that are read without the detour of a table: those of the sitemap protocol, which nearly
 * every page has, and alternates, of which a page has dozens (`tools/bench/shapes_bench.ts`).
 */
const DIRECT: Readonly<Record<string, ElementSpec<UrlDraft>>> = {
  url: { isAddress: true },
  lastModified: { date: (draft, date) => draft.lastModified = date },
  changeFrequency: {
    text(draft, value, element) {
      const word = wordIn(CHANGE_FREQUENCIES, value);
      if (word === undefined) return false;
      if (word !== value) {
        element.note?.("changefreq-case", `Change frequency "${value}" is not in lower case`);
      }
      draft.changeFrequency = word;
      return true;
    },
    bytes(draft, view, start, end) {
      if (start === end) return false;
      const known = BY_LETTER[view.getUint8(start)];
      const isKnown = known !== undefined && known.word.length === end - start &&
        view.getInt32(start, true) === known.first && view.getInt32(end - 4, true) === known.last;
      if (isKnown) draft.changeFrequency = known.word;
      return isKnown;
    },
  },
  priority: {
    text(draft, value) {
      const priority = parsePriority(value);
      if (priority !== undefined) draft.priority = priority;
      return priority !== undefined;
    },
    bytes(draft, view, start, end) {
      const priority = parseDecimalBytes(view, start, end);
      if (priority <= 1) draft.priority = priority;
      return priority <= 1;
    },
  },
  alternates: { isList: true, open: readAlternate },
};

function readAlternate(draft: UrlDraft, element: ElementContext): void {
  const rel = element.attribute("rel");
  if (rel !== "alternate" && rel.toLowerCase() !== "alternate") {
    return element.note?.("link-rel", `Link with rel "${excerpt(rel)}" ignored`);
  }
  const hreflang = element.attribute("hreflang"), href = element.attribute("href");
  if (hreflang === "" || href === "") {
    return element.warn("bad-alternate", "Alternate without hreflang or href dropped");
  }
  const alternate = { hreflang, href: element.resolved(href) };
  if (draft.alternates === undefined) draft.alternates = [alternate];
  else (draft.alternates as SitemapAlternate[]).push(alternate);
}

// ------------------------------------------------------------------------------------------- extensions

function extensionSpec(field: Field): ElementSpec<UrlDraft> {
  const { name, record } = field as Field & { readonly record: RecordSchema };
  const isRepeated = field.isList;
  const required = record.fields.filter(isRequired).map(({ name }) => name);
  return {
    ...(isRepeated && { isList: true }),
    open: (draft) => draft.record = {},
    children: childrenOf(record),
    close(draft, element) {
      const value = draft.record;
      for (const name of required) {
        if (value[name] === undefined) return element.warn(record.invalid![0], record.incomplete!);
      }
      add(draft as unknown as Fields, name, isRepeated, value);
    },
  };
}

/** Whether a record without the field is dropped. */
function isRequired({ required }: Field): boolean {
  return required !== undefined;
}

function childrenOf({ fields, invalid }: RecordSchema): ElementTable<UrlDraft> {
  const children: Record<string, ElementSpec<UrlDraft>> = {};
  const groups: Record<string, Record<string, ElementSpec<UrlDraft>>> = {};
  for (const field of fields) {
    const { xml, inside } = field;
    if (inside === undefined) children[xml] = fieldSpec(field, invalid!);
    else {
      children[inside] ??= { children: groups[inside] = {} };
      groups[inside]![xml] = fieldSpec(field, invalid!);
    }
  }
  return children;
}

function fieldSpec(
  field: Field,
  [code, noun]: readonly [WarningCode, string],
): ElementSpec<UrlDraft> {
  const { name, kind, separator, invalid, isResolved } = field;
  const isList = field.isList && separator === undefined;
  const common: ElementSpec<UrlDraft> = {
    unreadable: invalid ?? [code, `${noun} field "${name}"`],
    ...(separator && { separator }),
    ...(isList && { isList }),
  };
  if (kind === "record") return { ...common, ...recordSpec(field) };
  if (kind === "date") {
    return { ...common, date: (draft, date) => draft.record[name] = date };
  }
  if (isResolved) {
    return {
      ...common,
      text: (draft, value, element) => void (draft.record[name] = element.resolved(value)),
    };
  }
  const parse = parserOf(field);
  if (parse === verbatim && !isList) {
    return { ...common, text: (draft, value) => void (draft.record[name] = value) };
  }
  const spec: ElementSpec<UrlDraft> = {
    ...common,
    text: ({ record }, value) => addParsed(record, name, isList, parse(value)),
  };
  if (kind !== "number") return spec;
  return {
    ...spec,
    bytes({ record }, view, start, end) {
      const number = parseDecimalBytes(view, start, end);
      // digits precede and follow a point
      if (number !== number || isPoint(view, start) || isPoint(view, end - 1)) return false;
      return addParsed(record, name, isList, number);
    },
  };
}

function isPoint(view: DataView, at: number): boolean {
  return view.getUint8(at) === POINT;
}

/** An element whose attributes and text are the fields of a record. */
function recordSpec({ name, isList, record: schema }: Field): ElementSpec<UrlDraft> {
  const { fields } = schema!;
  const attributeNames = fields.filter(({ xml }) => xml.startsWith("@"))
    .map(({ xml }) => xml.slice(1));
  const readers = fields.map((field) => ({
    name: field.name,
    /** Index of the attribute; -1 for text. */
    index: attributeNames.indexOf(field.xml.slice(1)),
    parse: parserOf(field),
    isRequired: isRequired(field),
  }));
  function build(attributes: readonly string[], text: string): object | undefined {
    const record: Fields = {};
    for (const { name, index, parse, isRequired } of readers) {
      const value = index < 0 ? text : attributes[index]!;
      const parsed = value === "" ? undefined : parse(value);
      if (parsed !== undefined) record[name] = parsed;
      else if (isRequired) return undefined;
    }
    return record;
  }
  const separator = fields.find(({ separator }) => separator)?.separator;
  return {
    ...(separator && { separator }),
    open: (draft, element) =>
      draft.attributes = attributeNames.map((name) => element.attribute(name)),
    text: ({ record, attributes }, value) =>
      addParsed(record, name, isList, build(attributes, value)),
  };
}

/** Adds a value to a record, unless it is an empty list; returns false if it is invalid. */
function addParsed(record: Fields, name: string, isList: boolean, value: unknown): boolean {
  if (value === undefined) return false;
  if (!Array.isArray(value) || value.length > 0) add(record, name, isList, value);
  return true;
}

function add(record: Fields, name: string, isList: boolean, value: unknown): void {
  const items = isList ? record[name] as unknown[] | undefined : undefined;
  if (items !== undefined) items.push(value);
  else record[name] = isList ? [value] : value;
}

// ----------------------------------------------------------------------------------------------- format

const URL_CHILDREN: ElementTable<UrlDraft> = Object.fromEntries(
  PAGE.fields.map((field) => [
    field.xml.includes(":") ? field.xml : `own:${field.xml}`,
    {
      ...(DIRECT[field.name] ?? extensionSpec(field)),
      ...(field.invalid && { unreadable: field.invalid }),
    },
  ]),
);

export const URLSET: Format<UrlDraft> = {
  type: "PagesXmlSitemap",
  namespaces: SITEMAP_NAMESPACES,
  namespace: NAMESPACES[""],
  hasIsoDates: true,
  entries: { "own:url": { children: URL_CHILDREN } },
  addresses: ["own:loc"],
  // an index with the wrong root element
  otherwise: SITEMAP_INDEX,
  places: [""],
  isFeed: false,
  draft: () => ({
    lastModified: undefined,
    changeFrequency: undefined,
    priority: undefined,
    newsStory: undefined,
    images: undefined,
    videos: undefined,
    alternates: undefined,
    record: NO_RECORD,
    attributes: NO_ATTRIBUTES,
  }),
  finish(draft, entry) {
    if (entry.url !== undefined) entry.addPage(draft);
    else if (!entry.isCut) entry.addPageAt(entry.takeStray(), draft);
  },
};
