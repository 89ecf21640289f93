/**
 * Operands: URLs, hosts, files and lists of them.
 *
 * @module
 */

import { isHttp } from "../data/url.ts";
import { hasPermission } from "../platform/environment.ts";
import { openToRead, standardInput, stat, statSync } from "../platform/host.ts";
import type { Arguments } from "./arguments.ts";
import { Failure, fileFailure, folderError, UsageError } from "./failure.ts";

/** An operand by its kind. */
export type Operand =
  | { readonly kind: "url"; readonly url: URL }
  /** A host without scheme, perhaps with a port and a path. */
  | { readonly kind: "host"; readonly host: string }
  /** A file, or standard input for `-`. */
  | { readonly kind: "file"; readonly path: string };

const SCHEME_REGEXP = /^[a-z][a-z0-9+.-]*:\/\//i;
/** `./x`, `../x` and `/x`, on Windows `.\x` and `C:\x` too. */
const PATH_REGEXP = /^(?:\.{0,2}[/\\]|[a-z]:[/\\])/i;
/** Limit of a list of operands, which is held in memory. */
const MAX_LIST_BYTES = 64 * 1024 * 1024;

const EXAMPLES = {
  ls: "https://example.com/",
  stats: "https://example.com/",
  parse: "sitemap.xml",
  replay: "events.ndjson",
} as const;

/** Returns the operands of a command, including those of lists; at least one. */
export async function operandsOf(args: Arguments): Promise<readonly Operand[]> {
  const { command } = args;
  const readsFiles = command === "parse" || command === "replay";
  let words: string[] = [];
  for (const word of args.operands) {
    words = words.concat(word === "-" && !readsFiles ? await listWords("-") : word);
  }
  for (const path of args.all("from")) words = words.concat(await listWords(path));
  if (words.length === 0) {
    const example = EXAMPLES[command as keyof typeof EXAMPLES];
    throw new UsageError(
      args.operands.length + args.all("from").length > 0 ? "Empty list" : "Missing operand",
      `try "sitetree ${command} ${example}"`,
    );
  }
  return words.map((word) => readsFiles ? fileOperand(command, word) : operandOf(word));
}

function operandOf(word: string): Operand {
  if (SCHEME_REGEXP.test(word)) {
    const url = URL.parse(word);
    if (url !== null && isHttp(url)) return { kind: "url", url };
    throw new UsageError(`Invalid URL "${word}": expected http(s)`);
  }
  if (PATH_REGEXP.test(word) && !word.startsWith("//") || isFile(word)) {
    return { kind: "file", path: word };
  }
  const host = word.replace(/^\/\//, "");
  if (URL.parse(`https://${host}`)?.hostname) return { kind: "host", host };
  throw new UsageError(`Invalid operand "${word}": expected a URL, a host or a file`);
}

function fileOperand(command: string, word: string): Operand {
  if (!/^https?:\/\//i.test(word) || isFile(word)) return { kind: "file", path: word };
  throw new UsageError(
    `Cannot read "${word}": "${command}" reads files`,
    command === "parse" ? `try "sitetree ls ${word}"` : undefined,
  );
}

/** Whether a file exists; false without permission to look, which would prompt. */
function isFile(path: string): boolean {
  if (!hasPermission({ name: "read", path })) return false;
  try {
    return !statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Returns the lines of a list, without blank ones and comments. */
async function listWords(path: string): Promise<string[]> {
  const stream = await openInput(path);
  const decoder = new TextDecoder();
  let text = "", bytes = 0;
  try {
    for await (const chunk of stream) {
      bytes += chunk.length;
      if (bytes > MAX_LIST_BYTES) throw new Failure(`Cannot read "${path}": larger than 64 MiB`);
      text += decoder.decode(chunk, { stream: true });
    }
  } catch (error) {
    throw error instanceof Failure ? error : fileFailure("read", path, error);
  }
  const lines = (text + decoder.decode()).split(/\r?\n/).map((line) => line.trim());
  return lines.filter((line) => line !== "" && !line.startsWith("#"));
}

/** Opens a file, or standard input for `-`. */
export async function openInput(path: string): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  if (path === "-") return standardInput();
  try {
    if ((await stat(path)).isDirectory()) throw folderError();
    return await openToRead(path);
  } catch (error) {
    throw fileFailure("read", path, error);
  }
}
