/**
 * Strict mode: the parts of a page that are valid by the sitemap protocol and its extensions.
 *
 * @module
 */

import { readDate } from "../data/date.ts";
import type { SitemapPage } from "../data/page.ts";
import { type Data, type Field, PAGE, type RecordSchema } from "../data/page_schema.ts";
import { trimSpace } from "../data/url.ts";

/** Less than 2,048 characters by the protocol. */
const MAX_LENGTH = 2047;

/** Characters of a URI by RFC 3986, and the letters and digits that RFC 3987 adds for IRIs. */
const NAME = String.raw`[\p{L}\p{M}\p{N}\-._~!$&'()*+,;=]|%[\da-f]{2}`;
const REST = String.raw`${NAME}|[:@/?]`;

/** An http(s) URL with a host name in which nothing needs encoding. */
const PLAIN_REGEXP = new RegExp(
  `^https?://(?:(?:${NAME}|:)*@)?(?:${NAME})+(?::\\d+)?(?:[/?](?:${REST})*)?(?:#(?:${REST})*)?$`,
  "iu",
);

/** Characters that the URL parser keeps and a URI cannot contain. */
const NOT_IN_URIS_REGEXP = /[[\]|\\^{}`]|%(?![\da-f]{2})/gi;

/**
 * Returns a URL that is valid in a sitemap: unchanged if it needs no encoding, else parsed and
 * percent-encoded.
 *
 * @returns `undefined` if it is not an http(s) URL, or too long.
 */
export function validAddress(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  const valid = PLAIN_REGEXP.test(address) ? address : encoded(url);
  return valid.length > MAX_LENGTH ? undefined : valid;
}

/** Encodes what the parser keeps, except in the host, which may have brackets. */
function encoded({ href, protocol, host }: URL): string {
  const authority = protocol.length + 2;
  const path = href.indexOf("/", authority);
  const userInfo = encodeRest(href.slice(authority, path - host.length));
  const rest = encodeRest(href.slice(path));
  const fragment = rest.indexOf("#") + 1;
  return `${protocol}//${userInfo}${host}` +
    (fragment === 0 ? rest : rest.slice(0, fragment) + rest.slice(fragment).replaceAll("#", "%23"));
}

function encodeRest(text: string): string {
  return text.replace(NOT_IN_URIS_REGEXP, encodeURIComponent);
}

/** Characters that XML 1.0 cannot represent. */
// deno-lint-ignore no-control-regex
const FORBIDDEN_REGEXP = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;

/** Digits of a fraction that every validator of XML Schema reads. */
const MAX_FRACTION_DIGITS = 15;

/**
 * Returns the valid parts of a page: URLs percent-encoded where a URI requires it, values without
 * characters that XML forbids, and no record without the fields that its extension requires.
 *
 * @returns `undefined` if the URL of the page is invalid.
 */
export function strictPage(page: SitemapPage): SitemapPage | undefined {
  return strictRecord(PAGE, page) as SitemapPage | undefined;
}

function strictRecord(schema: RecordSchema, record: object): object | undefined {
  const fields: Record<string, unknown> = {};
  for (const field of schema.fields) {
    const value = strictValue(field, (record as Data)[field.name]);
    if (value !== undefined) fields[field.name] = value;
    else if (field.required !== undefined) return undefined;
  }
  if (schema.oneOf?.every((name) => fields[name] === undefined)) return undefined;
  return fields;
}

function strictValue(field: Field, value: unknown): unknown {
  if (value === undefined || !field.isList) return strictItem(field, value);
  const items = value as readonly unknown[];
  const valid = items.map((item) => strictItem(field, item)).filter((item) => item !== undefined);
  const isValid = field.isWhole ? valid.length === items.length : true;
  return isValid && valid.length > 0 ? valid.slice(0, field.maxItems) : undefined;
}

function strictItem(field: Field, value: unknown): unknown {
  if (value === undefined) return undefined;
  switch (field.kind) {
    case "url":
      return validAddress(value as string);
    case "text":
      return strictText(field, value as string);
    case "word":
      return field.words!.includes(value as string) ? value : undefined;
    case "number":
    case "priority":
      return strictNumber(field, value as number);
    case "date":
      return strictDate(value as string);
    case "record":
      return strictRecord(field.record!, value as object);
    default:
      return value;
  }
}

/** Not every schema has dates without a day, so the first is written. */
function strictDate(value: string): string | undefined {
  const date = readDate(value);
  return date && date + "-01-01".slice(date.length - 4);
}

function strictText(field: Field, value: string): string | undefined {
  const { words, pattern, maxLength, isLowerCase } = field;
  const trimmed = trimSpace(value.toWellFormed().replace(FORBIDDEN_REGEXP, ""));
  const text = isLowerCase ? trimmed.toLowerCase() : trimmed;
  const isAllowed = text !== "" && (words?.includes(text) ?? true) && (pattern?.test(text) ?? true);
  if (!isAllowed) return undefined;
  return maxLength === undefined ? text : [...text].slice(0, maxLength).join("");
}

function strictNumber(field: Field, value: number): number | undefined {
  const { min = 0, max = Infinity, isInteger } = field;
  const number = Number(value.toFixed(MAX_FRACTION_DIGITS));
  const isAllowed = Number.isFinite(number) && number >= min && number <= max &&
    (!isInteger || Number.isInteger(value));
  return isAllowed ? number : undefined;
}
