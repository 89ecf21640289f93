/**
 * Parsers of option values. Each takes the text of a value and the name of its option, and throws a
 * {@linkcode UsageError} that says what was expected.
 *
 * @module
 */

import { DAY, HOUR, MINUTE } from "../data/calendar.ts";
import { readDate, timeOfDate } from "../data/date.ts";
import { suggestion } from "../data/suggestion.ts";
import { httpOrigin, isHttp, withoutPassword, withoutUserInfo } from "../data/url.ts";
import { UsageError } from "./failure.ts";

/** `now` is a time for tests. */
export type ValueParser = (text: string, option: string, now?: number) => unknown;

const TIME_REGEXP = /^(\d+(?:\.\d+)?|\.\d+)\s*(ms|s|m|h|d)$/i;
const TIME_UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: MINUTE, h: HOUR, d: DAY };

const SIZE_REGEXP = /^(\d+(?:\.\d+)?|\.\d+)\s*(?:([kmg])(i?)b?|b)?$/i;
const SIZE_POWERS: Readonly<Record<string, number>> = { k: 1, m: 2, g: 3 };

/** Not `m`, which could mean minutes or months. */
const AGO_REGEXP = /^(\d+(?:\.\d+)?)\s*([hdw])$/i;
const AGO_UNITS: Readonly<Record<string, number>> = { h: HOUR, d: DAY, w: 7 * DAY };
const MONTHS_AGO_REGEXP = /^(\d{1,4})\s*(mo|y)$/i;
const DAYS_AGO: Readonly<Record<string, number>> = { today: 0, yesterday: 1 };

const HEADER_REGEXP = /^([^\s:]+)\s*:(.*)$/s;

function invalidValue(text: string, option: string, expected: string): UsageError {
  return new UsageError(
    `Invalid value "${withoutPassword(text)}" for "--${option}": expected ${expected}`,
  );
}

/** Returns the milliseconds of a duration such as `500ms`, `10s`, `2m`, `1.5h` or `7d`. */
function parseTime(text: string, option: string): number {
  const match = TIME_REGEXP.exec(text);
  if (match !== null) return Number(match[1]) * TIME_UNITS[match[2]!.toLowerCase()]!;
  throw invalidValue(text, option, "a duration with its unit, such as 500ms, 10s or 2m");
}

export function parseTimeOrNever(text: string, option: string): number {
  return text === "never" ? Infinity : parseTime(text, option);
}

export function timeFrom(min: number): ValueParser {
  return (text, option) => {
    const time = parseTime(text, option);
    if (time >= min) return time;
    throw invalidValue(text, option, `a duration of at least ${timeText(min)}`);
  };
}

/** Returns a duration as {@linkcode parseTime} reads it, in its largest unit. */
export function timeText(time: number): string {
  const units = Object.entries(TIME_UNITS);
  const [unit, length] = units.findLast(([, length]) => time >= length && time % length === 0) ??
    ["s", 1000];
  return `${time / length}${unit}`;
}

/** Returns the bytes of a size such as `500000`, `500KB` or `10MiB`. */
function parseSize(text: string, option: string): number {
  const match = SIZE_REGEXP.exec(text);
  const power = SIZE_POWERS[match?.[2]?.toLowerCase() ?? ""] ?? 0;
  const bytes = Math.floor(Number(match?.[1]) * (match?.[3] ? 1024 : 1000) ** power);
  if (bytes >= 1 && Number.isSafeInteger(bytes)) return bytes;
  throw invalidValue(text, option, "a size such as 500KB, 10MB or 10MiB");
}

/** Returns a parser of whole numbers such as `10` or `1_000`. */
export function wholeNumber(min: number): ValueParser {
  return (text, option) => {
    const number = /^\d[\d_]*$/.test(text) ? Number(text.replaceAll("_", "")) : NaN;
    if (number >= min && Number.isSafeInteger(number)) return number;
    throw invalidValue(text, option, `a whole number of at least ${min}`);
  };
}

export function oneOf(words: readonly string[]): ValueParser {
  return (text, option) => {
    if (words.includes(text)) return text;
    throw invalidValue(text, option, `one of ${words.join(", ")}${suggestion(text, words)}`);
  };
}

function parseOrigins(text: string, option: string): [from: string, to: string] {
  const [from, to, ...more] = text.split("=").map(httpOrigin);
  if (from !== undefined && to !== undefined && more.length === 0) return [from, to];
  throw invalidValue(
    text,
    option,
    "two http(s) origins such as https://example.com=http://localhost:8081",
  );
}

function parseRegexp(text: string, option: string): RegExp {
  try {
    return new RegExp(text, "u");
  } catch {
    // needless escapes such as `a\-b` are accepted without the flag
  }
  try {
    return new RegExp(text);
  } catch (error) {
    const reason = (error as SyntaxError).message.replace(/^.*: /s, "");
    throw new UsageError(
      `Invalid value "${text}" for "--${option}": ${reason}`,
      "expected a regular expression: escape special characters with a backslash",
    );
  }
}

/**
 * Returns the milliseconds since 1970 of a date such as `2024-05-01` or `yesterday` (in UTC), or of
 * a time ago such as `12h`, `7d`, `2w`, `3mo` or `1y`.
 */
function parseSince(text: string, option: string, now: number = Date.now()): number {
  const time = timeOf(text, now);
  if (!Number.isNaN(time)) return time;
  throw invalidValue(
    text,
    option,
    "a date such as 2024-05-01, yesterday, 12h, 7d, 2w, 3mo or 1y",
  );
}

function timeOf(text: string, now: number): number {
  const date = readDate(text);
  if (date !== undefined) return timeOfDate(date);
  const days = DAYS_AGO[text.toLowerCase()];
  if (days !== undefined) return new Date(now - days * DAY).setUTCHours(0, 0, 0, 0);
  const ago = AGO_REGEXP.exec(text);
  if (ago !== null) return now - Number(ago[1]) * AGO_UNITS[ago[2]!.toLowerCase()]!;
  const [, count, unit = ""] = MONTHS_AGO_REGEXP.exec(text) ?? [];
  if (count === undefined) return NaN;
  return monthsBefore(now, Number(count) * (unit.toLowerCase() === "y" ? 12 : 1));
}

/** Returns the same day some months earlier, or the last day of a shorter month. */
function monthsBefore(now: number, months: number): number {
  const date = new Date(now);
  const day = date.getUTCDate();
  date.setUTCMonth(date.getUTCMonth() - months);
  return date.getUTCDate() === day ? date.getTime() : date.setUTCDate(0);
}

function parseHeader(text: string, option: string): [name: string, value: string] {
  const [, name = "", value = ""] = HEADER_REGEXP.exec(text) ?? [];
  if (isHeader(name, value)) return [name, value.trim()];
  // it may be a password
  throw new UsageError(
    `Invalid value for "--${option}": expected a header such as "Accept-Language: de"`,
  );
}

function parseHeaderValue(text: string, option: string): string {
  if (isHeader("x", text)) return text.trim();
  throw invalidValue(text, option, "one line of Latin characters");
}

function isHeader(name: string, value: string): boolean {
  try {
    return new Headers([[name, value.trim()]]).has(name);
  } catch {
    return false;
  }
}

export function parseHttpUrl(text: string, option: string): string {
  const url = URL.parse(text);
  if (url !== null && isHttp(url)) return withoutUserInfo(url).href;
  throw invalidValue(text, option, 'an http(s) URL such as "https://example.com/"');
}

export function parseProxy(text: string, option: string): URL {
  const url = URL.parse(text);
  if (url !== null && /^(?:https?|socks5h?):$/.test(url.protocol) && url.host !== "") return url;
  throw invalidValue(text, option, "the URL of a proxy such as http://localhost:8080");
}

export interface ListenAddress {
  /** 0 for a free one. */
  readonly port: number;
  readonly hostname: string;
}

const ADDRESS_REGEXP = /^(?:(\[[\da-f:.]+\]|[^:/\s]+):)?(\d{1,5})$/i;

/** Returns the address of `9090`, which is on loopback, `0.0.0.0:9090` or `[::]:9090`. */
function parseListenAddress(text: string, option: string): ListenAddress {
  const [, host = "127.0.0.1", digits] = ADDRESS_REGEXP.exec(text) ?? [];
  const port = Number(digits);
  if (port <= 65_535) return { port, hostname: host.replace(/^\[|\]$/g, "") };
  throw invalidValue(text, option, "a port such as 9090, or an address such as 0.0.0.0:9090");
}

/** It may contain a password. */
export function parseDatabase(text: string, option: string): string {
  if (/^postgres(?:ql)?:\/\/./.test(text)) return text;
  throw invalidValue(text, option, "a URL such as postgres://user@host/name");
}

/** Parses one of the words that a `noun` names; `aliases` are in lower case. */
export function nameOf<T extends string>(
  noun: string,
  words: readonly T[],
  hint: string,
  aliases: Readonly<Record<string, T>> = {},
): (text: string) => T {
  return (text) => {
    const name = text.trim(), lower = name.toLowerCase();
    const word = Object.hasOwn(aliases, lower)
      ? aliases[lower]
      : words.find((word) => word === name);
    if (word !== undefined) return word;
    const meant = suggestion(name, [...words, ...Object.keys(aliases)]);
    throw new UsageError(`Unknown ${noun} "${name}"${meant}`, hint);
  };
}

/** Parses such names between commas. */
export function listOf<T extends string>(
  ...names: Parameters<typeof nameOf<T>>
): (text: string) => readonly T[] {
  const parse = nameOf(...names);
  return (text) => text.split(",").map(parse);
}

/** Parsers of values by their placeholders. */
export const PARSERS: Readonly<Record<string, ValueParser>> = {
  "N": wholeNumber(1),
  "[N]": wholeNumber(1),
  "TIME": parseTime,
  "SIZE": parseSize,
  "DATE": parseSince,
  "REGEX": parseRegexp,
  "LINE": parseHeader,
  "TEXT": parseHeaderValue,
  "ADDRESS": parseListenAddress,
  "FROM=TO": parseOrigins,
};
