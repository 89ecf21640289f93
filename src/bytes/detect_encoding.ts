/**
 * Recognises compressed data by its first bytes, and the encoding of a document by its byte order mark,
 * the charset of Content-Type and the XML declaration.
 *
 * @module
 */

import type { WarningCode } from "../data/codes.ts";
import { excerpt } from "../data/text.ts";
import type { WarnCallback } from "./byte_source.ts";

export const TEXT_SAMPLE = 64;

/** RFC 1952 §2.3.1. */
export function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

/**
 * Whether bytes begin with a zlib header (RFC 1950 §2.2): deflate, a window of at most 32 KiB, and a
 * multiple of 31. Data with a preset dictionary does not count, since it cannot be decompressed.
 */
export function isZlib(head: Uint8Array): boolean {
  const [cmf = 0, flg = 0] = head;
  return (cmf & 0x0f) === 8 && cmf >> 4 <= 7 && (flg & 0x20) === 0 && (cmf * 256 + flg) % 31 === 0;
}

/**
 * Whether bytes can be text: they begin like UTF-16, or the first {@linkcode TEXT_SAMPLE} contain no
 * control character that text never has.
 *
 * 26 of the 256 bytes are such characters, so compressed data passes for text about once in 1,000
 * times.
 */
export function looksLikeText(head: Uint8Array): boolean {
  return markOf(head)?.label.startsWith("utf-16") || utf16ByteOrder(head) !== undefined ||
    !head.subarray(0, TEXT_SAMPLE).some(isControl);
}

function isControl(byte: number): boolean {
  return byte < 0x09 || (byte > 0x0d && byte < 0x20 && byte !== 0x1b);
}

/** Looks at two characters, because a stray zero byte does not make other text UTF-16. */
function utf16ByteOrder(head: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  const [first = -1, second = -1, third = -1, fourth = -1] = head;
  if (isAscii(first) && second === 0 && isAscii(third) && fourth === 0) return "utf-16le";
  if (first === 0 && isAscii(second) && third === 0 && isAscii(fourth)) return "utf-16be";
  return undefined;
}

/** Whether a byte is printable ASCII or ASCII whitespace. */
function isAscii(byte: number): boolean {
  return (byte >= 0x20 && byte < 0x7f) || isWhiteSpace(byte);
}

export function isWhiteSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

interface Encoding {
  /** Its canonical name, as `TextDecoder` has it: `utf-8`, `windows-1252`. */
  readonly label: string;
  readonly bomLength: number;
  /**
   * Charset of Content-Type, as written, that the first non-ASCII bytes have to confirm: if they are
   * valid UTF-8, the document is UTF-8 and not in the encoding `label`. See `Transcoder`.
   */
  readonly unconfirmedCharset?: string;
}

interface DetectOptions {
  /** Charset of Content-Type. */
  readonly charset?: string | undefined;
  /** Whether the document ends after these bytes. */
  readonly atEnd: boolean;
  /** Receives the labels that were ignored, once the encoding is known. */
  readonly warn: WarnCallback;
}

/** Bytes in which an XML declaration is read. */
const MAX_DECLARATION = 1024;
/** Bytes of leading whitespace after which a declaration is read. */
const MAX_LEADING_SPACE = 64 * 1024;
/** Number of ASCII bytes in a row, without a zero byte, that rule out UTF-16. */
const UTF16_SAMPLE = 16;

const UTF8 = "utf-8";
/** Encoding of the labels us-ascii and iso-8859-1, which servers send for documents in UTF-8. */
const LATIN1 = "windows-1252";

const BYTE_ORDER_MARKS = [
  { label: UTF8, bytes: [0xef, 0xbb, 0xbf] },
  { label: "utf-16le", bytes: [0xff, 0xfe] },
  { label: "utf-16be", bytes: [0xfe, 0xff] },
];

const LESS = 0x3c;
const GREATER = 0x3e;
const QUESTION = 0x3f;

const LATIN1_DECODER = new TextDecoder(LATIN1);

/** `<?xml version="1.0" encoding="latin1"`, also without quotes or the closing `?`. */
const DECLARATION_REGEXP =
  /^<\?xml(?=\s)[^>]*?\sencoding\s*=\s*(?:"([^">]*)|'([^'>]*)|([^\s"'?>]+))/i;

/**
 * Returns the encoding of a document by its first bytes: that of the byte order mark, else the
 * charset of Content-Type, else that of the XML declaration, else UTF-8. Ignores labels that are
 * unknown or that the bytes clearly contradict.
 *
 * Returns `undefined` as long as more bytes could change the result: before the end of the first few
 * bytes or of an XML declaration.
 */
export function detectEncoding(head: Uint8Array, options: DetectOptions): Encoding | undefined {
  const { charset, atEnd, warn } = options;
  const mark = markOf(head);
  const bomLength = mark?.bytes.length ?? 0;
  const text = head.subarray(bomLength);
  if (text.length < UTF16_SAMPLE && !atEnd) return undefined;

  const claims = new Claims(text);
  const ofMark = claims.accept(mark?.label);
  const ofCharset = ofMark === undefined ? claims.accept(charset) : undefined;
  let label = ofMark ?? ofCharset;
  let unconfirmedCharset: string | undefined;
  if (label === undefined || ofCharset === LATIN1) {
    const declared = claims.byteOrder ?? declaredEncoding(text, atEnd);
    if (declared === undefined) return undefined;
    if (label === undefined) label = claims.accept(declared) ?? UTF8;
    else if (claims.isUtf8OrIgnored(declared)) unconfirmedCharset = charset;
  }
  for (const [code, message] of claims.warnings) warn(code, message);
  return { label, bomLength, ...(unconfirmedCharset !== undefined && { unconfirmedCharset }) };
}

function markOf(head: Uint8Array): typeof BYTE_ORDER_MARKS[number] | undefined {
  return BYTE_ORDER_MARKS.find(({ bytes }) => bytes.every((byte, at) => byte === head[at]));
}

/** Compares labels with the first bytes of the text. */
class Claims {
  /** Byte order, if the bytes are clearly UTF-16. */
  readonly byteOrder: string | undefined;
  readonly warnings: [WarningCode, string][] = [];
  readonly #isSingleByte: boolean;

  constructor(text: Uint8Array) {
    this.byteOrder = utf16ByteOrder(text);
    this.#isSingleByte = text.length > 1 && text.subarray(0, UTF16_SAMPLE).every(isAscii);
  }

  /** Returns the encoding that the bytes are in where they contradict the label. */
  accept(label: string | undefined): string | undefined {
    if (label === undefined) return undefined;
    const canonical = canonicalLabel(label);
    if (canonical === undefined) {
      this.warnings.push(["encoding-unknown", `Unknown encoding "${excerpt(label)}"`]);
      return undefined;
    }
    if (!this.#isWrong(canonical)) return canonical;
    this.warnings.push(["encoding-mismatch", mismatchMessage(label)]);
    return this.byteOrder;
  }

  isUtf8OrIgnored(label: string): boolean {
    const canonical = canonicalLabel(label);
    return canonical === undefined || canonical === UTF8 || this.#isWrong(canonical);
  }

  #isWrong(canonical: string): boolean {
    return this.byteOrder === undefined
      ? this.#isSingleByte && canonical.startsWith("utf-16")
      : this.byteOrder !== canonical;
  }
}

export function mismatchMessage(label: string): string {
  return `Content is not in its encoding "${excerpt(label)}"`;
}

function canonicalLabel(label: string): string | undefined {
  // nearly every label, and making a decoder takes time
  if (label.toLowerCase() === UTF8) return UTF8;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    // unknown, or one that the Encoding Standard does not decode
    return undefined;
  }
}

/** Label in an XML declaration, "utf-8" without one, `undefined` while one may follow. */
function declaredEncoding(text: Uint8Array, atEnd: boolean): string | undefined {
  let start = 0;
  while (start < text.length && isWhiteSpace(text[start]!)) start++;
  if (start >= MAX_LEADING_SPACE || (start < text.length && text[start] !== LESS)) return UTF8;
  if (start + 1 < text.length && text[start + 1] !== QUESTION) return UTF8;
  const beginning = text.subarray(start, start + MAX_DECLARATION);
  const end = beginning.indexOf(GREATER);
  const declaration = LATIN1_DECODER.decode(end < 0 ? beginning : beginning.subarray(0, end));
  const mayContinue = end < 0 && declaration.length < MAX_DECLARATION &&
    "<?xml".startsWith(declaration.slice(0, 5).toLowerCase());
  if (mayContinue && !atEnd) return undefined;
  const [, double, single, bare] = DECLARATION_REGEXP.exec(declaration) ?? [];
  return double ?? single ?? bare ?? UTF8;
}

const MAX_CONTENT_TYPE = 4096;

/** Parameters of a Content-Type, their values bare or in quotes of either kind. */
const PARAMETER_REGEXP = /;\s*([^\s=;]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"?|'([^';]*)'?|([^\s;,]*))/g;

export function mediaTypeOf(contentType: string | null): string {
  return (contentType ?? "").slice(0, MAX_CONTENT_TYPE).split(";")[0]!.trim().toLowerCase();
}

export function charsetOf(contentType: string | null): string | undefined {
  if (contentType === null || !contentType.includes("=")) return undefined;
  const parameters = `;${contentType.slice(0, MAX_CONTENT_TYPE)}`.matchAll(PARAMETER_REGEXP);
  for (const [, name = "", double, single, bare] of parameters) {
    if (name.toLowerCase() !== "charset") continue;
    // RFC 9110 §5.6.4: a backslash in quotes escapes the character after it
    const charset = (double?.replaceAll(/\\(.)/g, "$1") ?? single ?? bare ?? "").trim();
    if (charset !== "") return charset;
  }
  return undefined;
}
