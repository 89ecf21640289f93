/**
 * Reads the same documents with sitetree and its peers, in turns, and prints a comparison.
 *
 *     deno task bench [--quick] [--only NAME]... [--data KIND]... [--pages N] [--rounds N]
 *       [--no-shapes] [--no-hostile]
 *     deno task bench --shapes [--quick] [--only NAME]... [--pages N]
 *     deno task bench --runtimes [--quick] [--only NAME]... [--pages N] [--tarball FILE]
 *     deno task bench --documents DIR
 *
 * `--quick` reads small documents once: it checks that everything runs and that all contenders make
 * the same pages, and prints no times. `--only` keeps sitetree, the base of the ratios and the peers
 * with that text in the name of their module, and the shapes with that text in their name.
 * `--shapes` prints only the table of shapes, `--no-shapes` leaves it out. `--runtimes` prints some
 * shapes for Node, Bun and Deno, as read by the packed library or another tarball. `--documents`
 * compares sitetree and saxes on every file of a folder and prints JSON.
 *
 * @module
 */

import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { documentFile } from "./bench_data.ts";
import { compareDocuments } from "./documents_bench.ts";
import { DOCUMENT_KINDS, type DocumentKind } from "./generate.ts";
import { benchHostile } from "./hostile_bench.ts";
import { denoCommand, installPeers, peerVersions, resultOf } from "./launch.ts";
import type { Measured, RunnerResult, RunnerTask } from "./runner.ts";
import { benchShapes } from "./shapes_bench.ts";
import { count, figure, machine, median, table } from "./table.ts";

const OURS = ["sitetree.ts", "sitetree_parser.ts"];

/** Contenders per kind of document; ratios are relative to the first peer. */
const XML_PEERS = [
  "peers/saxes.ts",
  "peers/saxophone.ts",
  "peers/htmlparser2.ts",
  "peers/libs_xml.ts",
];
const UPPER_BOUND = "peers/loc_regexp.ts";
const URLSET_PEERS = [...XML_PEERS, UPPER_BOUND];
const CRAWLEE = "peers/crawlee.ts";
/** The base without namespaces, in a separate process: in one process both would be slower. */
const LEAN_BASE = "peers/saxes_without_namespaces.ts";

const PEERS: Readonly<Record<DocumentKind, readonly string[]>> = {
  "plain": [...URLSET_PEERS, CRAWLEE],
  "rich": URLSET_PEERS,
  "non-ascii": URLSET_PEERS,
  "read": URLSET_PEERS,
  "rss": XML_PEERS,
  "atom": XML_PEERS,
  // crawlee loses lines of long text at chunk boundaries
  "text": ["peers/readline.ts"],
};

const TITLES: Readonly<Record<DocumentKind, string>> = {
  "plain": "urlset, plain (loc, lastmod, changefreq, priority)",
  "rich": "urlset, rich (image, news, hreflang)",
  "non-ascii": "urlset, non-ASCII addresses and titles",
  "read": "urlset, every field read (&amp; in addresses, dates with zones, images, hreflang)",
  "rss": "RSS",
  "atom": "Atom",
  "text": "plain text",
};

/** A fast line to a website: 100 Mbit/s. */
const BYTES_PER_SECOND = 12.5e6;

interface BenchOptions {
  readonly pages: number;
  readonly rounds: number;
  readonly only: readonly string[];
  /** Whether to check pages without timing. */
  readonly quick: boolean;
  readonly measureMemory: boolean;
}

function modulesFor(kind: DocumentKind, only: readonly string[]): string[] {
  const [base, ...others] = PEERS[kind];
  const kept = only.length === 0
    ? others
    : others.filter((module) => only.some((part) => module.includes(part)));
  return [...OURS, base!, ...kept];
}

function run(task: RunnerTask): Promise<RunnerResult> {
  return resultOf(denoCommand("runner.ts", [JSON.stringify(task)]));
}

/** Checks that all contenders made the generated pages, and an upper bound as many. */
function checkSame(kind: DocumentKind, pages: number, contenders: readonly Measured[]): void {
  for (const contender of contenders) {
    if (contender.pages !== pages) {
      throw new Error(
        `"${contender.name}" made ${contender.pages} pages of ${pages} in "${kind}"`,
      );
    }
    if (!contender.isBound && contender.checksum !== contenders[0]!.checksum) {
      throw new Error(
        `"${contender.name}" and "${contenders[0]!.name}" made different pages of "${kind}"`,
      );
    }
  }
}

async function memoryOf(kind: DocumentKind, pages: number, modules: readonly string[]) {
  const peaks: number[] = [];
  for (const module of modules) {
    const result = await run({ kind, pages, modules: [module], rounds: 0 });
    checkSame(kind, pages, result.contenders);
    peaks.push(result.peakRss);
  }
  return peaks;
}

async function benchKind(kind: DocumentKind, options: BenchOptions): Promise<void> {
  const { pages, rounds } = options;
  const modules = modulesFor(kind, options.only);
  const file = await documentFile(kind, pages);
  const { bytes, contenders } = await run({ kind, pages, modules, rounds });
  checkSame(kind, pages, contenders);
  const peaks = options.measureMemory ? await memoryOf(kind, pages, modules) : undefined;

  console.log(`\n## ${TITLES[kind]}: ${count(pages)} pages, ${figure(bytes / 1e6)} MB\n`);
  console.log(options.quick ? checkTable(contenders) : timeTable(bytes, contenders, peaks));
  if (!options.quick) {
    const parser = median(contenders[OURS.indexOf("sitetree_parser.ts")]!.seconds);
    console.log(`\n${shareOfTransfer(await Deno.readFile(file), pages, parser)}`);
  }
  if (contenders.some(({ isBound }) => isBound)) {
    console.log(
      "\nThe upper bound reads only <loc>, and wrongly: references and CDATA stay as written",
    );
  }
  if (PEERS[kind][0] === "peers/saxes.ts") await benchLeanBase(kind, options);
}

/** Compares the time of the parser with that in which a document arrives, as it is and gzipped. */
function shareOfTransfer(document: Uint8Array, pages: number, seconds: number): string {
  const [plain, gzipped] = [document.length, gzipSync(document).length].map((bytes) => {
    const transfer = bytes / BYTES_PER_SECOND;
    const share = figure(seconds / transfer * 100);
    return `${figure(bytes / pages)} bytes in ${figure(transfer / pages * 1e6)} µs (${share} %)`;
  });
  return `The parser alone takes ${figure(seconds / pages * 1e6)} µs a page; at 100 Mbit/s ` +
    `a page arrives as ${plain}, gzipped as ${gzipped}`;
}

/** Compares the parser alone with the base without namespaces. */
async function benchLeanBase(kind: DocumentKind, options: BenchOptions): Promise<void> {
  const { pages, rounds, quick } = options;
  const modules = [OURS[1]!, LEAN_BASE];
  const { bytes, contenders } = await run({ kind, pages, modules, rounds });
  checkSame(kind, pages, contenders);
  if (quick) return;
  const [ours, lean] = contenders.map(({ seconds }) => median(seconds));
  const speed = `${figure(bytes / 1e6 / lean!)} MB/s`;
  console.log(
    `\nIn a process of their own: ${contenders[1]!.name} ${speed}, the parser alone ×${
      figure(lean! / ours!)
    } of it`,
  );
}

function checkTable(contenders: readonly Measured[]): string {
  return table(
    ["", "pages", "checksum"],
    contenders.map(({ name, pages, checksum }) => [name, count(pages), String(checksum)]),
  );
}

function timeTable(
  bytes: number,
  contenders: readonly Measured[],
  peaks: readonly number[] | undefined,
): string {
  const base = contenders[OURS.length]!;
  const baseSeconds = median(base.seconds);
  const rows = contenders.map(({ name, pages, seconds }, at) => {
    const middle = median(seconds);
    return [
      name,
      figure(bytes / 1e6 / middle),
      count(pages / middle),
      `×${figure(baseSeconds / middle)}`,
      ...(peaks === undefined ? [] : [`${count(peaks[at]!)} MiB`]),
    ];
  });
  const head = ["", "MB/s", "pages/s", `× ${base.name}`];
  return table(peaks === undefined ? head : [...head, "peak RSS"], rows);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      "shapes": { type: "boolean", default: false },
      "no-shapes": { type: "boolean", default: false },
      "runtimes": { type: "boolean", default: false },
      "tarball": { type: "string" },
      "documents": { type: "string" },
      "quick": { type: "boolean", default: false },
      "no-hostile": { type: "boolean", default: false },
      "only": { type: "string", multiple: true, default: [] },
      "data": { type: "string", multiple: true, default: [] },
      "pages": { type: "string" },
      "rounds": { type: "string" },
    },
  });
  const quick = values.quick;
  const pages = Number(values.pages ?? (quick ? 200 : 50_000));
  const rounds = Number(values.rounds ?? (quick ? 1 : 15));
  const kinds = DOCUMENT_KINDS.filter((kind) =>
    values.data.length === 0 || values.data.includes(kind)
  );
  if (values.documents !== undefined) {
    return console.log(JSON.stringify(await compareDocuments(values.documents), null, 2));
  }
  console.log(`# Reading documents: 64 KiB chunks in, pages out\n\n${machine()}`);
  const shapes = { pages, only: values.only, quick };
  if (values.shapes) return await benchShapes(shapes);
  if (values.runtimes) {
    // Deno installs the bundlers that they import for any specifier that it can read
    const [workspace, bench] = ["../runtimes/workspace.ts", "./runtimes_bench.ts"];
    const { packLibrary } = await import(workspace) as typeof import("../runtimes/workspace.ts");
    const { benchRuntimes } = await import(bench) as typeof import("./runtimes_bench.ts");
    return await benchRuntimes(values.tarball ?? await packLibrary(), shapes);
  }
  await installPeers();
  const versions = Object.entries(await peerVersions()).map((pair) => pair.join(" "));
  console.log(`Peers: ${versions.join(", ")}`);
  console.log(
    quick
      ? "Quick: the pages are checked, no times are printed"
      : `Medians of the CPU time of up to ${rounds} rounds in turns in one process; ` +
        "peak RSS each in its own",
  );
  for (const kind of kinds) {
    const measureMemory = kind === "plain" && !quick;
    await benchKind(kind, { pages, rounds, quick, only: values.only, measureMemory });
  }
  if (!values["no-shapes"]) await benchShapes(shapes);
  if (!values["no-hostile"]) benchHostile(quick);
}

if (import.meta.main) await main();
