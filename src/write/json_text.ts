import { type Data, PAGE } from "../data/page_schema.ts";
import { numberText } from "../data/text.ts";
import { escapeControlsInJson, isPrintable } from "./escape.ts";

interface MemberStart {
  /** `{"url":` */
  readonly first: string;
  /** `,"url":` */
  readonly further: string;
  /** `{"url":"` */
  readonly firstText: string;
  /** `,"url":"` */
  readonly furtherText: string;
}

const PAGE_MEMBERS: ReadonlyMap<string, MemberStart> = new Map(
  PAGE.fields.map(({ name }) => [name, memberStart(name)]),
);

function memberStart(name: string): MemberStart {
  const start = `${quotedJson(name)}:`;
  return {
    first: `{${start}`,
    further: `,${start}`,
    firstText: `{${start}"`,
    furtherText: `,${start}"`,
  };
}

/**
 * Returns the JSON of an object in one line, and a text after it. It is that of `JSON.stringify()`,
 * with terminal controls as `\u` escapes.
 */
export function objectJson(object: object, after = ""): string {
  const members = membersJson(object);
  return members === undefined ? escapedJson(object) + after : members + ("}" + after);
}

/** Returns a value as a document of JSON, broken into lines. */
export function documentJson(value: unknown): string {
  return `${escapeControlsInJson(JSON.stringify(value, null, 2))}\n`;
}

export function quotedJson(text: string): string {
  return isClean(text) ? `"${text}"` : escapedJson(text);
}

function escapedJson(value: unknown): string {
  return escapeControlsInJson(JSON.stringify(value));
}

/** Whether a text is the same in JSON. */
function isClean(text: string): boolean {
  return isPrintable(text) && !text.includes('"') && !text.includes("\\");
}

/** Whether `JSON.stringify()` writes the own members of an object, and nothing else. */
function isPlain(object: object): object is Data {
  return Object.getPrototypeOf(object) === Object.prototype && !hasToJson(object);
}

function hasToJson(object: object): boolean {
  return (object as Data)["toJSON"] !== undefined;
}

/**
 * Returns the same JSON up to its last brace; `undefined` if the object is not plain, or the JSON of a
 * value may depend on its name, or not exist.
 *
 * Members are joined, which is faster than `JSON.stringify()` for clean text and numbers, as most of a
 * page is, and slower for nested records.
 */
export function membersJson(object: object): string | undefined {
  if (!isPlain(object)) return undefined;
  let json = "";
  for (const name in object) {
    if (!hasOwnProperty.call(object, name)) continue;
    const value = object[name];
    const start = PAGE_MEMBERS.get(name) ?? memberStart(name);
    if (typeof value === "string" && isClean(value)) {
      json += (json === "" ? start.firstText : start.furtherText) + value + '"';
    } else if (Number.isFinite(value)) {
      json += (json === "" ? start.first : start.further) + numberText(value as number);
    } else if (value !== undefined) {
      if (!isOwnJson(value)) return undefined;
      json += (json === "" ? start.first : start.further) + escapedJson(value);
    }
  }
  return json === "" ? "{" : json;
}

/** Whether the JSON of a value exists, and is the same in any place. */
function isOwnJson(value: unknown): boolean {
  if (typeof value === "object") return value === null || !hasToJson(value);
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

// faster than Object.hasOwn(), see docs/ARCHITECTURE.md, "Strings"
const { hasOwnProperty } = Object.prototype;
