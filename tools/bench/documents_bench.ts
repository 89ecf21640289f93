/**
 * `bench.ts --documents DIR`: reads every file of a folder with sitetree and with saxes.
 *
 * Both get the decompressed bytes, so that parsers are compared and not decompressors.
 *
 * @module
 */

import { gunzipSync } from "node:zlib";
import { inChunks } from "./contender.ts";
import {
  checkPages,
  geometricMean,
  type Read,
  readOurs,
  readSaxes,
  timeReaders,
  type TimingOptions,
  usablePages,
} from "./head_to_head.ts";
import { readShape } from "./peers/shape_pages.ts";
import { generateShape, SHAPES } from "./shapes.ts";

/** Small documents are read repeatedly: a round takes about 20 ms. */
const TIMING: TimingOptions = { minRounds: 5, seconds: 0.6, secondsPerRound: 0.02 };

/** Pages of each shape that are read before anything is timed, so that all code is compiled. */
const WARM_UP_PAGES = 300;

/** The result of one file. */
export interface DocumentResult {
  readonly file: string;
  /** Size after decompression. */
  readonly bytes: number;
  /** Pages that sitetree read, or children of an index. */
  readonly pages: number;
  /** Whether both made the same pages. */
  readonly identical: boolean;
  readonly ours: { readonly seconds: number };
  /** `null` if saxes cannot read the document. */
  readonly saxes: { readonly seconds: number } | null;
  /** Time of saxes divided by that of sitetree. */
  readonly ratio: number | null;
  /** The reason why saxes cannot read it, or the first page that differs. */
  readonly error?: string;
}

/** The result of a folder. */
export interface DocumentsReport {
  readonly documents: readonly DocumentResult[];
  /** Of the documents that both can read; `null` if there are none. */
  readonly geometricMean: number | null;
  readonly minimum: number | null;
}

/** The content of a gzip file; any other file, and one that is damaged, as it is. */
function decompressed(bytes: Uint8Array): Uint8Array {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return new Uint8Array(gunzipSync(bytes));
  } catch (error) {
    if (error instanceof Error) return bytes;
    throw error;
  }
}

/** The encoding by the byte order mark or the XML declaration. */
function encodingOf(bytes: Uint8Array): string {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, 200));
  if (start.startsWith("\xff\xfe") || start.startsWith("<\0")) return "utf-16le";
  if (start.startsWith("\xfe\xff") || start.startsWith("\0<")) return "utf-16be";
  return /^<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(start)?.[1] ?? "utf-8";
}

async function errorOf(run: () => void | Promise<void>): Promise<string | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function countPages(bytes: Uint8Array): Promise<number> {
  let pages = 0;
  await readOurs(bytes, () => void pages++);
  return pages;
}

async function warmUp(): Promise<void> {
  for (const shape of SHAPES) {
    const { bytes } = generateShape(shape, WARM_UP_PAGES);
    await readOurs(bytes, () => {});
    readSaxes(bytes, () => {});
  }
}

/** Reads one document with both. */
async function compareDocument(
  file: string,
  content: Uint8Array,
  timing: TimingOptions,
): Promise<DocumentResult> {
  const bytes = decompressed(content);
  const encoding = encodingOf(bytes);
  const readEncoded: Read = (bytes, sink) => readShape(inChunks(bytes), sink, encoding);
  const unreadable = await errorOf(() => readEncoded(bytes, () => {}));
  const base = { file, bytes: bytes.length };
  if (unreadable !== undefined) {
    const pages = await countPages(bytes);
    const { ours } = await timeReaders({ ours: readOurs }, bytes, timing);
    const result = { ...base, pages, identical: false, ours: { seconds: ours }, saxes: null };
    return { ...result, ratio: null, error: unreadable };
  }
  const check = await checkPages(bytes, (bytes, sink) => readEncoded(bytes, usablePages(sink)));
  const { ours, saxes } = await timeReaders({ ours: readOurs, saxes: readEncoded }, bytes, timing);
  const { pages, difference } = check;
  return {
    ...base,
    pages,
    identical: difference === undefined,
    ours: { seconds: ours },
    saxes: { seconds: saxes },
    ratio: saxes / ours,
    ...(difference === undefined ? {} : {
      error: `Page ${difference.at}: sitetree ${difference.ours}, saxes ${difference.saxes}`,
    }),
  };
}

/** Reads every regular file of a folder, in the order of their names. */
export async function compareDocuments(
  folder: string,
  timing: TimingOptions = TIMING,
): Promise<DocumentsReport> {
  const names = [...Deno.readDirSync(folder)].filter(({ isFile }) => isFile)
    .map(({ name }) => name).sort();
  await warmUp();
  const documents: DocumentResult[] = [];
  for (const name of names) {
    const content = await Deno.readFile(`${folder}/${name}`);
    documents.push(await compareDocument(name, content, timing));
  }
  const ratios = documents.flatMap(({ ratio }) => ratio === null ? [] : [ratio]);
  return {
    documents,
    geometricMean: ratios.length === 0 ? null : geometricMean(ratios),
    minimum: ratios.length === 0 ? null : Math.min(...ratios),
  };
}
