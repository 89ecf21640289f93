/**
 * Bytes to text: which encoding they are in, and decoding them as they come.
 *
 * @module
 */

import type { WarningCode } from "../codes.ts";
import { isAscii, isWhiteSpace, utf16ByteOrder } from "./sniff.ts";

/** An encoding, and what of the bytes only tells of it. */
export interface Encoding {
  /** The name that `TextDecoder` gives it. */
  readonly label: string;
  /** How many bytes at the beginning are a byte order mark, not text. */
  readonly bomLength: number;
}

/** What else is known when the encoding is looked for. */
export interface DetectOptions {
  /** The charset that HTTP names. */
  readonly charset?: string | undefined;
  /** Whether these bytes are all there are. */
  readonly atEnd: boolean;
  /** Told, once it is decided, of claims that were not believed. */
  readonly warn: (code: WarningCode, message: string) => void;
}

/** How far an XML declaration is looked into. */
const MAX_DECLARATION = 1024;
/** How far it is looked for: the white space before it is held until then. */
const MAX_LEADING_SPACE = 64 * 1024;
/** So many bytes of ASCII in a row, without any zero byte, are plainly no UTF-16. */
const UTF16_SAMPLE = 16;

/** An encoding that bytes are marked as. */
interface ByteOrderMark {
  readonly label: string;
  readonly bytes: readonly number[];
}

const BYTE_ORDER_MARKS: readonly ByteOrderMark[] = [
  { label: "utf-8", bytes: [0xef, 0xbb, 0xbf] },
  { label: "utf-16le", bytes: [0xff, 0xfe] },
  { label: "utf-16be", bytes: [0xfe, 0xff] },
];
const MIN_MARK = 0xef;

const LESS = 0x3c, GREATER = 0x3e;

/** Bytes as characters of the same number, for what is ASCII or else of no interest. */
const LATIN1 = new TextDecoder("latin1");

/** `<?xml version="1.0" encoding="latin1"`, also where quotes or the second `?` are missing. */
const DECLARATION_REGEXP =
  /^<\?xml(?=\s)[^>]*?\sencoding\s*=\s*(?:"([^">]*)|'([^'>]*)|([^\s"'?>]+))/i;

/**
 * The encoding of a document by its first bytes: that of the byte order mark; else the charset of
 * HTTP; else that of the XML declaration; else UTF-8. Unknown labels are passed over, and so is a
 * claim that the bytes plainly contradict. `undefined` as long as more bytes could change the answer,
 * which is only before the end of an XML declaration or of the first few bytes.
 */
export function detectEncoding(head: Uint8Array, options: DetectOptions): Encoding | undefined {
  const { charset, atEnd, warn } = options;
  const last = lastBeginning;
  if (last !== undefined && last.charset === charset && startsWith(head, last.bytes)) {
    return last.encoding;
  }
  const mark = markOf(head);
  const bomLength = mark?.bytes.length ?? 0;
  const text = head.subarray(bomLength);
  if (text.length < UTF16_SAMPLE && !atEnd) return undefined;

  const claims = new Claims(text);
  let label = claims.believed(mark?.label) ?? claims.believed(charset);
  if (label === undefined) {
    const declared = claims.byteOrder ?? declaredEncoding(text, atEnd);
    if (declared === undefined) return undefined;
    label = claims.believed(declared) ?? "utf-8";
  }
  const encoding = { label, bomLength };
  if (claims.warnings.length === 0) remember(head, charset, encoding);
  for (const [code, message] of claims.warnings) warn(code, message);
  return encoding;
}

/** A beginning that tells the encoding, whatever follows it. */
interface Beginning {
  readonly bytes: Uint8Array;
  readonly charset: string | undefined;
  readonly encoding: Encoding;
}

/** The last of its kind: most documents of a site begin alike. */
let lastBeginning: Beginning | undefined;

/** Remembers an encoding of which there was nothing to tell, if the first tag tells it. */
function remember(head: Uint8Array, charset: string | undefined, encoding: Encoding): void {
  const end = head.subarray(0, MAX_DECLARATION).indexOf(GREATER) + 1;
  if (head[0] !== LESS || end < UTF16_SAMPLE) return;
  lastBeginning = { bytes: head.slice(0, end), charset, encoding };
}

function startsWith(text: Uint8Array, start: Uint8Array): boolean {
  for (let at = 0; at < start.length; at++) if (text[at] !== start[at]) return false;
  return true;
}

function markOf(head: Uint8Array): ByteOrderMark | undefined {
  if (head.length === 0 || head[0]! < MIN_MARK) return undefined;
  return BYTE_ORDER_MARKS.find(({ bytes }) => bytes.every((byte, at) => byte === head[at]));
}

/** What is claimed of some text, held against its first bytes. */
class Claims {
  /** What the bytes themselves say, if they are UTF-16. */
  readonly byteOrder: string | undefined;
  readonly warnings: [WarningCode, string][] = [];
  readonly #isPlainlySingle: boolean;

  constructor(text: Uint8Array) {
    this.byteOrder = utf16ByteOrder(text);
    this.#isPlainlySingle = isPlainlySingle(text);
  }

  /** The canonical name of an encoding, or of what it should have been, unless it is not believed. */
  believed(label: string | undefined): string | undefined {
    if (label === undefined) return undefined;
    const canonical = canonicalLabel(label);
    if (canonical === undefined) {
      this.warnings.push(["encoding-unknown", `Unknown encoding "${label}"`]);
      return undefined;
    }
    const isWrong = this.byteOrder === undefined
      ? this.#isPlainlySingle && canonical.startsWith("utf-16")
      : this.byteOrder !== canonical;
    if (!isWrong) return canonical;
    this.warnings.push(["encoding-mismatch", `Content is not in its encoding "${label}"`]);
    return this.byteOrder;
  }
}

/** Whether text is plainly of one byte a letter. */
function isPlainlySingle(text: Uint8Array): boolean {
  const length = Math.min(text.length, UTF16_SAMPLE);
  for (let at = 0; at < length; at++) if (!isAscii(text[at]!)) return false;
  return length > 1;
}

function canonicalLabel(label: string): string | undefined {
  // what nearly all documents say: a decoder only to look its name up takes a microsecond
  if (label === "utf-8" || label === "UTF-8") return "utf-8";
  try {
    return new TextDecoder(label).encoding;
  } catch {
    // nobody knows it, or it is one of those that the Encoding Standard refuses to decode
    return undefined;
  }
}

/** The label in an XML declaration, "utf-8" without one, `undefined` while it may still come. */
function declaredEncoding(text: Uint8Array, atEnd: boolean): string | undefined {
  let start = 0;
  while (start < text.length && isWhiteSpace(text[start]!)) start++;
  if (start >= MAX_LEADING_SPACE || (start < text.length && text[start] !== LESS)) return "utf-8";
  const beginning = text.subarray(start, start + MAX_DECLARATION);
  const end = beginning.indexOf(GREATER);
  const declaration = LATIN1.decode(end < 0 ? beginning : beginning.subarray(0, end));
  const mayGoOn = end < 0 && declaration.length < MAX_DECLARATION &&
    "<?xml".startsWith(declaration.slice(0, 5).toLowerCase());
  if (mayGoOn && !atEnd) return undefined;
  const [, double, single, bare] = DECLARATION_REGEXP.exec(declaration) ?? [];
  return double ?? single ?? bare ?? "utf-8";
}

/** The parameters of a Content-Type: values bare, or in quotes of either kind. */
const PARAMETER_REGEXP = /;\s*([^\s=;]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"?|'([^';]*)'?|([^\s;,]*))/g;

/** The charset that a Content-Type names. */
export function charsetOf(contentType: string | null): string | undefined {
  if (contentType === null || !contentType.includes("=")) return undefined;
  const parameters = `;${contentType}`.matchAll(PARAMETER_REGEXP);
  for (const [, name = "", double, single, bare] of parameters) {
    if (name.toLowerCase() !== "charset") continue;
    // RFC 9110 §5.6.4: a backslash in quotes stands before a character that is meant literally
    const charset = (double?.replaceAll(/\\(.)/g, "$1") ?? single ?? bare ?? "").trim();
    if (charset !== "") return charset;
  }
  return undefined;
}

/** After so many it is no longer told that a byte made no sense. */
const MAX_REPLACED_WARNINGS = 1000;
/** What stands for bytes that make no sense. */
const REPLACEMENT = "\uFFFD";

/** For chunks that need no memory of those before. */
const UTF8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Decodes chunks of bytes, whatever they cut in two. */
export class StreamDecoder {
  readonly #label: string;
  readonly #warn: (code: WarningCode, message: string) => void;
  /** Made with the first chunk that is not all ASCII: most documents have none. */
  #decoder: TextDecoder | undefined;
  #genuine: GenuineReplacements | undefined;
  #warnings = 0;

  /** Makes a decoder for bytes without byte order mark; a mark that comes is text, U+FEFF. */
  constructor(label: string, warn: (code: WarningCode, message: string) => void) {
    this.#label = label;
    this.#warn = warn;
  }

  /** Whether UTF-8 has come that is all ASCII: if more of it comes, its bytes are its characters. */
  get isAsciiSoFar(): boolean {
    return this.#decoder === undefined && this.#label === "utf-8";
  }

  /** The text of a chunk, except for a character at its end that is not complete yet. */
  decode(chunk: Uint8Array): string {
    return this.#asAscii(chunk) ?? this.#decode(this.#decoder ??= this.#newDecoder(), chunk);
  }

  /** What stands for a character that never was completed. */
  end(): string {
    const text = this.#decoder?.decode() ?? "";
    if (text.includes(REPLACEMENT)) this.#tell(text, 0, 0);
    return text;
  }

  /** The text of a chunk of UTF-8 that is all ASCII, as are all before it. */
  #asAscii(chunk: Uint8Array): string | undefined {
    if (!this.isAsciiSoFar) return undefined;
    const text = UTF8.decode(chunk);
    return text.length === chunk.length && !text.includes(REPLACEMENT) ? text : undefined;
  }

  #newDecoder(): TextDecoder {
    const decoder = new TextDecoder(this.#label, { ignoreBOM: true });
    if (decoder.encoding === "utf-8") this.#genuine = new GenuineReplacements();
    return decoder;
  }

  #decode(decoder: TextDecoder, chunk: Uint8Array): string {
    const text = decoder.decode(chunk, { stream: true });
    const first = text.indexOf(REPLACEMENT);
    if (first >= 0) this.#tell(text, first, this.#genuine?.count(chunk) ?? 0);
    this.#genuine?.pass(chunk);
    return text;
  }

  #tell(text: string, first: number, genuine: number): void {
    let count = -genuine;
    for (let at = first; at >= 0; at = text.indexOf(REPLACEMENT, at + 1)) count++;
    for (; count > 0 && this.#warnings < MAX_REPLACED_WARNINGS; count--) {
      this.#warnings++;
      this.#warn("encoding-replaced", `Bytes that are no ${this.#decoder?.encoding}`);
    }
  }
}

/** Finds the U+FFFD that were in the text before anybody decoded it. */
class GenuineReplacements {
  // the two bytes before the chunk
  #first = 0;
  #second = 0;

  /** How many have their last byte in this chunk. */
  count(chunk: Uint8Array): number {
    let count = 0;
    let first = this.#first;
    let second = this.#second;
    for (const third of chunk) {
      if (first === 0xef && second === 0xbf && third === 0xbd) count++;
      first = second;
      second = third;
    }
    return count;
  }

  /** Remembers the end of a chunk. */
  pass(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.#first = chunk[chunk.length - 2] ?? this.#second;
    this.#second = chunk[chunk.length - 1] ?? 0;
  }
}
