/**
 * Values of options: what the texts that people write stand for.
 *
 * @module
 */

import { parseDate } from "../date.ts";
import { nearestHint } from "./arguments.ts";
import { UsageError } from "./failure.ts";

const TIME_REGEXP = /^(\d+(?:\.\d+)?|\.\d+)\s*(ms|s|m|h|d)?$/i;
const HEADER_REGEXP = /^([^\s:]+)\s*:\s*(.*?)\s*$/s;
/** Hosts that seldom have a certificate. */
const LOCAL_REGEXP =
  /^(?:localhost|[^/:]*\.local(?:host)?|\d+\.\d+\.\d+\.\d+|\[[^\]]*\])(?:[:/]|$)/i;
const SCHEME_REGEXP = /^[a-z][a-z0-9+.-]*:\/\//i;

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** How long ago: `6m` may be minutes to one and months to another, so it is neither. */
const AGO_REGEXP = /^(\d+(?:\.\d+)?)\s*([hdw])$/i;
const AGO_UNITS: Readonly<Record<string, number>> = {
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/** Milliseconds of `10`, `500ms`, `10s`, `2m`, `1.5h` or `7d`; a bare number is seconds. */
export function parseTime(option: string, text: string): number {
  const milliseconds = timeOf(text);
  if (milliseconds !== undefined) return milliseconds;
  throw new UsageError(
    `Option "--${option}" is "${text}", not a time`,
    "write seconds or a unit, such as 10, 500ms, 10s or 2m",
  );
}

function timeOf(text: string): number | undefined {
  const match = TIME_REGEXP.exec(text);
  return match === null ? undefined : Number(match[1]) * UNITS[match[2]?.toLowerCase() ?? "s"]!;
}

/** A whole number of at least `min`. */
export function parseWhole(option: string, text: string, min: number): number {
  const number = /^\d[\d_]*$/.test(text) ? Number(text.replaceAll("_", "")) : NaN;
  if (number >= min && Number.isSafeInteger(number)) return number;
  throw new UsageError(
    `Option "--${option}" is "${text}", not a whole number of at least ${min}`,
    `write --${option}=${Math.max(min, 10)}`,
  );
}

/** One of the words that an option may have. */
export function parseChoice<T extends string>(
  option: string,
  text: string,
  choices: readonly T[],
): T {
  if ((choices as readonly string[]).includes(text)) return text as T;
  throw new UsageError(
    `Option "--${option}" is "${text}", not one of ${choices.join(", ")}`,
    nearestHint(text, choices),
  );
}

/**
 * A regular expression, as JavaScript has them. One that escapes more than it must, such as
 * `a\-b`, is taken too, as other tools take it.
 */
export function parseRegexp(option: string, text: string): RegExp {
  try {
    return new RegExp(text, "u");
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  try {
    return new RegExp(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const reason = error.message.replace(/^.*: /s, "");
    throw new UsageError(
      `Option "--${option}" is "${text}", not a regular expression: ${reason}`,
      "a special character needs a backslash to stand for itself",
    );
  }
}

/** Milliseconds since 1970 of a date such as `2024-05-01`, or of so long ago as `7d`. */
export function parseSince(option: string, text: string, now: number): number {
  const time = parseDate(text);
  if (!Number.isNaN(time)) return time;
  const ago = AGO_REGEXP.exec(text);
  if (ago !== null) return now - Number(ago[1]) * AGO_UNITS[ago[2]!.toLowerCase()]!;
  throw new UsageError(
    `Option "--${option}" is "${text}", not a date`,
    "write 2024-05-01, 2024-05-01T12:00:00Z, or how long ago, such as 12h, 7d or 2w",
  );
}

/** The headers of lines such as `Accept-Language: de`. */
export function parseHeaders(option: string, lines: readonly string[]): Headers {
  const headers = new Headers();
  for (const line of lines) {
    const match = HEADER_REGEXP.exec(line);
    try {
      headers.append(match?.[1] ?? "", match?.[2] ?? "");
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw new UsageError(
        `Option "--${option}" is "${line}", not a header`,
        `write --${option}="Accept-Language: de"`,
      );
    }
  }
  return headers;
}

/** A text that the value of a header can be. */
export function parseHeaderValue(option: string, text: string): string {
  try {
    return new Headers([["x", text]]).get("x")!;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(
      `Option "--${option}" is "${text}", which no header can hold`,
      "write it in one line of Latin characters",
    );
  }
}

/** The http(s) URL that a text is, with what to write instead where it is none. */
export function parseHttpUrl(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && url.hostname !== "") return url;
  const bare = text.replace(/^\/+/, "");
  if (!SCHEME_REGEXP.test(text) && URL.canParse(`https://${bare}`)) {
    const scheme = LOCAL_REGEXP.test(bare) ? "http" : "https";
    throw new UsageError(`No scheme in "${text}"`, `try "${scheme}://${bare}"`);
  }
  throw new UsageError(`"${text}" is not an http(s) URL`, 'write it as "https://example.com/"');
}

/** The URL of a proxy. */
export function parseProxy(option: string, text: string): URL {
  const url = URL.parse(text);
  if (url !== null && /^(?:https?|socks5h?):$/.test(url.protocol) && url.host !== "") return url;
  throw new UsageError(
    `Option "--${option}" is "${text}", not the URL of a proxy`,
    `write --${option}=http://localhost:8080`,
  );
}
