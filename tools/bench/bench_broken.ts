/**
 * Breaks the fixtures from a seed, and counts the pages that sitetree and its peers still find.
 *
 *     deno task bench:broken [--times N] [--seed N] [--quick]
 *
 * Every reader gets the same bytes, of documents that every reader reads completely if they are
 * intact. A page is found if its address is exactly that of the original, and invented, in brackets, if
 * no page of the original has it. `--times` is the number of times that each document is broken in each
 * way; `--quick` breaks each once. feedparser and lxml take part if Debian's `python3-feedparser` and
 * `python3-lxml` are installed.
 *
 * @module
 */

import { parseArgs } from "node:util";
import { parseSitemap } from "../../mod.ts";
import {
  DOCUMENT_URL,
  type Original,
  type TestDocument,
  testDocuments,
} from "./broken_documents.ts";
import { denoCommand, installPeers, peerVersions } from "./launch.ts";
import { count, table } from "./table.ts";

const PYTHON = "/usr/bin/python3";

/** Class that is not part of the sum, since a page that shows a sitemap is not a sitemap. */
const NOT_COUNTED = "root inside HTML";

/** Addresses that each reader finds in a document, by its name. */
type Found = Readonly<Record<string, readonly string[]>>;

async function bySitetree(bytes: Uint8Array): Promise<string[]> {
  const options = { url: DOCUMENT_URL, contentType: "application/xml; charset=utf-8" };
  const addresses: string[] = [];
  for await (const event of parseSitemap(bytes, options)) {
    if (event.type === "page") addresses.push(event.page.url);
    if (event.type === "invalid" && event.code === "unfetched") addresses.push(event.sitemap.url);
  }
  return addresses;
}

/** Returns what a process finds in the documents: one line of JSON in and out for each. */
async function byProcess(command: Deno.Command, lines: string): Promise<Found[]> {
  const process = command.spawn();
  const output = process.output();
  const writer = process.stdin.getWriter();
  await writer.write(new TextEncoder().encode(lines));
  await writer.close();
  const { success, stdout } = await output;
  if (!success) throw new Error("A reader failed; see above");
  return new TextDecoder().decode(stdout).trimEnd().split("\n").map((line) => JSON.parse(line));
}

/** Returns the versions of feedparser and lxml, if they are installed. */
async function pythonVersions(): Promise<string | undefined> {
  const script = "import feedparser, lxml.etree as e; " +
    "print('feedparser', feedparser.__version__ + ', lxml', e.__version__)";
  try {
    const { success, stdout } = await new Deno.Command(PYTHON, { args: ["-c", script] }).output();
    return success ? new TextDecoder().decode(stdout).trim() : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function pythonCommand(): Deno.Command {
  const args = [new URL("broken_readers.py", import.meta.url).pathname];
  return new Deno.Command(PYTHON, { args, stdin: "piped", stdout: "piped", stderr: "inherit" });
}

/** A document and what was found in it. */
interface Reading {
  readonly document: TestDocument;
  readonly found: Found;
}

/** Returns the readings of documents that every reader reads completely if they are intact. */
function comparable(readings: readonly Reading[]): Reading[] {
  const kept = new Set<Original>();
  for (const { document: { original, mutation }, found } of readings) {
    const isWhole = Object.values(found).every((addresses) =>
      original.urls.symmetricDifference(new Set(addresses)).size === 0
    );
    if (mutation === undefined && isWhole) kept.add(original);
  }
  return readings.filter(({ document }) => kept.has(document.original));
}

/** Returns the number of pages, then what each reader found, as the cells of a row. */
function cells(readings: readonly Reading[], readers: readonly string[]): string[] {
  let pages = 0;
  const tallies = readers.map(() => ({ found: 0, invented: 0 }));
  for (const { document: { original: { urls } }, found } of readings) {
    pages += urls.size;
    for (const [at, reader] of readers.entries()) {
      for (const address of new Set(found[reader])) {
        tallies[at]![urls.has(address) ? "found" : "invented"]++;
      }
    }
  }
  const tallied = tallies.map(({ found, invented }) =>
    invented === 0 ? count(found) : `${count(found)} (+${count(invented)})`
  );
  return [count(pages), ...tallied];
}

/** Returns a table of the readings, a row for each class of mutations. */
function tableOf(kind: string, readings: readonly Reading[]): string {
  const readers = Object.keys(readings[0]!.found);
  const broken = readings.filter(({ document }) => document.mutation !== undefined);
  const classes = Map.groupBy(broken, ({ document }) => document.mutation!);
  const inHtml = classes.get(NOT_COUNTED) ?? [];
  classes.delete(NOT_COUNTED);
  return table([kind, "pages", ...readers], [
    ...[...classes].map(([mutation, readings]) => [mutation, ...cells(readings, readers)]),
    ["all", ...cells([...classes.values()].flat(), readers)],
    [NOT_COUNTED, ...cells(inHtml, readers)],
  ]);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      quick: { type: "boolean", default: false },
      times: { type: "string", default: "5" },
      seed: { type: "string", default: "1" },
    },
  });
  await installPeers();
  const times = values.quick ? 1 : Number(values.times);
  const documents = testDocuments(times, Number(values.seed));
  const lines = documents.map(({ bytes, original: { isFeed } }) =>
    JSON.stringify({ body: bytes.toBase64(), url: DOCUMENT_URL, isFeed }) + "\n"
  ).join("");

  const found: Found[] = [];
  for (const { bytes } of documents) found.push({ sitetree: await bySitetree(bytes) });
  const processes = [denoCommand("peers/broken_readers.ts", [], "piped")];
  const python = await pythonVersions();
  if (python === undefined) {
    console.error("Without feedparser and lxml: install python3-feedparser and python3-lxml");
  } else processes.push(pythonCommand());
  for (const command of processes) {
    for (const [at, addresses] of (await byProcess(command, lines)).entries()) {
      found[at] = { ...found[at], ...addresses };
    }
  }

  const readings = comparable(documents.map((document, at) => ({ document, found: found[at]! })));
  const { saxes, htmlparser2 } = await peerVersions();
  const peers = `saxes ${saxes}, htmlparser2 ${htmlparser2}${python ? `, ${python}` : ""}`;
  console.log(`# Broken documents\n\nDeno ${Deno.version.deno}, ${peers}`);
  for (const [kind, isFeed] of [["sitemaps", false], ["feeds", true]] as const) {
    const ofKind = readings.filter(({ document }) => document.original.isFeed === isFeed);
    const originals = new Set(ofKind.map(({ document }) => document.original));
    console.log(`\n${count(originals.size)} ${kind}, ${count(ofKind.length)} documents:\n`);
    console.log(tableOf(kind, ofKind));
  }
}

if (import.meta.main) await main();
