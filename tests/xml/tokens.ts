/** Runs a tokenizer, and records its calls in a form that is easy to write down. @module */

import { assertEquals } from "@std/assert";
import type { ReaderLimits } from "../../src/data/limits.ts";
import type { XmlStop } from "../../src/xml/consumer.ts";
import { XmlTokenizer } from "./tokenizer.ts";

export interface Tokens {
  /** `<name>`, `<{uri}name a="b">`, `</name>`, and text, each run of it in one piece. */
  readonly tokens: string[];
  /** Repairs as `code@line`. */
  readonly faults: string[];
  readonly closed: boolean;
  readonly stopped: XmlStop | undefined;
}

/** Chunk sizes: whole, small and one by one. */
export const SIZES: readonly number[] = [Infinity, 7, 1];

/** Splits a document into chunks of `size`: bytes, or characters of text. */
function* chunksOf(document: string | Uint8Array, size: number): Generator<string | Uint8Array> {
  let copy = new Uint8Array();
  for (let at = 0; at < document.length; at += size) {
    if (typeof document === "string") {
      yield document.slice(at, at + size);
      continue;
    }
    // the memory of a chunk is reused
    const chunk = document.subarray(at, at + size);
    if (copy.length === chunk.length) copy.set(chunk);
    else copy = chunk.slice();
    yield copy;
    copy.fill(0x26);
  }
}

/** Reads a document in chunks of `size`, bytes as bytes and text as text. */
export function tokensOf(
  document: string | Uint8Array,
  size: number,
  limits: Partial<ReaderLimits> = {},
): Tokens {
  const tokens: string[] = [];
  const faults: string[] = [];
  let text = "", open = 0;
  const flush = () => {
    if (text !== "") tokens.push(text);
    text = "";
  };
  const tokenizer = new XmlTokenizer({
    open(element, depth) {
      flush();
      assertEquals(depth, ++open);
      const uri = element.uri === "" ? "" : `{${element.uri ?? "?"}}`;
      const attributes = [...element.attributes].map(([name, value]) => ` ${name}="${value}"`);
      tokens.push(`<${uri}${element.name.name}${attributes.join("")}>`);
    },
    text: (piece) => void (text += piece),
    close(element, depth) {
      flush();
      assertEquals(depth, open--);
      tokens.push(`</${element.name}>`);
    },
    fault: (code, _message, line) => void faults.push(`${code}@${line}`),
  }, limits);
  for (const chunk of chunksOf(document, size)) tokenizer.write(chunk);
  const closed = tokenizer.end();
  flush();
  if (tokenizer.stopped === undefined) assertEquals(tokenizer.rootClosed, closed);
  assertEquals(tokenizer.depth, open);
  return { tokens, faults, closed, stopped: tokenizer.stopped };
}

/** White space behind a document, so that its last tag is far from the end of the chunk. */
const PADDING = " ".repeat(100);

/**
 * Asserts the tokens of a document, separated by bars, and its faults, separated by spaces; whatever
 * its chunks, as bytes and as text.
 */
export function assertTokens(
  document: string,
  tokens: string,
  faults = "",
  limits: Partial<ReaderLimits> = {},
): void {
  const bytes = new TextEncoder().encode(document);
  for (const size of SIZES) {
    for (const form of [document, bytes]) {
      const actual = tokensOf(form, size, limits);
      const how = `${JSON.stringify(document)} as ${typeof form} by ${size}`;
      assertEquals(actual.tokens.join("|"), tokens, `tokens of ${how}`);
      assertEquals(actual.faults.join(" "), faults, `faults of ${how}`);
      if (!actual.closed) continue;
      const padded = tokensOf(document + PADDING, size, limits);
      assertEquals(padded, actual, `${how}, padded`);
    }
  }
}
