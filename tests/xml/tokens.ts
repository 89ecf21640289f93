/** What a tokenizer says of a document, in a form that is easy to write down. @module */

import { assertEquals } from "@std/assert";
import type { XmlHandler, XmlStop, XmlTokenizerOptions } from "../../src/xml/handler.ts";
import { XmlTokenizer } from "../../src/xml/tokenizer.ts";

/** What a tokenizer says of a document. */
export interface Tokens {
  /** `<name>`, `<{uri}name a="b">`, `</name>`; text stands for itself, runs of it in one piece. */
  readonly tokens: string[];
  /** Repairs as `code@line`. */
  readonly faults: string[];
  /** Whether the root element ended. */
  readonly closed: boolean;
  /** What stopped it. */
  readonly stopped: XmlStop | undefined;
}

/** How documents are cut up, so that every edge is met. */
export const SIZES: readonly number[] = [Infinity, 7, 1];

/** Reads a document in pieces of so many characters. */
export function tokensOf(
  document: string,
  size: number,
  options: XmlTokenizerOptions & Pick<XmlHandler, "closesBefore"> = {},
): Tokens {
  const tokens: string[] = [];
  const faults: string[] = [];
  let text = "";
  const flush = () => {
    if (text !== "") tokens.push(text);
    text = "";
  };
  const { closesBefore, ...limits } = options;
  const tokenizer = new XmlTokenizer({
    open(element, depth) {
      flush();
      assertEquals(depth, tokenizer.depth);
      const uri = element.uri === "" ? "" : `{${element.uri ?? "?"}}`;
      const attributes = [...element.attributes].map(([name, value]) => ` ${name}="${value}"`);
      tokens.push(`<${uri}${element.name}${attributes.join("")}>`);
    },
    text: (piece) => void (text += piece),
    close(element, depth) {
      flush();
      assertEquals(depth, tokenizer.depth + 1);
      tokens.push(`</${element.name}>`);
    },
    fault: (code, _message, line) => void faults.push(`${code}@${line}`),
    ...(closesBefore && { closesBefore }),
  }, limits);
  for (let at = 0; at < document.length; at += size) tokenizer.write(document.slice(at, at + size));
  const closed = tokenizer.end();
  flush();
  assertEquals(
    tokenizer.rootClosed,
    tokenizer.stopped === undefined ? closed : tokenizer.rootClosed,
  );
  return { tokens, faults, closed, stopped: tokenizer.stopped };
}

/** White space that makes a chunk long enough to be read as bytes. */
const PADDING = " ".repeat(100);

/** Checks what a tokenizer says of a document, however it is cut up, and as part of a long chunk. */
export function assertTokens(
  document: string,
  tokens: readonly string[],
  faults: readonly string[] = [],
  options: XmlTokenizerOptions & Pick<XmlHandler, "closesBefore"> = {},
): void {
  for (const size of SIZES) {
    const actual = tokensOf(document, size, options);
    assertEquals(actual.tokens, tokens, `tokens of ${JSON.stringify(document)} by ${size}`);
    assertEquals(actual.faults, faults, `faults of ${JSON.stringify(document)} by ${size}`);
    if (!actual.closed) continue;
    const padded = tokensOf(document + PADDING, size, options);
    assertEquals([padded.tokens, padded.faults], [tokens, faults], `padded, by ${size}`);
  }
}
