/**
 * Decodes bytes, by the `Buffer` of Node where the runtime has one: for short texts it is faster
 * than the functions of the web platform (`deno task bench`).
 *
 * @module
 */

import { builtin } from "./environment.ts";

/** Number of arguments of `String.fromCharCode()`, which are passed on the stack. */
const MAX_ARGUMENTS = 8 * 1024;

const Buffer = builtin("node:buffer")?.Buffer;
const UTF8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Decodes a range of bytes as UTF-8, invalid sequences as U+FFFD. */
type Utf8Reader = (start: number, end: number) => string;

export const latin1Of: (bytes: Uint8Array) => string = Buffer === undefined
  ? latin1ByCharCodes
  : (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");

/** Byte order marks are part of the text. */
export const utf8Reader: (bytes: Uint8Array) => Utf8Reader = Buffer === undefined
  ? utf8ByDecoder
  : (bytes) => {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    return (start, end) => buffer.toString("utf8", start, end);
  };

/** {@linkcode latin1Of} without `Buffer`. `TextDecoder("latin1")` decodes windows-1252. */
function latin1ByCharCodes(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += MAX_ARGUMENTS) {
    text += String.fromCharCode(...bytes.subarray(at, at + MAX_ARGUMENTS));
  }
  return text;
}

function utf8ByDecoder(bytes: Uint8Array): Utf8Reader {
  return (start, end) => UTF8.decode(bytes.subarray(start, end));
}
